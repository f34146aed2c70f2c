package deploymentjson

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"

	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/state"
)

// Checkpoint is the contents of a stack's state file.
type Checkpoint struct {
	// Stack is the fully qualified name.
	Stack string
	// Config is kept as found; today's files have none.
	Config json.RawMessage
	// Snapshot is nil before the first deployment.
	Snapshot *state.Snapshot
	// Extra holds members that this version does not know.
	Extra map[string]json.RawMessage
}

// DecodeCheckpoint reads a state file of any version. Secrets are opened with what open answers; the Secrets that are
// returned remember their ciphertexts, for writing the state again.
func DecodeCheckpoint(ctx context.Context, data []byte, open Opener, opts SecretsOptions) (*Checkpoint, *Secrets, error) {
	d := newDocument(ctx, data, open, opts)
	if err := d.envelope("checkpoint", d.checkpoint); err != nil {
		return nil, nil, err
	}
	return &d.result, d.secrets, nil
}

// DecodeExport reads an exported deployment, whose secrets may be plaintext.
func DecodeExport(ctx context.Context, data []byte, open Opener, opts SecretsOptions) (*state.Snapshot, *Secrets, error) {
	d := newDocument(ctx, data, open, opts)
	d.result.Snapshot = &state.Snapshot{}
	if err := d.envelope("deployment", d.deployment); err != nil {
		return nil, nil, err
	}
	return d.result.Snapshot, d.secrets, nil
}

// document reads one file. Members may come in any order: what needs an earlier one is passed over and read later.
type document struct {
	resourceReader
	open     Opener
	options  SecretsOptions
	features []string
	result   Checkpoint
	seen     map[string]bool
}

func newDocument(ctx context.Context, data []byte, open Opener, opts SecretsOptions) *document {
	return &document{
		resourceReader: resourceReader{reader: newReader(data), ctx: ctx},
		open:           open,
		options:        opts,
		seen:           map[string]bool{},
	}
}

// later is a part of the document to be read once the parts it needs were read.
type later struct {
	at   int
	read func() error
}

// postpone passes over a value and gives back how to read it.
func (d *document) postpone(read func() error) (later, error) {
	d.peek()
	at := d.pos
	if d.peek() != '[' {
		return later{at: at, read: read}, d.skip()
	}
	// A list of resources: should it break, the message says in which one.
	return later{at: at, read: read}, d.list(func(i int) error {
		err := d.skip()
		var syntax *SyntaxError
		if errors.As(err, &syntax) {
			syntax.Resource = i
		}
		return err
	})
}

func (d *document) run(l later) error {
	if l.read == nil {
		return nil
	}
	end := d.pos
	d.pos = l.at
	err := l.read()
	if err == nil {
		d.pos = end
	}
	return err
}

// envelope reads the outermost object, whose member body holds what read reads.
func (d *document) envelope(body string, read func() error) error {
	var waiting later
	err := d.object(func(key string) (err error) {
		d.seen[key] = true
		switch key {
		case "version":
			d.version, err = d.integer()
			if err == nil && d.version > versionNewest {
				return ErrTooNew
			}
			return err
		case "features":
			d.features, err = texts[string](d.reader)
			return err
		case body:
			if d.seen["version"] && d.version > 0 {
				return read()
			}
			waiting, err = d.postpone(read)
			return err
		default:
			return d.skip()
		}
	})
	if err != nil {
		return err
	}
	if err := d.end(); err != nil {
		return err
	}
	if err := d.checkVersion(body); err != nil {
		return err
	}
	if d.version == 0 && !d.seen[body] {
		// Files from before there were versions have the checkpoint itself at the top.
		d.pos, d.version = 0, versionOldest
		return d.checkpoint()
	}
	d.version = max(d.version, versionOldest)
	if err := d.run(waiting); err != nil {
		return err
	}
	return d.openSecrets()
}

func (d *document) checkVersion(body string) error {
	if d.version < 0 || d.version < versionOldest && body == "deployment" {
		return ErrTooOld
	}
	if d.version < versionNewest {
		return nil
	}
	unknown := slices.DeleteFunc(slices.Clone(d.features), supported)
	if len(unknown) > 0 {
		return &FeatureError{Features: unknown}
	}
	return nil
}

func (d *document) integer() (int, error) {
	start := d.pos
	f, err := d.number()
	if err == nil && (f != math.Trunc(f) || math.Abs(f) > math.MaxInt32) {
		d.pos = start
		return 0, d.fail("a version must be a whole number")
	}
	return int(f), err
}

