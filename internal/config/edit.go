package config

import (
	"errors"
	"fmt"
	"slices"
)

var errSecureReserved = errors.New(`maps with the single key "secure" are reserved`)

// maxGap is how far behind the end of nothing a new list may start: `--path 'new[3]'` makes three nulls first.
const maxGap = 1_000

// Get finds the value at an address.
func (m Map) Get(a Address) (Value, bool) {
	v, ok := m[a.Key]
	for _, step := range a.Path {
		if !ok {
			return Value{}, false
		}
		v, ok = v.step(step)
	}
	return v, ok
}

func (v Value) step(s Step) (Value, bool) {
	switch {
	case v.kind == List && s.IsIndex && s.Index >= 0 && s.Index < len(v.items):
		return v.items[s.Index], true
	case v.kind == Object && !s.IsIndex:
		return v.entry(s.Name)
	default:
		return Value{}, false
	}
}

// Set puts a value at an address and makes what is missing on the way: objects for names, lists for indexes. An index one
// past the end appends; further out is an error. A scalar at the key itself gives way to a list or object, deeper in it is an
// error. The map is unchanged when it is an error.
func (m Map) Set(a Address, v Value) error {
	next, err := m[a.Key].set(a.full()[:1], a.Path, v)
	if err != nil {
		return err
	}
	m[a.Key] = next
	return nil
}

// set is the value with a part replaced. prefix is the way already gone.
func (v Value) set(prefix, path Path, part Value) (Value, error) {
	if len(path) == 0 {
		return part, nil
	}
	step, here := path[0], append(slices.Clone(prefix), path[0])
	isContainer := v.kind == List || v.kind == Object
	switch {
	case v.kind == Null, !isContainer && len(prefix) == 1:
		if v = newContainer(step); len(v.items) > maxGap {
			return Value{}, fmt.Errorf("%v: array index out of range", here)
		}
	case !isContainer && step.IsIndex:
		return Value{}, fmt.Errorf("%v: expected an array", prefix)
	case !isContainer:
		return Value{}, fmt.Errorf("%v: expected a map", prefix)
	}
	if v.kind == List {
		return v.setItem(here, path, part)
	}
	if step.IsIndex {
		return Value{}, fmt.Errorf("%v: key for a map must be a string", here)
	}
	if len(path) == 1 && len(v.without(step.Name).entries) == 0 && step.Name == secureKey && part.kind == String {
		return Value{}, errSecureReserved
	}
	old, _ := v.entry(step.Name)
	next, err := old.set(here, path[1:], part)
	if err != nil {
		return Value{}, err
	}
	return v.with(step.Name, next), nil
}

func (v Value) setItem(here, path Path, part Value) (Value, error) {
	step := path[0]
	switch {
	case !step.IsIndex:
		return Value{}, fmt.Errorf("%v: key for an array must be an int", here)
	case step.Index < 0 || step.Index > len(v.items):
		return Value{}, fmt.Errorf("%v: array index out of range", here)
	}
	v.items = slices.Clone(v.items)
	if step.Index == len(v.items) {
		v.items = append(v.items, Value{})
	}
	next, err := v.items[step.Index].set(here, path[1:], part)
	if err != nil {
		return Value{}, err
	}
	v.items[step.Index] = next
	return v, nil
}

// newContainer is what the first step into nothing makes: a list that is long enough, or an object.
func newContainer(s Step) Value {
	if !s.IsIndex {
		return Value{kind: Object}
	}
	return Value{kind: List, items: make([]Value, min(max(s.Index+1, 0), maxGap+1))}
}

// Remove takes the value at an address away. What is not there is no error.
func (m Map) Remove(a Address) error {
	root, ok := m[a.Key]
	switch {
	case !ok:
		return nil
	case len(a.Path) == 0:
		delete(m, a.Key)
		return nil
	}
	next, err := root.remove(a.full()[:1], a.Path)
	if err != nil {
		return err
	}
	m[a.Key] = next
	return nil
}

func (v Value) remove(prefix, path Path) (Value, error) {
	step, here := path[0], append(slices.Clone(prefix), path[0])
	old, ok := v.step(step)
	switch {
	case !ok:
		return v, nil
	case len(path) > 1:
		next, err := old.remove(here, path[1:])
		if err != nil {
			return Value{}, err
		}
		if v.kind == Object {
			return v.with(step.Name, next), nil
		}
		v.items = slices.Clone(v.items)
		v.items[step.Index] = next
		return v, nil
	case v.kind == List:
		v.items = slices.Delete(slices.Clone(v.items), step.Index, step.Index+1)
		return v, nil
	}
	rest := v.without(step.Name)
	if _, reserved := ciphertextOf(rest); reserved {
		return Value{}, fmt.Errorf("%v: %w", here, errSecureReserved)
	}
	return rest, nil
}
