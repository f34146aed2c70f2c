package random

import (
	"fmt"
	"math"
	"strconv"

	"github.com/cairn-iac/cairn/internal/property"
)

// kind is the type of an attribute.
type kind int

const (
	kindString kind = iota
	kindInt
	kindBool
	kindStringList
	kindStringMap
)

func (k kind) String() string {
	switch k {
	case kindInt:
		return "a whole number"
	case kindBool:
		return "true or false"
	case kindStringList:
		return "a list of strings"
	case kindStringMap:
		return "a map of strings"
	case kindString:
		return "a string"
	default:
		return fmt.Sprintf("kind(%d)", int(k))
	}
}

// defaultsKey is a list that older bridges left in recorded maps; it is no entry.
const defaultsKey = "__defaults"

// exactLimit is 2^53: from there on different whole numbers can have the same float64.
const exactLimit = 1 << 53

// reader turns property values into attribute values, as loosely as the published provider does: numbers and booleans
// become strings, and strings become numbers, where the attribute wants them.
type reader struct {
	// number decides which float64 is a whole number.
	number func(float64) (int64, error)
}

// programReader reads what a program wrote: a number that may have lost digits on its way is refused.
func programReader() reader {
	return reader{number: func(f float64) (int64, error) {
		if math.Abs(f) >= exactLimit {
			return 0, fmt.Errorf("has more digits than a number holds exactly: write it as a quoted string")
		}
		return wholeNumber(f)
	}}
}

// stateReader reads what was recorded or checked before.
func stateReader() reader { return reader{number: wholeNumber} }

func wholeNumber(f float64) (int64, error) {
	if f != math.Trunc(f) {
		return 0, fmt.Errorf("expected a whole number, got a fraction")
	}
	if f < math.MinInt64 || f >= math.MaxInt64 {
		return 0, fmt.Errorf("does not fit 64 bits")
	}
	return int64(f), nil
}

// read turns v into a value of the given kind. Errors say what is wrong without showing the value, and start so that
// they can follow the name of the property.
func (r reader) read(k kind, v property.Value) (value, error) {
	switch {
	case v.IsUnknown():
		return value{unknown{}}, nil
	case v.IsNull():
		return value{}, nil
	case v.Kind() == property.KindSealed:
		return value{}, fmt.Errorf("is encrypted and there is no key at hand to open it")
	}
	switch k {
	case kindInt:
		return r.readInt(v)
	case kindBool:
		if b, ok := v.AsBool(); ok {
			return value{b}, nil
		}
	case kindString:
		return readString(v)
	case kindStringList:
		if l, ok := v.AsList(); ok {
			return r.readList(l)
		}
	case kindStringMap:
		if m, ok := v.AsMap(); ok {
			return r.readMap(m)
		}
	}
	return value{}, mismatch(k, v)
}

func mismatch(want kind, got property.Value) error {
	return fmt.Errorf("expected %v, got a value of type %v", want, got.Kind())
}

func (r reader) readInt(v property.Value) (value, error) {
	if f, ok := v.AsNumber(); ok {
		n, err := r.number(f)
		return value{n}, err
	}
	s, ok := v.AsString()
	if !ok {
		return value{}, mismatch(kindInt, v)
	}
	if s == "" {
		return value{}, nil
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return value{n}, nil
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return value{}, mismatch(kindInt, v)
	}
	n, err := r.number(f)
	return value{n}, err
}

func readString(v property.Value) (value, error) {
	if s, ok := v.AsString(); ok {
		return value{s}, nil
	}
	if b, ok := v.AsBool(); ok {
		return value{strconv.FormatBool(b)}, nil
	}
	if f, ok := v.AsNumber(); ok {
		return value{strconv.FormatFloat(f, 'f', -1, 64)}, nil
	}
	return value{}, mismatch(kindString, v)
}

func (r reader) readList(l property.List) (value, error) {
	out := make([]value, 0, l.Len())
	for i, e := range l.All() {
		x, err := r.read(kindString, e)
		if err != nil {
			return value{}, fmt.Errorf("element %d: %w", i, err)
		}
		out = append(out, x)
	}
	return value{out}, nil
}

func (r reader) readMap(m property.Map) (value, error) {
	out := make(map[string]value, m.Len())
	for k, e := range m.All() {
		if k == defaultsKey {
			continue
		}
		x, err := r.read(kindString, e)
		if err != nil {
			return value{}, fmt.Errorf("entry %q: %w", k, err)
		}
		out[k] = x
	}
	return value{out}, nil
}
