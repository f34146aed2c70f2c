package random

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/google/uuid"
)

// randomUUID defines RandomUuid: 16 random bytes in the notation of a UUID, without version or variant bits.
func randomUUID() *definition {
	return uuidDefinition("RandomUuid", "A random identifier in the notation of a UUID.", uuidSource{
		draw: func() (string, error) {
			b, err := randomData(16)
			return hyphenate(hex.EncodeToString(b)), err
		},
		parse: func(text string) (string, error) {
			digits := strings.ReplaceAll(text, "-", "")
			b, err := hex.DecodeString(digits)
			if err != nil || len(b) != 16 || hyphenate(digits) != text {
				return "", fmt.Errorf("expected 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12")
			}
			return strings.ToLower(text), nil
		},
	})
}

func randomUUID4() *definition {
	return uuidDefinition("RandomUuid4", "A random UUID of version 4.", uuidSource{
		draw:  func() (string, error) { return textOf(uuid.NewRandomFromReader(rand.Reader)) },
		parse: func(text string) (string, error) { return textOf(uuid.Parse(text)) },
	})
}

func randomUUID7() *definition {
	return uuidDefinition("RandomUuid7", "A UUID of version 7: it starts with the time and ends at random.", uuidSource{
		draw:  func() (string, error) { return textOf(uuid.NewV7FromReader(rand.Reader)) },
		parse: func(text string) (string, error) { return textOf(uuid.Parse(text)) },
	})
}

// uuidSource draws identifiers and reads those of others.
type uuidSource struct {
	draw  func() (string, error)
	parse func(string) (string, error)
}

func uuidDefinition(name, doc string, source uuidSource) *definition {
	return &definition{
		name: name, doc: doc,
		attributes: []attribute{
			identifier(), keepers(onNewEntries),
			{name: "result", kind: kindString, mode: computed, doc: "The identifier."},
		},
		idFrom: idAttribute,
		create: func(values) (values, error) {
			id, err := source.draw()
			return values{idAttribute: {id}, "result": {id}}, err
		},
		importID: func(text string) (values, error) {
			id, err := source.parse(text)
			if err != nil {
				return nil, fmt.Errorf("the id is not a UUID: %w", err)
			}
			return values{idAttribute: {id}, "result": {id}}, nil
		},
	}
}

func textOf(id uuid.UUID, err error) (string, error) { return id.String(), err }

// hyphenate groups 32 digits; anything else comes back as it is.
func hyphenate(digits string) string {
	if len(digits) != 32 {
		return digits
	}
	return strings.Join([]string{digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]}, "-")
}
