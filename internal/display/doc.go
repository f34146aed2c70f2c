// Package display turns engine events into what people and programs read: progress rows, a live tree, a diff,
// JSON.
//
// A [View] takes events one at a time and writes to a writer it was given. Text is what users of the Pulumi CLI know,
// row by row; JSON has the shapes that its clients parse. Views know events and values only: they refuse to ask the
// engine, a backend or the environment anything, and have no clock but the one they are given. Values arrive masked;
// a value that is marked secret is masked once more unless the view was told to show secrets.
//
// Entry points: [NewProgress], [NewTree], [NewDiff], [NewPreviewJSON], [NewEventLog], [NewSummaryJSON], [Tee] and [Details].
// Tables that commands print from data (stack ls, config, ...) are in package table below this one.
package display
