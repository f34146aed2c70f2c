// Package login holds login, logout and whoami: which backend is used, and as whom.
//
// Backends are local folders for now; other URLs are told to be not available yet. Entry point: [Commands].
package login
