package display

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/display/palette"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/resource"
)

// EventLog writes engine events as JSON, one a line, in the shape of the engine event protocol. Each event is one call
// of Write. Secrets are never part of it.
type EventLog struct {
	w       io.Writer
	palette palette.Palette
	clock   Clock
	// internal events are left out when it is false, but still counted.
	internal bool
	next     int
	// done counts the steps that succeeded; corrupt tells that nobody knows what became of one that failed.
	done    int
	corrupt bool
	err     error
}

// NewEventLog makes an event log with all events, as --event-log asks for.
func NewEventLog(w io.Writer, opts Options) *EventLog {
	return &EventLog{w: w, palette: opts.Palette, clock: opts.Clock, internal: true}
}

// NewEventStream makes an event log for the output of a command, as --json asks for: events about default providers are
// left out, their numbers are not used for others.
func NewEventStream(w io.Writer, opts Options) *EventLog {
	return &EventLog{w: w, palette: opts.Palette, clock: opts.Clock}
}

// Handle writes an event.
func (l *EventLog) Handle(e event.Event) {
	s := stamp{sequence: l.next, at: l.clock.Now()}
	l.next++
	l.handleStamped(e, s)
}

func (l *EventLog) handleStamped(e event.Event, s stamp) {
	l.count(e)
	if l.err != nil || !l.internal && isInternal(e) {
		return
	}
	record, err := l.record(e)
	if err != nil {
		l.err = err
		return
	}
	record.Sequence, record.Timestamp = s.sequence, s.at.Unix()
	l.err = writeLine(l.w, record)
}

func (l *EventLog) count(e event.Event) {
	switch e := e.(type) {
	case event.StepDone:
		if !e.Step.Internal {
			l.done++
		}
	case event.StepFailed:
		l.corrupt = l.corrupt || e.Unknown
	default:
	}
}

// Close tells whether everything could be written.
func (l *EventLog) Close() error { return l.err }

// writeLine writes JSON and a line break in one piece.
func writeLine(w io.Writer, v any) error {
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(line.Bytes())
	return err
}

func isInternal(e event.Event) bool {
	switch e := e.(type) {
	case event.StepStarted:
		return e.Step.Internal
	case event.StepDone:
		return e.Step.Internal
	case event.StepFailed:
		return e.Step.Internal
	default:
		return false
	}
}

// The following types are the engine event protocol; order and absence of members are part of it.
type (
	eventRecord struct {
		Sequence         int               `json:"sequence"`
		Timestamp        int64             `json:"timestamp"`
		CancelEvent      *struct{}         `json:"cancelEvent,omitempty"`
		DiagnosticEvent  *diagnosticRecord `json:"diagnosticEvent,omitempty"`
		PreludeEvent     *preludeRecord    `json:"preludeEvent,omitempty"`
		SummaryEvent     *summaryRecord    `json:"summaryEvent,omitempty"`
		ResourcePreEvent *stepRecord       `json:"resourcePreEvent,omitempty"`
		ResOutputsEvent  *stepRecord       `json:"resOutputsEvent,omitempty"`
		ResOpFailedEvent *failureRecord    `json:"resOpFailedEvent,omitempty"`
	}
	preludeRecord struct {
		Config map[string]string `json:"config"`
	}
	diagnosticRecord struct {
		URN       string        `json:"urn,omitempty"`
		Prefix    string        `json:"prefix,omitempty"`
		Message   string        `json:"message"`
		Color     palette.Mode  `json:"color"`
		Severity  diag.Severity `json:"severity"`
		Ephemeral bool          `json:"ephemeral,omitempty"`
	}
	summaryRecord struct {
		MaybeCorrupt    bool                `json:"maybeCorrupt"`
		DurationSeconds int                 `json:"durationSeconds"`
		ResourceChanges map[resource.Op]int `json:"resourceChanges"`
		PolicyPacks     map[string]string   `json:"PolicyPacks"`
		IsPreview       bool                `json:"isPreview"`
		Result          event.Result        `json:"result"`
	}
	stepRecord struct {
		Metadata metadataRecord `json:"metadata"`
		Planning bool           `json:"planning,omitempty"`
	}
	failureRecord struct {
		Metadata metadataRecord `json:"metadata"`
		Status   int            `json:"status"`
		Steps    int            `json:"steps"`
	}
	metadataRecord struct {
		Op           resource.Op           `json:"op"`
		URN          string                `json:"urn"`
		Type         string                `json:"type"`
		Old          *stateRecord          `json:"old"`
		New          *stateRecord          `json:"new"`
		Keys         []string              `json:"keys,omitempty"`
		Diffs        []string              `json:"diffs,omitempty"`
		DetailedDiff map[string]diffRecord `json:"detailedDiff"`
		Logical      bool                  `json:"logical,omitempty"`
		Provider     string                `json:"provider"`
		// Why is ours: what forces a replacement, in words.
		Why string `json:"why,omitempty"`
	}
	diffRecord struct {
		Kind      event.DiffKind `json:"diffKind"`
		InputDiff bool           `json:"inputDiff"`
	}
	stateRecord struct {
		Type           string          `json:"type"`
		URN            string          `json:"urn"`
		Custom         bool            `json:"custom,omitempty"`
		Delete         bool            `json:"delete,omitempty"`
		ID             string          `json:"id"`
		Parent         string          `json:"parent"`
		Protect        bool            `json:"protect,omitempty"`
		Taint          bool            `json:"taint,omitempty"`
		External       bool            `json:"external,omitempty"`
		RetainOnDelete bool            `json:"retainOnDelete,omitempty"`
		Inputs         json.RawMessage `json:"inputs"`
		Outputs        json.RawMessage `json:"outputs"`
		Provider       string          `json:"provider"`
		InitErrors     []string        `json:"initErrors,omitempty"`
		HideDiffs      []string        `json:"hideDiffs,omitempty"`
	}
)

