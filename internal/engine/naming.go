package engine

import (
	"fmt"
	"slices"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/plan"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// readNaming takes the naming rules of an update from the stack's configuration.
func (d *deployment) readNaming() error {
	s := d.op.Stack
	text, has := s.Config[plan.AutonamingKey]
	if !has || d.op.Kind != Update {
		return nil
	}
	var err error
	d.naming, err = plan.ParseNaming(text, plan.NamingScope{
		Organization: s.Organization, Project: s.Project, Stack: s.Name, Config: s.Config,
		Secret: func(key string) bool { return slices.Contains(s.SecretKeys, key) },
	})
	if err != nil {
		return d.report(fmt.Errorf("the stack's naming rules: %w", err))
	}
	return nil
}

// nameFor is what the rules say of the name of a resource, nil if nothing.
func (d *deployment) nameFor(u urn.URN, seed []byte) *plugin.Autonaming {
	if named := d.naming.For(u, seed); named != nil {
		return &named.Autonaming
	}
	return nil
}

// fixesName says whether a replacement would get the name of the resource that it replaces, by the rules.
func (d *deployment) fixesName(g resource.Goal) bool {
	if !g.Custom || g.Type.IsProvider() {
		return false
	}
	named := d.naming.For(g.URN, nil)
	return named != nil && named.Fixed
}

// tellNameless warns that rules made for a resource have no effect.
func (d *deployment) tellNameless(u urn.URN) {
	if named := d.naming.For(u, nil); named != nil && named.Expected {
		d.emit.diagnostic(event.Diagnostic{
			Severity: diag.Warning, URN: u,
			Message: fmt.Sprintf("%s resource has a custom autonaming setting but the provider does not support autonaming "+
				"configuration, consider upgrading to a newer version", u),
		})
	}
}
