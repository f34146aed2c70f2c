// Package check finds what is wrong with a YAML program before any of it runs: names that do not exist, cycles,
// resource types and properties that a package schema does not have, values of the wrong type.
//
// The entry point is [Program]; its [Result] also holds what the evaluator needs to know: the order, the schema of
// every resource and function. The package refuses to evaluate and to talk to the deployment.
package check
