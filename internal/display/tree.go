package display

import (
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/cairn-iac/cairn/internal/display/palette"
	"github.com/cairn-iac/cairn/internal/display/screen"
	"github.com/cairn-iac/cairn/internal/event"
)

const (
	// frameInterval is how often a tree is drawn at most.
	frameInterval = 100 * time.Millisecond
	// longestGap is how long a busy machine may keep a drawing waiting.
	longestGap = 10 * frameInterval
)

// Terminal is what a tree needs of the terminal that it is drawn on.
type Terminal struct {
	// Size gives columns and rows, 0 where it is not known. It is asked before each drawing.
	Size func() (cols, rows int)
	// Prepare, if any, makes the terminal fit for a tree, until restore is called: keys that are pressed do not show up on
	// it. It is called again when the process goes on after it was stopped; then the first restore counts.
	Prepare func() (restore func())
	// Resumed, if any, tells each time that the process goes on after it was stopped, until stop is called.
	Resumed func() (again <-chan os.Signal, stop func())
}

// Tree shows a run on a terminal, as a tree of its resources that is drawn anew while things happen. What does not fit
// on the screen is folded. At the end the whole tree is printed once, then the sections that [Progress] ends with.
//
// Handle only takes note of an event; drawing is done by the clock's ticker. Close must be called however a run ends:
// it sets the terminal back.
type Tree struct {
	opts Options

	// mu guards what is known of the run.
	mu    sync.Mutex
	board *board
	rows  *treeRows
	begun bool
	frame int
	// wanted is how wide columns were so far on lines of wantedFor cells: they do not get narrower again, which would make
	// them jump about.
	wanted    columnWidths
	wantedFor int

	// drawing guards the terminal. It is taken before mu; nobody waits for the terminal with mu in hand.
	drawing sync.Mutex
	screen  *screen.Screen
	ended   bool

	stop, restore func()
	finish        func()
}

// NewTree makes a tree on a terminal and writes the headline. w must write to that terminal. Without a ticker nothing is
// drawn but when Draw is called.
func NewTree(w io.Writer, opts Options, term Terminal) *Tree {
	b := newBoard(opts)
	b.clean = func(text string) string { return palette.Clean(text, opts.Palette.Coloured()) }
	t := &Tree{
		opts: opts, board: b, rows: newTreeRows(b), screen: screen.New(w, opts.Palette, term.Size),
		stop: func() {}, restore: func() {},
	}
	t.finish = sync.OnceFunc(t.end)
	if term.Prepare != nil {
		t.restore = term.Prepare()
	}
	t.screen.Print(headline(opts))
	if opts.Clock.Ticker != nil {
		t.stop = t.run(term)
	}
	return t
}

// run draws at each tick until the function it gives is called.
func (t *Tree) run(term Terminal) (stop func()) {
	ticks, stopTicks := t.opts.Clock.Ticker(frameInterval)
	var again <-chan os.Signal
	stopAgain := func() {}
	if term.Resumed != nil {
		again, stopAgain = term.Resumed()
	}
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for last := t.opts.Clock.Now(); ; last = t.opts.Clock.Now() {
			select {
			case <-quit:
				return
			case <-ticks:
				// After a gap the process may have been stopped; then again is about to tell, and the screen is not ours yet.
				if t.opts.Clock.Now().Sub(last) <= longestGap {
					t.Draw()
				}
			case <-again:
				t.resume(term)
			}
		}
	}()
	return func() {
		stopTicks()
		stopAgain()
		close(quit)
		<-ended
	}
}

// resume starts over below of what others have written in the meantime.
func (t *Tree) resume(term Terminal) {
	if term.Prepare != nil {
		term.Prepare()
	}
	t.drawing.Lock()
	t.screen.Forget()
	t.drawing.Unlock()
	t.Draw()
}

// Handle takes an event in.
func (t *Tree) Handle(e event.Event) {
	switch e := e.(type) {
	case event.Prelude:
		t.print(t.opts.preludeText(e))
		t.mu.Lock()
		t.begun = true
		t.mu.Unlock()
	case event.Finished:
		t.finish()
	default:
		t.mu.Lock()
		t.begun = true
		t.rows.touch(t.board.take(e).row)
		t.mu.Unlock()
	}
}

// Draw shows the state at hand.
func (t *Tree) Draw() {
	t.drawing.Lock()
	defer t.drawing.Unlock()
	if !t.ended {
		t.screen.Draw(t.compose)
	}
}

// compose lays out what is to be seen.
func (t *Tree) compose(cells, lines int) []palette.Text {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.begun {
		return nil
	}
	t.frame++
	return t.live(cells, lines)
}

// Above gives a writer for what others have to say to the same terminal while the tree is on it: it writes to w above the
// tree. A text that ends within a line gets the line's end. Once the view is closed it writes to w as it is.
func (t *Tree) Above(w io.Writer) io.Writer { return above{t, w} }

type above struct {
	tree *Tree
	w    io.Writer
}

func (a above) Write(p []byte) (n int, err error) {
	t := a.tree
	t.drawing.Lock()
	defer t.drawing.Unlock()
	if t.ended || len(p) == 0 {
		return a.w.Write(p)
	}
	err = t.screen.Above(func() error {
		n, err = a.w.Write(p)
		if err == nil && p[len(p)-1] != '\n' {
			_, err = io.WriteString(a.w, "\n")
		}
		return err
	})
	return n, err
}

// print writes to the terminal above the tree.
func (t *Tree) print(text string) {
	t.drawing.Lock()
	defer t.drawing.Unlock()
	if !t.ended {
		t.screen.Print(text)
	}
}

// end replaces the live tree by the final one, with the sections, and sets the terminal back.
func (t *Tree) end() {
	defer t.restore()
	t.stop()
	t.drawing.Lock()
	defer t.drawing.Unlock()
	t.ended = true
	cells := t.screen.Cells()
	t.mu.Lock()
	t.board.over = true
	var b strings.Builder
	if lines := t.final(cells); len(lines) > 0 {
		for _, l := range lines {
			b.WriteString(t.opts.Palette.PaintText(l) + "\n")
		}
		b.WriteString("\n")
	}
	b.WriteString(t.board.sections())
	t.mu.Unlock()
	t.screen.Print(b.String())
}

// Close ends the view.
func (t *Tree) Close() error {
	t.finish()
	t.drawing.Lock()
	defer t.drawing.Unlock()
	return t.screen.Err()
}
