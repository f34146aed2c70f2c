// Package difftext writes property values, and how two sets of them differ, as indented text.
//
// The layout is that of `pulumi preview --diff`: one property a line, "~ key: old => new", nested maps and lists, JSON
// and YAML inside strings compared as what they say. The package refuses to know steps and events: display tells it
// what to compare. Secrets show as [secret] unless it is told to show them, and where only one side of a change is
// secret, both are masked. Entry points: [Compare] and [Printer].
package difftext
