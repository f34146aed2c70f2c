package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/cairn-iac/cairn/internal/backend"
	"github.com/cairn-iac/cairn/internal/engine/exec"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/state/journal"
)

// Begin records that an operation starts. It returns once that is durable, like the other methods.
func (s *Session) Begin(ctx context.Context, b exec.Begin) (exec.Ticket, error) {
	s.mu.Lock()
	r := journal.Begin{Ticket: s.number(), Kind: b.Kind, Resource: b.Resource.Clone()}
	if b.Existing != nil {
		ref, err := s.ref(b.Existing)
		if err != nil {
			s.mu.Unlock()
			return 0, err
		}
		r.Existing = &ref
	}
	s.mu.Unlock()
	return exec.Ticket(r.Ticket), s.append(ctx, r)
}

// Success records what an operation changed.
func (s *Session) Success(ctx context.Context, done exec.Success) error {
	r, err := s.success(done)
	if err != nil {
		return err
	}
	return s.append(ctx, r)
}

// Failure records that an operation ended without an effect.
func (s *Session) Failure(ctx context.Context, t exec.Ticket) error {
	return s.append(ctx, journal.Failure{Ticket: int64(t)})
}

// ClearPending records that pending operations of Base, named by their index there, are settled.
func (s *Session) ClearPending(ctx context.Context, base []int) error {
	if len(base) == 0 {
		return nil
	}
	return s.append(ctx, journal.ClearPending{Base: base})
}

// success turns pointers into references, and takes down what the new states will be called.
func (s *Session) success(done exec.Success) (journal.Success, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := journal.Success{Ticket: int64(done.Ticket)}
	for _, c := range done.Changes {
		var old journal.Ref
		if c.Old != nil {
			var err error
			if old, err = s.ref(c.Old); err != nil {
				return r, err
			}
			delete(s.refs, c.Old)
		}
		switch {
		case c.FlagsOnly && c.Old != nil && c.New != nil:
			s.refs[c.New] = old
			r.Flag = append(r.Flag, journal.Flags{
				Ref: old, Delete: c.New.Delete, PendingReplacement: c.New.PendingReplacement, Taint: c.New.Taint,
			})
			continue
		case c.Old != nil:
			r.Drop = append(r.Drop, old)
		}
		if c.New != nil {
			n := s.number()
			s.refs[c.New] = journal.PutRef(n)
			r.Put = append(r.Put, journal.Put{N: n, State: c.New})
		}
	}
	return r, nil
}

func (s *Session) number() int64 {
	s.last++
	return s.last
}

// ref finds what the journal calls a state.
func (s *Session) ref(r *resource.State) (journal.Ref, error) {
	ref, ok := s.refs[r]
	if !ok {
		return ref, fmt.Errorf("a record refers to a state of %s that is not recorded; this is a bug", r.URN)
	}
	return ref, nil
}

// append makes a record durable.
func (s *Session) append(ctx context.Context, r journal.Record) error {
	select {
	case <-s.lock.Lost():
		return s.lock.Check()
	default:
	}
	text, err := journal.Encode(ctx, r, s.secrets)
	if err != nil {
		return err
	}
	// What happened is part of the new state even if the journal fails: the checkpoint may still be written.
	s.mu.Lock()
	s.records = append(s.records, r)
	s.mu.Unlock()
	log, err := s.openLog(ctx)
	if err != nil {
		return err
	}
	return log.Append(ctx, text)
}

// openLog begins the journal with the first record: an update that does nothing leaves no trace.
func (s *Session) openLog(ctx context.Context) (backend.Journal, error) {
	s.logOnce.Do(func() {
		h := backend.JournalHeader{
			Checkpoint: s.base.SHA256, Writer: s.writer, Kind: string(s.opts.Kind), Started: s.started,
		}
		if s.provider != nil {
			if h.SecretsProvider, s.logErr = json.Marshal(s.provider); s.logErr != nil {
				return
			}
		}
		s.log, s.logErr = s.opts.Backend.Journals.Create(ctx, s.lock, h)
	})
	return s.log, s.logErr
}

var errStillSealed = errors.New("it was read without its key; give the key of the present secrets provider too")
