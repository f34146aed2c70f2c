package template

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	yaml "gopkg.in/yaml.v3"
)

type scalarKind int

const (
	scalarNull scalarKind = iota
	scalarBool
	scalarNumber
	scalarString
)

func (k scalarKind) article() string {
	return [...]string{"null", "a boolean", "a number", "a string"}[k]
}

type scalar struct {
	kind scalarKind
	// text is the scalar as written, without quotes and escapes.
	text   string
	bool   bool
	number float64
}

// scalar decodes a scalar node the way YAML 1.2 with its 1.1 leftovers does, except that numbers must be exact.
func (r *treeReader) scalar(n *yaml.Node) scalar {
	out := scalar{kind: scalarString, text: n.Value}
	switch n.ShortTag() {
	case "!!null":
		out.kind = scalarNull
	case "!!bool":
		var b bool
		if err := n.Decode(&b); err != nil {
			r.errorAt(r.at(n), fmt.Sprintf("%q is not a boolean", n.Value), "")
			return out
		}
		out.kind, out.bool = scalarBool, b
	case "!!int", "!!float":
		r.number(n, &out)
	case "!!str", "!!timestamp", "!!merge":
	default:
		r.errorAt(r.at(n), fmt.Sprintf("the tag %s is not supported", n.Tag), "Functions are written fn::name: arguments.")
	}
	return out
}

func (r *treeReader) number(n *yaml.Node, out *scalar) {
	var f float64
	var v any
	err := n.Decode(&v)
	exact := true
	switch x := v.(type) {
	case int:
		f = float64(x)
		exact = isExact(f, big.NewInt(int64(x)))
	case int64:
		f = float64(x)
		exact = isExact(f, big.NewInt(x))
	case uint64:
		f = float64(x)
		exact = isExact(f, new(big.Int).SetUint64(x))
	case float64:
		f = x
		if whole, ok := new(big.Int).SetString(strings.TrimPrefix(strings.ReplaceAll(n.Value, "_", ""), "+"), 10); ok {
			exact = isExact(f, whole)
		}
	default:
		err = fmt.Errorf("not a number")
	}
	switch {
	case err != nil:
		r.errorAt(r.at(n), fmt.Sprintf("%q is not a number", n.Value), "If it is text, quote it.")
	case math.IsNaN(f) || math.IsInf(f, 0):
		r.errorAt(r.at(n), fmt.Sprintf("%s is not a number that a property can hold", n.Value), "If it is text, quote it.")
	case !exact:
		r.errorAt(r.at(n), fmt.Sprintf("the number %s cannot be held exactly: it would become %s", n.Value, FormatNumber(f)),
			"Numbers are 64-bit floats, exact up to 9007199254740992. If it is an identifier, quote it to make it a string.")
	}
	out.kind, out.number = scalarNumber, f
}

func isExact(f float64, want *big.Int) bool {
	if math.IsInf(f, 0) {
		return false
	}
	got, _ := new(big.Float).SetFloat64(f).Int(nil)
	return got.Cmp(want) == 0
}
