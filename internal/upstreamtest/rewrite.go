package upstreamtest

import (
	"regexp"
	"slices"
	"strings"
)

// rewriter applies the rules to a decoded tree, in place where it can.
type rewriter struct {
	names *strings.Replacer
	keep  bool
}

func (w rewriter) value(v any) any {
	switch v := v.(type) {
	case string:
		return w.text(v)
	case []any:
		for i := range v {
			v[i] = w.value(v[i])
		}
	case map[string]any:
		if v[signatureKey] == secretSignature {
			return map[string]any{"<secret>": w.value(reveal(v))}
		}
		w.object(v)
		for key := range v {
			v[key] = w.value(v[key])
		}
	}
	return v
}

func (w rewriter) text(s string) string {
	return genericMarks(w.names.Replace(s))
}

// object removes and masks by the shape of the object.
func (w rewriter) object(o map[string]any) {
	if isState(o) {
		w.state(o)
	}
	if manifest, ok := o["manifest"].(map[string]any); ok {
		remove(manifest, "time", "magic", "version")
	}
	if has(o, "steps", "changeSummary") {
		remove(o, "duration")
	}
	if has(o, "kind", "startTime") {
		remove(o, "startTime", "endTime")
		if environment, ok := o["environment"].(map[string]any); ok {
			remove(environment, "pulumi.version")
		}
	}
	if has(o, "resourceCount") {
		remove(o, "lastUpdate")
	}
}

func (w rewriter) state(o map[string]any) {
	remove(o, "created", "modified", "sourcePosition", "stackTrace")
	for _, key := range []string{"dependencies", "aliases", "additionalSecretOutputs", "replaceWith"} {
		sortTexts(o[key])
	}
	if byProperty, ok := o["propertyDependencies"].(map[string]any); ok {
		for _, list := range byProperty {
			sortTexts(list)
		}
	}
	if w.keep {
		return
	}
	urn, _ := o["urn"].(string)
	outputs, _ := o["outputs"].(map[string]any)
	if id, ok := randomID(o); ok && len(id) < shortID {
		o["id"] = placeholder(urn, "id")
		if outputs["id"] == id {
			outputs["id"] = o["id"]
		}
	}
	for _, property := range randomOutputs(o) {
		if value, ok := outputs[property]; ok {
			outputs[property] = mask(value, placeholder(urn, property))
		}
	}
}

// mask keeps the shape of a secret; a value that was masked by the producer stays as it is.
func mask(v any, name string) any {
	object, ok := v.(map[string]any)
	switch {
	case v == masked:
		return v
	case !ok || object[signatureKey] != secretSignature:
		return name
	case object["plaintext"] != nil:
		return map[string]any{"<secret>": name}
	}
	return v
}

// genericMarks replaces what is recognised by its form alone.
func genericMarks(s string) string {
	if !strings.ContainsAny(s, ":-") {
		return s
	}
	s = saltForm().ReplaceAllString(s, "<salt>")
	s = cipherForm().ReplaceAllString(s, "<ciphertext>")
	return uuidForm().ReplaceAllString(s, "<uuid>")
}

const base64Form = `[A-Za-z0-9+/]+={0,2}`

func saltForm() *regexp.Regexp {
	return regexp.MustCompile(`\bv1:` + base64Form + `:v1:` + base64Form + `:` + base64Form)
}

func cipherForm() *regexp.Regexp {
	return regexp.MustCompile(`\bv1:` + base64Form + `:` + base64Form)
}

func uuidForm() *regexp.Regexp {
	return regexp.MustCompile(`\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`)
}

func remove(o map[string]any, keys ...string) {
	for _, key := range keys {
		delete(o, key)
	}
}

func has(o map[string]any, keys ...string) bool {
	return !slices.ContainsFunc(keys, func(key string) bool { _, ok := o[key]; return !ok })
}

func sortTexts(v any) {
	list, _ := v.([]any)
	slices.SortStableFunc(list, func(a, b any) int {
		x, _ := a.(string)
		y, _ := b.(string)
		return strings.Compare(x, y)
	})
}
