// Package schema models a package schema: the JSON document in which a provider describes its resources, functions,
// types and configuration.
//
// [Parse] reads one, json.Marshal of a [Package] writes one; [Package.ResolveResource] and [Package.ResolveFunction]
// turn the token that a program wrote into the one the package declares. The package refuses to load schemas, to
// generate code and to know about values at run time.
package schema
