// Package property holds the values that flow between programs, the engine, providers and state.
//
// A [Value] is immutable: null, bool, number (always a 64-bit float), string, list, map, asset, archive or resource
// reference, or unknown; and any of them may be secret and may name the resources it depends on. Secretness,
// unknownness and dependencies are part of the value, so no code path can lose them by forgetting a wrapper.
//
// The package refuses to encode: package wire turns values into protobuf, state/deploymentjson into state files.
// It also refuses to read assets; it carries their description and hash only.
package property
