package table

import (
	"strconv"
	"time"

	"github.com/cairn-iac/cairn/internal/display/palette"
)

// Stack is one stack of a list.
type Stack struct {
	Name    string
	Current bool
	// LastUpdate is zero for a stack that was never updated.
	LastUpdate time.Time
	// InProgress is true while an update runs; only backends that can tell set it.
	InProgress bool
	// Resources is nil when it is not known.
	Resources *int
	// URL is where the stack's page is, for backends that have pages.
	URL string
}

// Stacks lists stacks: `stack ls`.
func Stacks(stacks []Stack, now time.Time, p palette.Palette) string {
	t := Table{Headers: []string{"NAME", "LAST UPDATE", "RESOURCE COUNT"}, Palette: p}
	urls := false
	for _, s := range stacks {
		urls = urls || s.URL != ""
	}
	if urls {
		t.Headers = append(t.Headers, "URL")
	}
	for _, s := range stacks {
		name, updated, count := s.Name, notAvailable, notAvailable
		if s.Current {
			name = p.Paint(palette.Current, name+"*")
		}
		switch {
		case s.InProgress:
			updated = "in progress"
		case !s.LastUpdate.IsZero():
			updated = ago(s.LastUpdate, now)
		}
		if s.Resources != nil {
			count = strconv.Itoa(*s.Resources)
		}
		cells := []string{name, updated, count}
		if urls {
			cells = append(cells, orNotAvailable(s.URL))
		}
		t.Rows = append(t.Rows, Row{Cells: cells})
	}
	return t.String()
}

func orNotAvailable(s string) string {
	if s == "" {
		return notAvailable
	}
	return s
}

// StacksJSON lists stacks as JSON: `stack ls --json`. progress says whether the backend can tell that an update runs.
func StacksJSON(stacks []Stack, progress Progress) (string, error) {
	type record struct {
		Name             string  `json:"name"`
		Current          bool    `json:"current"`
		LastUpdate       *string `json:"lastUpdate,omitempty"`
		UpdateInProgress *bool   `json:"updateInProgress,omitempty"`
		ResourceCount    *int    `json:"resourceCount,omitempty"`
		URL              string  `json:"url,omitempty"`
	}
	records := make([]record, len(stacks))
	for i, s := range stacks {
		r := record{Name: s.Name, Current: s.Current, ResourceCount: s.Resources, URL: s.URL}
		if progress == ProgressKnown && (s.InProgress || !s.LastUpdate.IsZero()) {
			r.UpdateInProgress = &s.InProgress
		}
		if !s.InProgress {
			r.LastUpdate = timeOrNil(s.LastUpdate)
		}
		records[i] = r
	}
	return JSON(records)
}

// Progress says whether a backend can tell that an update runs.
type Progress int

// The kinds of backend.
const (
	ProgressUnknown Progress = iota
	ProgressKnown
)
