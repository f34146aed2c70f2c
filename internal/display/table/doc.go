// Package table lays out what commands print from data: stacks, resources, outputs, history, configuration, plugins.
//
// Everything is a pure function of its data, and gives text in the layout of the Pulumi CLI, or the JSON its clients
// parse. Sizes and times are given in words relative to a time that the caller passes. The package refuses to fetch
// anything. Entry points: [Table.String] and the functions of each command's name.
package table
