package display

import (
	"strings"

	"github.com/cairn-iac/cairn/internal/display/difftext"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
)

// outputsAt says where and when outputs are shown.
type outputsAt struct {
	indent int
	// refresh is true for outputs that a refresh found.
	refresh bool
}

// outputsText is what is new about the outputs of a step's resource: those that differ from what they were before and
// from its inputs. The root's are always of interest, and shown in full after an update.
func (o Options) outputsText(s event.Step, at outputsAt) string {
	if o.Phase.Preview && !isRoot(s.URN) && !at.refresh && !outputsKnownInPreview(s.Op) {
		return ""
	}
	if s.Old != nil && len(s.Old.InitErrors) > 0 {
		return ""
	}
	// What the stack is to give out is worth telling from what it gives already, secret or not.
	rules, manner := o.rules(s), o.manner()
	rules.ShowUnknown, manner.ShowUnknown = isRoot(s.URN), isRoot(s.URN)
	var b strings.Builder
	w := outputsWriter{
		printer: difftext.NewPrinter(&b, manner, at.indent, s.Op),
		inputs:  inputs(s.New), outputs: outputs(s.New),
		rules: rules, compareInputs: !at.refresh,
		sames: o.Show.Sames || isRoot(s.URN) && !o.Phase.Preview,
	}
	if s.Old == nil {
		w.all()
		return b.String()
	}
	fields, hidden := difftext.Compare(s.Old.Outputs, w.outputs, w.rules)
	switch {
	case fields != nil || len(hidden) > 0:
		if o.Phase.Preview && isRoot(s.URN) {
			dropUnknown(fields)
		}
		w.printer.Hidden(hidden)
		w.changes(fields)
	case w.sames:
		w.all()
	}
	return b.String()
}

// outputsKnownInPreview says whether an operation reads the real resource even in a preview.
func outputsKnownInPreview(op resource.Op) bool {
	switch op {
	case resource.OpRead, resource.OpReadReplacement, resource.OpImport, resource.OpImportReplacement:
		return true
	default:
		return false
	}
}

type outputsWriter struct {
	printer         difftext.Printer
	inputs, outputs property.Map
	rules           difftext.Rules
	// compareInputs leaves out outputs that only repeat an input; sames shows those that did not change.
	compareInputs, sames bool
}

func (w outputsWriter) all() {
	width := difftext.Widest(w.outputs.Keys())
	for k, v := range w.outputs.All() {
		if !difftext.IsInternal(k) && difftext.Worth(v) && !w.repeatsInput(k) {
			w.printer.Property(k, v, width)
		}
	}
}

func (w outputsWriter) changes(fields difftext.Fields) {
	width := difftext.Widest(fields.Keys())
	for _, k := range fields.Keys() {
		if !w.repeatsInput(k) && (w.sames || fields.Changed(k)) {
			w.printer.Marked(true).Change(k, fields[k], width)
		}
	}
}

func (w outputsWriter) repeatsInput(key string) bool {
	in, has := w.inputs.Lookup(key)
	return w.compareInputs && has && difftext.Alike(key, w.outputs.Get(key), in, w.rules)
}

// resourceMark is a key that older SDKs put into outputs that are resources.
const resourceMark = "@isPulumiResource"

// dropUnknown takes changes out of the outputs of a preview that only say that a value is not known yet.
func dropUnknown(fields difftext.Fields) {
	whole := fields[resourceMark].Kind == difftext.Added
	if whole {
		delete(fields, resourceMark)
	}
	for k, c := range fields {
		switch {
		case c.Kind == difftext.Added && whole && c.New.IsUnknown():
			delete(fields, k)
		case c.Kind == difftext.Added:
			c.New = withoutMark(c.New)
			fields[k] = c
		case c.Kind == difftext.Updated && c.New.IsUnknown():
			delete(fields, k)
		case c.Kind == difftext.Updated:
			dropUnknownWithin(c)
			if !c.Fields.AnyChanged() && c.Old.EqualPlain(c.New) {
				delete(fields, k)
			}
		}
	}
}

func dropUnknownWithin(c difftext.Change) {
	if c.Fields != nil {
		dropUnknown(c.Fields)
	}
	for i, item := range c.Items {
		switch item.Kind {
		case difftext.Added:
			item.New = withoutMark(item.New)
			c.Items[i] = item
		case difftext.Updated:
			dropUnknownWithin(item)
		case difftext.Same, difftext.Deleted:
		}
	}
}

func withoutMark(v property.Value) property.Value {
	return v.Transform(func(e property.Value) property.Value {
		m, ok := e.AsMap()
		if !ok || !m.Has(resourceMark) {
			return e
		}
		return property.FromMap(m.Without(resourceMark)).WithSecret(e.Secret())
	})
}
