package deploymentjson

import "github.com/cairn-iac/cairn/internal/property"

// at is a place within a resource. It costs nothing until somebody asks for its text.
type at struct {
	parent *at
	seg    property.Segment
}

func (a *at) key(k string) *at { return &at{parent: a, seg: property.Key(k)} }

func (a *at) index(i int) *at { return &at{parent: a, seg: property.Index(i)} }

func (a *at) String() string {
	var path property.Path
	for p := a; p != nil; p = p.parent {
		path = append(property.Path{p.seg}, path...)
	}
	return path.String()
}
