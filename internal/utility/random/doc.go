// Package random is the random provider in the box: RandomPet, RandomString, RandomPassword, RandomId, RandomInteger,
// RandomShuffle, RandomUuid, RandomUuid4, RandomUuid7 and RandomBytes.
//
// It answers to the published provider of the version [Version] gives: the same tokens, properties, defaults, secrets,
// replacements, imports and state, so that a stack may change between the two at any time. That provider is a Terraform
// provider behind a bridge, so each resource is a table of typed attributes ([definition]) from which checks, plans,
// state and schema all follow; only how values are drawn is code.
//
// The package refuses to talk gRPC, to keep any state between calls and to draw secrets from anything but the system's
// cryptographic source. [New] is its entry point.
package random
