package table

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/rivo/uniseg"

	"github.com/cairn-iac/cairn/internal/display/palette"
)

// Table is rows under headers: columns as wide as their widest cell, two spaces between them, nothing after the last.
type Table struct {
	Headers []string
	Rows    []Row
	// Prefix goes in front of every line.
	Prefix string
	// Palette colours the headers.
	Palette palette.Palette
}

// Row is one row; cells may hold several lines. Rows shorter than the headers are filled up.
type Row struct {
	Cells []string
	// Below are whole lines, each with its line break, under the row.
	Below string
}

// Rows makes rows of cells.
func Rows(cells [][]string) []Row {
	rows := make([]Row, len(cells))
	for i, c := range cells {
		rows[i] = Row{Cells: c}
	}
	return rows
}

func (t Table) String() string {
	lines := []Row{{Cells: t.Headers}}
	for _, r := range t.Rows {
		lines = append(lines, t.split(r)...)
	}
	escapes := escapeSequences()
	widths := make([]int, len(t.Headers))
	width := func(cell string) int { return uniseg.StringWidth(escapes.ReplaceAllString(cell, "")) }
	for _, l := range lines {
		for i, cell := range l.Cells {
			widths[i] = max(widths[i], width(cell))
		}
	}
	var b strings.Builder
	for n, l := range lines {
		b.WriteString(t.Prefix)
		for i, cell := range l.Cells {
			text := cell
			if n == 0 {
				text = t.Palette.Paint(palette.Headline, cell)
			}
			b.WriteString(text)
			if i < len(widths)-1 {
				b.WriteString(strings.Repeat(" ", widths[i]-width(cell)) + "  ")
			}
		}
		b.WriteString("\n" + l.Below)
	}
	return b.String()
}

// split makes one row for each line that its cells have.
func (t Table) split(r Row) []Row {
	columns, height := make([][]string, len(t.Headers)), 1
	for i := range columns {
		if i < len(r.Cells) {
			columns[i] = strings.Split(r.Cells[i], "\n")
		}
		height = max(height, len(columns[i]))
	}
	rows := make([]Row, height)
	for n := range rows {
		cells := make([]string, len(columns))
		for i, lines := range columns {
			if n < len(lines) {
				cells[i] = lines[n]
			}
		}
		rows[n].Cells = cells
	}
	rows[height-1].Below = r.Below
	return rows
}

// escapeSequences matches what takes no room on a terminal.
func escapeSequences() *regexp.Regexp {
	return regexp.MustCompile(`\x1B(?:[@-Z\\-_]|\[[0-?]*[ -/]*[@-~])|<\{%[a-z]+( [0-9]+)?%\}>`)
}

// JSON is v as the JSON that commands print: indented by two spaces, nothing escaped that need not be.
func JSON(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return "", err
	}
	return b.String(), nil
}

// Time is a time in JSON: milliseconds, in UTC. It has no zero; absent times are nil pointers.
func Time(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func timeOrNil(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	s := Time(t)
	return &s
}

// ago says how long before now a time was: "now", "12 seconds ago".
func ago(t, now time.Time) string { return humanize.RelTime(t, now, "ago", "from now") }

const notAvailable = "n/a"
