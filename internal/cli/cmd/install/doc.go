// Package install holds `pulumi install`: everything that the program at hand needs.
//
// Entry point: [NewCmd].
package install
