package pkg

import (
	"strings"

	"github.com/cairn-iac/cairn/internal/schema"
)

// naming names types the way the Pulumi CLI does.
type naming struct {
	pkg *schema.Package
	// inputs is true where values may come later: elements are then named Input<...>, and object types have a mark.
	inputs bool
}

const anyType = "pulumi:pulumi:Any"

func (n naming) of(s schema.Shape) string {
	switch {
	case s.Ref != "":
		return n.reference(s.Ref)
	case len(s.OneOf) > 0:
		var names []string
		for _, t := range s.OneOf {
			names = append(names, n.element(t))
		}
		if s.Type != "" {
			names = append(names, "default="+s.Type)
		}
		return "Union<" + strings.Join(names, ", ") + ">"
	case s.Type == "array" && s.Items != nil:
		return "Array<" + n.element(*s.Items) + ">"
	case s.Type == "array":
		return "Array<" + anyType + ">"
	case s.Type == "object" && s.AdditionalProperties != nil:
		return "Map<" + n.element(*s.AdditionalProperties) + ">"
	case s.Type == "object":
		return "Map<" + n.element(schema.TypeSpec{Shape: schema.Shape{Type: "string"}}) + ">"
	default:
		return s.Type
	}
}

func (n naming) element(t schema.TypeSpec) string {
	name := n.of(t.Shape)
	if n.inputs && !t.Plain {
		return "Input<" + name + ">"
	}
	return name
}

func (n naming) reference(text string) string {
	ref := schema.ParseRef(text)
	switch ref.Kind {
	case schema.RefAsset:
		return "pulumi:pulumi:Asset"
	case schema.RefArchive:
		return "pulumi:pulumi:Archive"
	case schema.RefAny, schema.RefJSON:
		return anyType
	case schema.RefType:
		if t, known := n.pkg.Types[ref.Token]; n.inputs && ref.Document == "" && known && !t.IsEnum() {
			return ref.Token + "•Input"
		}
		return ref.Token
	case schema.RefResource:
		return ref.Token
	case schema.RefProvider:
		return "pulumi:providers:" + n.pkg.Name
	case schema.RefOther:
		return text
	default:
		return text
	}
}
