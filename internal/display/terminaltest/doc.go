// Package terminaltest is a terminal for tests: it takes what a program writes and tells what a person would see.
//
// It knows the control codes that package screen uses and colours; any other one is an error that the test gets to see,
// which makes it a proof that no hostile name or message reaches a terminal as a command. Entry point: [New].
package terminaltest
