// Package deploymentjson is the format of state files: checkpoints and exported deployments, in the shape that the Pulumi
// CLI writes (versions 3 and 4) and reads (from version 1 on). Keys come in the same order and numbers in the same form,
// so that decoding and encoding a file of the Pulumi CLI gives the same bytes.
//
// Keys that this version does not know survive in the Extra maps. Secrets are sealed and opened through [Secrets], which
// remembers ciphertexts: an unchanged secret keeps its ciphertext. Without the key a secret stays a sealed value that is
// written as it was read.
//
// The package refuses versions and features that it does not know, and does not check the integrity of what it reads:
// that is state.Snapshot.Verify. Entry points: [DecodeCheckpoint], [EncodeCheckpoint], [DecodeExport], [EncodeExport].
package deploymentjson