func (l *EventLog) record(e event.Event) (eventRecord, error) {
	var r eventRecord
	var err error
	switch e := e.(type) {
	case event.Finished:
		r.CancelEvent = &struct{}{}
	case event.Prelude:
		config := e.Config
		if config == nil {
			config = map[string]string{}
		}
		r.PreludeEvent = &preludeRecord{Config: config}
	case event.Diagnostic:
		r.DiagnosticEvent = l.diagnostic(e)
	case event.Summary:
		r.SummaryEvent = l.summary(e)
	case event.StepStarted:
		r.ResourcePreEvent = &stepRecord{Planning: e.Planning}
		r.ResourcePreEvent.Metadata, err = metadata(e.Step)
	case event.StepDone:
		r.ResOutputsEvent = &stepRecord{Planning: e.Planning}
		r.ResOutputsEvent.Metadata, err = metadata(e.Step)
	case event.StepFailed:
		r.ResOpFailedEvent = &failureRecord{Status: failureStatus(e), Steps: l.done}
		r.ResOpFailedEvent.Metadata, err = metadata(e.Step)
	default:
		err = fmt.Errorf("write event: %T has no place in the protocol", e)
	}
	return r, err
}

// failureStatus is what became of the resource: 0 nothing, 2 nobody knows.
func failureStatus(e event.StepFailed) int {
	if e.Unknown {
		return 2
	}
	return 0
}

func (l *EventLog) summary(e event.Summary) *summaryRecord {
	changes := e.Changes
	if changes == nil {
		changes = map[resource.Op]int{}
	}
	return &summaryRecord{
		MaybeCorrupt: l.corrupt, DurationSeconds: int(math.Ceil(e.Duration.Seconds())), ResourceChanges: changes,
		PolicyPacks: map[string]string{}, IsPreview: e.Preview, Result: e.Result,
	}
}

// diagnostic keeps markup for consumers that colour messages themselves, unless there is to be no colour at all.
func (l *EventLog) diagnostic(d event.Diagnostic) *diagnosticRecord {
	r := &diagnosticRecord{
		URN: string(d.URN), Color: palette.Never, Severity: d.Severity, Ephemeral: d.Ephemeral,
		Prefix: prefix(d.Severity), Message: withoutEscapes(messageText(d)),
	}
	if !strings.HasSuffix(r.Message, "\n") {
		r.Message += "\n"
	}
	if !l.palette.Coloured() {
		r.Message = palette.New(palette.Never).Markup(r.Message)
		return r
	}
	r.Color = palette.Raw
	r.Prefix = palette.New(palette.Raw).Paint(severityStyle(d.Severity), r.Prefix)
	return r
}

// withoutEscapes takes the escape sequences of terminal colours out of a message.
func withoutEscapes(s string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, "\x1b[")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		end := strings.IndexFunc(rest, func(r rune) bool { return r != ';' && (r < '0' || r > '9') })
		if end < 0 || rest[end] != 'm' && rest[end] != 'K' {
			b.WriteString("\x1b[")
			s = rest
			continue
		}
		s = rest[end+1:]
	}
}

func metadata(s event.Step) (metadataRecord, error) {
	s = guarded(s)
	older, errOld := stateOf(s.Old)
	newer, errNew := stateOf(s.New)
	m := metadataRecord{
		Op: s.Op, URN: string(s.URN), Type: string(s.Type()), Old: older, New: newer,
		Keys: s.Keys, Diffs: s.Diffs, Logical: s.Logical, Provider: providerOf(s), Why: s.Why,
	}
	if s.DetailedDiff != nil {
		m.DetailedDiff = map[string]diffRecord{}
		for path, d := range s.DetailedDiff {
			m.DetailedDiff[path] = diffRecord{Kind: d.Kind, InputDiff: d.InputDiff}
		}
	}
	return m, errors.Join(errOld, errNew)
}

func stateOf(s *resource.State) (*stateRecord, error) {
	if s == nil {
		return nil, nil
	}
	inputs, errIn := eventProperties(s.Inputs, isRoot(s.URN))
	outputs, errOut := eventProperties(s.Outputs, isRoot(s.URN))
	return &stateRecord{
		Type: string(s.Type), URN: string(s.URN), Custom: s.Custom, Delete: s.Delete, ID: string(s.ID),
		Parent: string(s.Parent), Protect: s.Protect, Taint: s.Taint, External: s.External,
		RetainOnDelete: s.RetainOnDelete, Inputs: inputs, Outputs: outputs, Provider: s.Provider.String(),
		InitErrors: s.InitErrors, HideDiffs: s.HideDiffs,
	}, errors.Join(errIn, errOut)
}
