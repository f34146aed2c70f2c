package display

import (
	"container/list"
	"slices"

	"github.com/cairn-iac/cairn/internal/display/palette"
	"github.com/cairn-iac/cairn/internal/resource"
)

// treeRows are the rows of a tree, kept so that an event costs the same however many there are, and choosing those that
// a screen has room for costs as much as the screen is high.
type treeRows struct {
	board *board
	// root stands for the stack; first is the row that stood for it while its URN was not known, if that is another one.
	root, first *row
	// kept are the rows that belong on the tree: the visible ones and those they hang on, up to the root.
	kept []*row
	// Visible rows other than the root, each on the list of its condition: those that run by when they began, the others
	// by when they ended. Open ones are components: they run for as long as what they hold.
	failed, running, open, done *list.List
	// unchanged counts the resources that have no row because nothing happens to them.
	unchanged int
}

// node is what a tree knows of a row.
type node struct {
	kept, unchanged bool
	on              *list.List
	at              *list.Element
	// info is the info column, nil when it must be made anew.
	info *palette.Text
}

func newTreeRows(b *board) *treeRows {
	return &treeRows{board: b, failed: list.New(), running: list.New(), open: list.New(), done: list.New()}
}

// touch takes note that a row, if any, has changed.
func (t *treeRows) touch(r *row) {
	if r == nil {
		return
	}
	r.node.info = nil
	t.findRoot(r)
	if t.isRoot(r) {
		t.root.node.info = nil
		t.root.messages.last = r.messages.last
		return
	}
	if r.visible || r.node.kept {
		t.keep(r)
		for p := t.parent(r); p != t.root && !p.node.kept; p = t.parent(p) {
			t.keep(p)
		}
	}
	switch {
	case r.visible:
		t.enlist(r)
	case !r.node.unchanged && r.hasEnded(resource.OpSame):
		r.node.unchanged = true
		t.unchanged++
	}
}

func (t *treeRows) keep(r *row) {
	if !r.node.kept {
		r.node.kept = true
		t.kept = append(t.kept, r)
	}
}

// findRoot looks for the stack's row near r.
func (t *treeRows) findRoot(r *row) {
	for _, x := range []*row{r, t.board.byURN[parentOf(r.step)], t.board.byURN[t.board.root]} {
		switch {
		case x == nil || t.root == x:
		case x.step.URN == "" && t.root == nil:
			t.root = x
		case x.step.URN == "" && t.first == nil:
			t.first = x
		case isRoot(x.step.URN) && t.root == nil:
			t.root = x
		case isRoot(x.step.URN) && t.root.step.URN == "":
			t.root, t.first = x, t.root
			if x.messages.last == nil {
				x.messages.last = t.first.messages.last
			}
		}
	}
}

func (t *treeRows) isRoot(r *row) bool { return r == t.root || r == t.first }

// stack is the root as it is to be shown, with the messages of both rows that stand for it; nil as long as there is none.
func (t *treeRows) stack() *row {
	if t.root == nil || t.first == nil {
		return t.root
	}
	both := *t.root
	m, other := &both.messages, t.first.messages
	m.errors += other.errors
	m.warnings += other.warnings
	m.infos += other.infos
	m.debugs += other.debugs
	return &both
}

// parent is the row that r hangs on: the root where no other is known.
func (t *treeRows) parent(r *row) *row {
	if p := t.board.byURN[parentOf(r.step)]; p != nil && p != r && !t.isRoot(p) {
		return p
	}
	return t.root
}

// enlist puts a row on the list of its condition.
func (t *treeRows) enlist(r *row) {
	to := t.running
	switch {
	case r.hasFailed():
		to = t.failed
	case r.done(false):
		to = t.done
	case r.step.State() != nil && !r.step.State().Custom:
		to = t.open
	}
	if r.node.on == to {
		return
	}
	if r.node.on != nil {
		r.node.on.Remove(r.node.at)
	}
	r.node.on, r.node.at = to, to.PushBack(r)
}

// chosen is what a screen has room for.
type chosen struct {
	// branches are the rows below the root, by the row they hang on, in the order they are shown in.
	branches map[*row][]*row
	// more counts the rows that there is no room for; failed, running and done are those of them that take part in the run.
	more, failed, running, done int
}

// choose picks the rows for a number of lines, the root's not counted.
func (t *treeRows) choose(lines int) chosen {
	c := chooser{rows: t, left: lines, in: map[*row]bool{}}
	if len(t.kept) <= lines {
		for _, r := range t.kept {
			c.in[r] = true
		}
		return chosen{branches: c.branches()}
	}
	rest := lines > 1
	if rest {
		c.left-- // the last line tells of the rest
	}
	// Where there is room for a part only, half of it is for what failed and half for what runs.
	c.take(t.failed.Back(), max((c.left+1)/2, c.left-t.running.Len()), (*list.Element).Prev)
	c.take(t.running.Front(), c.left, (*list.Element).Next)
	c.take(t.open.Front(), c.left, (*list.Element).Next)
	c.take(t.done.Back(), c.left, (*list.Element).Prev)
	out := chosen{branches: c.branches()}
	if !rest {
		return out
	}
	out.more = len(t.kept) - len(c.in)
	out.failed, out.running, out.done = t.failed.Len(), t.running.Len()+t.open.Len(), t.done.Len()
	for r := range c.in {
		switch r.node.on {
		case t.failed:
			out.failed--
		case t.running, t.open:
			out.running--
		case t.done:
			out.done--
		}
	}
	return out
}

// all is the whole tree.
func (t *treeRows) all() chosen { return t.choose(len(t.kept)) }

// chooser fills lines with rows and the rows they hang on.
type chooser struct {
	rows *treeRows
	left int
	in   map[*row]bool
}

// take adds rows of a list, with those they hang on, until limit lines are used.
func (c *chooser) take(e *list.Element, limit int, next func(*list.Element) *list.Element) {
	for end := c.left - limit; e != nil && c.left > max(end, 0); e = next(e) {
		if r, ok := e.Value.(*row); ok && !c.in[r] {
			c.add(r, c.left-max(end, 0))
		}
	}
}

// add adds a row with those it hangs on, or without where there is no room for them.
func (c *chooser) add(r *row, room int) {
	path := []*row{r}
	for p := c.rows.parent(r); p != c.rows.root && !c.in[p]; p = c.rows.parent(p) {
		if len(path) == room {
			path = path[:1]
			break
		}
		path = append(path, p)
	}
	for _, x := range path {
		c.in[x] = true
	}
	c.left -= len(path)
}

// branches puts the rows below the nearest chosen row they hang on.
func (c *chooser) branches() map[*row][]*row {
	out := map[*row][]*row{}
	for r := range c.in {
		p := c.rows.parent(r)
		for range len(c.in) {
			if p == c.rows.root || c.in[p] {
				break
			}
			p = c.rows.parent(p)
		}
		if !c.in[p] {
			p = c.rows.root
		}
		out[p] = append(out[p], r)
	}
	for _, rs := range out {
		slices.SortFunc(rs, func(a, b *row) int { return a.index - b.index })
	}
	return out
}
