package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cairn-iac/cairn/internal/schema"
)

type kind int

const (
	kindAny kind = iota
	kindBool
	kindNumber
	kindInteger
	kindString
	kindList
	kindMap
	kindObject
	kindUnion
	kindAsset
	kindArchive
	kindResource
)

// typ is a type. Element and field types are made when they are asked for: schemas are recursive.
type typ struct {
	kind kind
	// name is shown in messages; "" shows the structure.
	name string
	elem func() typ
	// fields are the properties of an object or the outputs of a resource.
	fields   map[string]func() typ
	required []string
	members  []typ
	// byTag selects a member of a union by the value of the property tag.
	tag   string
	byTag map[string]typ
	enum  []schema.EnumValue
}

func anything() typ { return typ{} }

func simple(k kind) typ { return typ{kind: k} }

func listOf(elem func() typ) typ { return typ{kind: kindList, elem: elem} }

func (t typ) String() string {
	if t.name != "" {
		return t.name
	}
	switch t.kind {
	case kindBool:
		return "boolean"
	case kindNumber:
		return "number"
	case kindInteger:
		return "integer"
	case kindString:
		return "string"
	case kindList:
		return "List<" + t.elem().String() + ">"
	case kindMap:
		return "Map<" + t.elem().String() + ">"
	case kindObject:
		return "{" + strings.Join(t.fieldNames(), ", ") + "}"
	case kindUnion:
		names := make([]string, len(t.members))
		for i, m := range t.members {
			names[i] = m.String()
		}
		return strings.Join(names, " | ")
	case kindAsset:
		return "asset"
	case kindArchive:
		return "archive"
	case kindResource:
		return "resource"
	default:
		return "any"
	}
}

func (t typ) fieldNames() []string { return slices.Sorted(maps.Keys(t.fields)) }

// isScalar says whether t has no parts.
func (t typ) isScalar() bool {
	switch t.kind {
	case kindBool, kindNumber, kindInteger, kindString:
		return true
	default:
		return false
	}
}

// specType is the type that a schema of pkg describes.
func specType(pkg *schema.Package, s schema.TypeSpec) typ {
	switch {
	case len(s.OneOf) > 0:
		return unionType(pkg, s)
	case s.Ref != "":
		return refType(pkg, s)
	}
	switch s.Type {
	case "boolean":
		return simple(kindBool)
	case "integer":
		return simple(kindInteger)
	case "number":
		return simple(kindNumber)
	case "string":
		return simple(kindString)
	case "array":
		if s.Items == nil {
			return listOf(anything)
		}
		return listOf(func() typ { return specType(pkg, *s.Items) })
	case "object":
		if s.AdditionalProperties == nil {
			return typ{kind: kindMap, elem: func() typ { return simple(kindString) }}
		}
		return typ{kind: kindMap, elem: func() typ { return specType(pkg, *s.AdditionalProperties) }}
	default:
		return anything()
	}
}

func unionType(pkg *schema.Package, s schema.TypeSpec) typ {
	out := typ{kind: kindUnion}
	for _, m := range s.OneOf {
		out.members = append(out.members, specType(pkg, m))
	}
	if s.Discriminator != nil {
		out.tag, out.byTag = s.Discriminator.PropertyName, map[string]typ{}
		for value, ref := range s.Discriminator.Mapping {
			out.byTag[value] = refType(pkg, schema.TypeSpec{Shape: schema.Shape{Ref: ref}})
		}
	}
	return out
}

func refType(pkg *schema.Package, s schema.TypeSpec) typ {
	ref := schema.ParseRef(s.Ref)
	switch ref.Kind {
	case schema.RefAsset:
		return simple(kindAsset)
	case schema.RefArchive:
		return simple(kindArchive)
	case schema.RefResource:
		if r, ok := pkg.Resources[ref.Token]; ok && ref.Document == "" {
			return resourceType(pkg, ref.Token, r)
		}
		return typ{kind: kindResource, name: ref.Token}
	case schema.RefType:
		named, ok := pkg.Lookup(s.Ref)
		switch {
		case !ok && s.Type != "":
			// A type of another package: what is said of it here has to do.
			return specType(pkg, schema.TypeSpec{Shape: schema.Shape{Type: s.Type}})
		case !ok:
			return anything()
		case named.IsEnum():
			out := specType(pkg, schema.TypeSpec{Shape: schema.Shape{Type: named.Type}})
			out.name, out.enum = ref.Token, named.Enum
			return out
		default:
			return objectType(pkg, ref.Token, named.ObjectType)
		}
	case schema.RefOther, schema.RefProvider, schema.RefAny, schema.RefJSON:
	}
	return anything()
}

func objectType(pkg *schema.Package, name string, o schema.ObjectType) typ {
	out := typ{kind: kindObject, name: name, fields: map[string]func() typ{}}
	for field, p := range o.Properties {
		out.fields[field] = func() typ { return specType(pkg, p.TypeSpec) }
	}
	for _, field := range o.Required {
		if p, ok := o.Properties[field]; ok && p.Const == nil && p.Default == nil && p.DefaultInfo == nil {
			out.required = append(out.required, field)
		}
	}
	return out
}

// resourceType is the type of ${resource}: its fields are the outputs.
func resourceType(pkg *schema.Package, token string, r schema.Resource) typ {
	out := objectType(pkg, token, r.ObjectType)
	out.kind, out.required = kindResource, nil
	if strings.HasPrefix(token, "pulumi:providers:") {
		for name, p := range r.InputProperties {
			if _, ok := out.fields[name]; !ok {
				out.fields[name] = func() typ { return specType(pkg, p.TypeSpec) }
			}
		}
	}
	text := func() typ { return simple(kindString) }
	out.fields["urn"] = text
	if !r.IsComponent {
		out.fields["id"] = text
	}
	return out
}

// describe says a type in a message.
func describe(t typ) string {
	if t.isScalar() && t.name == "" {
		return fmt.Sprintf("type '%s'", t)
	}
	return fmt.Sprintf("'%s'", t)
}
