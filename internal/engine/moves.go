package engine

import (
	"cmp"
	"slices"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/plan"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// moves finds what an update would delete and create again under another URN, where an alias still helps: in a preview, when
// nothing is lost yet, and of what is protected and thus not deleted. Called with the lock held.
func (d *deployment) moves(u *unwanted) []plan.Move {
	if d.op.Kind != Update {
		return nil
	}
	helps := d.op.Preview
	var gone []*resource.State
	for i, s := range u.all {
		if u.doomed[i] && !s.Delete && !s.PendingReplacement && !s.External && !isImplicit(s.URN) {
			gone, helps = append(gone, s), helps || s.Protect
		}
	}
	if len(gone) == 0 || !helps {
		return nil
	}
	var fresh []resource.Goal
	for _, e := range d.entries {
		if e.step.Op == resource.OpCreate && !isImplicit(e.goal.URN) {
			fresh = append(fresh, e.goal)
		}
	}
	slices.SortFunc(fresh, func(a, b resource.Goal) int { return cmp.Compare(a.URN, b.URN) })
	found := plan.Moves(gone, fresh)
	return slices.DeleteFunc(found, func(m plan.Move) bool { return !d.op.Preview && !m.From.Protect })
}

// tellMoves offers aliases.
func (d *deployment) tellMoves(moves []plan.Move) {
	for _, m := range moves {
		d.emit.diagnostic(event.Diagnostic{Severity: diag.Warning, URN: m.To.URN, Message: moveText(m.From.URN, m.To.URN)})
	}
}

func moveText(from, to urn.URN) string {
	return "this looks like a move of " + string(from) + ", which is no longer in the program and would be deleted.\n" +
		"To keep what exists, name its former URN in the options of " + to.Name() + ": aliases: [\"" + string(from) + "\"]"
}
