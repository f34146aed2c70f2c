// Package cli is the command line: it reads the process, builds a factory, runs a command and chooses the exit code.
//
// It refuses to hold logic of its own: commands live in cmd/<noun>. Entry point: [Main].
package cli
