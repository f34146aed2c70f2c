package plan_test

import (
	"fmt"
	"testing"

	"github.com/cairn-iac/cairn/internal/engine/plan"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// TestMovesOfMany gives everything in a large stack another name. All have an input in common, as regions are, and one
// that tells them apart, in a list.
func TestMovesOfMany(t *testing.T) {
	t.Parallel()
	const many = 5000
	root := urn.New("dev", "proj", "", urn.StackType, "proj-dev")
	inputs := func(i int, more ...string) property.Map {
		m := map[string]property.Value{
			"region": property.String("north"),
			"zones":  property.NewList(property.String("a"), property.Number(float64(i))),
		}
		for _, k := range more {
			m[k] = property.String("made up")
		}
		return property.MapOf(m)
	}
	named := func(i int, name string) urn.URN {
		return urn.New("dev", "proj", "", "fp:index:Thing", fmt.Sprint(name, i))
	}
	var gone []*resource.State
	var fresh []resource.Goal
	for i := range many {
		gone = append(gone, &resource.State{
			URN: named(i, "old"), Type: "fp:index:Thing", Custom: true, Inputs: inputs(i, "name"), Options: resource.Options{Parent: root},
		})
		fresh = append(fresh, resource.Goal{
			URN: named(i, "new"), Type: "fp:index:Thing", Custom: true, Inputs: inputs(i), Options: resource.Options{Parent: root},
		})
	}
	moves := plan.Moves(gone, fresh)
	if len(moves) != many {
		t.Fatalf("%d moves of %d", len(moves), many)
	}
	for i, m := range moves {
		if m.From.URN != named(i, "old") || m.To.URN != named(i, "new") {
			t.Errorf("%s became %s", m.From.URN, m.To.URN)
		}
	}
	for i := range fresh {
		fresh[i].Inputs = inputs(7) // all the same
	}
	if moves := plan.Moves(gone, fresh); len(moves) != 0 {
		t.Errorf("%d moves to what could be anything", len(moves))
	}
}
