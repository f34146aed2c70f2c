// Package bundle holds the commands for machines without a network: making one file of all plugins of a project, and
// installing from it.
//
// Entry point: [NewCmd].
package bundle
