package eval

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cairn-iac/cairn/internal/langhost/yaml/check"
	"github.com/cairn-iac/cairn/internal/langhost/yaml/template"
	"github.com/cairn-iac/cairn/internal/property"
)

// expr gives the value of an expression. A resource is a reference value. Problems of several parts are joined.
func (e *evaluator) expr(ctx context.Context, x template.Expr) (property.Value, error) {
	switch x := x.(type) {
	case nil:
		return property.Null(), nil
	case *template.Literal:
		if e.Checked.Texts[x] {
			return property.String(x.Text), nil
		}
		return x.Value, nil
	case *template.Access:
		return e.access(ctx, x)
	case *template.Interpolated:
		return e.interpolate(ctx, x)
	case *template.List:
		items, err := e.all(ctx, x.Items)
		return property.NewList(items...), err
	case *template.Object:
		return e.object(ctx, x)
	case *template.Call:
		return e.call(ctx, x)
	case *template.Invoke:
		return e.invoke(ctx, x)
	default:
		return property.Value{}, fmt.Errorf("cannot evaluate an expression of type %T", x)
	}
}

// all evaluates expressions and joins their problems.
func (e *evaluator) all(ctx context.Context, xs []template.Expr) ([]property.Value, error) {
	out := make([]property.Value, len(xs))
	errs := make([]error, len(xs))
	for i, x := range xs {
		out[i], errs[i] = e.expr(ctx, x)
	}
	return out, errors.Join(errs...)
}

func (e *evaluator) object(ctx context.Context, x *template.Object) (property.Value, error) {
	m := make(map[string]property.Value, len(x.Entries))
	// Marks of keys have no place of their own: they are those of the whole object.
	var keys []property.Value
	var errs []error
	unknownKey := false
	for _, en := range x.Entries {
		k, err := e.expr(ctx, en.Key)
		v, verr := e.expr(ctx, en.Value)
		if err != nil || verr != nil {
			errs = append(errs, err, verr)
			continue
		}
		keys = append(keys, k)
		text, ok := k.AsString()
		switch {
		case k.IsUnknown():
			unknownKey = true
			keys = append(keys, v)
		case !ok:
			errs = append(errs, problemAt(en.Key.Pos(), "object key must evaluate to a string, not %s", kindName(k)))
		default:
			m[text] = v
		}
	}
	if err := errors.Join(errs...); err != nil {
		return property.Value{}, err
	}
	if unknownKey {
		return markDeep(property.Unknown(), append(keys, property.NewMap(m))...), nil
	}
	return mark(property.NewMap(m), keys...), nil
}

// interpolate joins text and values. It is unknown when a part is.
func (e *evaluator) interpolate(ctx context.Context, x *template.Interpolated) (property.Value, error) {
	var b strings.Builder
	var parts []property.Value
	var errs []error
	unknown := false
	for _, p := range x.Parts {
		b.WriteString(p.Text)
		if p.Access == nil {
			continue
		}
		v, err := e.access(ctx, p.Access)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		parts = append(parts, v)
		if v.IsUnknown() {
			unknown = true
			continue
		}
		text, ok := asText(v)
		if !ok {
			errs = append(errs, e.notText(p.Access, v))
		}
		b.WriteString(text)
	}
	if err := errors.Join(errs...); err != nil {
		return property.Value{}, err
	}
	if unknown {
		return mark(property.Unknown(), parts...), nil
	}
	return mark(property.String(b.String()), parts...), nil
}

// asText gives the text of a scalar.
func asText(v property.Value) (string, bool) {
	if s, ok := v.AsString(); ok {
		return s, true
	}
	if n, ok := v.AsNumber(); ok {
		return template.FormatNumber(n), true
	}
	if b, ok := v.AsBool(); ok {
		return fmt.Sprint(b), true
	}
	return "", false
}

