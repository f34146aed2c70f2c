package deploymentjson

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/state/updateplan"
)

// EncodePlan writes an update plan as `pulumi preview --save-plan` of the Pulumi CLI does: secrets encrypted, indented by
// four spaces, members in the order of its DeploymentPlanV1.
func EncodePlan(ctx context.Context, w io.Writer, p *updateplan.Plan, s *Secrets) error {
	f := openFields(nil)
	f.key("manifest")
	f.dst = appendManifest(f.dst, p.Manifest)
	if len(p.Config) > 0 && string(p.Config) != "{}" {
		f.raw("config", p.Config)
	}
	if len(p.Resources) > 0 {
		f.key("resourcePlans")
		inner := openFields(f.dst)
		for _, u := range slices.Sorted(maps.Keys(p.Resources)) {
			inner.key(string(u))
			pw := planWriter{valueWriter{ctx: ctx, secrets: s, urn: u}}
			dst, err := pw.resource(inner.dst, p.Resources[u])
			if err != nil {
				return err
			}
			inner.dst = dst
		}
		f.dst = inner.close()
	}
	var text bytes.Buffer
	if err := json.Indent(&text, f.close(), "", "    "); err != nil {
		return fmt.Errorf("indent the plan: %w", err)
	}
	text.WriteByte('\n')
	_, err := w.Write(text.Bytes())
	return err
}

// planWriter writes what is planned for one resource.
type planWriter struct{ valueWriter }

func (w planWriter) resource(dst []byte, r *updateplan.Resource) ([]byte, error) {
	f := openFields(dst)
	if r.Goal != nil {
		f.key("goal")
		dst, err := w.goal(f.dst, r.Goal)
		if err != nil {
			return nil, err
		}
		f.dst = dst
	}
	stringList(f, "steps", r.Steps)
	f.key("state")
	if r.Outputs == nil {
		f.dst = append(f.dst, "null"...)
	} else if err := w.into(f, *r.Outputs, root("state")); err != nil {
		return nil, err
	}
	if len(r.Seed) > 0 {
		f.str("seed", base64.StdEncoding.EncodeToString(r.Seed))
	}
	return f.close(), nil
}

// into appends properties as the value of the member that was begun.
func (w planWriter) into(f *fields, m property.Map, here *at) error {
	dst, err := w.properties(f.dst, m, here)
	if err == nil {
		f.dst = dst
	}
	return err
}

func (w planWriter) goal(dst []byte, g *updateplan.Goal) ([]byte, error) {
	f := openFields(dst)
	f.key("type")
	f.dst = appendString(f.dst, string(g.Type))
	f.key("name")
	f.dst = appendString(f.dst, g.Name)
	f.key("custom")
	f.dst = fmt.Append(f.dst, g.Custom)
	for _, d := range []struct {
		key  string
		diff updateplan.Diff
	}{{"inputDiff", g.Inputs}, {"outputDiff", g.Outputs}} {
		f.key(d.key)
		if err := w.diff(f, d.diff, root(d.key)); err != nil {
			return nil, err
		}
	}
	o := g.Options
	f.str("parent", string(o.Parent))
	f.key("protect")
	f.dst = fmt.Append(f.dst, o.Protect)
	stringList(f, "dependencies", o.Dependencies)
	f.str("provider", o.Provider.String())
	stringLists(f, "propertyDependencies", o.PropertyDependencies)
	if o.DeleteBeforeReplace != nil {
		f.key("deleteBeforeReplace")
		f.dst = fmt.Append(f.dst, *o.DeleteBeforeReplace)
	}
	stringList(f, "ignoreChanges", o.IgnoreChanges)
	stringList(f, "additionalSecretOutputs", o.AdditionalSecretOutputs)
	aliases(f, g.Aliases)
	f.str("id", o.ImportID)
	if o.Timeouts.IsZero() {
		f.key("customTimeouts")
		f.dst = append(f.dst, "{}"...)
	}
	timeouts(f, o.Timeouts)
	return f.close(), nil
}

// diff writes the value of the member that was begun; what is empty is left out.
func (w planWriter) diff(outer *fields, d updateplan.Diff, here *at) error {
	f := openFields(outer.dst)
	if d.Adds.Len() > 0 {
		f.key("adds")
		if err := w.into(f, d.Adds, here.key("adds")); err != nil {
			return err
		}
	}
	stringList(f, "deletes", d.Deletes)
	if d.Updates.Len() > 0 {
		f.key("updates")
		if err := w.into(f, d.Updates, here.key("updates")); err != nil {
			return err
		}
	}
	outer.dst = f.close()
	return nil
}

// aliases writes every member of each one: their keys have no other form in plans of the Pulumi CLI.
func aliases(f *fields, list []updateplan.Alias) {
	if len(list) == 0 {
		return
	}
	f.key("structuredAliases")
	f.dst = append(f.dst, '[')
	for i, a := range list {
		if i > 0 {
			f.dst = append(f.dst, ',')
		}
		inner := openFields(f.dst)
		for _, member := range [][2]string{
			{"URN", string(a.URN)}, {"Name", a.Name}, {"Type", a.Type}, {"Project", a.Project}, {"Stack", a.Stack},
			{"Parent", string(a.Parent)},
		} {
			inner.key(member[0])
			inner.dst = appendString(inner.dst, member[1])
		}
		inner.key("NoParent")
		inner.dst = fmt.Append(inner.dst, a.NoParent)
		f.dst = inner.close()
	}
	f.dst = append(f.dst, ']')
}
