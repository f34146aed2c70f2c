package schema

import (
	"net/url"
	"strings"
)

// RefKind says what a $ref points at.
type RefKind int

// The kinds of reference. RefOther points outside this package or at nothing known.
const (
	RefOther RefKind = iota
	RefType
	RefResource
	RefProvider
	RefAny
	RefAsset
	RefArchive
	RefJSON
)

// Ref is a parsed $ref.
type Ref struct {
	Kind RefKind
	// Token names the type or resource for RefType and RefResource.
	Token string
	// Document is the package schema that declares it, "" for this one.
	Document string
}

// ParseRef reads a $ref.
func ParseRef(ref string) Ref {
	doc, fragment, ok := strings.Cut(ref, "#/")
	if !ok {
		return Ref{}
	}
	if doc == "pulumi.json" {
		return Ref{Kind: builtinRef(fragment)}
	}
	section, token, _ := strings.Cut(fragment, "/")
	if decoded, err := url.PathUnescape(token); err == nil {
		token = decoded
	}
	switch section {
	case "types":
		return Ref{Kind: RefType, Token: token, Document: doc}
	case "resources":
		return Ref{Kind: RefResource, Token: token, Document: doc}
	case "provider":
		return Ref{Kind: RefProvider, Document: doc}
	default:
		return Ref{}
	}
}

func builtinRef(name string) RefKind {
	switch name {
	case "Any":
		return RefAny
	case "Asset":
		return RefAsset
	case "Archive":
		return RefArchive
	case "Json":
		return RefJSON
	default:
		return RefOther
	}
}

// Lookup gives the named type a $ref of this package points at.
func (p *Package) Lookup(ref string) (ComplexType, bool) {
	r := ParseRef(ref)
	if r.Kind != RefType || r.Document != "" {
		return ComplexType{}, false
	}
	if t, ok := p.Types[r.Token]; ok {
		return t, true
	}
	// Older schemas write references in another case than the declaration.
	for token, t := range p.Types {
		if strings.EqualFold(token, r.Token) {
			return t, true
		}
	}
	return ComplexType{}, false
}
