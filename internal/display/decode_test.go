package display_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// wireEvent is an engine event as an event log holds it.
type wireEvent struct {
	Sequence     int
	Timestamp    int64
	CancelEvent  *struct{}
	PreludeEvent *struct{ Config map[string]string }
	SummaryEvent *wireSummary
	Diagnostic   *wireDiagnostic `json:"diagnosticEvent"`
	ResourcePre  *wireStepEvent  `json:"resourcePreEvent"`
	ResOutputs   *wireStepEvent  `json:"resOutputsEvent"`
	ResOpFailed  *wireStepEvent  `json:"resOpFailedEvent"`
}

type wireSummary struct {
	DurationSeconds int
	ResourceChanges map[resource.Op]int
	IsPreview       bool
	Result          event.Result
}

type wireDiagnostic struct {
	URN       urn.URN
	Prefix    string
	Message   string
	Severity  diag.Severity
	Ephemeral bool
}

type wireStepEvent struct {
	Metadata wireStep
	Planning bool
}

type wireStep struct {
	Op           resource.Op
	URN          urn.URN
	Old, New     *wireState
	Keys, Diffs  []string
	DetailedDiff map[string]struct {
		DiffKind  event.DiffKind
		InputDiff bool
	}
	Logical bool
	Why     string
}

type wireState struct {
	Type           urn.Type
	URN            urn.URN
	Custom, Delete bool
	ID             resource.ID
	Parent         urn.URN
	Protect, Taint bool
	External       bool
	RetainOnDelete bool
	Inputs         map[string]any
	Outputs        map[string]any
	Provider       string
	InitErrors     []string
	HideDiffs      []string
}

// decodeLog reads an event log.
func decodeLog(t testing.TB, data []byte) []event.Event {
	t.Helper()
	var out []event.Event
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		if len(lines.Bytes()) == 0 {
			continue
		}
		var w wireEvent
		if err := json.Unmarshal(lines.Bytes(), &w); err != nil {
			t.Fatalf("%v in %s", err, lines.Text())
		}
		out = append(out, w.event(t))
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func (w wireEvent) event(t testing.TB) event.Event {
	switch {
	case w.CancelEvent != nil:
		return event.Finished{}
	case w.PreludeEvent != nil:
		return event.Prelude{Config: w.PreludeEvent.Config}
	case w.SummaryEvent != nil:
		return event.Summary{
			Preview: w.SummaryEvent.IsPreview, Changes: w.SummaryEvent.ResourceChanges, Result: w.SummaryEvent.Result,
			Duration: time.Duration(w.SummaryEvent.DurationSeconds) * time.Second,
		}
	case w.Diagnostic != nil:
		return event.Diagnostic{
			URN: w.Diagnostic.URN, Severity: w.Diagnostic.Severity, Message: w.Diagnostic.Message,
			Ephemeral: w.Diagnostic.Ephemeral,
		}
	case w.ResourcePre != nil:
		return event.StepStarted{Step: w.ResourcePre.Metadata.step(t), Planning: w.ResourcePre.Planning}
	case w.ResOutputs != nil:
		return event.StepDone{Step: w.ResOutputs.Metadata.step(t), Planning: w.ResOutputs.Planning}
	case w.ResOpFailed != nil:
		return event.StepFailed{Step: w.ResOpFailed.Metadata.step(t), Planning: w.ResOpFailed.Planning}
	default:
		t.Fatalf("event %d is of an unknown kind", w.Sequence)
		return nil
	}
}

func (w wireStep) step(t testing.TB) event.Step {
	s := event.Step{
		Op: w.Op, URN: w.URN, Old: w.Old.state(t), New: w.New.state(t), Keys: w.Keys, Diffs: w.Diffs,
		Logical: w.Logical, Why: w.Why, Internal: w.URN.Type().IsProvider() && w.URN.Name() == "default",
	}
	if w.DetailedDiff != nil {
		s.DetailedDiff = map[string]event.PropertyDiff{}
		for path, d := range w.DetailedDiff {
			s.DetailedDiff[path] = event.PropertyDiff{Kind: d.DiffKind, InputDiff: d.InputDiff}
		}
	}
	return s
}

func (w *wireState) state(t testing.TB) *resource.State {
	if w == nil {
		return nil
	}
	provider, err := urn.ParseProviderRef(w.Provider)
	if err != nil {
		t.Fatal(err)
	}
	s := &resource.State{
		URN: w.URN, Type: w.Type, Custom: w.Custom, Delete: w.Delete, ID: w.ID, Taint: w.Taint, External: w.External,
		InitErrors: w.InitErrors, Inputs: properties(t, w.Inputs), Outputs: properties(t, w.Outputs),
	}
	s.Parent, s.Provider, s.Protect, s.RetainOnDelete = w.Parent, provider, w.Protect, w.RetainOnDelete
	s.HideDiffs = w.HideDiffs
	return s
}

func properties(t testing.TB, m map[string]any) property.Map {
	out := map[string]property.Value{}
	for k, v := range m {
		out[k] = value(t, v)
	}
	return property.MapOf(out)
}

const (
	signatureKey = "4dabf18193072939515e22adb298388d"
	secretSig    = "1b47061264138c4ac30d75fd1eb44270"
	assetSig     = "c44067f5952c0a294b673a41bacd8c17"
	archiveSig   = "0def7320c3a5731c473e5ecbe6d01bc7"
	unknownText  = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
)

func value(t testing.TB, x any) property.Value {
	switch x := x.(type) {
	case nil:
		return property.Null()
	case bool:
		return property.Bool(x)
	case float64:
		return property.Number(x)
	case string:
		if x == unknownText {
			return property.Unknown()
		}
		return property.String(x)
	case []any:
		items := make([]property.Value, len(x))
		for i, e := range x {
			items[i] = value(t, e)
		}
		return property.NewList(items...)
	case map[string]any:
		switch x[signatureKey] {
		case nil:
			return property.FromMap(properties(t, x))
		case secretSig:
			return property.String(property.Mask).MakeSecret()
		case assetSig:
			a := property.Asset{Hash: text(x["hash"])}
			for _, source := range []property.Source{property.SourceText, property.SourcePath, property.SourceURI} {
				if s, ok := x[string(source)]; ok {
					a.Source, a.Location = source, text(s)
				}
			}
			return property.FromAsset(a)
		case archiveSig:
			a := property.Archive{Hash: text(x["hash"])}
			for _, source := range []property.Source{property.SourcePath, property.SourceURI} {
				if s, ok := x[string(source)]; ok {
					a.Source, a.Location = source, text(s)
				}
			}
			if m, ok := x["assets"].(map[string]any); ok {
				a.Source, a.Assets = property.SourceAssets, properties(t, m)
			}
			return property.FromArchive(a)
		}
	}
	t.Fatalf("value %v", x)
	return property.Value{}
}

func text(x any) string {
	if x == nil {
		return ""
	}
	return fmt.Sprint(x)
}
