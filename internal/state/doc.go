// Package state holds the record of a whole stack: the [Snapshot], its integrity rules and its canonical order.
//
// It refuses to read or write files: state/deploymentjson is the file format, state/journal the ordered record of
// changes. Entry points: [Snapshot.Verify] and [Sort].
package state
