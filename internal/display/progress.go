package display

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/cairn-iac/cairn/internal/display/palette"
	"github.com/cairn-iac/cairn/internal/event"
)

// Progress shows a run as rows: one line for each time that something happened to a resource, and sections with
// messages, outputs and counts at the end.
type Progress struct {
	board *board
	out   *out
}

// NewProgress makes a progress view and writes its headline.
func NewProgress(w io.Writer, opts Options) *Progress {
	p := &Progress{board: newBoard(opts), out: newOut(w, opts)}
	p.out.print(headline(opts))
	return p
}

func headline(opts Options) string {
	return opts.Palette.Paint(palette.Headline, opts.Phase.Headline()) + "\n"
}

// Handle shows an event.
func (p *Progress) Handle(e event.Event) {
	switch e := e.(type) {
	case event.Prelude:
		p.out.print(p.board.opts.preludeText(e))
	case event.Finished:
		p.finish()
	default:
		if c := p.board.take(e); c.row != nil && c.news {
			p.print(c.row)
		}
	}
}

// Close ends the view.
func (p *Progress) Close() error {
	p.finish()
	return p.out.close()
}

func (p *Progress) print(r *row) {
	if r.visible {
		p.out.print(p.text(r))
	}
}

// text is the row as a line: mark, type, name, status, info, one space between them.
func (p *Progress) text(r *row) string {
	b, paint := p.board, p.board.opts.Palette.PaintText
	columns := []string{"", paint(b.mark(r))}
	if u := b.urnOf(r); b.opts.Show.URNs {
		columns = append(columns, palette.Escape(string(u)))
	} else {
		columns = append(columns, palette.Escape(u.Type().Short()), palette.Escape(u.Name()))
	}
	columns = append(columns, paint(b.status(r)), paint(b.info(r, p.lastMessage)))
	return strings.Join(columns, " ") + "\n"
}

func (p *Progress) lastMessage(d event.Diagnostic) palette.Text {
	text := p.board.opts.diagnosticText(d, true)
	if text == "" {
		return nil
	}
	line, _, _ := strings.Cut(text, "\n")
	return palette.Styled(palette.Plain, line)
}

// finish prints the rows that were still open, and the sections.
func (p *Progress) finish() {
	b := p.board
	if b.over {
		return
	}
	var open []*row
	for _, r := range b.rows {
		if !r.done(false) {
			open = append(open, r)
		}
	}
	b.over = true
	slices.SortStableFunc(open, func(a, b *row) int { return rank(a) - rank(b) })
	for _, r := range open {
		p.print(r)
	}
	p.out.print(b.sections())
}

// rank puts the root's row last.
func rank(r *row) int {
	switch {
	case r.step.URN == "":
		return 2
	case isRoot(r.step.URN):
		return 1
	default:
		return 0
	}
}

// preludeText is the configuration, if it is to be shown, and an empty line.
func (o Options) preludeText(e event.Prelude) string { return o.configText(e) + "\n" }

// configText is the configuration, if it is to be shown.
func (o Options) configText(e event.Prelude) string {
	if !o.Show.Config {
		return ""
	}
	text := "Configuration:\n"
	for _, k := range slices.Sorted(maps.Keys(e.Config)) {
		text += fmt.Sprintf("    %s: %s\n", k, e.Config[k])
	}
	return text
}
