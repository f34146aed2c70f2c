// Package importer reads the files of `pulumi import` and registers what they name, as a program of an import.
//
// Entry points: [Parse], [File.Resolve].
package importer
