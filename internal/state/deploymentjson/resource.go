package deploymentjson

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"time"

	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// DecodeResource reads one resource, as a journal holds it.
func DecodeResource(ctx context.Context, data []byte, s *Secrets) (*resource.State, error) {
	d := resourceReader{reader: newReader(data), ctx: ctx, secrets: s}
	state, err := d.resource(-1)
	if err == nil {
		err = d.end()
	}
	return state, err
}

// resourceReader reads resources of one document.
type resourceReader struct {
	*reader
	ctx     context.Context
	secrets *Secrets
	// version is the one of the document; resources of versions 1 and 2 are migrated.
	version int
}

// resource reads one resource; index is its place in its list, for messages.
func (d resourceReader) resource(index int) (*resource.State, error) {
	s := &resource.State{}
	d.peek()
	start := d.pos
	err := d.fields(s)
	if err == nil && (s.URN == "" || s.Type == "") {
		d.pos = start
		err = d.fail("a resource must have a urn and a type")
	}
	if err == nil {
		d.migrate(s)
		return s, nil
	}
	var syntax *SyntaxError
	if errors.As(err, &syntax) {
		syntax.Resource, syntax.URN = index, s.URN
	}
	return nil, err
}

// fields reads the members. Values need the URN for their secrets, so they are read last, wherever they stand.
func (d resourceReader) fields(s *resource.State) error {
	var later []func() error
	value := func(read func(v *valueReader) error) error {
		if s.URN != "" {
			return read(d.values(s))
		}
		start := d.pos
		later = append(later, func() error {
			d.pos = start
			return read(d.values(s))
		})
		return d.skip()
	}
	err := d.object(func(key string) error {
		var err error
		switch key {
		case "inputs":
			return value(func(v *valueReader) error { s.Inputs, err = v.properties(root("inputs")); return err })
		case "outputs":
			return value(func(v *valueReader) error { s.Outputs, err = v.properties(root("outputs")); return err })
		case "replacementTrigger":
			return value(func(v *valueReader) error { s.ReplacementTrigger, err = v.value(root(key)); return err })
		}
		if d.skipNull() {
			return nil
		}
		return d.field(s, key)
	})
	end := d.pos
	for _, read := range later {
		if err != nil {
			return err
		}
		err = read()
	}
	if err == nil {
		d.pos = end
	}
	return err
}

func (d resourceReader) values(s *resource.State) *valueReader {
	return &valueReader{reader: d.reader, ctx: d.ctx, secrets: d.secrets, urn: s.URN}
}

func root(key string) *at { return (*at)(nil).key(key) }

// field reads one member that is neither null nor a property value.
func (d resourceReader) field(s *resource.State, key string) (err error) {
	switch key {
	case "urn":
		s.URN, err = textOf[urn.URN](d.reader)
	case "type":
		s.Type, err = textOf[urn.Type](d.reader)
	case "id":
		s.ID, err = textOf[resource.ID](d.reader)
	case "custom":
		s.Custom, err = d.boolean()
	case "delete":
		s.Delete, err = d.boolean()
	case "external":
		s.External, err = d.boolean()
	case "taint":
		s.Taint, err = d.boolean()
	case "pendingReplacement":
		s.PendingReplacement, err = d.boolean()
	case "refreshBeforeUpdate":
		s.RefreshBeforeUpdate, err = d.boolean()
	case "initErrors":
		s.InitErrors, err = texts[string](d.reader)
	case "viewOf":
		s.ViewOf, err = textOf[urn.URN](d.reader)
	case "created":
		s.Created, err = d.time()
	case "modified":
		s.Modified, err = d.time()
	default:
		return d.option(s, key)
	}
	return err
}

