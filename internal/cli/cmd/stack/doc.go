// Package stack holds the commands that manage stacks: stack itself (an overview), init, list, select, unselect, remove,
// output, export, import and history.
//
// It refuses to run programs and providers: nothing here touches a resource. Entry point: [NewCmd].
package stack
