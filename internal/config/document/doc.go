// Package document reads a YAML or JSON file into nodes that remember their line and column, and writes edited nodes back
// with the comments, the quoting and the unknown keys that were there.
//
// It knows nothing of what a file means. It refuses what would be lost or misread later: a second YAML document, a key that
// stands twice in a mapping, text that is not UTF-8, aliases that unfold without end. A refusal is [diag.Diagnostics] with
// the place. Entry point: [Parse].
package document
