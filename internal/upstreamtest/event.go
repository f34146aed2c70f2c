package upstreamtest

import (
	"cmp"
	"slices"
	"strings"
)

// Events normalises engine events, one JSON object a line: an event log, or the output of up --json.
func (r Rules) Events(lines []byte) ([]any, error) {
	rows, err := r.rows(lines)
	if err != nil {
		return nil, err
	}
	rows = slices.DeleteFunc(rows, isDebug)
	for _, row := range rows {
		event, _ := row.(map[string]any)
		remove(event, "sequence", "timestamp")
		if summary, ok := event["summaryEvent"].(map[string]any); ok {
			remove(summary, "durationSeconds")
		}
	}
	slices.SortStableFunc(rows, func(a, b any) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(eventURN(a), eventURN(b)))
	})
	return rows, nil
}

func isDebug(row any) bool {
	event, _ := row.(map[string]any)
	diagnostic, ok := event["diagnosticEvent"].(map[string]any)
	return ok && diagnostic["severity"] == "debug"
}

// rank keeps the events of a whole run around those of resources.
func rank(row any) int {
	event, _ := row.(map[string]any)
	switch {
	case event["preludeEvent"] != nil:
		return 0
	case eventURN(row) != "":
		return 1
	case event["summaryEvent"] != nil:
		return 3
	case event["cancelEvent"] != nil:
		return 4
	}
	return 2
}

func eventURN(row any) string {
	event, _ := row.(map[string]any)
	for _, payload := range event {
		if urn := urnOf(payload); urn != "" {
			return urn
		}
		if object, ok := payload.(map[string]any); ok && urnOf(object["metadata"]) != "" {
			return urnOf(object["metadata"])
		}
	}
	return ""
}
