package display

import (
	"strings"

	"github.com/cairn-iac/cairn/internal/display/palette"
)

const (
	// gap is between columns.
	gap = 2
	// wideMargin is what the mark takes with the space around it, narrowMargin on terminals narrower than narrow.
	wideMargin, narrowMargin, narrow = 5, 3, 30
	// leastColumn is how narrow type and name may get for the sake of the info column, leastNeeded for the others; leastInfo
	// is what is worth showing.
	leastColumn, leastNeeded, leastInfo = 12, 8, 4
)

// columnWidths are how many cells the columns of a tree take; columns of width 0 are left out.
type columnWidths struct {
	margin, typ, name, status, info int
	// uncut lets cells be wider than their column.
	uncut bool
}

// widen makes room for a line, in type and name up to a limit.
func (w columnWidths) widen(l treeLine, limit int) columnWidths {
	w.typ = max(w.typ, min(palette.Width(l.branch)+palette.Width(l.typ), limit))
	w.name = max(w.name, min(palette.Width(l.name), limit))
	w.status = max(w.status, l.status.Width())
	return w
}

// layout fits the columns of a table into lines of some cells.
func (t *Tree) layout(table []treeLine, cells int) columnWidths {
	if t.wantedFor != cells {
		t.wanted, t.wantedFor = columnWidths{}.widen(t.header(), cells), cells
	}
	info := 0
	for _, l := range table {
		t.wanted = t.wanted.widen(l, cells)
		info = max(info, l.info.Width())
	}
	w := t.wanted
	w.margin = wideMargin
	if cells < narrow {
		w.margin = narrowMargin
	}
	return w.fit(cells-w.margin, info)
}

// fit makes columns as narrow as they must be for a line of some cells. Info gets what it wants or at least a quarter;
// where that leaves too little for type and name there is no info, then no type, then no status.
func (w columnWidths) fit(cells, info int) columnWidths {
	w.info = min(info, cells/4)
	if w.info < leastInfo {
		w.info = 0
	}
	full := w
	w = full.squeeze(full.total()-cells, leastColumn)
	if w.total() > cells {
		full.info = 0
		w = full.squeeze(full.total()-cells, leastNeeded)
	}
	if w.total() > cells && w.name > 0 {
		full.typ = 0
		w = full.squeeze(full.total()-cells, leastNeeded)
	}
	if w.total() > cells {
		if full.name > 0 {
			return columnWidths{margin: w.margin, name: cells}
		}
		return columnWidths{margin: w.margin, typ: cells}
	}
	rest := cells - w.total()
	switch {
	case w.info > 0:
		w.info += rest
	case info > 0 && rest-gap >= leastInfo:
		w.info = rest - gap
	}
	return w
}

func (w columnWidths) total() int {
	n := 0
	for _, c := range []int{w.typ, w.name, w.status, w.info} {
		if c > 0 {
			n += c + gap
		}
	}
	return n - gap
}

// squeeze takes cells from the wider one of type and name, but leaves each at least least.
func (w columnWidths) squeeze(cells, least int) columnWidths {
	for ; cells > 0; cells-- {
		switch {
		case w.typ >= w.name && w.typ > least:
			w.typ--
		case w.name > least:
			w.name--
		default:
			return w
		}
	}
	return w
}

// text lays the line out.
func (l treeLine) text(w columnWidths) palette.Text {
	lead := " "
	if w.margin == narrowMargin {
		lead = ""
	}
	out := palette.Styled(palette.Plain, lead)
	out = append(out, l.mark...)
	blank := w.margin - palette.Width(lead) - l.mark.Width()
	column := func(t palette.Text, width int) {
		if width <= 0 {
			return
		}
		if !w.uncut {
			t = t.Cut(width)
		}
		n := t.Width()
		if n > 0 {
			out = append(append(out, palette.Span{Text: strings.Repeat(" ", blank)}), t...)
			blank = 0
		}
		blank += max(width-n, 0) + gap
	}
	column(l.typeCell(w), w.typ)
	column(palette.Styled(l.heading, l.name), w.name)
	column(l.status, w.status)
	column(l.info, w.info)
	return out
}

// typeCell is the type behind its branch of the tree. A type says most at its end.
func (l treeLine) typeCell(w columnWidths) palette.Text {
	typ := l.typ
	if room := w.typ - palette.Width(l.branch); !w.uncut && room >= leastInfo {
		typ = palette.CutStart(typ, room)
	}
	return palette.Text{{Text: l.branch}, {Style: l.heading, Text: typ}}
}
