// Package palette is how text gets its colour: named styles, and the four modes that users choose from.
//
// It refuses to look at the terminal or the environment; [Mode.Resolve] is told about them. Entry point: [New].
package palette
