package engine

import (
	"errors"
	"fmt"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/plan"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// planned is what was decided about a registration.
type planned struct {
	plan.Outcome
	// old is the recorded state that it was decided on, nil for none.
	old *resource.State
	// leftOut resources take no part in the run.
	leftOut bool
}

// planSteps asks plan.Next until it has steps, fetching each answer it needs.
func (d *deployment) planSteps(g resource.Goal) (planned, error) {
	f := d.facts(g)
	if !f.LeftOut {
		if left := d.leftOutDependency(g); left != "" {
			return planned{}, needsTarget(g.URN, left)
		}
		if around := d.circular(g); around != "" {
			return planned{}, diag.Errorf(g.URN, "Resource '%s' depends on '%s' now, which used to be the other way round and still is "+
				"recorded so; make both of them targets", g.URN, around)
		}
	}
	for {
		out := planned{Outcome: plan.Next(f), old: f.Old, leftOut: f.LeftOut}
		if out.Need == plan.NeedNothing || out.Notes.HasErrors() {
			for _, n := range out.Notes {
				d.emit.diag(n)
			}
			if !out.Notes.HasErrors() {
				return out, nil
			}
			if len(out.Steps) == 0 {
				return planned{}, errors.Join(ErrReported, d.fail(out.Notes))
			}
			d.noteFailure(out.Notes)
			d.failedStep()
			return out, nil
		}
		if err := d.answerNeed(&f, out.Outcome); err != nil {
			return planned{}, err
		}
	}
}

// needsTarget tells that a resource cannot do without one that targets leave out.
func needsTarget(u, left urn.URN) error {
	return diag.Errorf(u, "Resource '%s' depends on '%s' which was not specified in --target list; add it to the targets, or "+
		"remove it from the excludes, or pass --exclude-dependents.", u, left)
}

func (d *deployment) facts(g resource.Goal) plan.Facts {
	leftOut := d.leavesOut(g) || d.standsStill(g)
	d.mu.Lock()
	defer d.mu.Unlock()
	f := plan.Facts{
		Goal: g, Old: d.record.live[g.URN], Preview: d.op.Preview,
		LeftOut:      leftOut,
		ReplaceAsked: d.targets.replace.Contains(g.URN),
		Recreating:   d.deleted[g.URN],
		Imported:     d.imported[g.URN],

		IgnoreProtect: d.op.Options.IgnoreProtect,
	}
	if d.op.Kind != Update {
		f.Goal.DeleteBeforeReplace = new(false) // not for the sake of a provider that is replaced
	}
	if d.fixesName(g) {
		f.Goal.DeleteBeforeReplace = new(true)
	}
	if g.DeletedWith != "" && (d.replaced[g.DeletedWith] || f.Old != nil && len(d.oldOwners(f.Old, g.DeletedWith)) > 0) {
		f.ReplacedWith, f.ReplacedWithKey = g.DeletedWith, "deletedWith"
	}
	for _, u := range g.ReplaceWith {
		if d.replaced[u] {
			f.ReplacedWith, f.ReplacedWithKey = u, "replaceWith"
		}
	}
	return f
}

// standsStill says whether a registration changes nothing: of a refresh, destroy or import only providers, the stack and
// what is imported take part, unless that would delete something or take what does not exist.
func (d *deployment) standsStill(g resource.Goal) bool {
	if d.op.Kind == Update || g.AsFound != nil {
		return false
	}
	if !isImplicit(g.URN) || d.leftOutDependency(g) != "" {
		return true
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	old := d.record.live[g.URN]
	return old != nil && old.PendingReplacement
}

// answerNeed gets the answer to one question and puts it among the facts.
func (d *deployment) answerNeed(f *plan.Facts, out plan.Outcome) error {
	next := &resource.State{URN: f.Goal.URN, Type: f.Goal.Type, Custom: f.Goal.Custom, Options: f.Goal.Options}
	p, err := d.providers.For(d.ctx, next)
	if err != nil {
		return err
	}
	switch out.Need {
	case plan.NeedCheck:
		f.Checked, err = d.check(p, f.Goal, out)
	case plan.NeedRecheck:
		f.Rechecked, err = d.check(p, f.Goal, out)
	case plan.NeedDiff:
		f.Diffed, err = d.diff(p, f.Old, diffQuestion{news: out.News, ignore: f.Goal.IgnoreChanges})
	case plan.NeedConfigDiff:
		f.ConfigDiff, err = d.providers.configDiff(d.ctx, f.Old.Provider, f.Goal.Provider)
	case plan.NeedDependents:
		f.Dependents, err = d.claimDependents(f.Old)
		f.DependentsKnown = true
	case plan.NeedNothing:
	}
	return err
}

func (d *deployment) check(p plugin.Provider, g resource.Goal, out plan.Outcome) (*plugin.CheckResponse, error) {
	seed := d.seed(g.URN)
	r, err := withSlot(d, func() (plugin.CheckResponse, error) {
		return p.Check(d.ctx, plugin.CheckRequest{
			URN: g.URN, Olds: out.Olds, News: out.News, RandomSeed: seed, Autonaming: d.nameFor(g.URN, seed),
			Preview: d.op.Preview,
		})
	})
	if errors.Is(err, plugin.ErrUnimplemented) {
		return &plugin.CheckResponse{Inputs: out.News}, nil
	}
	if err != nil {
		return nil, err
	}
	if r.AutonamingIgnored && out.Need == plan.NeedCheck {
		d.tellNameless(g.URN)
	}
	r.Inputs = plan.Remark(r.Inputs, out.News).StripDependencies()
	return &r, nil
}

type diffQuestion struct {
	news   property.Map
	ignore []string
}

func (d *deployment) diff(p plugin.Provider, old *resource.State, q diffQuestion) (*plugin.DiffResponse, error) {
	r, err := withSlot(d, func() (plugin.DiffResponse, error) {
		return p.Diff(d.ctx, plugin.DiffRequest{
			URN: old.URN, ID: old.ID, OldInputs: old.Inputs, OldOutputs: old.Outputs, News: q.news,
			IgnoreChanges: q.ignore, Preview: d.op.Preview,
		})
	})
	if errors.Is(err, plugin.ErrUnimplemented) {
		return &plugin.DiffResponse{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("diff %s: %w", old.URN, err)
	}
	return &r, nil
}

// withSlot makes a provider call count against the limit of calls in flight.
func withSlot[T any](d *deployment, call func() (T, error)) (T, error) {
	select {
	case d.exec.Slots <- struct{}{}:
	case <-d.ctx.Done():
		var zero T
		return zero, d.ctx.Err()
	}
	defer func() { <-d.exec.Slots }()
	return call()
}

// claimDependents works out what must be deleted before root can be, and keeps anyone from registering those until they
// are deleted.
func (d *deployment) claimDependents(root *resource.State) ([]*resource.State, error) {
	d.mu.Lock()
	dependents := d.record.dependents(root)
	d.mu.Unlock()
	walk := plan.NewDependentWalk(root, dependents, func(u urn.URN) bool {
		d.mu.Lock()
		defer d.mu.Unlock()
		return d.entries[u] != nil || d.deleted[u] || d.deleting[u] != nil
	})
	for q, more := walk.Next(); more; q, more = walk.Next() {
		p, err := d.providers.For(d.ctx, q.Resource)
		if err != nil {
			return nil, err
		}
		r, err := d.diff(p, q.Resource, diffQuestion{news: q.News})
		if err != nil {
			return nil, err
		}
		walk.Answer(*r)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	var claimed []*resource.State
	for _, r := range walk.Found() {
		r = d.presentLocked(r)
		if d.entries[r.URN] == nil && d.deleting[r.URN] == nil {
			claimed = append(claimed, r)
			d.deleting[r.URN] = make(chan struct{})
		}
	}
	d.claims[root.URN] = claimed
	return claimed, nil
}

// releaseDependents lets the dependents that root claimed be registered again, whatever became of them.
func (d *deployment) releaseDependents(root urn.URN) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, r := range d.claims[root] {
		close(d.deleting[r.URN])
		delete(d.deleting, r.URN)
	}
	delete(d.claims, root)
}
