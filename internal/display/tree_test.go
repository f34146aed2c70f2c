package display_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/cairn-iac/cairn/internal/display"
	"github.com/cairn-iac/cairn/internal/display/palette"
	"github.com/cairn-iac/cairn/internal/display/terminaltest"
	"github.com/cairn-iac/cairn/internal/event"
)

// TestScreens plays each case of testdata/screen on a terminal and compares what is to be seen where the script says so,
// and at its end with all that was scrolled away. UPDATE=1 rewrites the cases.
func TestScreens(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "screen", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			sections := readCase(t, file)
			s := parseScript(t, phaseOf(t, sections["phase"]), sections["events"])
			opts := optionsOf(t, sections["options"])
			opts.Phase = s.phase
			got := s.play(t, terminalOf(t, sections["terminal"]), opts)
			if os.Getenv("UPDATE") != "" {
				update(t, file, archive, got)
				return
			}
			for _, g := range got {
				if d := cmp.Diff(sections[g.Name], string(g.Data)); d != "" {
					t.Errorf("%s, -want +got:\n%s", g.Name, d)
				}
			}
		})
	}
}

// update writes a case anew, screens after what leads to them.
func update(t testing.TB, file string, archive *txtar.Archive, got []txtar.File) {
	t.Helper()
	kept := []txtar.File{}
	for _, f := range archive.Files {
		switch f.Name {
		case "phase", "options", "terminal", "events":
			kept = append(kept, f)
		}
	}
	archive.Files = append(kept, got...)
	if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

// terminalOf reads "80 24 crop colours".
func terminalOf(t testing.TB, words string) *terminaltest.Terminal {
	t.Helper()
	var o terminaltest.Options
	fields := strings.Fields(words)
	o.Cols, o.Rows = sizeOf(t, fields)
	for _, w := range fields[2:] {
		switch w {
		case "crop":
			o.Crop = true
		case "colours":
			o.Colours = true
		default:
			t.Fatalf("terminal %q", words)
		}
	}
	return terminaltest.New(o)
}

func sizeOf(t testing.TB, fields []string) (cols, rows int) {
	t.Helper()
	cols, err := strconv.Atoi(fields[0])
	if err != nil {
		t.Fatal(err)
	}
	if rows, err = strconv.Atoi(fields[1]); err != nil {
		t.Fatal(err)
	}
	return cols, rows
}

// play shows the script as a tree that is drawn after each event, and gives the screens and at last everything.
func (s *script) play(t testing.TB, term *terminaltest.Terminal, opts display.Options) []txtar.File {
	t.Helper()
	var at time.Time
	if len(s.events) > 0 {
		at = s.events[0].at
	}
	opts.Clock = display.Clock{Now: func() time.Time { return at }}
	quiet := 0
	tree := display.NewTree(term, opts, display.Terminal{Size: term.Size, Prepare: func() func() {
		quiet++
		return func() { quiet-- }
	}})
	others := tree.Above(term)
	var out []txtar.File
	for _, e := range s.events {
		at = e.at
		switch {
		case e.event != nil:
			tree.Handle(e.event)
		case e.act[0] == "resize":
			cols, rows := sizeOf(t, strings.Fields(e.act[1]))
			term.Resize(cols, rows)
		case e.act[0] == "print":
			if _, err := io.WriteString(others, strings.ReplaceAll(e.act[1], `\n`, "\n")); err != nil {
				t.Fatal(err)
			}
		case e.act[0] == "press":
			term.Echo(strings.ReplaceAll(e.act[1], `\n`, "\n"))
		}
		tree.Draw()
		if e.act != nil && e.act[0] == "screen" {
			if quiet != 1 {
				t.Errorf("keys are not kept quiet at %s", e.act[1])
			}
			out = append(out, txtar.File{Name: "screen " + e.act[1], Data: []byte(term.Screen())})
		}
		if err := term.Err(); err != nil {
			t.Errorf("after %+v: %v", e, err)
		}
	}
	if err := tree.Close(); err != nil {
		t.Fatal(err)
	}
	if err := term.Err(); err != nil {
		t.Error(err)
	}
	if quiet != 0 {
		t.Error("keys stay quiet")
	}
	return append(out, txtar.File{Name: "everything", Data: []byte(term.Everything())})
}

// TestTreeSections: below its final table a tree ends with the very sections that the row view ends with.
func TestTreeSections(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{"case", filepath.Join("upstream", "case")} {
		files, err := filepath.Glob(filepath.Join("testdata", pattern, "*.txtar"))
		if err != nil || len(files) == 0 {
			t.Fatal("no cases", err)
		}
		for _, file := range files {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
				t.Parallel()
				sections := readCase(t, file)
				s := parseScript(t, phaseOf(t, sections["phase"]), sections["events"])
				opts := optionsOf(t, sections["options"])
				opts.Palette, opts.Phase = palette.Palette{}, s.phase
				rows := s.view(t, "progress", opts)
				term := terminaltest.New(terminaltest.Options{Cols: 300, Rows: 50})
				got := s.play(t, term, opts)
				want := palette.Clean(rows[firstSection(rows):], false)
				if text := string(got[len(got)-1].Data); !strings.HasSuffix(strings.TrimSpace(text), strings.TrimSpace(want)) {
					t.Errorf("the sections differ, -rows +tree:\n%s", cmp.Diff(want, text))
				}
			})
		}
	}
}

