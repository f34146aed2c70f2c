package display

import (
	"fmt"
	"strings"

	"github.com/cairn-iac/cairn/internal/display/palette"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/resource"
)

const (
	// widestFinal is how wide columns of the final tree get at most.
	widestFinal = 50
	// deepest is how far rows are indented.
	deepest = 32
	// headerFrom and footerFrom are how many lines it takes to spend one on a header or footer.
	headerFrom, footerFrom = 6, 8
)

// treeLine is a row as a line of the table.
type treeLine struct {
	mark palette.Text
	// branch is what is drawn in front of the type.
	branch, typ, name string
	status, info      palette.Text
	// heading is the style of type and name.
	heading palette.Style
}

// live is the table for a screen of some lines with some cells each.
func (t *Tree) live(cells, lines int) []palette.Text {
	if lines < 1 {
		return nil
	}
	header, footer := lines >= headerFrom, lines >= footerFrom && t.rows.unchanged > 0
	room := lines - 1 // the root's
	if header {
		room--
	}
	if footer {
		room--
	}
	picked := t.rows.choose(room)
	table := t.table(picked)
	spinner, root := t.spinner(), &table[0]
	if root.status.Width() == 0 {
		root.status = palette.Styled(palette.Plain, "running")
	}
	root.status = append(root.status, palette.Span{Text: " " + spinner})
	w := t.layout(table, cells)
	margin := strings.Repeat(" ", w.margin)
	var out []palette.Text
	if header {
		out = append(out, t.header().text(w))
	}
	for i, l := range table {
		text := l.text(w)
		if i == 0 && w.status == 0 {
			text = append(palette.Text{{Text: spinner}}, text[1:]...)
		}
		out = append(out, text)
	}
	if picked.more > 0 {
		out = append(out, palette.Styled(palette.Plain, margin+"└─ "+picked.rest()))
	}
	if footer {
		out = append(out, palette.Styled(palette.Plain, fmt.Sprintf("%s%d unchanged", margin, t.rows.unchanged)))
	}
	return out
}

// spinner shows that the view is alive.
func (t *Tree) spinner() string {
	wheel := []rune(`|/-\`)
	if t.opts.Emoji {
		wheel = []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")
	}
	return string(wheel[t.frame%len(wheel)])
}

// rest tells of the rows that there is no room for.
func (c chosen) rest() string {
	text := fmt.Sprintf("... %d more", c.more)
	var parts []string
	for _, p := range []struct {
		n    int
		word string
	}{{c.failed, "failed"}, {c.running, "running"}, {c.done, "done"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.word))
		}
	}
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	return text
}

// final is the whole table; none where there is nothing to tell. Nothing of it is cut off: a line with more than its
// columns hold runs over.
func (t *Tree) final(cells int) []palette.Text {
	if t.rows.root == nil {
		return nil
	}
	header := t.header()
	table := append([]treeLine{header}, t.table(t.rows.all())...)
	w := columnWidths{margin: wideMargin, uncut: true}
	for _, l := range table[1:] {
		w = w.widen(l, widestFinal)
		w.info = max(w.info, l.info.Width())
	}
	w.typ = max(w.typ, palette.Width(header.typ))
	if w.name > 0 {
		w.name = max(w.name, palette.Width(header.name))
	}
	if w.status > 0 {
		w.status = max(w.status, header.status.Width())
	}
	w = w.squeeze(w.margin+w.total()-cells, leastColumn)
	out := make([]palette.Text, len(table))
	for i, l := range table {
		out[i] = l.text(w)
	}
	return out
}

func (t *Tree) header() treeLine {
	status := "Status"
	if t.opts.Phase.Preview {
		status = "Plan"
	}
	l := treeLine{
		mark: palette.Styled(palette.Plain, "  "), typ: "Type", name: "Name", heading: palette.Heading,
		status: palette.Styled(palette.Heading, status), info: palette.Styled(palette.Heading, "Info"),
	}
	if t.opts.Show.URNs {
		l.typ, l.name = "URN", ""
	}
	return l
}

// table is the root and what was chosen below it.
func (t *Tree) table(c chosen) []treeLine {
	root := t.rows.stack()
	if root == nil {
		// Nothing has been heard of the stack yet, but it is what is being worked on.
		root = &row{step: event.Step{Op: resource.OpSame}}
	}
	out := []treeLine{t.line(root, "")}
	var below func(r *row, margin string, depth int)
	below = func(r *row, margin string, depth int) {
		for i, child := range c.branches[r] {
			fork, more := "├─ ", "│  "
			if i == len(c.branches[r])-1 && (r != t.rows.root || c.more == 0) {
				fork, more = "└─ ", "   "
			}
			if depth >= deepest {
				more = ""
			}
			out = append(out, t.line(child, margin+fork))
			below(child, margin+more, depth+1)
		}
	}
	below(t.rows.root, "", 0)
	return out
}

func (t *Tree) line(r *row, branch string) treeLine {
	b := t.board
	if r.node.info == nil || b.over {
		info := b.info(r, b.opts.messageStart)
		r.node.info = &info
	}
	l := treeLine{mark: b.mark(r), branch: branch, status: b.status(r), info: *r.node.info}
	if u := b.urnOf(r); b.opts.Show.URNs {
		l.typ = palette.Escape(string(u))
	} else {
		l.typ, l.name = palette.Escape(u.Type().Short()), palette.Escape(u.Name())
	}
	return l
}

// messageStart is the first line of a message, without any colours of its own.
func (o Options) messageStart(d event.Diagnostic) palette.Text {
	text := palette.OneLine(palette.New(palette.Never).Markup(messageText(d)))
	if text == "" {
		return nil
	}
	return palette.Text{{Style: severityStyle(d.Severity), Text: prefix(d.Severity)}, {Text: text}}
}
