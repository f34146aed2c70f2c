// Package providertest is the contract that every provider keeps: [Run] takes its resources through their lives, once
// in process and once across a gRPC connection, and compares the two.
package providertest
