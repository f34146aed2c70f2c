// Package completion is `pulumi gen-completion`, and what shells offer behind the tab key: commands, flags, and the names
// of stacks. Offering must never get in the way: whatever goes wrong, nothing is offered and nothing is said. It refuses
// to change a stack. Entry points: [NewCmd], [Register].
package completion
