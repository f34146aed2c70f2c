package engine

import (
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// The deletedWith option names the URN of a resource, its owner, whose deletion takes the resource along. While the owner
// is replaced there are two of the URN: a resource belongs to the one that was there when it was made.

// ownerIsGone says whether the owner of r was deleted, so that r is gone as well.
func (d *deployment) ownerIsGone(r *resource.State) bool {
	return d.ownersAre(r, func(owner *resource.State) bool { return owner.PendingReplacement })
}

// goesWithOwner says whether the owner of r is to be deleted in this run, or gone already.
func (d *deployment) goesWithOwner(r *resource.State) bool {
	return d.ownersAre(r, func(owner *resource.State) bool {
		really := !owner.RetainOnDelete && !owner.External && (!owner.Protect || owner.Delete)
		return owner.PendingReplacement || d.going[owner] && really
	})
}

// ownersAre says whether r had an owner, and what was asked for is true of each one that is recorded and that r may
// belong to.
func (d *deployment) ownersAre(r *resource.State, what func(owner *resource.State) bool) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	had := d.gone[r.DeletedWith]
	for _, owner := range d.record.named(r.DeletedWith) {
		switch {
		case what(owner):
			had = true
		case !isYounger(owner, r):
			return false
		}
	}
	return had
}

// oldOwners are the old halves that r belongs to and goes with if u is its owner. Called with the lock held.
func (d *deployment) oldOwners(r *resource.State, u urn.URN) []*resource.State {
	live := d.record.live[u]
	if u == "" || live == nil || !isYounger(live, r) {
		return nil
	}
	var owners []*resource.State
	for _, o := range d.record.olds[u] {
		if !isYounger(o, r) && !o.External && !o.RetainOnDelete {
			owners = append(owners, o)
		}
	}
	return owners
}

// isYounger says whether a is known to have been made after b.
func isYounger(a, b *resource.State) bool {
	return a.Created != nil && b.Created != nil && a.Created.After(*b.Created)
}
