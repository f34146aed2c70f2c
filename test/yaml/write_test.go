package yaml_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// writeEvents writes down steps and outputs, then what was said.
func writeEvents(w io.Writer, events []any) {
	var said []string
	for _, row := range events {
		event := object(row)
		writeStep(w, event)
		if d, ok := event["diagnosticEvent"].(map[string]any); ok {
			said = append(said, message(d))
		}
	}
	// Much is done at the same time: the order is chance.
	slices.Sort(said)
	for _, text := range said {
		fmt.Fprint(w, text)
	}
}

// writeStep writes down a step, or the outputs of a stack.
func writeStep(w io.Writer, event map[string]any) {
	if before, ok := event["resourcePreEvent"].(map[string]any); ok {
		step := object(before["metadata"])
		fmt.Fprintf(w, "  %v %s\n", step["op"], identity(step["urn"]))
	}
	if failed, ok := event["resOpFailedEvent"].(map[string]any); ok {
		step := object(failed["metadata"])
		fmt.Fprintf(w, "  failed: %v %s\n", step["op"], identity(step["urn"]))
	}
	if after, ok := event["resOutputsEvent"].(map[string]any); ok {
		step := object(after["metadata"])
		if outputs := object(object(step["new"])["outputs"]); step["type"] == "pulumi:pulumi:Stack" && len(outputs) > 0 {
			fmt.Fprintf(w, "  outputs %s\n", compact(outputs))
		}
	}
}

// message is a diagnostic without colours.
func message(d map[string]any) string {
	text := regexp.MustCompile(`<\{%[^%]*%\}>`).ReplaceAllString(fmt.Sprint(d["message"]), "")
	var b strings.Builder
	first := fmt.Sprintf("%v: ", d["severity"])
	for line := range strings.Lines(strings.TrimSpace(text)) {
		fmt.Fprintf(&b, "  %s%s\n", first, strings.TrimRight(line, " \n"))
		first = "  "
	}
	return b.String()
}

// identity is what a URN says, without stack and project.
func identity(urn any) string {
	parts := strings.SplitN(fmt.Sprint(urn), "::", 4)
	return strings.Join(parts[min(2, len(parts)-1):], " ")
}

// writeState writes down the resources of an export, by URN.
func writeState(w io.Writer, document any) {
	deployment := object(object(document)["deployment"])
	resources, _ := deployment["resources"].([]any)
	for _, resource := range resources {
		state := object(resource)
		fmt.Fprintf(w, "  %s\n", identity(state["urn"]))
		for _, key := range slices.Sorted(maps.Keys(state)) {
			if value := plain(state[key]); !slices.Contains([]string{"urn", "type", "custom"}, key) && !isEmpty(value) {
				fmt.Fprintf(w, "    %s: %s\n", key, shorter(compact(value)))
			}
		}
	}
	if pending, _ := deployment["pending_operations"].([]any); len(pending) > 0 {
		fmt.Fprintf(w, "  pending %s\n", compact(pending))
	}
}

// plain leaves out what providers keep for themselves.
func plain(v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	m = maps.Clone(m)
	maps.DeleteFunc(m, func(k string, _ any) bool {
		return slices.Contains([]string{"__pulumi_raw_state_delta", "__meta", "__defaults"}, k)
	})
	return m
}

// isEmpty finds what says nothing: dependencies that are none, for instance.
func isEmpty(v any) bool {
	switch v := v.(type) {
	case []any:
		return len(v) == 0
	case map[string]any:
		for _, inner := range v {
			if !isEmpty(inner) {
				return false
			}
		}
		return true
	}
	return v == nil
}

// shorter leaves out of URNs what is the same in all of them.
func shorter(text string) string {
	return regexp.MustCompile(`urn:pulumi:dev::[^:"]*::`).ReplaceAllString(text, "")
}

func object(v any) map[string]any {
	out, _ := v.(map[string]any)
	return out
}

func compact(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err.Error()
	}
	return strings.TrimSuffix(b.String(), "\n")
}
