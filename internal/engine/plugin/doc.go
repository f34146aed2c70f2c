// Package plugin is the engine's view of providers: the ResourceProvider service in domain types.
//
// The engine consumes [Provider] and [Host]; package provider implements them over gRPC, the utility providers
// implement Provider in process. It refuses to know how a plugin is found, started or spoken to.
package plugin
