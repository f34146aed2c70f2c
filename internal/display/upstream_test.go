package display_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/cairn-iac/cairn/internal/display"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/state/deploymentjson"
	"github.com/cairn-iac/cairn/internal/urn"
)

// frozen is a clock that stands.
func frozen() display.Clock {
	at := time.Date(2026, 11, 30, 21, 17, 30, 0, time.UTC)
	return display.Clock{Now: func() time.Time { return at }}
}

func show(t testing.TB, v display.View, events []event.Event) {
	t.Helper()
	for _, e := range events {
		v.Handle(e)
	}
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
}

func upstream(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "upstream", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// timeless takes out of a text what depends on how fast a machine is: heartbeats, and how long things took.
func timeless(text string) string {
	text = regexp.MustCompile(`(?m)^@ .*\n`).ReplaceAllString(text, "")
	text = regexp.MustCompile(`\(\d+(\.\d+)?s\)`).ReplaceAllString(text, "(T)")
	text = regexp.MustCompile(`(?m)^Duration: .*$`).ReplaceAllString(text, "Duration: T")
	// The epilogue of a destroy is the command's, not the view's.
	text, _, _ = strings.Cut(text, "The resources in the stack have been deleted")
	return strings.TrimRight(text, "\n")
}

// part gives the n-th phase (from 1) of a recording.
func part(t testing.TB, text string, n int) string {
	t.Helper()
	starts := regexp.MustCompile(`(?m)^\w+ (\w+ )?\(dev\):$`).FindAllStringIndex(text, -1)
	if n > len(starts) {
		t.Fatalf("the recording has %d phases", len(starts))
	}
	end := len(text)
	if n < len(starts) {
		end = starts[n][0]
	}
	return text[starts[n-1][0]:end]
}

// TestUpstreamText compares text views with what the Pulumi CLI printed for the same events.
func TestUpstreamText(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "upstream", "case", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			sections := readCase(t, file)
			s := parseScript(t, phaseOf(t, sections["phase"]), sections["events"])
			for line := range strings.Lines(sections["compare"]) {
				words := strings.Fields(line)
				want := upstream(t, words[1])
				if len(words) == 3 {
					n, err := strconv.Atoi(words[2])
					if err != nil {
						t.Fatal(err)
					}
					want = part(t, want, n)
				}
				got := s.view(t, words[0], display.Options{Phase: s.phase})
				if d := cmp.Diff(timeless(want), timeless(got)); d != "" {
					t.Errorf("%s, -recorded +ours:\n%s", words[0], d)
				}
			}
		})
	}
}

func readCase(t testing.TB, file string) map[string]string {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{}
	for _, f := range archive.Files {
		sections[f.Name] = string(f.Data)
	}
	return sections
}

// view gives what a view of some name shows of the script.
func (s *script) view(t testing.TB, name string, opts display.Options) string {
	t.Helper()
	var text, messages bytes.Buffer
	opts.Diagnostics = &messages
	s.show(t, func(c display.Clock) display.View {
		opts.Clock = c
		switch name {
		case "progress":
			return display.NewProgress(&text, opts)
		case "tree":
			return display.NewTree(&text, opts, display.Terminal{Size: func() (int, int) { return 80, 24 }})
		case "diff", "messages":
			return display.NewDiff(&text, opts)
		case "json":
			return display.NewPreviewJSON(&text, opts)
		case "log":
			return display.NewEventLog(&text, opts)
		case "stream":
			return display.NewEventStream(&text, opts)
		case "summary":
			return display.NewSummaryJSON(&text, opts)
		case "details":
			text.WriteString(display.Details(s.plainEvents(), opts))
			return display.NewSummaryJSON(&messages, opts)
		default:
			t.Fatalf("no view %q", name)
			return nil
		}
	})
	if name == "messages" {
		return messages.String()
	}
	return text.String()
}

// TestUpstreamLogText shows a recorded event log as the text that was recorded along with it.
func TestUpstreamLogText(t *testing.T) {
	t.Parallel()
	var got bytes.Buffer
	opts := display.Options{Clock: frozen(), Phase: display.Phase{Kind: display.Update, Stack: "dev", Project: "quick"}}
	show(t, display.NewProgress(&got, opts), decodeLog(t, []byte(upstream(t, "quick-11-events.jsonl"))))
	if d := cmp.Diff(timeless(upstream(t, "quick-11-up.stdout")), timeless(got.String())); d != "" {
		t.Errorf("-recorded +ours:\n%s", d)
	}
}

// TestUpstreamLog writes recorded event logs again, byte by byte.
func TestUpstreamLog(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"quick-11-events.jsonl", "quick-12-up-json.jsonl"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			recorded := upstream(t, name)
			var got bytes.Buffer
			show(t, display.NewEventLog(&got, display.Options{Clock: frozen()}), decodeLog(t, []byte(recorded)))
			// The second recording leaves out internal events and their numbers.
			stamps := regexp.MustCompile(`(?m)^\{"sequence":\d+,"timestamp":\d+`)
			if d := cmp.Diff(stamps.ReplaceAllString(recorded, "{"), stamps.ReplaceAllString(got.String(), "{")); d != "" {
				t.Errorf("-recorded +ours:\n%s", d)
			}
		})
	}
}

// TestUpstreamPreviewJSON writes recorded previews again, byte by byte.
func TestUpstreamPreviewJSON(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"quick-05-preview-json.stdout", "quick-07-preview-noop-json.stdout", "quick-11-preview-replace-json.stdout",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			recorded := upstream(t, name)
			var got bytes.Buffer
			show(t, display.NewPreviewJSON(&got, display.Options{Clock: frozen()}), decodePreview(t, recorded))
			if d := cmp.Diff(recorded, got.String()); d != "" {
				t.Errorf("-recorded +ours:\n%s", d)
			}
		})
	}
}

// decodePreview turns the document of `preview --json` into the events it was made of.
func decodePreview(t testing.TB, text string) []event.Event {
	t.Helper()
	var doc struct {
		Config map[string]string
		Steps  []struct {
			Op                          resource.Op
			URN                         urn.URN
			OldState, NewState          json.RawMessage
			DiffReasons, ReplaceReasons []string
			DetailedDiff                map[string]event.PropertyDiff
		}
		Duration      time.Duration
		ChangeSummary map[resource.Op]int
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	decode := func(raw json.RawMessage) *resource.State {
		if raw == nil {
			return nil
		}
		secrets := deploymentjson.NewSecrets(nil, deploymentjson.SecretsOptions{})
		state, err := deploymentjson.DecodeResource(context.Background(), raw, secrets)
		if err != nil {
			t.Fatal(err)
		}
		return state
	}
	events := []event.Event{event.Prelude{Config: doc.Config}}
	for _, s := range doc.Steps {
		events = append(events, event.StepStarted{Planning: true, Step: event.Step{
			Op: s.Op, URN: s.URN, Old: decode(s.OldState), New: decode(s.NewState), Logical: true,
			Diffs: s.DiffReasons, Keys: s.ReplaceReasons, DetailedDiff: s.DetailedDiff,
		}})
	}
	return append(events, event.Summary{Preview: true, Duration: doc.Duration, Changes: doc.ChangeSummary}, event.Finished{})
}
