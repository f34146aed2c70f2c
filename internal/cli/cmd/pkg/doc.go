// Package pkg holds the commands about packages, `pulumi package`: what a provider's schema says, as JSON and in words.
//
// Entry point: [NewCmd].
package pkg
