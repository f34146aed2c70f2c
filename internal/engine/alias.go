package engine

import (
	"cmp"
	"errors"
	"strings"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/exec"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// rename lets a resource that is recorded under an alias go on under its new URN: state and every reference to it are
// rewritten in one record, before anything is planned. What follows then sees an ordinary recorded resource. Aliases are
// not kept: the next run finds the resource under its own URN.
func (d *deployment) rename(e *entry, r Registration) error {
	if len(r.AliasSpecs) == 0 && len(r.Options.Aliases) == 0 && !d.parentRenamed(e.goal.Parent) {
		return nil
	}
	for {
		var problem error
		var wait chan struct{}
		err := d.ledger.rewrite(d.ctx, "record the new URN "+string(e.goal.URN), func() []exec.Change {
			var old *resource.State
			if old, problem = d.formerState(e, r); old == nil || problem != nil {
				return nil
			}
			if wait = d.deleting[old.URN]; wait != nil {
				return nil
			}
			d.takeOver(e, old.URN)
			return d.renaming(old, e.goal)
		})
		if wait == nil {
			return errors.Join(problem, err)
		}
		<-wait // it is being deleted for a replacement
	}
}

func (d *deployment) parentRenamed(parent urn.URN) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	p := d.entries[parent]
	return p != nil && p.formerly != ""
}

// formerState is what is recorded under an alias of e, nil when nothing is. Called with the lock held.
func (d *deployment) formerState(e *entry, r Registration) (*resource.State, error) {
	if d.record.live[e.goal.URN] != nil {
		return nil, nil
	}
	for _, alias := range d.aliases(e.goal, r) {
		old := d.record.live[alias.urn]
		if old == nil || alias.urn == e.goal.URN || !d.isChildOf(old, alias.parent) {
			continue
		}
		if d.entries[alias.urn] != nil {
			return nil, diag.Errorf(e.goal.URN, "Duplicate resource URN '%s' conflicting with alias on resource with URN '%s'",
				alias.urn, e.goal.URN)
		}
		return old, nil
	}
	return nil, nil
}

// takeOver makes what is known of a URN in this run known of the one that the resource has now. Called with the lock
// held.
func (d *deployment) takeOver(e *entry, alias urn.URN) {
	now := e.goal.URN
	e.formerly = alias
	d.renamed[alias] = now
	for _, table := range []map[urn.URN]bool{d.deleted, d.replaced, d.gone} {
		if table[alias] {
			table[now] = true
		}
	}
}

// renaming is the record of a rename: the resource itself, and everything that refers to it. Called with the lock held.
func (d *deployment) renaming(old *resource.State, g resource.Goal) []exec.Change {
	now := old.Clone()
	now.URN, now.Type = g.URN, g.Type
	now = now.RewriteReferences(func(e resource.Edge) urn.URN {
		if e.Kind == resource.EdgeParent && d.record.live[g.Parent] != nil {
			return g.Parent
		}
		return e.To
	})
	changes := []exec.Change{{Old: old, New: now}}
	for s := range d.record.users[old.URN] {
		if s == old {
			continue
		}
		next := s.RewriteReferences(func(e resource.Edge) urn.URN {
			if e.To == old.URN && (e.Kind != resource.EdgeProvider || e.ProviderID == string(old.ID)) {
				return g.URN
			}
			return e.To
		})
		if next != s {
			changes = append(changes, exec.Change{Old: s, New: next})
		}
	}
	return changes
}

// alias is a former URN. A parent that the alias named tells children of several components of one type apart: their
// URNs have the parent's type only.
type alias struct {
	urn, parent urn.URN
}

// isChildOf says whether parent, if any is asked for, is the recorded parent of s. Called with the lock held.
func (d *deployment) isChildOf(s *resource.State, parent urn.URN) bool {
	return parent == "" || s.Parent == parent || s.Parent == d.renamed[parent]
}

// aliases are the former URNs that a registration names or inherits, in the order they are tried.
func (d *deployment) aliases(g resource.Goal, r Registration) []alias {
	var own []alias
	for _, u := range r.Options.Aliases {
		own = append(own, alias{urn: u})
	}
	for _, spec := range r.AliasSpecs {
		own = append(own, alias{d.resolveAlias(g, spec), spec.ParentURN})
	}
	parent := d.entries[g.Parent]
	if parent == nil || parent.formerly == "" {
		return own
	}
	var inherited []alias
	for _, a := range append([]alias{{urn: g.URN}}, own...) {
		inherited = append(inherited, alias{urn: underFormerParent(a.urn, g.Parent, parent.formerly)})
	}
	return append(own, inherited...)
}

// resolveAlias fills in what a former identity has in common with the present one.
func (d *deployment) resolveAlias(g resource.Goal, spec AliasSpec) urn.URN {
	parent := g.Parent
	switch {
	case spec.NoParent:
		parent = ""
	case spec.ParentURN != "":
		parent = spec.ParentURN
	}
	return urn.New(cmp.Or(spec.Stack, d.op.Stack.Name), cmp.Or(spec.Project, d.op.Stack.Project),
		parent.QualifiedType(), urn.Type(cmp.Or(spec.Type, string(g.Type))), cmp.Or(spec.Name, g.Name))
}

// underFormerParent is what u was called while its parent had another URN: the parent's type is part of its own, and a
// name that starts with the parent's usually does so because the program derives one from the other.
func underFormerParent(u, parent, formerly urn.URN) urn.URN {
	name := u.Name()
	if rest, ok := strings.CutPrefix(name, parent.Name()); ok {
		name = formerly.Name() + rest
	}
	return urn.New(formerly.Stack(), formerly.Project(), formerly.QualifiedType(), u.Type(), name)
}
