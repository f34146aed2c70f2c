// Package usage is what commands have in common on the command line: counting arguments, saying that a command is not
// there yet, and the flags that choose between text and JSON. It refuses to run anything.
package usage
