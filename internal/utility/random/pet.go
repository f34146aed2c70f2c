package random

import (
	"math"
	"strings"

	petname "github.com/dustinkirkland/golang-petname"
)

// maxWords limits the length of a name far beyond any use.
const maxWords = 1 << 16

// randomPet defines RandomPet. It cannot be imported: nobody can tell where prefix and words meet.
func randomPet() *definition {
	return &definition{
		name: "RandomPet",
		doc:  "A readable name made of random words, for resources that people have to tell apart.",
		attributes: []attribute{
			identifier(), keepers(onNewEntries),
			{name: "length", kind: kindInt, mode: defaulted, fallback: int64(2), replacement: onChange,
				limits: &limits{math.MinInt64, maxWords},
				doc:    "How many words the name has, not counting the prefix; below 1 it has 2."},
			{name: "prefix", kind: kindString, mode: optional, replacement: onChange, emptyIsNull: true,
				doc: "Text to put before the words, followed by the separator."},
			{name: "separator", kind: kindString, mode: defaulted, fallback: "-", replacement: onChange,
				doc: "What stands between the words."},
		},
		idFrom:   idAttribute,
		idEchoes: "prefix",
		create: func(in values) (values, error) {
			separator := in.str("separator")
			name := strings.ToLower(petname.Generate(int(in.num("length")), separator))
			if prefix := in.str("prefix"); prefix != "" {
				name = prefix + separator + name
			}
			return values{idAttribute: {name}}, nil
		},
	}
}
