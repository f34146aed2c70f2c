// Package release holds the one constant that says which version this program is and which Pulumi version it behaves
// like. It refuses to look at build information: what is reported is what was tested.
package release

// Version is a semantic version: the compatibility baseline, with our own count as build metadata.
const Version = "3.276.0+cairn.1"

// Tag is Version as `pulumi version` prints it and manifests record it.
const Tag = "v" + Version
