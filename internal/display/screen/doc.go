// Package screen keeps a few lines at the end of what a terminal shows up to date.
//
// A [Screen] draws below what is there already, so that nothing a person did before is lost, and later writes only the
// lines that differ from what it drew last, each drawing in one write. It is made of five control codes that every
// terminal knows (cursor up, erase line, erase below, wrapping off and on), and leaves the terminal as it found it after
// each write: a process that is killed needs no repair. It refuses to read input, to hide the cursor, to use the
// alternate screen and to have a clock. Frameworks for interactive programs (bubbletea was looked at) bring all of these:
// they own the keyboard, which takes Ctrl-C away from the command, and draw by a clock of their own, which no test can
// wind.
//
// After a resize it assumes what nearly all terminals do: lines that no longer fit were wrapped. Where a terminal cuts
// them instead, at most as many lines above are overwritten as would have been wrapped.
//
// Entry point: [New].
package screen
