// Package command is the command provider in the box: the resource command:local:Command and the function
// command:local:run, a drop-in for version 1.2.1 of the published package.
//
// Commands run as child processes in a process group of their own: canceling, a timeout or our own death ends the
// whole group, while something a finished command left running in the background stays. Their environment and folder
// come from [Options], never from this process. What they print goes to [Options].Log line by line, with the text of
// secret inputs masked; stdout and stderr as outputs are exactly what was printed, less one newline at the end.
//
// The package refuses to speak SSH: the types of command:remote are an [UnsupportedError] that names the official
// plugin. Entry point: [New].
package command
