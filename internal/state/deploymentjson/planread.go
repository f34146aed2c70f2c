package deploymentjson

import (
	"context"
	"encoding/base64"
	"errors"

	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/state/updateplan"
	"github.com/cairn-iac/cairn/internal/urn"
)

// ErrNoPlan means that a document is no update plan.
var ErrNoPlan = errors.New("it is no update plan: it has no manifest")

// DecodePlan reads an update plan that this program or the Pulumi CLI wrote. Secrets may be in plain text, as the Pulumi
// CLI writes them with --show-secrets. Members that this version does not know are passed over.
func DecodePlan(ctx context.Context, data []byte, s *Secrets) (*updateplan.Plan, error) {
	d := planReader{resourceReader{reader: newReader(data), ctx: ctx, secrets: s}}
	p := &updateplan.Plan{Resources: map[urn.URN]*updateplan.Resource{}}
	found := false
	err := d.members(func(key string) (err error) {
		switch key {
		case "manifest":
			found = true
			return d.manifest(&p.Manifest)
		case "config":
			p.Config, err = d.raw()
		case "resourcePlans":
			err = d.members(func(u string) (err error) {
				p.Resources[urn.URN(u)], err = d.plan(urn.URN(u))
				return err
			})
		default:
			err = d.skip()
		}
		return err
	})
	if err == nil {
		err = d.end()
	}
	if err == nil && !found {
		err = ErrNoPlan
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// planReader reads update plans.
type planReader struct{ resourceReader }

// members reads an object, passing over members that are null.
func (d planReader) members(field func(key string) error) error {
	return d.object(func(key string) error {
		if d.skipNull() {
			return nil
		}
		return field(key)
	})
}

func (d planReader) plan(u urn.URN) (*updateplan.Resource, error) {
	d.peek()
	start := d.pos
	r, err := &updateplan.Resource{}, error(nil)
	if _, err = urn.Parse(string(u)); err == nil {
		err = d.members(func(key string) error { return d.planned(u, r, key) })
	} else {
		d.pos = start
		err = d.fail("%v", err)
	}
	var syntax *SyntaxError
	if errors.As(err, &syntax) {
		syntax.URN = u
	}
	return r, err
}

func (d planReader) planned(u urn.URN, r *updateplan.Resource, key string) (err error) {
	switch key {
	case "goal":
		r.Goal = &updateplan.Goal{}
		err = d.members(func(key string) error { return d.goal(u, r.Goal, key) })
	case "steps":
		r.Steps, err = texts[resource.Op](d.reader)
	case "state":
		m, merr := d.of(u).properties(root("state"))
		r.Outputs, err = &m, merr
	case "seed":
		start := d.pos
		text, terr := d.str()
		if terr != nil {
			return terr
		}
		if r.Seed, err = base64.StdEncoding.DecodeString(text); err != nil {
			d.pos = start
			err = d.fail("the seed is not base64")
		}
	default:
		err = d.skip()
	}
	return err
}

func (d planReader) of(u urn.URN) *valueReader {
	return &valueReader{reader: d.reader, ctx: d.ctx, secrets: d.secrets, urn: u}
}

func (d planReader) goal(u urn.URN, g *updateplan.Goal, key string) (err error) {
	switch key {
	case "type":
		g.Type, err = textOf[urn.Type](d.reader)
	case "name":
		g.Name, err = d.str()
	case "custom":
		g.Custom, err = d.boolean()
	case "inputDiff":
		g.Inputs, err = d.diff(u, key)
	case "outputDiff":
		g.Outputs, err = d.diff(u, key)
	case "parent", "protect", "dependencies", "provider", "propertyDependencies", "ignoreChanges",
		"additionalSecretOutputs", "customTimeouts":
		s := resource.State{Options: g.Options}
		err = d.option(&s, key)
		g.Options = s.Options
	case "deleteBeforeReplace":
		b, berr := d.boolean()
		g.Options.DeleteBeforeReplace, err = &b, berr
	case "id":
		g.Options.ImportID, err = d.str()
	case "aliases":
		urns, uerr := texts[urn.URN](d.reader)
		for _, u := range urns {
			g.Aliases = append(g.Aliases, updateplan.Alias{URN: u})
		}
		err = uerr
	case "structuredAliases":
		err = d.list(func(int) error {
			a, err := d.alias()
			g.Aliases = append(g.Aliases, a)
			return err
		})
	default:
		err = d.skip()
	}
	return err
}

func (d planReader) diff(u urn.URN, where string) (updateplan.Diff, error) {
	var out updateplan.Diff
	err := d.members(func(key string) (err error) {
		switch key {
		case "adds":
			out.Adds, err = d.of(u).properties(root(where).key(key))
		case "updates":
			out.Updates, err = d.of(u).properties(root(where).key(key))
		case "deletes":
			out.Deletes, err = texts[string](d.reader)
		default:
			err = d.skip()
		}
		return err
	})
	return out, err
}

func (d planReader) alias() (updateplan.Alias, error) {
	var a updateplan.Alias
	err := d.members(func(key string) (err error) {
		switch key {
		case "URN":
			a.URN, err = textOf[urn.URN](d.reader)
		case "Parent":
			a.Parent, err = textOf[urn.URN](d.reader)
		case "Name":
			a.Name, err = d.str()
		case "Type":
			a.Type, err = d.str()
		case "Project":
			a.Project, err = d.str()
		case "Stack":
			a.Stack, err = d.str()
		case "NoParent":
			a.NoParent, err = d.boolean()
		default:
			err = d.skip()
		}
		return err
	})
	return a, err
}
