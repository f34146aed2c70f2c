// Package resource holds what the engine knows of one resource: the [Goal] a program registers, the [State] that was
// recorded for it, the [Options] both share, and the operations ([Op]) that lead from one to the other.
//
// It is data only: it refuses to decide, to encode and to talk to anyone. Options are declared here and nowhere else.
package resource