// option reads the members that come from resource options, and keeps what it does not know.
func (d resourceReader) option(s *resource.State, key string) (err error) {
	switch key {
	case "parent":
		s.Parent, err = textOf[urn.URN](d.reader)
	case "provider":
		s.Provider, err = d.provider()
	case "dependencies":
		s.Dependencies, err = texts[urn.URN](d.reader)
	case "propertyDependencies":
		s.PropertyDependencies, err = textLists[urn.URN](d.reader)
	case "protect":
		s.Protect, err = d.boolean()
	case "retainOnDelete":
		s.RetainOnDelete, err = d.boolean()
	case "deletedWith":
		s.DeletedWith, err = textOf[urn.URN](d.reader)
	case "replaceWith":
		s.ReplaceWith, err = texts[urn.URN](d.reader)
	case "ignoreChanges":
		s.IgnoreChanges, err = texts[string](d.reader)
	case "replaceOnChanges":
		s.ReplaceOnChanges, err = texts[string](d.reader)
	case "hideDiff":
		s.HideDiffs, err = texts[string](d.reader)
	case "additionalSecretOutputs":
		s.AdditionalSecretOutputs, err = texts[string](d.reader)
	case "aliases":
		s.Aliases, err = texts[urn.URN](d.reader)
	case "importID":
		s.ImportID, err = d.str()
	case "customTimeouts":
		s.Timeouts, err = d.timeouts()
	case "resourceHooks":
		s.Hooks, err = textLists[string](d.reader)
	case "sourcePosition":
		s.SourcePosition, err = d.str()
	case "stackTrace":
		s.StackTrace, err = d.stackTrace()
	case "snippetID":
		s.SnippetID, err = d.str()
	case "extensionRef":
		s.ExtensionRef, err = d.str()
	default:
		if s.Extra == nil {
			s.Extra = map[string]json.RawMessage{}
		}
		s.Extra[key], err = d.raw()
	}
	return err
}

func (d resourceReader) provider() (urn.ProviderRef, error) {
	start := d.pos
	s, err := d.str()
	if err != nil {
		return urn.ProviderRef{}, err
	}
	ref, err := urn.ParseProviderRef(s)
	if err != nil {
		d.pos = start
		return ref, d.fail("%v", err)
	}
	return ref, nil
}

func (r *reader) time() (*time.Time, error) {
	start := r.pos
	s, err := r.str()
	if err != nil {
		return nil, err
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		r.pos = start
		return nil, r.fail("a time must have the form 2006-01-02T15:04:05Z")
	}
	return &t, nil
}

func (d resourceReader) timeouts() (resource.Timeouts, error) {
	var t resource.Timeouts
	err := d.object(func(key string) error {
		if d.skipNull() {
			return nil
		}
		switch key {
		case "create":
			return d.seconds(&t.Create)
		case "update":
			return d.seconds(&t.Update)
		case "delete":
			return d.seconds(&t.Delete)
		case "read":
			return d.seconds(&t.Read)
		default:
			return d.skip()
		}
	})
	return t, err
}

func (d resourceReader) seconds(to *time.Duration) error {
	start := d.pos
	f, err := d.number()
	if err != nil {
		return err
	}
	nanos := math.Round(f * float64(time.Second))
	if math.Abs(nanos) >= math.MaxInt64 {
		d.pos = start
		return d.fail("a timeout of more than %d years", int64(math.MaxInt64)/int64(time.Hour)/24/365)
	}
	*to = time.Duration(nanos)
	return nil
}

func (d resourceReader) stackTrace() ([]string, error) {
	var frames []string
	err := d.list(func(int) error {
		var position string
		err := d.object(func(key string) (err error) {
			if key != "sourcePosition" || d.skipNull() {
				return d.skipUnless(key == "sourcePosition")
			}
			position, err = d.str()
			return err
		})
		frames = append(frames, position)
		return err
	})
	return frames, err
}

// skipUnless passes over a value unless it was read already.
func (r *reader) skipUnless(read bool) error {
	if read {
		return nil
	}
	return r.skip()
}

func textOf[S ~string](r *reader) (S, error) {
	s, err := r.str()
	return S(s), err
}

func texts[S ~string](r *reader) ([]S, error) {
	out := []S{}
	if r.skipNull() {
		return out, nil
	}
	err := r.list(func(int) error {
		s, err := r.str()
		out = append(out, S(s))
		return err
	})
	return out, err
}

func textLists[S ~string](r *reader) (map[string][]S, error) {
	out := map[string][]S{}
	err := r.object(func(key string) error {
		list, err := texts[S](r)
		out[key] = list
		return err
	})
	return out, err
}

// migrate brings a resource of version 1 or 2 into today's shape.
func (d resourceReader) migrate(s *resource.State) {
	if d.version == 0 || d.version >= 3 {
		return
	}
	// What those versions did not write has no meaning in them, such as `defaults`.
	s.Extra = nil
	// They did not say which property depends on what: each may depend on all.
	if s.Inputs.Len() > 0 {
		s.PropertyDependencies = map[string][]urn.URN{}
		for key := range s.Inputs.All() {
			s.PropertyDependencies[key] = s.Dependencies
		}
	}
}