func (d *document) checkpoint() error {
	if d.skipNull() {
		return nil
	}
	return d.object(func(key string) (err error) {
		switch key {
		case "stack":
			if !d.skipNull() {
				d.result.Stack, err = d.str()
			}
		case "config":
			if !d.skipNull() {
				d.result.Config, err = d.raw()
			}
		case "latest":
			if !d.skipNull() {
				d.result.Snapshot = &state.Snapshot{}
				err = d.deployment()
			}
		default:
			err = d.keep(&d.result.Extra, key)
		}
		return err
	})
}

// keep stores a member that this version does not know. Old documents have members that no version will know again.
func (d *document) keep(extra *map[string]json.RawMessage, key string) error {
	raw, err := d.raw()
	if err != nil || d.version < versionPlain {
		return err
	}
	if *extra == nil {
		*extra = map[string]json.RawMessage{}
	}
	(*extra)[key] = raw
	return nil
}

func (d *document) deployment() error {
	if d.skipNull() {
		return nil
	}
	s := d.result.Snapshot
	var resources, pending later
	err := d.object(func(key string) (err error) {
		if d.skipNull() {
			return nil
		}
		switch key {
		case "manifest":
			return d.manifest(&s.Manifest)
		case "secrets_providers":
			s.SecretsProvider, err = d.provider()
		case "resources":
			return d.whenOpen(&resources, func() (err error) { s.Resources, err = d.resources(); return err })
		case "pending_operations":
			return d.whenOpen(&pending, func() (err error) { s.Pending, err = d.pending(); return err })
		case "metadata":
			s.Metadata, err = d.raw()
		case "snippets":
			err = d.list(func(int) error {
				raw, err := d.raw()
				s.Snippets = append(s.Snippets, raw)
				return err
			})
		case "extensions":
			s.Extensions = map[string]json.RawMessage{}
			err = d.object(func(ref string) (err error) { s.Extensions[ref], err = d.raw(); return err })
		default:
			err = d.keep(&s.Extra, key)
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := d.openSecrets(); err != nil {
		return err
	}
	if err := d.run(resources); err != nil {
		return err
	}
	return d.run(pending)
}

// whenOpen reads now if the secrets can be opened already, else later.
func (d *document) whenOpen(to *later, read func() error) (err error) {
	if d.result.Snapshot.SecretsProvider != nil {
		if err := d.openSecrets(); err != nil {
			return err
		}
		return read()
	}
	*to, err = d.postpone(read)
	return err
}

// openSecrets asks for the crypter once.
func (d *document) openSecrets() error {
	if d.secrets != nil {
		return nil
	}
	var p *state.SecretsProvider
	if s := d.result.Snapshot; s != nil {
		p = s.SecretsProvider
	}
	c, err := d.open(d.ctx, p)
	if err != nil {
		return err
	}
	d.secrets = NewSecrets(c, d.options)
	return nil
}

func (r *reader) manifest(m *state.Manifest) error {
	return r.object(func(key string) (err error) {
		if r.skipNull() {
			return nil
		}
		switch key {
		case "time":
			t, err := r.time()
			if err == nil {
				m.Time = *t
			}
			return err
		case "magic":
			m.Magic, err = r.str()
		case "version":
			m.Version, err = r.str()
		case "plugins":
			m.Plugins, err = r.raw()
		default:
			err = r.skip()
		}
		return err
	})
}

func (d *document) provider() (*state.SecretsProvider, error) {
	var p state.SecretsProvider
	err := d.object(func(key string) (err error) {
		switch {
		case key == "type" && !d.skipNull():
			p.Type, err = d.str()
		case key == "state":
			p.State, err = d.raw()
		case key != "type":
			err = d.skip()
		}
		return err
	})
	if err != nil || p.Type == "" {
		return nil, err
	}
	return &p, nil
}

func (d *document) resources() ([]*resource.State, error) {
	var out []*resource.State
	err := d.list(func(i int) error {
		r, err := d.resource(i)
		out = append(out, r)
		return err
	})
	return out, err
}

func (d *document) pending() ([]state.PendingOperation, error) {
	var out []state.PendingOperation
	err := d.list(func(i int) error {
		var op state.PendingOperation
		d.peek()
		start := d.pos
		err := d.object(func(key string) (err error) {
			switch key {
			case "resource":
				op.Resource, err = d.resource(i)
			case "type":
				op.Kind, err = textOf[resource.PendingKind](d.reader)
			default:
				err = d.skip()
			}
			return err
		})
		if err == nil && op.Resource == nil {
			d.pos = start
			err = d.fail("a pending operation must have a resource")
		}
		out = append(out, op)
		return err
	})
	return out, err
}
