package fakeprovidertest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// ErrNameTaken is the refusal of a second thing under a fixed name.
var ErrNameTaken = errors.New("name is taken")

// ErrNoSuchThing is the refusal to change what does not exist.
var ErrNoSuchThing = errors.New("no such thing")

// Thing is one resource that exists in the cloud. Inputs and Outputs are JSON objects as they went over the wire.
type Thing struct {
	ID      string          `json:"id"`
	URN     string          `json:"urn,omitempty"`
	Name    string          `json:"name,omitempty"` // the fixed name, which nothing else may have
	Serial  int             `json:"serial,omitempty"`
	Inputs  json.RawMessage `json:"inputs,omitempty"`
	Outputs json.RawMessage `json:"outputs,omitempty"`
}

// EffectKind names what an effect did to its thing.
type EffectKind string

// The kinds of effect.
const (
	Created EffectKind = "create"
	Updated EffectKind = "update"
	Deleted EffectKind = "delete"
)

// Effect is one change of the cloud. It is durable when the call that made it answers, and either whole or absent
// after a kill.
type Effect struct {
	Kind  EffectKind `json:"kind"`
	Thing Thing      `json:"thing"`
	PID   int        `json:"pid"`
	Time  time.Time  `json:"time"`
}

// Ledger is the provider's cloud and the log of its calls, in a folder that any number of processes share.
type Ledger struct {
	mu      sync.Mutex
	effects rowFile
	history []Effect
	live    map[string]Thing
	names   map[string]string // fixed name to id

	calls *callLog
}

// OpenLedger opens the ledger in dir, which is made when absent.
func OpenLedger(dir string) (*Ledger, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("open ledger: %w", err)
	}
	return &Ledger{
		effects: rowFile{path: filepath.Join(dir, "ledger.jsonl")},
		live:    map[string]Thing{},
		names:   map[string]string{},
		calls:   openCallLog(filepath.Join(dir, "calls.jsonl")),
	}, nil
}

// IDs lists what exists, sorted.
func (l *Ledger) IDs() ([]string, error) {
	things, err := l.Things()
	if err != nil {
		return nil, err
	}
	ids := make([]string, 0, len(things))
	for _, t := range things {
		ids = append(ids, t.ID)
	}
	return ids, nil
}

// Things lists what exists, sorted by id.
func (l *Ledger) Things() ([]Thing, error) {
	var things []Thing
	err := l.read(func() {
		for _, t := range l.live {
			things = append(things, t)
		}
	})
	slices.SortFunc(things, func(a, b Thing) int { return strings.Compare(a.ID, b.ID) })
	return things, err
}

// Effects lists every change so far, oldest first.
func (l *Ledger) Effects() ([]Effect, error) {
	var effects []Effect
	err := l.read(func() { effects = slices.Clone(l.history) })
	return effects, err
}

// Calls lists every call so far in the order in which they began. A call that never answered has Done false.
func (l *Ledger) Calls() ([]Call, error) { return l.calls.list() }

// Find looks a thing up by its id or, failing that, by its fixed name.
func (l *Ledger) Find(key string) (Thing, bool, error) {
	var thing Thing
	var ok bool
	err := l.read(func() { thing, ok = l.lookup(key) })
	return thing, ok, err
}

// Drift changes a thing behind the engine's back: set overwrites its inputs and outputs of the same names.
func (l *Ledger) Drift(id string, set map[string]any) error {
	return l.write(func() (Effect, error) {
		thing, ok := l.live[id]
		if !ok {
			return Effect{}, fmt.Errorf("%w: %s", ErrNoSuchThing, id)
		}
		var err error
		if thing.Inputs, err = overlay(thing.Inputs, set); err != nil {
			return Effect{}, err
		}
		thing.Outputs, err = overlay(thing.Outputs, set)
		return Effect{Kind: Updated, Thing: thing}, err
	})
}

// Remove deletes a thing behind the engine's back.
func (l *Ledger) Remove(id string) error {
	existed, err := l.remove(id)
	if err == nil && !existed {
		err = fmt.Errorf("%w: %s", ErrNoSuchThing, id)
	}
	return err
}

func (l *Ledger) create(thing Thing) error {
	return l.write(func() (Effect, error) {
		if holder, taken := l.names[thing.Name]; taken && thing.Name != "" {
			return Effect{}, fmt.Errorf("%w: %q belongs to %s", ErrNameTaken, thing.Name, holder)
		}
		return Effect{Kind: Created, Thing: thing}, nil
	})
}

// update replaces the thing by what change makes of it.
func (l *Ledger) update(id string, change func(Thing) (Thing, error)) error {
	return l.write(func() (Effect, error) {
		thing, ok := l.live[id]
		if !ok {
			return Effect{}, fmt.Errorf("%w: %s", ErrNoSuchThing, id)
		}
		changed, err := change(thing)
		return Effect{Kind: Updated, Thing: changed}, err
	})
}

// remove deletes the thing and reports whether it existed: deleting twice is no fault.
func (l *Ledger) remove(id string) (existed bool, err error) {
	err = l.write(func() (Effect, error) {
		if _, existed = l.live[id]; !existed {
			return Effect{}, errNothing
		}
		return Effect{Kind: Deleted, Thing: Thing{ID: id}}, nil
	})
	if errors.Is(err, errNothing) {
		err = nil
	}
	return existed, err
}

var errNothing = errors.New("nothing to write")

// lookup needs mu and a fold that is up to date.
func (l *Ledger) lookup(key string) (Thing, bool) {
	if thing, ok := l.live[key]; ok {
		return thing, true
	}
	id, ok := l.names[key]
	return l.live[id], ok
}

func (l *Ledger) read(look func()) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.effects.locked(func(file *os.File) error {
		if err := l.effects.tail(file, l.fold); err != nil {
			return err
		}
		look()
		return nil
	})
}

// write decides on the newest state and makes the effect durable, with every other process locked out.
func (l *Ledger) write(decide func() (Effect, error)) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.effects.locked(func(file *os.File) error {
		if err := l.effects.tail(file, l.fold); err != nil {
			return err
		}
		effect, err := decide()
		if err != nil {
			return err
		}
		effect.PID, effect.Time = os.Getpid(), time.Now()
		if err := l.effects.add(file, effect, synced); err != nil {
			return err
		}
		l.apply(effect)
		return nil
	})
}

func (l *Ledger) fold(row []byte) error {
	var effect Effect
	if err := json.Unmarshal(row, &effect); err != nil {
		return err
	}
	l.apply(effect)
	return nil
}

func (l *Ledger) apply(effect Effect) {
	l.history = append(l.history, effect)
	if old, ok := l.live[effect.Thing.ID]; ok && old.Name != "" {
		delete(l.names, old.Name)
	}
	if effect.Kind == Deleted {
		delete(l.live, effect.Thing.ID)
		return
	}
	l.live[effect.Thing.ID] = effect.Thing
	if effect.Thing.Name != "" {
		l.names[effect.Thing.Name] = effect.Thing.ID
	}
}

func overlay(object json.RawMessage, set map[string]any) (json.RawMessage, error) {
	fields := map[string]any{}
	if err := json.Unmarshal(object, &fields); err != nil {
		return nil, err
	}
	for key, value := range set {
		fields[key] = value
	}
	return json.Marshal(fields)
}
