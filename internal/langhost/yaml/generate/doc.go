// Package generate writes YAML programs from recorded resources.
//
// Entry point: [Resources].
package generate
