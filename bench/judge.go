package main

import (
	"fmt"
	"io"
)

// The rules about cost.
const (
	maxJournal = 2.5 // times the bytes of the changed resources
	maxFiles   = 6.0 // times the larger of the state files before and after
	// maxGrowth is how much more a resource may cost at the largest size than at the one before, maxFurther the same once
	// the cost of a start is taken off. Flat is 1; the rest is for the noise of the machine.
	maxGrowth  = 1.3
	maxFurther = 1.5
)

// judge prints each rule with PASS or FAIL and answers how many failed.
func (b *book) judge(w io.Writer) int {
	j := judge{w: w}
	fmt.Fprintln(w)
	sizes := b.sizes()
	for _, size := range sizes {
		for _, p := range phases() {
			if r, ok := b.at(own, size, p); ok {
				j.bytes(r)
			}
		}
	}
	for _, p := range phases() {
		var all []row
		for _, size := range sizes {
			if r, ok := b.at(own, size, p); ok {
				all = append(all, r)
			}
		}
		j.growth(all)
	}
	return j.failed
}

type judge struct {
	w      io.Writer
	failed int
}

func (j *judge) rule(holds bool, format string, args ...any) {
	word := "PASS"
	if !holds {
		word = "FAIL"
		j.failed++
	}
	fmt.Fprintf(j.w, "%s  %s\n", word, fmt.Sprintf(format, args...))
}

// bytes checks what a run wrote. A run that changes nothing needs no journal; its header is not counted.
func (j *judge) bytes(r row) {
	if r.changed > 0 {
		x := ratio(float64(r.journal), float64(r.changed))
		j.rule(x <= maxJournal, "%s of %d: the journal is %.2f times the changed resources (at most %.1f)", r.phase, r.size, x, maxJournal)
	} else {
		j.rule(r.journal < 1<<10, "%s of %d: nothing changed and the journal has %d bytes", r.phase, r.size, r.journal)
	}
	x := ratio(float64(r.journal+r.files), float64(max(r.before, r.after)))
	j.rule(x <= maxFiles, "%s of %d: all bytes are %.2f times the larger state file (at most %.0f)", r.phase, r.size, x, maxFiles)
}

// growth compares what a resource costs at the largest size with what it costs at the one before, once as a plain
// average and once without what the smallest size costs, so that the cost of a start drops out.
func (j *judge) growth(rows []row) {
	if len(rows) < 3 {
		return
	}
	small, middle, large := rows[0], rows[len(rows)-2], rows[len(rows)-1]
	for _, c := range []struct {
		what, unit string
		of         func(row) float64
	}{
		{"time", "ms", func(r row) float64 { return milliseconds(r.wall) }},
		{"cpu time", "ms", func(r row) float64 { return milliseconds(r.cpu) }},
		{"memory", "kB", func(r row) float64 { return kilobytes(r.peak) }},
	} {
		average := func(r row) float64 { return c.of(r) / float64(r.size) }
		further := func(r row) float64 { return (c.of(r) - c.of(small)) / float64(r.size-small.size) }
		j.rule(average(large) <= maxGrowth*average(middle), "%s: %s per resource is %.3f %s at %d and %.3f %s at %d (at most %.1f times)",
			small.phase, c.what, average(middle), c.unit, middle.size, average(large), c.unit, large.size, maxGrowth)
		j.rule(further(large) <= maxFurther*further(middle), "%s: %s per resource beyond %d is %.3f %s at %d and %.3f %s at %d (at most %.1f times)",
			small.phase, c.what, small.size, further(middle), c.unit, middle.size, further(large), c.unit, large.size, maxFurther)
	}
}
