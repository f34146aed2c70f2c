package deploymentjson

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/cairn-iac/cairn/internal/state"
)

// EncodeCheckpoint writes a state file: compact, without a line break at the end.
func EncodeCheckpoint(ctx context.Context, w io.Writer, c *Checkpoint, s *Secrets) error {
	e := newEncoder(w, resourceWriter{ctx: ctx, secrets: s})
	f := e.begin(c.Snapshot)
	f.key("checkpoint")
	inner := openFields(f.dst)
	inner.key("stack")
	inner.dst = appendString(inner.dst, c.Stack)
	inner.raw("config", c.Config)
	if c.Snapshot != nil {
		inner.key("latest")
		if err := e.deployment(inner, c.Snapshot); err != nil {
			return err
		}
	}
	inner.extra(c.Extra)
	f.dst = inner.close()
	return e.end(f)
}

// ExportOptions tune EncodeExport.
type ExportOptions struct {
	// ShowSecrets writes secrets as plaintext.
	ShowSecrets bool
	// Compact leaves out the indentation.
	Compact bool
}

// EncodeExport writes an exported deployment, as text for people unless it is to be compact.
func EncodeExport(ctx context.Context, w io.Writer, snap *state.Snapshot, s *Secrets, opts ExportOptions) error {
	var text bytes.Buffer
	e := newEncoder(&text, resourceWriter{ctx: ctx, secrets: s, show: opts.ShowSecrets})
	f := e.begin(snap)
	f.key("deployment")
	if snap == nil {
		snap = &state.Snapshot{}
	}
	if err := e.deployment(f, snap); err != nil {
		return err
	}
	if err := e.end(f); err != nil {
		return err
	}
	if !opts.Compact {
		var indented bytes.Buffer
		if err := json.Indent(&indented, text.Bytes(), "", "    "); err != nil {
			return fmt.Errorf("indent the deployment: %w", err)
		}
		text = indented
		text.WriteByte('\n')
	}
	_, err := w.Write(text.Bytes())
	return err
}

// encoder writes a document piece by piece.
type encoder struct {
	resourceWriter
	out io.Writer
}

// flushAt is how much text is gathered before it is written.
const flushAt = 64 << 10

func newEncoder(w io.Writer, r resourceWriter) *encoder {
	return &encoder{resourceWriter: r, out: w}
}

func (e *encoder) begin(snap *state.Snapshot) *fields {
	features := featuresOf(snap)
	f := openFields(nil)
	f.key("version")
	if len(features) == 0 {
		f.dst = fmt.Append(f.dst, versionPlain)
	} else {
		f.dst = fmt.Append(f.dst, versionNewest)
		stringList(f, "features", features)
	}
	return f
}

func (e *encoder) end(f *fields) error {
	_, err := e.out.Write(f.close())
	return err
}

// flush writes what f has gathered, if that is much.
func (e *encoder) flush(f *fields) error {
	if len(f.dst) < flushAt {
		return nil
	}
	_, err := e.out.Write(f.dst)
	f.dst = f.dst[:0]
	return err
}

// deployment writes the value of the member that was begun in outer.
func (e *encoder) deployment(outer *fields, s *state.Snapshot) error {
	f := openFields(outer.dst)
	f.key("manifest")
	f.dst = appendManifest(f.dst, s.Manifest)
	if p := s.SecretsProvider; p != nil {
		f.key("secrets_providers")
		inner := openFields(f.dst)
		inner.key("type")
		inner.dst = appendString(inner.dst, p.Type)
		if err := inner.foreign("state", p.State); err != nil {
			return err
		}
		f.dst = inner.close()
	}
	if err := e.resources(f, s); err != nil {
		return err
	}
	if err := e.pending(f, s); err != nil {
		return err
	}
	if err := foreignParts(f, s); err != nil {
		return err
	}
	outer.dst = f.close()
	return nil
}

func (e *encoder) resources(f *fields, s *state.Snapshot) error {
	for i, r := range s.Resources {
		if i == 0 {
			f.key("resources")
		}
		f.dst = append(f.dst, "[,"[min(i, 1)])
		dst, err := e.resource(f.dst, r)
		if err != nil {
			return err
		}
		f.dst = dst
		if err := e.flush(f); err != nil {
			return err
		}
	}
	if len(s.Resources) > 0 {
		f.dst = append(f.dst, ']')
	}
	return nil
}

func (e *encoder) pending(f *fields, s *state.Snapshot) error {
	for i, p := range s.Pending {
		if i == 0 {
			f.key("pending_operations")
		}
		f.dst = append(f.dst, "[,"[min(i, 1)])
		op := openFields(f.dst)
		op.key("resource")
		dst, err := e.resource(op.dst, p.Resource)
		if err != nil {
			return err
		}
		op.dst = dst
		op.key("type")
		op.dst = appendString(op.dst, string(p.Kind))
		f.dst = op.close()
	}
	if len(s.Pending) > 0 {
		f.dst = append(f.dst, ']')
	}
	return nil
}

func appendManifest(dst []byte, m state.Manifest) []byte {
	f := openFields(dst)
	f.key("time")
	f.dst = appendString(f.dst, m.Time.Format(time.RFC3339Nano))
	f.key("magic")
	f.dst = appendString(f.dst, m.Magic)
	f.key("version")
	f.dst = appendString(f.dst, m.Version)
	f.raw("plugins", m.Plugins)
	return f.close()
}

// foreignParts writes what is kept as it was found.
func foreignParts(f *fields, s *state.Snapshot) error {
	metadata := s.Metadata
	if len(metadata) == 0 {
		metadata = json.RawMessage("{}")
	}
	if err := f.foreign("metadata", metadata); err != nil {
		return err
	}
	for i, snippet := range s.Snippets {
		if i == 0 {
			f.key("snippets")
		}
		f.dst = append(f.dst, "[,"[min(i, 1)])
		text, err := compact(snippet)
		if err != nil {
			return fmt.Errorf("snippet %d: %w", i, err)
		}
		f.dst = append(f.dst, text...)
	}
	if len(s.Snippets) > 0 {
		f.dst = append(f.dst, ']')
	}
	if len(s.Extensions) > 0 {
		f.key("extensions")
		inner := openFields(f.dst)
		for _, ref := range slices.Sorted(maps.Keys(s.Extensions)) {
			if err := inner.foreign(ref, s.Extensions[ref]); err != nil {
				return err
			}
		}
		f.dst = inner.close()
	}
	f.extra(s.Extra)
	return nil
}

// foreign writes JSON that somebody else made, in one line.
func (f *fields) foreign(k string, v json.RawMessage) error {
	text, err := compact(v)
	if err != nil {
		return fmt.Errorf("%s: %w", k, err)
	}
	f.raw(k, text)
	return nil
}