func (e *evaluator) notText(x *template.Access, v property.Value) error {
	d := problemAt(x.Pos(), "${%s} is %s and cannot be part of a string", x, kindName(v))
	switch v.Kind() {
	case property.KindList:
		d.Detail = "Use fn::join or fn::toJSON, or one element: ${" + x.String() + "[0]}."
	case property.KindMap:
		d.Detail = "Use fn::toJSON, or one property of it."
	case property.KindReference:
		d.Detail = "Use ${" + x.String() + ".id}, ${" + x.String() + ".urn} or another output."
	default:
	}
	return d
}

// kindName says the kind of a value with its article.
func kindName(v property.Value) string {
	switch v.Kind() {
	case property.KindNull:
		return "null"
	case property.KindBool:
		return "a boolean"
	case property.KindNumber:
		return "a number"
	case property.KindString:
		return "a string"
	case property.KindList:
		return "a list"
	case property.KindMap:
		return "an object"
	case property.KindAsset:
		return "an asset"
	case property.KindArchive:
		return "an archive"
	case property.KindReference:
		return "a resource"
	default:
		return "an " + v.Kind().String() + " value"
	}
}

// access follows a path from a named thing.
func (e *evaluator) access(ctx context.Context, x *template.Access) (property.Value, error) {
	v, err := e.root(ctx, x)
	if err != nil {
		return property.Value{}, err
	}
	name := &template.Access{Root: x.Root}
	for _, s := range x.Path {
		next, err := e.step(ctx, v, s)
		if err != nil {
			var p stepError
			if errors.As(err, &p) {
				return property.Value{}, problemAt(x.Pos(), p.format, name.String())
			}
			return property.Value{}, err
		}
		v = next
		name.Path = name.Path.Append(s)
	}
	return v, nil
}

func (e *evaluator) root(ctx context.Context, x *template.Access) (property.Value, error) {
	if x.Root == check.PulumiName {
		return e.facts(), nil
	}
	n := e.Checked.Find(x.Root)
	if n == nil {
		return property.Value{}, problemAt(x.Pos(), "resource, variable, or config value %q not found", x.Root)
	}
	return e.await(ctx, n)
}

// facts is the value of ${pulumi}.
func (e *evaluator) facts() property.Value {
	return property.NewMap(map[string]property.Value{
		"cwd":           property.String(e.Directory),
		"organization":  property.String(e.Organization),
		"project":       property.String(e.Project),
		"rootDirectory": property.String(e.RootDirectory),
		"stack":         property.String(e.Stack),
	})
}

// stepError is why a step is not possible. format takes the path so far.
type stepError struct{ format string }

func (s stepError) Error() string { return s.format }

// step goes one step into v. What is below an unknown is unknown; marks on the way stay.
func (e *evaluator) step(ctx context.Context, v property.Value, s property.Segment) (property.Value, error) {
	if v.IsUnknown() {
		return v, nil
	}
	if r, ok := v.AsReference(); ok {
		return e.resourceStep(ctx, v, r, s)
	}
	if l, ok := v.AsList(); ok {
		i, isIndex := s.AsIndex()
		if !isIndex {
			return property.Value{}, stepError{"cannot access an element of the list ${%s} using a property name"}
		}
		if i >= l.Len() {
			return property.Value{}, stepError{fmt.Sprintf("list index %d out-of-bounds for list ${%%s} of length %d", i, l.Len())}
		}
		return mark(l.At(i), v), nil
	}
	m, ok := v.AsMap()
	if !ok {
		return property.Value{}, stepError{"${%s} must be a list or object, not " + kindName(v)}
	}
	k, isKey := s.AsKey()
	if !isKey {
		return property.Value{}, stepError{"cannot access a property of the object ${%s} using an integer index"}
	}
	next, ok := m.Lookup(k)
	if !ok && e.Preview && m.ContainsUnknown() {
		next = property.Unknown()
	}
	return mark(next, v), nil
}
