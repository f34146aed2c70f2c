// Package plan decides: given what a program wants, what was recorded and what the provider answered so far, [Next] says
// which answer is still needed or which steps follow.
//
// It does no I/O, knows no time and starts no goroutine: every decision can be tested as a table. It refuses to apply
// steps; package exec does that.
package plan
