package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-iac/cairn/internal/langhost/yaml/template"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/schema"
)

// maxDepth bounds the comparison of types that contain themselves.
const maxDepth = 12

// assign checks that an expression may stand where a value of type to is wanted.
func (c *checker) assign(x template.Expr, to typ) *findings {
	out := &findings{}
	switch x := x.(type) {
	case nil:
	case *template.Literal:
		out.literal(x, to)
	case *template.List:
		c.assignList(out, x, to)
	case *template.Object:
		c.assignObject(out, x, to)
	case *template.Call:
		if x.Func == template.FuncSecret || x.Func == template.FuncUnsecret {
			return c.assign(x.Args[0], to)
		}
		c.assignInferred(out, x, to)
	default:
		c.assignInferred(out, x, to)
	}
	return out
}

func (c *checker) assignInferred(out *findings, x template.Expr, to typ) {
	from := c.infer(x)
	if !assignable(from, to, 0) {
		out.errorAt(x.Pos(), fmt.Sprintf("Cannot assign %s to %s", describe(from), describe(to)), "")
	}
}

func (f *findings) literal(x *template.Literal, to typ) {
	from := literalType(x)
	if x.Value.IsNull() {
		return
	}
	if to.kind == kindUnion {
		f.literalInUnion(x, to)
		return
	}
	n, isNumber := x.Value.AsNumber()
	switch {
	case !assignable(from, to, 0):
		f.errorAt(x.Pos(), fmt.Sprintf("Cannot assign %s to %s", describe(from), describe(to)), literalRemedy(x, to))
	case len(to.enum) > 0 && !inEnum(x.Value, to.enum):
		f.errorAt(x.Pos(), fmt.Sprintf("The value is not one of '%s'", to), "Allowed values are "+enumNames(to.enum)+".")
	case isNumber && to.kind == kindInteger && n != float64(int64(n)):
		f.errorAt(x.Pos(), "Cannot assign a fraction to type 'integer'", "Write a whole number.")
	case isNumber && to.kind == kindString && x.Text != template.FormatNumber(n):
		f.texts = append(f.texts, x)
	}
}

func (f *findings) literalInUnion(x *template.Literal, to typ) {
	for _, m := range to.members {
		try := &findings{}
		if try.literal(x, m); len(try.list) == 0 {
			f.texts = append(f.texts, try.texts...)
			return
		}
	}
	f.errorAt(x.Pos(), fmt.Sprintf("Cannot assign %s to %s", describe(literalType(x)), describe(to)), "")
}

func literalRemedy(x *template.Literal, to typ) string {
	if _, isText := x.Value.AsString(); isText && (to.kind == kindNumber || to.kind == kindInteger || to.kind == kindBool) {
		return "Write the value without quotes."
	}
	return ""
}

func literalType(x *template.Literal) typ {
	switch x.Value.Kind() {
	case property.KindBool:
		return simple(kindBool)
	case property.KindNumber:
		return simple(kindNumber)
	case property.KindString:
		return simple(kindString)
	default:
		return anything()
	}
}

func inEnum(v property.Value, enum []schema.EnumValue) bool {
	return slices.ContainsFunc(enum, func(e schema.EnumValue) bool {
		switch want := e.Value.(type) {
		case string:
			s, ok := v.AsString()
			return ok && s == want
		case float64:
			n, ok := v.AsNumber()
			return ok && n == want
		case bool:
			b, ok := v.AsBool()
			return ok && b == want
		default:
			return true
		}
	})
}

func enumNames(enum []schema.EnumValue) string {
	var names []string
	for _, e := range enum {
		switch v := e.Value.(type) {
		case string:
			names = append(names, fmt.Sprintf("%q", v))
		case float64:
			names = append(names, template.FormatNumber(v))
		default:
			names = append(names, fmt.Sprint(v))
		}
	}
	return strings.Join(names, ", ")
}

func (c *checker) assignList(out *findings, x *template.List, to typ) {
	switch to.kind {
	case kindAny:
		return
	case kindList:
		for _, item := range x.Items {
			out.take(c.assign(item, to.elem()))
		}
	case kindUnion:
		c.assignUnion(out, x, to)
	default:
		out.errorAt(x.Pos(), fmt.Sprintf("Cannot assign a list to %s", describe(to)), "")
	}
}

// assignUnion takes the first member that fits. If there is only one of the right kind, its problems are shown.
func (c *checker) assignUnion(out *findings, x template.Expr, to typ) {
	if m, ok := tagged(x, to); ok {
		out.take(c.assign(x, m))
		return
	}
	var same []*findings
	for _, m := range to.members {
		try := c.assign(x, m)
		if len(try.list) == 0 {
			out.take(try)
			return
		}
		if _, isList := x.(*template.List); isList == (m.kind == kindList) && !m.isScalar() {
			same = append(same, try)
		}
	}
	if len(same) == 1 {
		out.take(same[0])
		return
	}
	out.errorAt(x.Pos(), fmt.Sprintf("The value fits none of %s", describe(to)), "")
}

