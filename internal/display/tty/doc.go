// Package tty is the operating system's side of the terminal that a tree of package display is drawn on: how large it is,
// not showing keys that are pressed, and when the process goes on after it was stopped.
//
// While the process is in the background (`pulumi up --yes &`) its terminal belongs to somebody else: it counts as one
// row high, where nothing is drawn, and its settings are left alone, since a change would stop the process. Ctrl-C stays
// a signal. What is typed is not taken away from whoever reads next. The package refuses to draw.
//
// Entry point: [Of].
package tty
