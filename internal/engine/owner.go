package engine

import "github.com/cairn-iac/cairn/internal/resource"

// The deletedWith option names the URN of a resource, its owner, whose deletion takes the resource along. While the owner
// is replaced there are two of the URN: a resource belongs to the one that was there when it was made.

// goesWithOwner says whether the owner of r goes in this run, or has gone, so that r goes by itself. Where an owner stays
// that r may belong to, r does not.
func (d *deployment) goesWithOwner(r *resource.State) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	goes := d.gone[r.DeletedWith]
	for _, owner := range d.record.named(r.DeletedWith) {
		switch {
		case owner.PendingReplacement,
			d.going[owner] && !owner.RetainOnDelete && !owner.External && (!owner.Protect || owner.Delete):
			goes = true
		case !isYounger(owner, r):
			return false
		}
	}
	return goes
}

// oldOwners are the old halves of its owner that r belongs to and goes with. Called with the lock held.
func (d *deployment) oldOwners(r *resource.State) []*resource.State {
	live := d.record.live[r.DeletedWith]
	if r.DeletedWith == "" || live == nil || !isYounger(live, r) {
		return nil
	}
	var owners []*resource.State
	for _, o := range d.record.olds[r.DeletedWith] {
		if !isYounger(o, r) {
			owners = append(owners, o)
		}
	}
	return owners
}

// isYounger says whether a is known to have been made after b.
func isYounger(a, b *resource.State) bool {
	return a.Created != nil && b.Created != nil && a.Created.After(*b.Created)
}
