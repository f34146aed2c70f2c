// Package state has the commands that edit what is recorded of a stack. They call no provider.
package state
