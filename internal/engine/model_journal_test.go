package engine_test

import (
	"context"
	"fmt"
	"sync"

	"github.com/cairn-iac/cairn/internal/engine/exec"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/state/journal"
)

// memory is a journal that keeps the record in memory and checks the integrity rules after every record. It writes the
// records that a backend would keep, too.
type memory struct {
	mu      sync.Mutex
	base    *state.Snapshot
	refs    map[*resource.State]journal.Ref // everything that is recorded
	open    map[exec.Ticket]exec.Begin
	last    int64
	records []journal.Record
	// foldAll makes the fold of every prefix be compared with the record, not only the last one.
	foldAll  bool
	problems []string
	// changed hears of every change that is recorded, with the lock held.
	changed func(exec.Success)
	// after hears of the number of records, with the lock held.
	after func(int)
}

func newMemory(base *state.Snapshot) *memory {
	m := &memory{base: base, refs: map[*resource.State]journal.Ref{}, open: map[exec.Ticket]exec.Begin{}}
	for i, s := range base.Resources {
		m.refs[s] = journal.BaseRef(i)
	}
	return m
}

func (m *memory) problem(format string, args ...any) {
	m.problems = append(m.problems, fmt.Sprintf(format, args...))
}

func (m *memory) number() int64 {
	m.last++
	return m.last
}

func (m *memory) append(r journal.Record) {
	m.records = append(m.records, r)
	s := m.snapshotLocked()
	if err := s.Verify(); err != nil {
		m.problem("after record %d (%T): %v", len(m.records), r, err)
	}
	if m.foldAll {
		m.compareFold(s)
	}
	if m.after != nil {
		m.after(len(m.records))
	}
}

func (m *memory) Begin(_ context.Context, b exec.Begin) (exec.Ticket, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := journal.Begin{Ticket: m.number(), Kind: b.Kind, Resource: b.Resource.Clone()}
	if b.Existing != nil {
		ref, ok := m.refs[b.Existing]
		if !ok {
			m.problem("begin %s refers to a state that is not recorded: %s", b.Kind, b.Existing.URN)
		}
		r.Existing = &ref
	}
	m.open[exec.Ticket(r.Ticket)] = b
	m.append(r)
	return exec.Ticket(r.Ticket), nil
}

func (m *memory) Success(_ context.Context, s exec.Success) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.end(s.Ticket)
	r := journal.Success{Ticket: int64(s.Ticket)}
	for _, c := range s.Changes {
		var old journal.Ref
		if c.Old != nil {
			var ok bool
			if old, ok = m.refs[c.Old]; !ok {
				m.problem("a change refers to a state that is not recorded: %s", c.Old.URN)
			}
			delete(m.refs, c.Old)
		}
		switch {
		case c.FlagsOnly && c.Old != nil && c.New != nil:
			m.refs[c.New] = old
			r.Flag = append(r.Flag, journal.Flags{
				Ref: old, Delete: c.New.Delete, PendingReplacement: c.New.PendingReplacement, Taint: c.New.Taint,
			})
			continue
		case c.Old != nil:
			r.Drop = append(r.Drop, old)
		}
		if c.New != nil {
			n := m.number()
			m.refs[c.New] = journal.PutRef(n)
			r.Put = append(r.Put, journal.Put{N: n, State: c.New})
			if c.New.Inputs.ContainsUnknown() || c.New.Outputs.ContainsUnknown() {
				m.problem("unknown values of %s are recorded", c.New.URN)
			}
		}
	}
	if m.changed != nil {
		m.changed(s)
	}
	m.append(r)
	return nil
}

func (m *memory) end(t exec.Ticket) {
	if _, open := m.open[t]; t != 0 && !open {
		m.problem("ticket %d is ended twice", t)
	}
	delete(m.open, t)
}

func (m *memory) Failure(_ context.Context, t exec.Ticket) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.end(t)
	m.append(journal.Failure{Ticket: int64(t)})
	return nil
}

func (m *memory) ClearPending(_ context.Context, base []int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.append(journal.ClearPending{Base: base})
	return nil
}

func (m *memory) snapshotLocked() *state.Snapshot {
	list := make([]*resource.State, 0, len(m.refs))
	for s := range m.refs {
		list = append(list, s)
	}
	return &state.Snapshot{Resources: state.Sort(list)}
}

// fold gives the state a backend would keep.
func (m *memory) fold() *state.Snapshot {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.compareFold(m.snapshotLocked())
}

// compareFold checks that what is folded from the records is what is recorded.
func (m *memory) compareFold(recorded *state.Snapshot) *state.Snapshot {
	folded, err := journal.Fold(m.base, m.records)
	if err != nil {
		m.problem("fold %d records: %v", len(m.records), err)
		return recorded
	}
	if err := folded.Verify(); err != nil {
		m.problem("folded after record %d: %v", len(m.records), err)
	}
	if want, got := outline(recorded), outline(folded); want != got {
		m.problem("recorded after %d records:\n%s\nfolded:\n%s", len(m.records), want, got)
	}
	return folded
}

// outline is what identifies the resources of a snapshot and how they refer to each other.
func outline(s *state.Snapshot) string {
	var out string
	for _, r := range s.Resources {
		out += fmt.Sprintln(" ", r.URN, r.ID, "delete", r.Delete, "pending", r.PendingReplacement, r.Edges())
	}
	return out
}
