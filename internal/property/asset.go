package property

import (
	"maps"

	"github.com/cairn-iac/cairn/internal/urn"
)

// Source says where an asset or archive gets its contents.
type Source string

// The sources. SourceNone is an asset of which only the hash is known, as providers see old ones.
const (
	SourceNone   Source = ""
	SourceText   Source = "text"
	SourcePath   Source = "path"
	SourceURI    Source = "uri"
	SourceAssets Source = "assets"
)

// Asset describes a file: literal text, a path or a URI, and the hex sha256 of its contents ("" when not computed).
type Asset struct {
	Source Source
	// Location is the text, path or URI.
	Location string
	Hash     string
}

// Archive describes a tree of files: a path, a URI, or named assets and archives.
type Archive struct {
	Source   Source
	Location string
	// Assets is set for SourceAssets: entries are asset or archive values.
	Assets Map
	Hash   string
}

// Equal compares what the asset stands for: the hashes when both are known, else the description.
func (a Asset) Equal(b Asset) bool {
	if a.Hash != "" && b.Hash != "" {
		return a.Hash == b.Hash
	}
	return a.Source == b.Source && a.Location == b.Location
}

// Equal compares what the archive stands for: the hashes when both are known, else the description.
func (a Archive) Equal(b Archive) bool {
	if a.Hash != "" && b.Hash != "" {
		return a.Hash == b.Hash
	}
	return a.Source == b.Source && a.Location == b.Location &&
		maps.EqualFunc(a.Assets.m, b.Assets.m, Value.Equal)
}

// Reference points at a resource as a value. A component has no id: HasID is false. A custom resource has one,
// which may be unknown.
type Reference struct {
	URN            urn.URN
	ID             Value
	HasID          bool
	PackageVersion string
}

// Equal compares all parts.
func (r Reference) Equal(o Reference) bool {
	return r.URN == o.URN && r.HasID == o.HasID && r.PackageVersion == o.PackageVersion && r.ID.Equal(o.ID)
}
