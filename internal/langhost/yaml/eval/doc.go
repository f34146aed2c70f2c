// Package eval evaluates a checked YAML program: it computes values and declares resources to a [Deployment].
//
// Every named thing is evaluated once, as soon as what it uses is there; independent resources are declared at the
// same time. The entry point is [Run]. Values are kept exact: what is secret, unknown or depends on a resource is known
// for every part of a value. The package refuses to parse, to know about gRPC and to read the environment.
package eval
