// Command bench measures whole processes: what it costs to deploy, look at, change and destroy stacks of 100, 1,000 and
// 10,000 resources, here and, where they are at hand, with the Pulumi CLI and Terraform. It then checks the rules about
// cost and prints PASS or FAIL for each. Its settings are described in run.sh.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

func main() {
	profile := flag.String("profile", "", "write profiles with this prefix instead of measuring")
	phaseName := flag.String("phase", "up", "the phase to profile")
	size := flag.Int("size", 10000, "the size to profile")
	flag.Parse()
	s, err := settingsFrom(os.Getenv)
	if err == nil && *profile != "" {
		err = profileOne(s, profiling{prefix: *profile, phase: phase(*phaseName), size: *size})
	} else if err == nil {
		err = measureAll(s)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// settings say what to measure.
type settings struct {
	own, upstream string // the program, and the folder of the other one
	sizes, runs   []int
	peerMax       int
}

func settingsFrom(getenv func(string) string) (settings, error) {
	s := settings{own: getenv("PULUMI_BIN"), upstream: getenv("PULUMI_UPSTREAM")}
	if s.own == "" {
		return s, fmt.Errorf("set PULUMI_BIN to the program to measure")
	}
	var err error
	if s.sizes, err = numbers(cmp.Or(getenv("BENCH_SIZES"), "100 1000 10000")); err != nil {
		return s, fmt.Errorf("BENCH_SIZES: %w", err)
	}
	if s.runs, err = numbers(cmp.Or(getenv("BENCH_RUNS"), "5 3 1")); err != nil {
		return s, fmt.Errorf("BENCH_RUNS: %w", err)
	}
	if s.peerMax, err = strconv.Atoi(cmp.Or(getenv("BENCH_PEER_MAX"), "1000")); err != nil {
		return s, fmt.Errorf("BENCH_PEER_MAX: %w", err)
	}
	return s, nil
}

func numbers(text string) ([]int, error) {
	var all []int
	for _, field := range strings.Fields(text) {
		n, err := strconv.Atoi(field)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%q is no positive number", field)
		}
		all = append(all, n)
	}
	slices.Sort(all)
	return all, nil
}

// runsOf is how often a size is measured: small ones more often, and large ones of others once.
func (s settings) runsOf(c contender, size int) int {
	if _, isOwn := c.(cairn); !isOwn && size >= 1000 {
		return 1
	}
	descending := slices.Clone(s.runs)
	slices.Sort(descending)
	slices.Reverse(descending)
	switch {
	case size < 1000:
		return descending[0]
	case size < 10000:
		return descending[min(1, len(descending)-1)]
	default:
		return descending[len(descending)-1]
	}
}

// contenders are the tools at hand; ours comes first.
func (s settings) contenders() []contender {
	all := []contender{cairn{binary: s.own}}
	if s.upstream != "" {
		all = append(all, upstream{folder: s.upstream, provider: s.own})
	}
	if path, err := exec.LookPath("terraform"); err == nil {
		all = append(all, terraform{binary: path})
	}
	return all
}

func measureAll(s settings) error {
	root, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return err
	}
	defer discard(root)
	b := book{}
	for _, c := range s.contenders() {
		start, err := startUp(c, filepath.Join(root, c.name()+"-version"))
		if err != nil {
			return err
		}
		b.starts = append(b.starts, start)
	}
	for _, size := range s.sizes {
		for _, c := range s.contenders() {
			if _, isOwn := c.(cairn); !isOwn && size > s.peerMax {
				continue
			}
			for run := range s.runsOf(c, size) {
				dir := filepath.Join(root, fmt.Sprintf("%s-%d-%d", c.name(), size, run))
				rows, err := lifetime(c, dir, size)
				if err != nil {
					return err
				}
				b.add(rows)
				if err := os.RemoveAll(dir); err != nil {
					return err
				}
			}
			fmt.Fprintf(os.Stderr, "measured %s at %d\n", c.name(), size)
		}
	}
	b.print(os.Stdout)
	if failed := b.judge(os.Stdout); failed > 0 {
		return fmt.Errorf("%d rules are broken", failed)
	}
	return nil
}

// discard removes a temporary folder; what is left of one harms nobody.
func discard(folder string) { _ = os.RemoveAll(folder) }

// startUp measures the version command.
func startUp(c contender, dir string) (row, error) {
	if err := c.prepare(dir, 1); err != nil {
		return row{}, err
	}
	var rows []row
	for range 11 {
		u, err := measure(c.version(dir))
		if err != nil {
			return row{}, err
		}
		rows = append(rows, row{tool: c.name(), phase: "version", usage: u})
	}
	return median(rows), nil
}

// lifetime measures every phase of one stack, from nothing to nothing.
func lifetime(c contender, dir string, size int) ([]row, error) {
	if err := c.prepare(dir, size); err != nil {
		return nil, err
	}
	var rows []row
	for _, p := range phases() {
		if err := c.program(dir, size, p); err != nil {
			return nil, err
		}
		r, err := observe(c, dir, p)
		if err != nil {
			return nil, fmt.Errorf("%s at %d: %w", c.name(), size, err)
		}
		r.size = size
		rows = append(rows, r)
	}
	return rows, nil
}

// profiling is what to profile.
type profiling struct {
	prefix string
	phase  phase
	size   int
}

func profileOne(s settings, want profiling) error {
	root, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return err
	}
	defer discard(root)
	c := cairn{binary: s.own}
	dir := filepath.Join(root, "stack")
	if err := c.prepare(dir, want.size); err != nil {
		return err
	}
	for _, p := range phases() {
		if err := c.program(dir, want.size, p); err != nil {
			return err
		}
		command := c.command(dir, p)
		if p == want.phase {
			command.Args = append(command.Args, "--profiling", want.prefix)
		}
		u, err := measure(command)
		if err != nil {
			return err
		}
		if p == want.phase {
			fmt.Printf("%s of %d resources: %.2f s, %.0f MB\n", p, want.size, u.wall.Seconds(), megabytes(u.peak))
			return nil
		}
	}
	return fmt.Errorf("there is no phase %q; there are %v", want.phase, phases())
}
