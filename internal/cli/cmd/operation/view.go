package operation

import (
	"fmt"
	"io"
	"os"

	"github.com/cairn-iac/cairn/internal/display"
	"github.com/cairn-iac/cairn/internal/display/palette"
	"github.com/cairn-iac/cairn/internal/event"
)

func (r *runner) displayOptions(preview bool) (display.Options, error) {
	colors, err := r.f.Palette()
	if err != nil {
		return display.Options{}, err
	}
	name := r.stack.Ref.Name
	if r.f.Flags.FullyQualify {
		name = r.stack.Ref.String()
	}
	o := r.flags
	return display.Options{
		Phase:   display.Phase{Kind: r.spec.display, Preview: preview, Stack: name, Project: r.stack.Ref.Project},
		Palette: colors, Clock: display.SystemClock(), Emoji: r.f.Flags.Emoji,
		Show: display.Show{
			Config: o.showConfig, Sames: o.showSames, Reads: o.showReads, ReplacementSteps: o.showReplacementSteps,
			Secrets: o.showSecrets, URNs: o.showURNs, Debug: o.debug,
		},
		Suppress:    display.Suppress{Outputs: o.suppressOutputs, Progress: o.suppressProgress},
		Diagnostics: r.f.Streams.Err,
	}, nil
}

// view is what the user asked to see. close must be called when the phase is over.
func (r *runner) view(preview bool) (view display.View, closeView func() error, err error) {
	opts, err := r.displayOptions(preview)
	if err != nil {
		return nil, nil, err
	}
	colorless := opts
	colorless.Palette = palette.New(palette.Never)
	out := r.f.Streams.Out
	var views []display.View
	// Nothing may fail once a tree has the terminal.
	var log io.Closer
	if r.flags.eventLog != "" {
		file, err := os.OpenFile(r.f.Path(r.flags.eventLog), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o666)
		if err != nil {
			return nil, nil, fmt.Errorf("--event-log: %w", err)
		}
		log, views = file, append(views, display.NewEventLog(file, colorless))
	}
	switch {
	case r.flags.output == "json":
		views = append(views, display.NewProgress(r.f.Streams.Err, opts), display.NewSummaryJSON(out, colorless))
	case r.flags.json && preview && r.spec.previewOnly && !r.f.Env.Truthy("PULUMI_ENABLE_STREAMING_JSON_PREVIEW"):
		views = append(views, display.NewPreviewJSON(out, colorless))
	case r.flags.json && preview && !r.spec.previewOnly:
		// The document of an update is about the update; the preview before it stays silent.
		views = append(views, silent{})
	case r.flags.json:
		views = append(views, display.NewEventStream(out, colorless))
	case r.flags.diff:
		views = append(views, display.NewDiff(out, opts))
	case r.live(opts):
		tree := display.NewTree(out, opts, r.f.Streams.Terminal)
		if r.f.Streams.ErrIsTerminal {
			r.f.Streams.Divert(tree.Above(r.f.Streams.Err))
		}
		views = append(views, tree)
	default:
		views = append(views, display.NewProgress(out, opts))
	}
	tee := display.Tee(opts.Clock, views...)
	return tee, func() error {
		err := tee.Close()
		r.f.Streams.Divert(nil)
		if log != nil {
			if cerr := log.Close(); err == nil {
				err = cerr
			}
		}
		return err
	}, nil
}

// live says whether rows are drawn as a tree: only for a person who watches.
func (r *runner) live(opts display.Options) bool {
	f := r.f
	return f.Streams.OutIsTerminal && !f.Flags.NonInteractive && !r.flags.suppressProgress &&
		f.Env.Get("TERM") != "dumb" && opts.Palette.Mode() != palette.Raw
}

// silent shows nothing.
type silent struct{}

func (silent) Handle(event.Event) {}

func (silent) Close() error { return nil }
