package display

import (
	"io"
	"time"

	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/resource"
)

// SummaryJSON writes one line of JSON at the end of a run: how it ended and what became of which resource. It is the
// view of `--output json`.
type SummaryJSON struct {
	w         io.Writer
	opts      Options
	resources []summaryResource
	err       error
}

// NewSummaryJSON makes a summary view.
func NewSummaryJSON(w io.Writer, opts Options) *SummaryJSON { return &SummaryJSON{w: w, opts: opts} }

type (
	summaryLine struct {
		Result    event.Result        `json:"result"`
		Duration  time.Duration       `json:"duration"`
		Summary   map[resource.Op]int `json:"summary,omitempty"`
		Resources []summaryResource   `json:"resources,omitempty"`
	}
	summaryResource struct {
		URN    string      `json:"urn"`
		Type   string      `json:"type"`
		Name   string      `json:"name"`
		Op     resource.Op `json:"op"`
		Parent string      `json:"parent,omitempty"`
	}
)

// Handle takes an event in; the summary is when the line is written.
func (s *SummaryJSON) Handle(e event.Event) {
	switch e := e.(type) {
	case event.StepStarted:
		if !e.Step.Internal && (e.Step.Op != resource.OpSame || s.opts.Show.Sames) {
			u := e.Step.URN
			s.resources = append(s.resources, summaryResource{
				URN: string(u), Type: string(u.Type()), Name: u.Name(), Op: e.Step.Op, Parent: string(parentOf(e.Step)),
			})
		}
	case event.Summary:
		if s.err == nil {
			s.err = writeLine(s.w, summaryLine{
				Result: e.Result, Duration: e.Duration, Summary: e.Changes, Resources: s.resources,
			})
		}
	default:
	}
}

// Close tells whether the line could be written.
func (s *SummaryJSON) Close() error { return s.err }
