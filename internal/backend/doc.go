// Package backend says what a place where stacks live can do: list them, lock one, keep its checkpoint, journal and
// history.
//
// A [Backend] is a set of small parts ([Stacks], [Locker], [Checkpoints], [Journals], [History]) so that a decorator
// can replace one of them. All of them move bytes: the package refuses to know what is inside a checkpoint or a
// journal record. Package session knows, and folds the one into the other.
//
// Everything that writes takes a [Lock]: whoever holds none cannot write.
package backend
