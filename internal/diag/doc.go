// Package diag is how Cairn tells a person about a problem: what happened, where, and what to do next.
//
// A diagnostic is for user problems (a typo in a program, a missing value). Failures of the machinery are ordinary
// errors. The package refuses to print: display turns diagnostics into text. Entry point: [Diagnostic].
package diag
