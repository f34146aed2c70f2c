// Package yaml runs programs and component plugins written in YAML, in process.
//
// [New] gives the [langhost.Runtime], [NewComponentProvider] turns a folder with PulumiPlugin.yaml into a provider,
// and [ServeLanguageHost] offers the same host to other engines over gRPC. Reading, checking and evaluating are the
// sub-packages template, check and eval. The package refuses to print and to find plugins.
package yaml
