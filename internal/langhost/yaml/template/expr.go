package template

import (
	"math"
	"strconv"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/property"
)

// Expr is an expression: *Literal, *Interpolated, *Access, *List, *Object, *Call or *Invoke.
type Expr interface {
	// Pos is where the expression starts.
	Pos() diag.Position
	isExpr()
}

type at struct{ pos diag.Position }

// Pos is where the expression starts.
func (a at) Pos() diag.Position { return a.pos }
func (at) isExpr()              {}

// Literal is null, a bool, a number or a string.
type Literal struct {
	at
	Value property.Value
	// Text is the scalar as it was written: it tells 1.10 from 1.1.
	Text string
}

// Interpolated is text with accesses in it. It evaluates to a string.
type Interpolated struct {
	at
	Parts []Part
}

// Part is some text followed by the value of an access, if there is one.
type Part struct {
	Text   string
	Access *Access
}

// Access is a path from a named thing to a value: ${root.name["key"][0]}. As a whole string it keeps the value's type.
type Access struct {
	at
	Root string
	Path property.Path
}

// List is a list of expressions.
type List struct {
	at
	Items []Expr
}

// Object is a map. Keys are string literals, interpolations or accesses.
type Object struct {
	at
	Entries []Entry
}

// Entry is one key and value.
type Entry struct{ Key, Value Expr }

// KeyText gives the key when it is a literal.
func (e Entry) KeyText() (string, bool) { return literalText(e.Key) }

// Lookup gives the value under a literal key.
func (o *Object) Lookup(key string) (Expr, bool) {
	for _, e := range o.Entries {
		if text, ok := e.KeyText(); ok && text == key {
			return e.Value, true
		}
	}
	return nil, false
}

// Call is a function other than fn::invoke.
type Call struct {
	at
	Func Func
	// Args has as many elements as the function takes.
	Args []Expr
}

// Invoke calls a function of a package.
type Invoke struct {
	at
	Token Text
	// Args is nil for none.
	Args    Expr
	Options InvokeOptions
	// Return names the one output to take; zero for all.
	Return Text
}

// InvokeOptions are the options of an invoke; unset ones are nil or zero.
type InvokeOptions struct {
	DependsOn, Parent, Provider Expr
	Version, PluginDownloadURL  Text
}

// Text is a literal string and its place. The zero Text is absent.
type Text struct {
	Value string
	Pos   diag.Position
}

// IsSet says whether the text was given, which may be as "".
func (t Text) IsSet() bool { return t.Pos.Line != 0 }

func literalText(e Expr) (string, bool) {
	if l, ok := e.(*Literal); ok {
		return l.Value.AsString()
	}
	return "", false
}

// FormatNumber writes a number as it appears in text: in plain decimals unless that would be very long.
func FormatNumber(f float64) string {
	if a := math.Abs(f); a != 0 && (a < 1e-6 || a >= 1e21) {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// Walk calls visit for e and all expressions in it, outer ones first, options of invokes included. nil is skipped.
func Walk(e Expr, visit func(Expr)) {
	if e == nil {
		return
	}
	visit(e)
	for _, c := range children(e) {
		Walk(c, visit)
	}
}

func children(e Expr) []Expr {
	switch e := e.(type) {
	case *Interpolated:
		var out []Expr
		for _, p := range e.Parts {
			if p.Access != nil {
				out = append(out, p.Access)
			}
		}
		return out
	case *List:
		return e.Items
	case *Object:
		var out []Expr
		for _, en := range e.Entries {
			out = append(out, en.Key, en.Value)
		}
		return out
	case *Call:
		return e.Args
	case *Invoke:
		return []Expr{e.Args, e.Options.DependsOn, e.Options.Parent, e.Options.Provider}
	default:
		return nil
	}
}
