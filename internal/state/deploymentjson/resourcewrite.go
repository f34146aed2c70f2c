package deploymentjson

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
)

// AppendResource writes one resource with its secrets encrypted, as a journal holds it.
func AppendResource(ctx context.Context, dst []byte, r *resource.State, s *Secrets) ([]byte, error) {
	return resourceWriter{ctx: ctx, secrets: s}.resource(dst, r)
}

// resourceWriter writes resources of one document.
type resourceWriter struct {
	ctx     context.Context
	secrets *Secrets
	show    bool
}

// resource writes the members in the order of the Pulumi CLI, then what this version does not know.
func (w resourceWriter) resource(dst []byte, r *resource.State) ([]byte, error) {
	f := openFields(dst)
	f.key("urn")
	f.dst = appendString(f.dst, string(r.URN))
	f.key("custom")
	f.dst = fmt.Append(f.dst, r.Custom)
	f.flag("delete", r.Delete)
	f.str("id", string(r.ID))
	f.key("type")
	f.dst = appendString(f.dst, string(r.Type))
	if err := w.properties(f, r, "inputs", r.Inputs); err != nil {
		return nil, err
	}
	if err := w.properties(f, r, "outputs", r.Outputs); err != nil {
		return nil, err
	}
	f.str("parent", string(r.Parent))
	f.flag("protect", r.Protect)
	f.flag("taint", r.Taint)
	f.flag("external", r.External)
	stringList(f, "dependencies", r.Dependencies)
	stringList(f, "initErrors", r.InitErrors)
	f.str("provider", r.Provider.String())
	stringLists(f, "propertyDependencies", r.PropertyDependencies)
	f.flag("pendingReplacement", r.PendingReplacement)
	stringList(f, "additionalSecretOutputs", r.AdditionalSecretOutputs)
	stringList(f, "aliases", r.Aliases)
	timeouts(f, r.Timeouts)
	f.str("importID", r.ImportID)
	f.flag("retainOnDelete", r.RetainOnDelete)
	f.str("deletedWith", string(r.DeletedWith))
	stringList(f, "replaceWith", r.ReplaceWith)
	timestamp(f, "created", r.Created)
	timestamp(f, "modified", r.Modified)
	f.str("sourcePosition", r.SourcePosition)
	stackTrace(f, r.StackTrace)
	stringList(f, "ignoreChanges", r.IgnoreChanges)
	stringList(f, "hideDiff", r.HideDiffs)
	stringList(f, "replaceOnChanges", r.ReplaceOnChanges)
	if !r.ReplacementTrigger.IsNull() || r.ReplacementTrigger.Secret() {
		err := w.values(r).member(f, "replacementTrigger", r.ReplacementTrigger, root("replacementTrigger"))
		if err != nil {
			return nil, err
		}
	}
	f.flag("refreshBeforeUpdate", r.RefreshBeforeUpdate)
	f.str("viewOf", string(r.ViewOf))
	stringLists(f, "resourceHooks", r.Hooks)
	f.str("extensionRef", r.ExtensionRef)
	f.str("snippetID", r.SnippetID)
	f.extra(r.Extra)
	return f.close(), nil
}

func (w resourceWriter) values(r *resource.State) valueWriter {
	return valueWriter{ctx: w.ctx, secrets: w.secrets, urn: r.URN, show: w.show}
}

func (w resourceWriter) properties(f *fields, r *resource.State, key string, m property.Map) error {
	if m.Len() == 0 {
		return nil
	}
	f.key(key)
	dst, err := w.values(r).properties(f.dst, m, root(key))
	if err != nil {
		return err
	}
	f.dst = dst
	return nil
}

// stringLists writes lists by key; empty ones are kept: a property without dependencies says so.
func stringLists[S ~string](f *fields, key string, lists map[string][]S) {
	if len(lists) == 0 {
		return
	}
	f.key(key)
	inner := openFields(f.dst)
	for _, k := range slices.Sorted(maps.Keys(lists)) {
		inner.key(k)
		inner.dst = appendStrings(inner.dst, lists[k])
	}
	f.dst = inner.close()
}

func timeouts(f *fields, t resource.Timeouts) {
	if t.IsZero() {
		return
	}
	f.key("customTimeouts")
	inner := openFields(f.dst)
	seconds := func(key string, d time.Duration) {
		if d != 0 {
			inner.key(key)
			inner.dst = appendNumber(inner.dst, d.Seconds())
		}
	}
	seconds("create", t.Create)
	seconds("update", t.Update)
	seconds("delete", t.Delete)
	seconds("read", t.Read)
	f.dst = inner.close()
}

func timestamp(f *fields, key string, t *time.Time) {
	if t != nil {
		f.str(key, t.Format(time.RFC3339Nano))
	}
}

func stackTrace(f *fields, frames []string) {
	if len(frames) == 0 {
		return
	}
	f.key("stackTrace")
	f.dst = append(f.dst, '[')
	for i, position := range frames {
		if i > 0 {
			f.dst = append(f.dst, ',')
		}
		frame := openFields(f.dst)
		frame.str("sourcePosition", position)
		f.dst = frame.close()
	}
	f.dst = append(f.dst, ']')
}
