// Package backendtest is the contract that every backend keeps. A member's test calls [Run] with a way to open it.
package backendtest
