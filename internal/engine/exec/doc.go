// Package exec applies steps: it talks to the provider, records the operation in the journal before and after, and
// answers with the state that resulted. There is one apply function per operation.
//
// It refuses to decide anything: package plan made the step. Entry point: [Executor.Apply].
package exec
