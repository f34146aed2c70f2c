package display

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/cairn-iac/cairn/internal/display/palette"
	"github.com/cairn-iac/cairn/internal/display/verb"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/resource"
)

// summaryText counts what happened, and how long it took unless it was a preview.
func (o Options) summaryText(s event.Summary, erred int) string {
	var b strings.Builder
	b.WriteString(o.Palette.Paint(palette.Headline, "Resources:") + "\n")
	kinds, changes := 0, 0
	for _, op := range verb.Counted() {
		n := s.Changes[op]
		if n == 0 {
			continue
		}
		kinds++
		changes += n
		v := verb.Of(op)
		words := v.Counted
		if s.Preview {
			words = "to " + string(op)
		}
		b.WriteString("    " + o.Palette.Paint(v.Style, fmt.Sprintf("%s%d %s", v.Mark, n, words)) + "\n")
	}
	var totals []string
	if kinds > 1 {
		totals = append(totals, o.Palette.Paint(palette.Bold, fmt.Sprintf("%d changes", changes)))
	}
	if n := s.Changes[resource.OpSame]; n > 0 {
		totals = append(totals, fmt.Sprintf("%d unchanged", n))
	}
	if len(totals) > 0 {
		b.WriteString("    " + strings.Join(totals, ". ") + "\n")
	}
	if erred > 0 {
		b.WriteString("    " + o.Palette.Paint(palette.Error, fmt.Sprintf("%d errored", erred)) + "\n")
	}
	if !s.Preview {
		b.WriteString("\n" + o.Palette.Paint(palette.Headline, "Duration:") + " " + wholeSeconds(s.Duration).String() + "\n")
	}
	return b.String()
}

// wholeSeconds rounds up.
func wholeSeconds(d time.Duration) time.Duration {
	return time.Duration(math.Ceil(d.Seconds())) * time.Second
}
