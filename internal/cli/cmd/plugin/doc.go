// Package plugin holds the commands about plugins. Plugins cannot be downloaded yet: what is here lists the ones that are
// there, built in or installed, and says which of them runs.
//
// Entry point: [NewCmd].
package plugin
