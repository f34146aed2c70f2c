package wire

import (
	"fmt"

	"github.com/cairn-iac/cairn/internal/property"
)

// Unknowns says what becomes of unknown values.
type Unknowns int

// The ways. A dropped unknown leaves its map, or leaves null in its list; a rejected one is an error.
const (
	DropUnknowns Unknowns = iota
	KeepUnknowns
	RejectUnknowns
)

// Options says what the other side understands. The zero value is the least: plain values only.
type Options struct {
	Unknowns Unknowns
	// KeepSecrets keeps secret marks. Without it secrets travel as plain values.
	KeepSecrets bool
	// KeepResources keeps resource references. Without it a reference becomes its id, or its URN if it has no id.
	KeepResources bool
	// KeepOutputValues keeps dependencies: a value with dependencies travels as an output value.
	KeepOutputValues bool
	// UpgradeToOutputValues also sends secrets and unknowns without dependencies as output values. It needs
	// KeepOutputValues and has no effect on what is read.
	UpgradeToOutputValues bool
	// ElideAssetContents leaves only the hashes of assets and archives.
	ElideAssetContents bool
	// RejectAssets makes assets and archives an error.
	RejectAssets bool
	// SkipInternalKeys leaves out top-level keys that start with "__".
	SkipInternalKeys bool
	// SkipNulls leaves out map entries that are null.
	SkipNulls bool
	// KeepByteStrings sends strings that are not UTF-8 as byte strings. Without it they are an error. They are always
	// understood when read.
	KeepByteStrings bool
}

// Error tells where in a value a conversion failed and why.
type Error struct {
	Path   property.Path
	Reason string
}

func (e *Error) Error() string {
	if len(e.Path) == 0 {
		return e.Reason
	}
	return fmt.Sprintf("property %s: %s", e.Path, e.Reason)
}

// at is a place in a value: a path that costs nothing until an error needs it.
type at struct {
	up   *at
	step property.Segment
}

func (a *at) key(k string) *at { return &at{up: a, step: property.Key(k)} }

func (a *at) index(i int) *at { return &at{up: a, step: property.Index(i)} }

func (a *at) path() property.Path {
	if a == nil {
		return nil
	}
	return a.up.path().Append(a.step)
}

// name is the last map key on the way, for messages that users and clients know by it.
func (a *at) name() string {
	for ; a != nil; a = a.up {
		if k, ok := a.step.AsKey(); ok {
			return k
		}
	}
	return ""
}

func (a *at) errorf(format string, args ...any) error {
	return &Error{Path: a.path(), Reason: fmt.Sprintf(format, args...)}
}
