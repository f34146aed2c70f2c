package random

import (
	"slices"
	"strings"

	"github.com/cairn-iac/cairn/internal/urn"
)

// idAttribute holds the resource's id among its outputs. It is no property of the schema.
const idAttribute = "id"

// definition describes one kind of resource.
type definition struct {
	// name is the resource's name in programs, such as RandomPet.
	name string
	doc  string
	// version is the version of the attributes' layout; state records it unless it is 0.
	version int
	// unversioned is the version to assume for state that records none.
	unversioned int
	attributes  []attribute
	// check finds what is wrong with known inputs beyond the attributes' own limits.
	check func(values) []problem
	// create draws the computed attributes from the others.
	create func(values) (values, error)
	// idFrom is the attribute whose value is the resource's id.
	idFrom string
	// idEchoes names an input that can be read from the id.
	idEchoes string
	// importID makes the attributes that an id stands for; nil when a resource cannot be imported.
	importID func(id string) (values, error)
	// upgrade brings attributes of an older version up to the current one.
	upgrade func(from int, old values) (values, error)
}

// token is the type token: random:index/randomPet:RandomPet.
func (d *definition) token() urn.Type {
	return urn.Type("random:index/" + strings.ToLower(d.name[:1]) + d.name[1:] + ":" + d.name)
}

func (d *definition) attribute(name string) (attribute, bool) {
	i := slices.IndexFunc(d.attributes, func(a attribute) bool { return a.name == name })
	if i < 0 {
		return attribute{}, false
	}
	return d.attributes[i], true
}

// inputs are the names a program may set.
func (d *definition) inputs() []string {
	var out []string
	for _, a := range d.attributes {
		if a.mode != computed {
			out = append(out, a.name)
		}
	}
	return out
}

// mode says who sets an attribute.
type mode int

const (
	// computed attributes are set by the provider only.
	computed mode = iota
	required
	optional
	// defaulted attributes take a fixed default.
	defaulted
	// twin attributes are one switch under two names: each follows the other, and both default to true.
	twin
)

// replacement says which change of an attribute needs a new resource.
type replacement int

const (
	never replacement = iota
	onChange
	// onNewEntries spares changes that come from entries without a value, which older versions did not record.
	onNewEntries
	// unlessEmptied spares the change from "" to nothing, and waits while the new value is unknown.
	unlessEmptied
)

// attribute describes one attribute.
type attribute struct {
	name string
	doc  string
	kind kind
	mode mode
	// renamed is the name in Terraform's state where it does not follow from name.
	renamed string
	// fallback is the default of a defaulted attribute.
	fallback any
	// other is the twin's other name.
	other  string
	secret bool
	// echoes names an input that can be read from this computed attribute: it is as secret as that one.
	echoes string
	// emptyIsNull is for strings whose empty value is recorded as none.
	emptyIsNull bool
	replacement replacement
	// limits is nil for a number that may be any.
	limits *limits
	// deprecated says what to use instead.
	deprecated string
}

// limits are the smallest and the largest number allowed.
type limits struct{ min, max int64 }

// problem is one thing that is wrong with inputs.
type problem struct {
	// property is the one to look at.
	property string
	reason   string
}

// maxSize limits what a number of bytes, characters, words or elements can ask for, so that no input can take the
// machine's memory.
const maxSize = 1 << 24

// keepers is the attribute that every resource has.
func keepers(r replacement) attribute {
	return attribute{
		name: "keepers", kind: kindStringMap, mode: optional, replacement: r,
		doc: "Any values whose change asks for a new random result.",
	}
}

// identifier is the id attribute.
func identifier() attribute {
	return attribute{name: idAttribute, kind: kindString, mode: computed}
}

// definitions lists every resource of the package.
func definitions() []*definition {
	return []*definition{
		randomBytes(), randomID(), randomInteger(), randomPassword(), randomPet(), randomShuffle(), randomString(),
		randomUUID(), randomUUID4(), randomUUID7(),
	}
}
