// Package operation holds the commands that run the engine on a stack: preview, up, refresh, destroy, and cancel.
//
// They share one runner: preview, question, run, history. It refuses to decide what to change; the engine does.
package operation
