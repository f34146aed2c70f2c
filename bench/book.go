package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// book collects what was measured.
type book struct {
	starts []row
	rows   []row
}

func (b *book) add(rows []row) { b.rows = append(b.rows, rows...) }

// at is the median run of a tool, or false when there is none.
func (b *book) at(tool string, size int, p phase) (row, bool) {
	var rows []row
	for _, r := range b.rows {
		if r.tool == tool && r.size == size && r.phase == p {
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 {
		return row{}, false
	}
	return median(rows), true
}

// median is the run in the middle by time.
func median(rows []row) row {
	slices.SortFunc(rows, func(a, b row) int { return int(a.wall - b.wall) })
	return rows[len(rows)/2]
}

func (b *book) sizes() []int {
	var all []int
	for _, r := range b.rows {
		all = append(all, r.size)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (b *book) tools() []string {
	var all []string
	for _, r := range b.starts {
		all = append(all, r.tool)
	}
	return all
}

// own is the name of this project's program among the tools.
const own = "cairn"

func (b *book) print(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "start-up\ttool\tms\tcpu ms\tpeak MB\t")
	for _, r := range b.starts {
		fmt.Fprintf(t, "version\t%s\t%.1f\t%.1f\t%.0f\t\n", r.tool, milliseconds(r.wall), milliseconds(r.cpu), megabytes(r.peak))
	}
	_ = t.Flush() // a table that cannot be printed is seen to be missing
	fmt.Fprintln(w)
	fmt.Fprintln(t, "resources\tphase\ttool\tseconds\tcpu s\tms each\tpeak MB\ttree MB\tdisk kB\twritten kB\tjournal kB\tfiles kB\tstate kB\tx time\tx memory\tx disk\t")
	for _, size := range b.sizes() {
		for _, p := range phases() {
			ours, _ := b.at(own, size, p)
			for _, tool := range b.tools() {
				if r, ok := b.at(tool, size, p); ok {
					printRow(t, r, ours)
				}
			}
		}
	}
	_ = t.Flush()
	fmt.Fprint(w, `
ms each: per resource. peak: largest process; tree: all processes of the run together. disk: bytes that dirtied pages of
files, in whole pages; written: bytes of all write calls, sockets and pipes included. journal: size it reached; files:
bytes of all files new or changed afterwards; state: the state file afterwards, or before a destroy. x: ratio to cairn.
`)
}

func printRow(w io.Writer, r, ours row) {
	fmt.Fprintf(w, "%d\t%s\t%s\t%.2f\t%.2f\t%.3f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t", r.size, r.phase, r.tool,
		r.wall.Seconds(), r.cpu.Seconds(), milliseconds(r.wall)/float64(r.size), megabytes(r.peak), megabytes(r.tree),
		kilobytes(r.disk), kilobytes(r.written), kilobytes(r.journal), kilobytes(r.files), kilobytes(max(r.before, r.after)))
	if r.tool == own {
		fmt.Fprint(w, "\t\t\t\n")
		return
	}
	fmt.Fprintf(w, "%.1f\t%.1f\t%.1f\t\n", ratio(float64(r.wall), float64(ours.wall)),
		ratio(float64(r.tree), float64(ours.tree)), ratio(float64(r.disk), float64(ours.disk)))
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func megabytes(n int64) float64 { return float64(n) / (1 << 20) }

func kilobytes(n int64) float64 { return float64(n) / (1 << 10) }
