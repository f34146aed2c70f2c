// Package template reads YAML programs and component plugins into a typed tree, with the position of every part.
//
// Entry points are [Parse] for one file, [ParseExpr] for one expression, and [String] (print) for the way back. The
// package knows the grammar only: it refuses to look anything up, to check types and to evaluate.
package template
