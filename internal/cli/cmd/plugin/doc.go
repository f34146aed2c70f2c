// Package plugin holds the commands about plugins: installing, listing, removing and running them.
//
// Entry point: [NewCmd].
package plugin
