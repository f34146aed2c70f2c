// Package verb says in words and marks what an operation does: "creating", "created", "+ ".
//
// It is a table and nothing else. The words are the ones that users of the Pulumi CLI know.
// Entry point: [Of].
package verb
