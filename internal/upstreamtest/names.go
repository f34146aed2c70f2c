package upstreamtest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Names maps values that differ from run to run to what they are. The zero value is empty and ready.
type Names struct {
	byValue map[string]string
	ids     map[string]int // URN to the number of its ids so far
}

// Set replaces a value by a name in everything that is normalised with these names.
func (n *Names) Set(value, name string) {
	if n.byValue == nil {
		n.byValue = map[string]string{}
	}
	if _, known := n.byValue[value]; !known && value != "" {
		n.byValue[value] = name
	}
}

func (n *Names) clone() *Names {
	if n == nil {
		return &Names{}
	}
	return &Names{byValue: maps.Clone(n.byValue), ids: maps.Clone(n.ids)}
}

// Collect adds the ids and random outputs of every state in a JSON document or JSON lines, such as an export with
// secrets, for a text that shows them.
func (n *Names) Collect(document []byte) error {
	rows, err := decodeAll(document)
	if err != nil {
		return err
	}
	for _, row := range rows {
		n.collect(sortRows(row))
	}
	return nil
}

func (n *Names) collect(tree any) {
	switch v := tree.(type) {
	case []any:
		for _, element := range v {
			n.collect(element)
		}
	case map[string]any:
		if isState(v) {
			n.collectState(v)
		}
		for _, key := range sortedKeys(v) {
			n.collect(v[key])
		}
	}
}

func (n *Names) collectState(state map[string]any) {
	urn, _ := state["urn"].(string)
	if id, ok := randomID(state); ok && len(id) >= shortID {
		n.setID(urn, id)
	}
	outputs, _ := state["outputs"].(map[string]any)
	for _, property := range randomOutputs(state) {
		for _, value := range texts(reveal(outputs[property])) {
			n.Set(value, placeholder(urn, property))
		}
	}
}

// setID numbers the ids of one URN, which a replacement has several of.
func (n *Names) setID(urn, id string) {
	if _, known := n.byValue[id]; known {
		return
	}
	if n.ids == nil {
		n.ids = map[string]int{}
	}
	n.ids[urn]++
	what := "id"
	if n.ids[urn] > 1 {
		what = fmt.Sprintf("id %d", n.ids[urn])
	}
	n.Set(id, placeholder(urn, what))
}

// replacer replaces longer values first, for an id may begin another.
func (n *Names) replacer() *strings.Replacer {
	values := sortedKeys(n.byValue)
	slices.SortStableFunc(values, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	var pairs []string
	for _, value := range values {
		pairs = append(pairs, value, n.byValue[value])
	}
	return strings.NewReplacer(pairs...)
}

// placeholder is how a value of a resource is written: by type and name, without the stack and project.
func placeholder(urn, what string) string {
	parts := strings.SplitN(urn, "::", 3)
	return "<" + parts[len(parts)-1] + " " + what + ">"
}

// shortID is the length from which an id is looked for inside other strings.
const shortID = 6

// randomID is a state's id when it is an accident of the run.
func randomID(state map[string]any) (string, bool) {
	id, _ := state["id"].(string)
	if id == "" || id == "none" || id == "-" || seeded(state) {
		return "", false
	}
	return id, true
}

func seeded(state map[string]any) bool {
	inputs, _ := state["inputs"].(map[string]any)
	seed, ok := inputs["seed"]
	return ok && seed != nil && isRandomType(state)
}

func isRandomType(state map[string]any) bool {
	token, _ := state["type"].(string)
	return strings.HasPrefix(token, "random:")
}

// randomOutputs are the outputs that are an accident of the run.
func randomOutputs(state map[string]any) []string {
	if !isRandomType(state) || seeded(state) {
		return nil
	}
	token, _ := state["type"].(string)
	switch token[strings.LastIndex(token, ":")+1:] {
	case "RandomString", "RandomUuid", "RandomUuid4", "RandomUuid7", "RandomInteger":
		return []string{"result"}
	case "RandomPassword":
		return []string{"result", "bcryptHash"}
	case "RandomId":
		return []string{"b64Std", "b64Url", "dec", "hex"}
	case "RandomBytes":
		return []string{"base64", "hex"}
	case "RandomShuffle":
		return []string{"results"}
	}
	return nil
}

// texts are the strings in a value that are long enough to be looked for elsewhere.
func texts(v any) []string {
	switch v := v.(type) {
	case string:
		if len(v) >= shortID && v != masked {
			return []string{v}
		}
	case []any:
		var all []string
		for _, element := range v {
			all = append(all, texts(element)...)
		}
		return all
	}
	return nil
}
