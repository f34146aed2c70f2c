// Package config holds the commands that read and change a stack's configuration.
//
// Values are edited in the stack's file, which keeps its comments and order; secrets are encrypted before they get there.
// Nothing is written when anything of a command fails. Entry point: [NewCmd].
package config
