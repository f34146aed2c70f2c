// Package diy keeps stacks as files in a folder, in the layout that the Pulumi CLI uses:
//
//	.pulumi/meta.yaml                                              version: 1
//	.pulumi/stacks/<project>/<stack>.json[.gz]                     checkpoint
//	.pulumi/stacks/<project>/<stack>.json.bak                      the checkpoint before it
//	.pulumi/stacks/<project>/<stack>.journal                       what an unfinished update did since the checkpoint
//	.pulumi/stacks/<project>/<stack>.pulumi-tags                   tags of the stack
//	.pulumi/history/<project>/<stack>/<stack>-<nanos>.history.json and .checkpoint.json
//	.pulumi/backups/<project>/<stack>/<stack>.<nanos>.json
//	.pulumi/locks/organization/<project>/<stack>/<uuid>.json       one lock
//
// Files ending in ".attrs" belong to the blob library the Pulumi CLI uses. It skips them in listings, reads a file
// whose sidecar is missing, and fails on an empty sidecar. Cairn writes no sidecars, removes the sidecar of a file it
// replaces, and names its temporary files ".<stack>.cairn-<random>.attrs" so that no listing ever shows one.
//
// The journal is ours; the Pulumi CLI's listing ignores its extension.
//
// The package refuses the layout in which stacks did not belong to projects, and does not read zstd-compressed
// checkpoints. Entry point: [Open].
package diy