// firstSection is where the rows of the row view end.
func firstSection(text string) int {
	for _, title := range []string{"\nDiagnostics:\n", "\nOutputs:\n", "\nResources:\n"} {
		if i := strings.Index(text, title); i >= 0 {
			return i + 1
		}
	}
	return len(text)
}

// scriptOf is a script of lines.
func scriptOf(t testing.TB, phase display.Phase, lines ...string) *script {
	t.Helper()
	return parseScript(t, phase, strings.Join(lines, "\n"))
}

// crowd is a tree of many resources, of which one in a hundred runs and one in a thousand failed.
func crowd(t testing.TB, n int, w io.Writer, size func() (int, int)) *display.Tree {
	t.Helper()
	tree := display.NewTree(w, display.Options{Clock: frozen(), Phase: heartbeatPhase()}, display.Terminal{Size: size})
	lines := []string{"prelude {}", `start create stack {"new":{}}`}
	for i := range n {
		lines = append(lines, fmt.Sprintf(`start create x:y:Z r%d {"new":{"in":{"a":1}}}`, i))
		if i%100 != 7 {
			lines = append(lines, fmt.Sprintf(`done create x:y:Z r%d {"new":{"in":{"a":1}}}`, i))
		}
		if i%1000 == 500 {
			lines = append(lines, fmt.Sprintf(`fail create x:y:Z r%d {"new":{"in":{"a":1}}}`, i))
		}
	}
	for _, e := range scriptOf(t, heartbeatPhase(), lines...).plainEvents() {
		tree.Handle(e)
	}
	return tree
}

// TestTreeCrowd: of many resources a screen shows what failed and what runs, and little is written for a drawing; at the
// end there are all of them.
func TestTreeCrowd(t *testing.T) {
	t.Parallel()
	term := terminaltest.New(terminaltest.Options{Cols: 80, Rows: 12})
	tree := crowd(t, 10_000, term, term.Size)
	tree.Draw()
	want := `     Type                 Name   Status
 +   pulumi:pulumi:Stack  p-dev  creating (0s) /
 +   ├─ x:y:Z             r7     creating (0s)
 +   ├─ x:y:Z             r107   creating (0s)
 +   ├─ x:y:Z             r207   creating (0s)
 +   ├─ x:y:Z             r307   creating (0s)
 +   ├─ x:y:Z             r6500  **creating failed (0.00s)**
 +   ├─ x:y:Z             r7500  **creating failed (0.00s)**
 +   ├─ x:y:Z             r8500  **creating failed (0.00s)**
 +   ├─ x:y:Z             r9500  **creating failed (0.00s)**
     └─ ... 9992 more: 6 failed, 96 running, 9890 done
`
	if d := cmp.Diff(want, term.Screen()); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	term.Writes()
	tree.Draw()
	if w := term.Writes(); len(w) != 1 || len(w[0]) > 120 {
		t.Errorf("only the spinner turned, but %q was written", w)
	}
	if err := tree.Close(); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(term.Everything(), "x:y:Z"); n != 10_000 {
		t.Errorf("%d rows at the end", n)
	}
}

// BenchmarkTreeDraw is what a drawing costs with nothing or nearly nothing new, of few and many resources.
func BenchmarkTreeDraw(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			tree := crowd(b, n, io.Discard, func() (int, int) { return 120, 50 })
			for b.Loop() {
				tree.Draw()
			}
		})
	}
}

// BenchmarkTreeHandle is what the events of many resources cost.
func BenchmarkTreeHandle(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			lines := []string{"prelude {}", `start create stack {"new":{}}`}
			for i := range n {
				lines = append(lines, fmt.Sprintf(`step create x:y:Z r%d {"new":{"in":{"a":1}}}`, i))
			}
			events := scriptOf(b, heartbeatPhase(), lines...).plainEvents()
			opts := display.Options{Clock: frozen(), Phase: heartbeatPhase()}
			term := display.Terminal{Size: func() (int, int) { return 120, 50 }}
			b.ResetTimer()
			for range b.N {
				tree := display.NewTree(io.Discard, opts, term)
				for _, e := range events {
					tree.Handle(e)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/resource")
		})
	}
}

