package session

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/cairn-iac/cairn/internal/backend"
	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/state/deploymentjson"
	"github.com/cairn-iac/cairn/internal/state/journal"
)

// Outcome is how an update ended.
type Outcome struct {
	// Info goes into the history; nil leaves none, as for edits that are no updates.
	Info *backend.UpdateInfo
}

// Replace sets a whole new state, which Close stores. It cannot be mixed with records.
func (s *Session) Replace(snap *state.Snapshot) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.records) > 0 {
		return errors.New("a state cannot be replaced in the middle of an update")
	}
	s.replaced = snap
	return nil
}

// Close folds the records into a new checkpoint, adds to the history and gives the lock back, also when ctx is cancelled.
// When it fails, the old checkpoint and the journal still hold everything. The diagnostics are warnings.
func (s *Session) Close(ctx context.Context, outcome Outcome) (diag.Diagnostics, error) {
	ctx = context.WithoutCancel(ctx)
	err := s.finish(ctx, outcome)
	var closeErr error
	if s.log != nil {
		closeErr = s.log.Close() // A second time where all went well.
	}
	return s.release(ctx), errors.Join(err, closeErr)
}

// Abandon gives the lock back without storing anything. Records that were made stay in the journal, for the next update
// to fold.
func (s *Session) Abandon(ctx context.Context) (diag.Diagnostics, error) {
	ctx = context.WithoutCancel(ctx)
	var err error
	if s.log != nil {
		err = s.log.Close()
	}
	return s.release(ctx), err
}

func (s *Session) release(ctx context.Context) diag.Diagnostics {
	err := s.lock.Release(ctx)
	if err == nil {
		return nil
	}
	return diag.Diagnostics{{Severity: diag.Warning, Summary: err.Error()}}
}

func (s *Session) finish(ctx context.Context, outcome Outcome) error {
	if err := s.lock.Check(); err != nil {
		return s.keptError(err)
	}
	if err := s.checkBase(ctx); err != nil {
		return err
	}
	snap, err := s.result()
	if err != nil {
		return err
	}
	data, err := encode(ctx, s.opts, foldResult{checkpoint: s.checkpoint, snapshot: snap, secrets: s.secrets})
	if err != nil {
		return err
	}
	if err := store(ctx, s.opts, s.lock, storing{data: data, log: s.log, secrets: s.secrets}); err != nil {
		return s.keptError(err)
	}
	if s.log != nil {
		if err := s.opts.Backend.Journals.Remove(ctx, s.lock); err != nil {
			return err
		}
	}
	if outcome.Info == nil {
		return nil
	}
	err = s.opts.Backend.History.Add(ctx, s.lock, backend.HistoryEntry{Info: *outcome.Info, Checkpoint: data})
	if err != nil {
		return fmt.Errorf("the state is stored, but: %w", err)
	}
	return nil
}

// keptError adds where the update's results are when they could not be stored as a checkpoint.
func (s *Session) keptError(err error) error {
	if s.log == nil {
		return fmt.Errorf("store the state of stack '%s': %w", s.opts.Ref, err)
	}
	return fmt.Errorf("store the state of stack '%s': %w\nWhat the update did is kept in %s; "+
		"the next `pulumi up` or `pulumi refresh` takes it over", s.opts.Ref, err, s.log.Location())
}

// checkBase makes sure that nobody changed the checkpoint under our lock.
func (s *Session) checkBase(ctx context.Context) error {
	now, err := s.opts.Backend.Checkpoints.Read(ctx, s.opts.Ref)
	if err != nil {
		return s.keptError(err)
	}
	if now.SHA256 == s.base.SHA256 {
		return nil
	}
	conflict := &backend.JournalConflictError{
		Ref: s.opts.Ref, Checkpoint: now.Location, Writer: s.writer, Started: s.started,
	}
	if s.log == nil {
		return fmt.Errorf("the state of stack '%s' in %s was changed by another tool during this command; nothing was "+
			"stored. Run the command again", s.opts.Ref, now.Location)
	}
	conflict.Journal = s.log.Location()
	return conflict
}

// result is the state that the update leaves.
func (s *Session) result() (*state.Snapshot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	snap := s.replaced
	if snap == nil {
		var err error
		if snap, err = journal.Fold(s.view.Snapshot, s.records); err != nil {
			return nil, fmt.Errorf("fold the journal of stack '%s': %w", s.opts.Ref, err)
		}
	}
	out := *snap
	out.SecretsProvider = s.provider
	return &out, nil
}

// foldResult is what is to be stored.
type foldResult struct {
	checkpoint *deploymentjson.Checkpoint
	snapshot   *state.Snapshot
	secrets    *deploymentjson.Secrets
}

// encode writes a new checkpoint. A state that breaks the integrity rules is stored too, since it tells what exists, but
// marked, as the Pulumi CLI does.
func encode(ctx context.Context, opts Options, r foldResult) ([]byte, error) {
	snap := *r.snapshot
	plugins := snap.Manifest.Plugins
	snap.Manifest = state.NewManifest(opts.now().UTC(), opts.Version)
	snap.Manifest.Plugins = plugins
	var err error
	if snap.Metadata, err = markIntegrity(opts, snap.Metadata, snap.Verify()); err != nil {
		return nil, err
	}
	c := *r.checkpoint
	c.Stack, c.Snapshot = opts.Ref.String(), &snap
	var buf bytes.Buffer
	if err := deploymentjson.EncodeCheckpoint(ctx, &buf, &c, r.secrets); err != nil {
		return nil, fmt.Errorf("encode the state of stack '%s': %w", opts.Ref, err)
	}
	return buf.Bytes(), nil
}

// markIntegrity sets or clears the note of a broken integrity rule.
func markIntegrity(opts Options, metadata json.RawMessage, broken error) (json.RawMessage, error) {
	const key = "integrity_error"
	members := map[string]json.RawMessage{}
	if len(metadata) > 0 {
		if err := json.Unmarshal(metadata, &members); err != nil {
			return nil, fmt.Errorf("the metadata of stack '%s': %w", opts.Ref, err)
		}
	}
	if broken == nil {
		if _, has := members[key]; !has {
			return metadata, nil
		}
		delete(members, key)
		return json.Marshal(members)
	}
	note, err := json.Marshal(map[string]string{
		"version": opts.Version, "command": opts.Command, "error": broken.Error(),
	})
	if err != nil {
		return nil, err
	}
	members[key] = note
	return json.Marshal(members)
}

// storing is a new checkpoint and the journal that is in it.
type storing struct {
	data    []byte
	log     backend.Journal
	secrets *deploymentjson.Secrets
}

// store writes a new checkpoint. Before that the journal learns what is coming: should the process end between the two
// writes and the removal of the journal, the next one sees whether the checkpoint holds the journal already.
func store(ctx context.Context, opts Options, lock backend.Lock, st storing) error {
	if st.log != nil {
		note := journal.Folded{Checkpoint: checkpointOf(st.data, "").SHA256}
		text, err := journal.Encode(ctx, note, st.secrets)
		if err != nil {
			return err
		}
		// A journal that takes nothing more (a full disk) must not keep the state from being stored.
		_ = st.log.Append(ctx, text)
		if err := st.log.Close(); err != nil {
			return err
		}
	}
	return opts.Backend.Checkpoints.Write(ctx, lock, st.data)
}

func checkpointOf(data []byte, location string) backend.Checkpoint {
	sum := sha256.Sum256(data)
	return backend.Checkpoint{Data: data, SHA256: hex.EncodeToString(sum[:]), Location: location}
}
