package urn

import (
	"fmt"
	"strings"
)

const (
	prefix        = "urn:pulumi:"
	nameSeparator = "::"
	typeSeparator = "$"
)

// URN identifies a resource within a deployment. The zero value means "none".
type URN string

// New builds the URN of a resource. parentType is the qualified type of the parent; it is left out when the
// parent is empty or the root stack, as the Pulumi engine does.
func New(stack, project string, parentType, typ Type, name string) URN {
	qualified := typ
	if parentType != "" && parentType != StackType {
		qualified = parentType + typeSeparator + typ
	}
	return URN(prefix + stack + nameSeparator + project + nameSeparator + string(qualified) + nameSeparator + name)
}

// Parse checks that s is a URN.
func Parse(s string) (URN, error) {
	u := URN(s)
	if !u.IsValid() {
		return "", fmt.Errorf("%q is not a URN: expected urn:pulumi:<stack>::<project>::<type>::<name>", s)
	}
	return u, nil
}

// IsValid says whether u has all four parts.
func (u URN) IsValid() bool {
	rest, ok := strings.CutPrefix(string(u), prefix)
	return ok && strings.Count(rest, nameSeparator) >= 3
}

// part returns the n-th part after the prefix; the last one takes all that is left.
func (u URN) part(n int) string {
	rest, ok := strings.CutPrefix(string(u), prefix)
	if !ok {
		return ""
	}
	parts := strings.SplitN(rest, nameSeparator, 4)
	if n >= len(parts) {
		return ""
	}
	return parts[n]
}

// Stack is the stack's name.
func (u URN) Stack() string { return u.part(0) }

// Project is the project's name.
func (u URN) Project() string { return u.part(1) }

// QualifiedType is the type with the types of its parents in front, joined by "$".
func (u URN) QualifiedType() Type { return Type(u.part(2)) }

// Type is the resource's own type.
func (u URN) Type() Type {
	q := string(u.QualifiedType())
	if i := strings.LastIndex(q, typeSeparator); i >= 0 {
		return Type(q[i+1:])
	}
	return Type(q)
}

// Name is the resource's logical name.
func (u URN) Name() string { return u.part(3) }

// IsDefaultProvider tells the engine's own providers from those of a program by their names.
func (u URN) IsDefaultProvider() bool {
	return u.Type().IsProvider() && (u.Name() == "default" || strings.HasPrefix(u.Name(), "default_"))
}

// ProviderRef names one provider instance: the URN of its resource and its id, written <urn>::<id>.
// The zero value means "no provider", as components have.
type ProviderRef struct {
	URN URN
	ID  string
}

// ParseProviderRef reads the text form of a provider reference; "" gives the zero value.
func ParseProviderRef(s string) (ProviderRef, error) {
	if s == "" {
		return ProviderRef{}, nil
	}
	i := strings.LastIndex(s, nameSeparator)
	if i < 0 || !URN(s[:i]).IsValid() || !URN(s[:i]).Type().IsProvider() {
		return ProviderRef{}, fmt.Errorf("%q is not a provider reference: expected <provider URN>::<id>", s)
	}
	return ProviderRef{URN: URN(s[:i]), ID: s[i+len(nameSeparator):]}, nil
}

// IsZero says whether r names no provider.
func (r ProviderRef) IsZero() bool { return r.URN == "" }

func (r ProviderRef) String() string {
	if r.IsZero() {
		return ""
	}
	return string(r.URN) + nameSeparator + r.ID
}
