package table

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cairn-iac/cairn/internal/display/palette"
)

// Update is one entry of a stack's history.
type Update struct {
	Version int
	Kind    string
	// Start and End are in whole seconds.
	Start, End  time.Time
	Message     string
	Environment map[string]string
	Config      map[string]ConfigValue
	// Result is succeeded, failed or in-progress.
	Result  string
	Changes map[string]int
}

const (
	succeeded  = "succeeded"
	inProgress = "in-progress"
)

// HistoryShow says how history is written.
type HistoryShow struct {
	// FullDates writes dates instead of how long ago.
	FullDates bool
	// Page is the number of the page that was asked for, from 1.
	Page int
}

// History lists updates, newest first: `stack history`.
func History(updates []Update, now time.Time, show HistoryShow, p palette.Palette) string {
	if len(updates) == 0 && show.Page > 1 {
		return fmt.Sprintf("No stack updates found on page '%d'\n", show.Page)
	}
	if len(updates) == 0 {
		return "Stack has never been updated\n"
	}
	var b strings.Builder
	for _, u := range updates {
		u.write(&b, now, historyStyle{show, p})
	}
	return b.String()
}

type historyStyle struct {
	show    HistoryShow
	palette palette.Palette
}

func (u Update) write(b *strings.Builder, now time.Time, h historyStyle) {
	status := palette.Error
	if u.Result == succeeded {
		status = palette.Add
	}
	fmt.Fprintf(b, "Version: %d\nUpdateKind: %s\n", u.Version, u.Kind)
	b.WriteString(h.palette.Paint(status, "Status: "+u.Result) + "\n")
	fmt.Fprintf(b, "Message: %s\n", u.Message)
	count := func(s palette.Style, mark, op string) {
		b.WriteString(h.palette.Paint(s, fmt.Sprintf("%s%d", mark, u.Changes[op])))
	}
	count(palette.OnAdd, "+", "create")
	count(palette.OnDelete, "-", "delete")
	count(palette.OnChange, "~", "update")
	count(palette.OnSame, " ", "same")
	when := ago(u.Start, now)
	if h.show.FullDates {
		when = u.Start.String()
	}
	fmt.Fprintf(b, " Updated %s took %s\n", when, u.End.Sub(u.Start))
	for _, k := range slices.Sorted(maps.Keys(u.Environment)) {
		v := u.Environment[k]
		if strings.TrimSpace(v) == "" {
			continue
		}
		style := palette.Plain
		if k == "git.head" {
			style = palette.Warning
		}
		b.WriteString("    " + h.palette.Paint(style, k+": "+v) + "\n")
	}
	b.WriteString("\n")
}

// HistoryJSON lists updates as JSON: `stack history --json`.
func HistoryJSON(updates []Update) (string, error) {
	type record struct {
		Version         int                    `json:"version"`
		Kind            string                 `json:"kind"`
		StartTime       string                 `json:"startTime"`
		Message         string                 `json:"message"`
		Environment     map[string]string      `json:"environment"`
		Config          map[string]ConfigValue `json:"config"`
		Result          string                 `json:"result,omitempty"`
		EndTime         *string                `json:"endTime,omitempty"`
		ResourceChanges *map[string]int        `json:"resourceChanges,omitempty"`
	}
	records := make([]record, len(updates))
	for i, u := range updates {
		r := record{
			Version: u.Version, Kind: u.Kind, StartTime: Time(u.Start), Message: u.Message,
			Environment: u.Environment, Config: u.Config, Result: u.Result,
		}
		if r.Config == nil {
			r.Config = map[string]ConfigValue{}
		}
		if u.Result != inProgress {
			end, changes := Time(u.End), u.Changes
			if changes == nil {
				changes = map[string]int{}
			}
			r.EndTime, r.ResourceChanges = &end, &changes
		}
		records[i] = r
	}
	return JSON(records)
}
