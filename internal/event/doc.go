// Package event holds what the engine tells the world while it works: a sealed set of events, as data.
//
// Everything a person or program sees (text, JSON, event log) is a view of these events. The producer has already
// replaced secrets by the secret string property.Mask unless it was told to show them; views never see them. The
// package refuses to format anything. Entry point: [Event].
package event
