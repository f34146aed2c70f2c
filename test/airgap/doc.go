// Package airgap plays a machine without a network: in a network namespace that has no route, with the real program and a
// real plugin. It is skipped, with the reason, where such a namespace may not be made.
package airgap
