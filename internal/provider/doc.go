// Package provider speaks the published ResourceProvider service, in both directions.
//
// [Connect] makes an engine/plugin.Provider of any provider that package pluginhost connected to, whichever language
// and age it is of. [Serve] makes a real plugin process of an engine/plugin.Provider.
//
// As a client it adapts the engine, which knows values only in full, to what the provider understands:
//   - What the provider does not accept (secrets, references, dependencies) is stripped from requests. Secret marks are
//     put back on what it answers: at the places where they were, and wherever a secret text shows up again. Contents of
//     assets that were left out of requests are put back by their hash.
//   - A provider of which part of the configuration is unknown, as in a preview, is not configured and not asked: checks
//     pass, diffs are unavailable, created and read resources have no known outputs.
//   - A provider without previews predicts that outputs are inputs.
//
// Errors of the provider become the errors of engine/plugin. One that leaves open whether the provider did its work
// (the gRPC codes Internal, DataLoss and Unknown; a call cut off because the process died or we stopped waiting; an
// answer too large to receive) becomes *plugin.UncertainError, so that state remembers the operation. All others mean
// that nothing was done.
//
// Views (resources that a provider publishes below another one) are not supported, and the handshake says so.
//
// The package refuses to find and start plugins, and to decide which provider serves a resource.
package provider
