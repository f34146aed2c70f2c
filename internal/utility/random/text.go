package random

import (
	"fmt"
	"maps"

	"golang.org/x/crypto/bcrypt"
)

const (
	// passwordID is the id of every RandomPassword: a secret cannot be an id.
	passwordID = "none"
	// bcryptLimit is how many bytes of a password bcrypt looks at.
	bcryptLimit = 72
)

// randomString defines RandomString.
func randomString() *definition {
	return &definition{
		name:        "RandomString",
		doc:         "Random text made of classes of characters. For secrets use RandomPassword.",
		version:     2,
		unversioned: 1,
		attributes: append(textAttributes(),
			attribute{name: "result", kind: kindString, mode: computed, doc: "The text."}),
		idFrom: idAttribute,
		check:  checkText,
		create: func(in values) (values, error) {
			text, err := drawText(in.num("length"), charsets(in))
			return values{idAttribute: {text}, "result": {text}}, err
		},
		importID: func(text string) (values, error) {
			return importedText(text).with(values{idAttribute: {text}}), nil
		},
		upgrade: func(_ int, old values) (values, error) { return completeText(old), nil },
	}
}

// randomPassword defines RandomPassword.
func randomPassword() *definition {
	return &definition{
		name:    "RandomPassword",
		doc:     "Random secret text made of classes of characters, with a bcrypt hash of it.",
		version: 3,
		attributes: append(textAttributes(),
			attribute{name: "result", kind: kindString, mode: computed, secret: true, doc: "The text."},
			attribute{name: "bcryptHash", kind: kindString, mode: computed, secret: true,
				doc: "A bcrypt hash of the text; bcrypt takes its first 72 bytes only."}),
		idFrom: idAttribute,
		check:  checkText,
		create: func(in values) (values, error) {
			text, err := drawText(in.num("length"), charsets(in))
			if err != nil {
				return nil, err
			}
			hash, err := hashOf(text)
			return values{idAttribute: {passwordID}, "result": {text}, "bcryptHash": {hash}}, err
		},
		importID: func(text string) (values, error) {
			hash, err := hashOf(text)
			return importedText(text).with(values{idAttribute: {passwordID}, "bcryptHash": {hash}}), err
		},
		upgrade: upgradePassword,
	}
}

// textAttributes are the attributes that RandomString and RandomPassword share.
func textAttributes() []attribute {
	class := func(name, doc string) attribute {
		return attribute{name: name, kind: kindBool, mode: defaulted, fallback: true, replacement: onChange, doc: doc}
	}
	atLeast := func(name, what string) attribute {
		return attribute{name: name, kind: kindInt, mode: defaulted, fallback: int64(0), replacement: onChange,
			limits: &limits{0, maxSize}, doc: "How many " + what + " the text must have at least."}
	}
	return []attribute{
		identifier(), keepers(onNewEntries),
		{name: "length", kind: kindInt, mode: required, replacement: onChange, limits: &limits{1, maxSize},
			doc: "How many characters the text has: at least 1, and at least the sum of minUpper, minLower, minNumeric and " +
				"minSpecial."},
		class("upper", "Whether to use the letters A to Z; true when not set."),
		class("lower", "Whether to use the letters a to z; true when not set."),
		class("special", "Whether to use the special characters "+defaultSpecials+" or those of overrideSpecial; true when not set."),
		{name: "numeric", kind: kindBool, mode: twin, other: "number", replacement: onChange,
			doc: "Whether to use the digits; true when not set."},
		{name: "number", kind: kindBool, mode: twin, other: "numeric", replacement: onChange,
			deprecated: "Use numeric instead.", doc: "The former name of numeric."},
		atLeast("minUpper", "of the letters A to Z"),
		atLeast("minLower", "of the letters a to z"),
		atLeast("minNumeric", "digits"),
		atLeast("minSpecial", "special characters"),
		{name: "overrideSpecial", kind: kindString, mode: optional, replacement: unlessEmptied,
			doc: "The special characters to use instead of the usual ones. They are used only while special is true."},
	}
}

// checkText checks what the attributes of a text ask for together.
func checkText(in values) []problem {
	var out []problem
	if p := conflict(in); p != nil {
		out = append(out, *p)
	}
	if length := in["length"]; length.known() && !length.isNull() {
		var sum int64
		for _, name := range []string{"minUpper", "minLower", "minNumeric", "minSpecial"} {
			sum += in.num(name)
		}
		if in.num("length") < sum {
			out = append(out, problem{"length", "length must be at least the sum of minUpper, minLower, minNumeric and minSpecial"})
		}
	}
	for _, name := range []string{"numeric", "number"} {
		off := true
		for _, class := range []string{"upper", "lower", "special", name} {
			b, set := in[class].v.(bool)
			off = off && set && !b
		}
		if off {
			out = append(out, problem{name, "at least one of upper, lower, special and " + name + " must be true"})
		}
	}
	return out
}

// conflict finds twins that are set to different values.
func conflict(in values) *problem {
	number, hasNumber := in["number"].v.(bool)
	numeric, hasNumeric := in["numeric"].v.(bool)
	if hasNumber && hasNumeric && number != numeric {
		return &problem{"number", "number and numeric are one setting under two names but have different values: remove number"}
	}
	return nil
}

// importedText is what is recorded of a text that was made elsewhere.
func importedText(text string) values {
	return completeText(values{"result": {text}})
}

// completeText fills in what older versions did not record. Without that, the defaults of the current version would
// look like changes and replace the resource.
func completeText(old values) values {
	out := maps.Clone(old)
	fill := func(name string, v any) {
		if out[name].isNull() {
			out[name] = value{v}
		}
	}
	fill("length", int64(len(old.str("result"))))
	for _, name := range []string{"minUpper", "minLower", "minNumeric", "minSpecial"} {
		fill(name, int64(0))
	}
	for _, name := range []string{"special", "upper", "lower", "number"} {
		fill(name, true)
	}
	out["numeric"] = out["number"]
	return out
}

// upgradePassword also mends the hash: version 0 had none, and version 2 could have that of another text.
func upgradePassword(from int, old values) (values, error) {
	out := completeText(old)
	text, hash := old.str("result"), old.str("bcryptHash")
	if from == 1 || from == 2 && bcrypt.CompareHashAndPassword([]byte(hash), clipped(text)) == nil {
		return out, nil
	}
	hash, err := hashOf(text)
	out["bcryptHash"] = value{hash}
	return out, err
}

func hashOf(text string) (string, error) {
	hash, err := bcrypt.GenerateFromPassword(clipped(text), bcrypt.DefaultCost)
	if err != nil {
		return "", fmt.Errorf("hash the generated password: %w", err)
	}
	return string(hash), nil
}

func clipped(text string) []byte { return []byte(text)[:min(len(text), bcryptLimit)] }
