package display

import (
	"encoding/json"
	"io"
	"time"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// PreviewJSON gathers a preview into one JSON document, which it writes when it is closed.
type PreviewJSON struct {
	w    io.Writer
	opts Options
	doc  previewDocument
	seen map[urn.URN]event.Step
	err  error
}

// NewPreviewJSON makes the view of `preview --json`.
func NewPreviewJSON(w io.Writer, opts Options) *PreviewJSON {
	return &PreviewJSON{w: w, opts: opts, seen: map[urn.URN]event.Step{}}
}

// The following types are the document; order and absence of members are part of it.
type (
	previewDocument struct {
		Config        map[string]string   `json:"config,omitempty"`
		Steps         []*previewStep      `json:"steps,omitempty"`
		Diagnostics   []previewDiagnostic `json:"diagnostics,omitempty"`
		Duration      time.Duration       `json:"duration,omitempty"`
		ChangeSummary map[resource.Op]int `json:"changeSummary,omitempty"`
	}
	previewStep struct {
		Op             resource.Op            `json:"op"`
		URN            urn.URN                `json:"urn"`
		Provider       string                 `json:"provider,omitempty"`
		OldState       json.RawMessage        `json:"oldState,omitempty"`
		NewState       json.RawMessage        `json:"newState,omitempty"`
		DiffReasons    []string               `json:"diffReasons,omitempty"`
		ReplaceReasons []string               `json:"replaceReasons,omitempty"`
		DetailedDiff   map[string]previewDiff `json:"detailedDiff"`
		// Why is ours: what forces a replacement, in words.
		Why string `json:"why,omitempty"`
	}
	previewDiff struct {
		Kind      event.DiffKind `json:"kind"`
		InputDiff bool           `json:"inputDiff"`
	}
	previewDiagnostic struct {
		URN      urn.URN       `json:"urn,omitempty"`
		Message  string        `json:"message,omitempty"`
		Severity diag.Severity `json:"severity,omitempty"`
	}
)

// Handle takes an event in.
func (p *PreviewJSON) Handle(e event.Event) {
	if p.err != nil || isInternal(e) {
		return
	}
	switch e := e.(type) {
	case event.Prelude:
		p.doc.Config = e.Config
	case event.Diagnostic:
		p.diagnostic(e)
	case event.StepStarted:
		if p.shown(e.Step) {
			p.seen[e.Step.URN] = e.Step
			p.doc.Steps = append(p.doc.Steps, p.step(e.Step))
		}
	case event.StepDone:
		p.refreshed(e.Step)
	case event.Summary:
		p.doc.Duration, p.doc.ChangeSummary = e.Duration, e.Changes
	case event.StepFailed, event.Finished:
	}
}

// Close writes the document.
func (p *PreviewJSON) Close() error {
	if p.err != nil {
		return p.err
	}
	text, err := json.MarshalIndent(p.doc, "", "    ")
	if err != nil {
		return err
	}
	_, p.err = p.w.Write(append(text, '\n'))
	return p.err
}

func (p *PreviewJSON) shown(s event.Step) bool { return isRoot(s.URN) || p.opts.shown(s, true) }

func (p *PreviewJSON) diagnostic(d event.Diagnostic) {
	if d.Ephemeral || d.Severity == diag.Debug {
		return
	}
	text := messageText(d)
	p.doc.Diagnostics = append(p.doc.Diagnostics, previewDiagnostic{
		URN: d.URN, Message: prefix(d.Severity) + lastLineEnd(text), Severity: d.Severity,
	})
}

// refreshed replaces a refresh by what it found, if the resource changed or is gone.
func (p *PreviewJSON) refreshed(s event.Step) {
	begun, ok := p.seen[s.URN]
	found := s.Op == resource.OpUpdate && s.DetailedDiff != nil || s.Op == resource.OpDelete
	if !ok || begun.Op != resource.OpRefresh || !found || !p.shown(s) {
		return
	}
	for i, old := range p.doc.Steps {
		if old.URN == s.URN {
			p.doc.Steps[i] = p.step(s)
		}
	}
}

func (p *PreviewJSON) step(s event.Step) *previewStep {
	s = guarded(s)
	step := &previewStep{
		Op: s.Op, URN: s.URN, Provider: providerOf(s), OldState: p.state(s.Old), NewState: p.state(s.New),
		DiffReasons: s.Diffs, ReplaceReasons: s.Keys, Why: s.Why,
	}
	if s.DetailedDiff != nil {
		step.DetailedDiff = map[string]previewDiff{}
		for path, d := range s.DetailedDiff {
			step.DetailedDiff[path] = previewDiff{Kind: d.Kind, InputDiff: d.InputDiff}
		}
	}
	return step
}

func (p *PreviewJSON) state(s *resource.State) json.RawMessage {
	if s == nil || p.err != nil {
		return nil
	}
	if isRoot(s.URN) && p.opts.Suppress.Outputs {
		s = s.Clone()
		s.Inputs, s.Outputs = inputs(nil), outputs(nil)
	}
	text, err := resourceJSON(s)
	p.err = err
	return text
}