// TestTreeTicker: a tree draws by itself for as long as it is not closed, and starts anew when the process was stopped.
func TestTreeTicker(t *testing.T) {
	t.Parallel()
	term := terminaltest.New(terminaltest.Options{Cols: 60, Rows: 12})
	again, stopped := make(chan os.Signal), false
	c := newHandClock()
	measured := make(chan struct{}, 1000)
	tree := display.NewTree(term, display.Options{Clock: c.clock(), Phase: heartbeatPhase()}, display.Terminal{
		Size: func() (int, int) {
			measured <- struct{}{}
			return term.Size()
		},
		Resumed: func() (<-chan os.Signal, func()) { return again, func() { stopped = true } },
	})
	others := tree.Above(term)
	// settle waits for a number of drawings to be over: each begins by measuring the terminal.
	settle := func(drawings int) {
		for range drawings {
			<-measured
		}
		if _, err := others.Write(nil); err != nil {
			t.Error(err)
		}
		term.Writes()
	}
	s := scriptOf(t, heartbeatPhase(), "prelude {}", `start create stack {"new":{}}`, `start create x:y:Z a {"new":{}}`)
	for _, e := range s.plainEvents() {
		if d, ok := e.(event.StepStarted); ok {
			d.At = time.Time{} // by the clock of the view
			e = d
		}
		tree.Handle(e)
	}
	settle(2) // the headline and the line below it
	for range 5 {
		c.pass(1)
		settle(2)
	}
	if got := term.Screen(); !strings.Contains(got, "└─ x:y:Z             a      creating (5s)\n") {
		t.Errorf("after five seconds:\n%s", got)
	}
	// While the process was stopped others wrote to the terminal; the tick that waited for it must not draw over that.
	term.Echo("$ fg\n")
	c.mu.Lock()
	c.now = c.now.Add(5 * time.Second)
	c.mu.Unlock()
	c.ticks <- time.Time{}
	again <- os.Interrupt
	settle(1)
	c.pass(1)
	settle(2)
	if got := term.Everything(); !strings.Contains(got, "creating (5s)\n$ fg\n     Type") || !strings.Contains(got, "creating (11s)\n") {
		t.Errorf("after a stop:\n%s", got)
	}
	if err := tree.Close(); err != nil {
		t.Fatal(err)
	}
	if err := tree.Close(); err != nil || !stopped {
		t.Error("closed twice:", err, stopped)
	}
	term.Writes()
	tree.Draw()
	if _, err := io.WriteString(others, "as it is"); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"as it is"}, term.Writes()); d != "" {
		t.Errorf("after the end, -want +got:\n%s", d)
	}
}

// TestTreeSizes: on a terminal of any size the stack is to be seen where there is room for its name, and nothing else is
// sent than what a terminal of that size can take.
func TestTreeSizes(t *testing.T) {
	t.Parallel()
	for _, rows := range []int{1, 2, 3, 5, 9, 30} {
		for cols := 1; cols < 130; cols++ {
			term := terminaltest.New(terminaltest.Options{Cols: cols, Rows: rows})
			lines := []string{
				"prelude {}", `start create stack {"new":{}}`, `start create my:index:Site site {"component":true,"new":{}}`,
				`start update kubernetes:apps/v1:Deployment "a very long name for a deployment" {"parent":"site","old":{"in":{"a":1}},"new":{"in":{"a":2}}}`,
				`say {"on":"a very long name for a deployment","as":"warning","text":"it is not ready yet, and may never be"}`,
				`screen all`, `summary {"create":2,"update":1}`, `end`,
			}
			s := scriptOf(t, heartbeatPhase(), lines...)
			got := s.play(t, term, display.Options{Phase: s.phase})
			if cols > 9 && rows > 1 && !strings.Contains(string(got[0].Data), "p-dev") {
				t.Errorf("%d x %d:\n%s", cols, rows, got[0].Data)
			}
		}
	}
}

// TestTreeAtOnce: events, drawings and the writing of others at the same time.
func TestTreeAtOnce(t *testing.T) {
	t.Parallel()
	term := terminaltest.New(terminaltest.Options{Cols: 60, Rows: 12})
	ticks := make(chan time.Time)
	clock := frozen()
	clock.Ticker = func(time.Duration) (<-chan time.Time, func()) { return ticks, func() {} }
	tree := display.NewTree(term, display.Options{Clock: clock, Phase: heartbeatPhase()}, display.Terminal{Size: term.Size})
	lines := []string{"prelude {}", `start create stack {"new":{}}`}
	for i := range 200 {
		lines = append(lines, fmt.Sprintf(`step create x:y:Z r%d {"new":{}}`, i))
	}
	events := scriptOf(t, heartbeatPhase(), append(lines, `summary {"create":201}`)...).plainEvents()
	var wait sync.WaitGroup
	for _, do := range []func(){
		func() { ticks <- time.Time{} },
		func() { term.Resize(40+len(term.Writes())%9, 12) },
		func() { _, _ = fmt.Fprint(tree.Above(term), "others\n") }, // the terminal takes everything
	} {
		wait.Go(func() {
			for range 100 {
				do()
			}
		})
	}
	for _, e := range events {
		tree.Handle(e)
	}
	wait.Wait()
	if err := tree.Close(); err != nil {
		t.Fatal(err)
	}
	if got := term.Everything(); strings.Count(got, "others\n") != 100 || !strings.Contains(got, "+ 201 created") {
		t.Error(got)
	}
	if err := term.Err(); err != nil {
		t.Error(err)
	}
}
