// Package engine runs one operation on one stack: it takes registrations from a program, has package plan decide and
// package exec apply, deletes what is not wanted any more, and tells everything as events.
//
// It refuses to know about backends, files, terminals, gRPC and the environment: all of that comes in through [Deps].
// Entry points: [Run], and [Monitor] for what a running program may ask.
package engine
