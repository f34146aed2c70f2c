package display

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-iac/cairn/internal/display/difftext"
	"github.com/cairn-iac/cairn/internal/display/palette"
	"github.com/cairn-iac/cairn/internal/display/verb"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
)

// info is what differs, and then the last message while the run goes on, or how many there were. It is one line.
// last gives the first line of a message.
func (b *board) info(r *row, last func(event.Diagnostic) palette.Text) palette.Text {
	var parts []palette.Text
	if changes := b.opts.changedKeys(infoStep(r)); changes != nil {
		changes = append(palette.Text{{Text: "["}}, changes...)
		parts = append(parts, append(changes, palette.Span{Text: "]"}))
	}
	if b.over {
		parts = append(parts, r.messages.counts()...)
	} else if r.messages.last != nil {
		if text := last(*r.messages.last); text != nil {
			parts = append(parts, text)
		}
	}
	return palette.JoinText("; ", parts...)
}

// infoStep is the step that says most about what differs: for the steps of a replacement the replacement itself.
func infoStep(r *row) event.Step {
	step := r.step
	for _, s := range r.ended {
		switch r.step.Op {
		case resource.OpCreateReplacement, resource.OpDeleteReplaced:
			if s.Op == resource.OpReplace {
				step = s
			}
		case resource.OpImport, resource.OpImportReplacement:
			if s.Op == r.step.Op {
				step = s
			}
		default:
		}
	}
	return step
}

// counts says how many messages there are of each kind.
func (m *messages) counts() []palette.Text {
	var parts []palette.Text
	count := func(n int, word string, s palette.Style) {
		if n == 0 {
			return
		}
		if n > 1 {
			word += "s"
		}
		parts = append(parts, palette.Text{{Text: fmt.Sprintf("%d ", n)}, {Style: s, Text: word}})
	}
	count(m.errors, "error", palette.Error)
	count(m.warnings, "warning", palette.Warning)
	count(m.infos, "message", palette.Info)
	count(m.debugs, "debug", palette.Plain)
	return parts
}

// changedKeys lists the top-level properties that differ: "diff: +added-deleted~updated".
func (o Options) changedKeys(s event.Step) palette.Text {
	if s.Old == nil || s.New == nil {
		return nil
	}
	var fields difftext.Fields
	switch {
	case s.Op == resource.OpSame:
		// What is recorded about it may differ, but the resource does not.
	case s.DetailedDiff != nil:
		fields, _ = o.detailed(s, false)
	default:
		rules := o.rules(s)
		rules.Hidden = nil
		fields, _ = difftext.Compare(s.Old.Inputs, s.New.Inputs, rules)
	}
	fields = withMetadata(fields, s)
	if fields == nil {
		return nil
	}
	text := palette.Styled(palette.Plain, "diff: ")
	for _, list := range []struct {
		kind difftext.Kind
		op   resource.Op
	}{{difftext.Added, resource.OpCreate}, {difftext.Deleted, resource.OpDelete}, {difftext.Updated, resource.OpUpdate}} {
		keys := fields.OfKind(list.kind)
		if len(s.Diffs) > 0 {
			keys = slices.DeleteFunc(keys, func(k string) bool { return !slices.Contains(s.Diffs, k) })
		}
		if len(keys) > 0 {
			v := verb.Of(list.op)
			for i, k := range keys {
				keys[i] = palette.Escape(k)
			}
			text = append(text, palette.Span{Style: v.Style, Text: strings.TrimSpace(v.Mark) + strings.Join(keys, ",")})
		}
	}
	return text
}

// withMetadata adds changes of provider, protection and taint, which no property shows.
func withMetadata(fields difftext.Fields, s event.Step) difftext.Fields {
	mark := func(name string, differs bool) {
		if !differs {
			return
		}
		if fields == nil {
			fields = difftext.Fields{}
		}
		fields[name] = difftext.Change{Kind: difftext.Updated, Old: property.Null(), New: property.Null()}
	}
	mark("provider", s.Old.Provider != s.New.Provider)
	mark("protect", s.Old.Protect != s.New.Protect)
	mark("taint", s.Old.Taint != s.New.Taint)
	return fields
}
