package plan

import (
	"slices"

	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/state/updateplan"
)

// Constraint is what an update plan leaves to be done for one resource.
type Constraint struct {
	// left are the planned operations that were not begun.
	left []resource.Op
	// eased is set once less than a planned replacement turned out to be needed.
	eased bool
}

// ConstraintOf begins to hold a resource to what is planned for it.
func ConstraintOf(p *updateplan.Resource) *Constraint {
	return &Constraint{left: slices.Clone(p.Steps)}
}

// allows says whether op may be done where planned was foreseen. Nothing may be done in place of something less, and of a
// replacement any part may turn out as an update, as in the Pulumi engine (ConstrainedTo).
func allows(planned, op resource.Op) bool {
	switch planned {
	case resource.OpCreate, resource.OpUpdate:
		return op == planned || op == resource.OpSame
	case resource.OpReplace, resource.OpCreateReplacement, resource.OpDeleteReplaced:
		return op == planned || op == resource.OpSame || op == resource.OpUpdate
	default:
		return op == planned
	}
}

func isDelete(op resource.Op) bool {
	switch op {
	case resource.OpDelete, resource.OpDeleteReplaced, resource.OpDiscard, resource.OpDiscardReplaced, resource.OpRemovePendingReplace:
		return true
	default:
		return false
	}
}

// Take accounts for an operation. The answer says what forbids it, "" if nothing does; a nil Constraint is that of a
// resource that is not in the plan, to which nothing may happen.
//
// Operations come in their order, but what was planned and is not needed any more may be missing: a replacement that turns
// out as an update, or a delete that an interrupted update of the same plan did already.
func (c *Constraint) Take(op resource.Op) string {
	switch {
	case c == nil && op == resource.OpSame:
		return ""
	case c == nil:
		return string(op) + " is not allowed by the plan: no steps were expected for this resource"
	case len(c.left) == 0 && c.eased && op == resource.OpSame:
		return ""
	case len(c.left) == 0:
		return string(op) + " is not allowed by the plan: no more steps were expected for this resource"
	}
	planned := c.left[0]
	if allows(planned, op) {
		c.eased = c.eased || op != planned && planned != resource.OpCreate && planned != resource.OpUpdate
		c.left = c.left[1:]
		return ""
	}
	at := slices.Index(c.left, op)
	if at < 0 || !c.eased && !isDelete(op) && slices.ContainsFunc(c.left[:at], func(o resource.Op) bool { return !isDelete(o) }) {
		c.left = c.left[1:] // it was tried
		return string(op) + " is not allowed by the plan: this resource is constrained to " + string(planned)
	}
	if isDelete(op) {
		c.left = slices.Delete(slices.Clone(c.left), at, at+1) // deletes at the end have no order
		return ""
	}
	c.left = c.left[at+1:]
	return ""
}

// Missing says whether something that was planned was not even tried. Recorded tells that the resource is still recorded:
// if not, deletes of it are not missed.
func (c *Constraint) Missing(recorded bool) bool {
	if c.eased {
		return false
	}
	return slices.ContainsFunc(c.left, func(op resource.Op) bool { return recorded || !isDelete(op) })
}
