// Package langhost is how the engine and the command line run programs: one [Runtime] per language.
//
// A runtime evaluates a program, or starts the process that does, against a ResourceMonitor. The package itself only
// holds the interface and its vocabulary; it refuses to choose a runtime, to read the environment and to print.
// Implementations are its sub-packages.
package langhost
