// Package urn holds the identities of the engine: resource URNs, type tokens and provider references.
//
// It refuses to know anything about values, state or the engine. Entry points are [New] and [Parse].
//
// A URN reads urn:pulumi:<stack>::<project>::<qualified type>::<name>. It is split from the left with a fixed
// number of parts, because a name may itself contain "::".
package urn