// tagged finds the member of a union by the value of its discriminator.
func tagged(x template.Expr, to typ) (typ, bool) {
	o, ok := x.(*template.Object)
	if !ok || to.tag == "" {
		return typ{}, false
	}
	value, ok := o.Lookup(to.tag)
	if !ok {
		return typ{}, false
	}
	l, ok := value.(*template.Literal)
	if !ok {
		return typ{}, false
	}
	m, ok := to.byTag[l.Text]
	return m, ok
}

func (c *checker) assignObject(out *findings, x *template.Object, to typ) {
	switch to.kind {
	case kindAny:
		return
	case kindMap:
		for _, e := range x.Entries {
			out.take(c.assign(e.Value, to.elem()))
		}
	case kindObject:
		c.assignFields(out, x, to, describe(to))
	case kindUnion:
		c.assignUnion(out, x, to)
	default:
		out.errorAt(x.Pos(), fmt.Sprintf("Cannot assign an object to %s", describe(to)), "")
	}
}

// assignFields checks an object against properties. owner names them in messages.
func (c *checker) assignFields(out *findings, x *template.Object, to typ, owner string) {
	given := map[string]bool{}
	dynamic := false
	for _, e := range x.Entries {
		key, ok := e.KeyText()
		if !ok {
			dynamic = true
			continue
		}
		given[key] = true
		field, ok := to.fields[key]
		if !ok {
			out.errorAt(e.Key.Pos(), fmt.Sprintf("Property %s does not exist on %s", key, owner), existing(key, to.fieldNames()))
			continue
		}
		out.take(c.assign(e.Value, field()))
	}
	for _, name := range to.required {
		if !given[name] && !dynamic {
			out.errorAt(x.Pos(), fmt.Sprintf("Missing required property '%s' of %s", name, owner), "")
		}
	}
}

// existing says which properties there are.
func existing(name string, known []string) string {
	const most = 5
	hint := didYouMean(schema.Suggest(name, known))
	if hint != "" {
		hint += " "
	}
	switch {
	case len(known) == 0:
		return "There are no properties."
	case len(known) > most:
		return fmt.Sprintf("%sExisting properties are: %s and %d others.", hint, strings.Join(known[:most], ", "), len(known)-most)
	default:
		return fmt.Sprintf("%sExisting properties are: %s.", hint, strings.Join(known, ", "))
	}
}

// assignable says whether any value of type from may be used as type to. In doubt it says yes.
func assignable(from, to typ, depth int) bool {
	if from.kind == kindAny || to.kind == kindAny || depth > maxDepth {
		return true
	}
	if from.kind == kindUnion {
		return slices.ContainsFunc(from.members, func(m typ) bool { return assignable(m, to, depth+1) })
	}
	switch to.kind {
	case kindUnion:
		return slices.ContainsFunc(to.members, func(m typ) bool { return assignable(from, m, depth+1) })
	case kindString:
		return from.isScalar() || from.kind == kindResource
	case kindNumber, kindInteger:
		return from.kind == kindNumber || from.kind == kindInteger
	case kindAsset:
		return from.kind == kindAsset || from.kind == kindArchive
	case kindList:
		return from.kind == kindList && assignable(from.elem(), to.elem(), depth+1)
	case kindMap:
		return assignableToMap(from, to, depth)
	case kindObject:
		return assignableToObject(from, to, depth)
	case kindResource:
		return from.kind == kindResource && (from.name == to.name || from.name == "" || to.name == "")
	case kindBool, kindArchive:
		return from.kind == to.kind
	default:
		return true
	}
}

func assignableToMap(from, to typ, depth int) bool {
	switch from.kind {
	case kindMap:
		return assignable(from.elem(), to.elem(), depth+1)
	case kindObject:
		for _, f := range from.fields {
			if !assignable(f(), to.elem(), depth+1) {
				return false
			}
		}
		return true
	default:
		return false
	}
}

func assignableToObject(from, to typ, depth int) bool {
	switch from.kind {
	case kindMap:
		return true
	case kindObject:
		for _, name := range to.required {
			if _, ok := from.fields[name]; !ok {
				return false
			}
		}
		for name, f := range from.fields {
			if want, ok := to.fields[name]; ok && !assignable(f(), want(), depth+1) {
				return false
			}
		}
		return true
	default:
		return false
	}
}
