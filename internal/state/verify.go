package state

import (
	"fmt"
	"strings"

	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// IntegrityError lists what is wrong with a snapshot. The rules are those the Pulumi engine applies on load and write.
type IntegrityError struct{ Problems []string }

func (e *IntegrityError) Error() string {
	return "the state is not consistent:\n  " + strings.Join(e.Problems, "\n  ")
}

// Verify checks the integrity rules and answers with an *IntegrityError that names every violation.
func (s *Snapshot) Verify() error {
	v := verifier{
		position:  map[urn.URN]int{},
		live:      map[urn.URN]bool{},
		providers: map[urn.ProviderRef]bool{},
	}
	if s.Manifest.Magic != magic(s.Manifest.Version) {
		v.problem("the manifest's magic does not belong to version %q", s.Manifest.Version)
	}
	for i, r := range s.Resources {
		if _, seen := v.position[r.URN]; !seen {
			v.position[r.URN] = i
		}
	}
	for i, r := range s.Resources {
		v.resource(i, r)
	}
	if len(v.problems) == 0 {
		return nil
	}
	return &IntegrityError{Problems: v.problems}
}

type verifier struct {
	problems  []string
	position  map[urn.URN]int
	live      map[urn.URN]bool
	providers map[urn.ProviderRef]bool
}

func (v *verifier) problem(format string, args ...any) {
	v.problems = append(v.problems, fmt.Sprintf(format, args...))
}

func (v *verifier) resource(i int, r *resource.State) {
	switch {
	case r.URN == "":
		v.problem("resource %d has no URN", i)
	case r.Type == "":
		v.problem("resource %s has no type", r.URN)
	case !r.Custom && r.ID != "":
		v.problem("component %s has an id", r.URN)
	}
	if !r.Delete {
		if v.live[r.URN] {
			v.problem("resource %s is there twice", r.URN)
		}
		v.live[r.URN] = true
	}
	for _, e := range r.Edges() {
		v.edge(i, r, e)
	}
	if r.IsProvider() {
		v.providers[r.ProviderRef()] = true
	}
}

func (v *verifier) edge(i int, r *resource.State, e resource.Edge) {
	if e.Kind == resource.EdgeProvider {
		if r.PendingReplacement {
			return
		}
		ref := urn.ProviderRef{URN: e.To, ID: e.ProviderID}
		if !v.providers[ref] {
			v.problem("resource %s: provider %s is missing or comes after it", r.URN, ref)
		}
		return
	}
	at, known := v.position[e.To]
	switch {
	case !known:
		v.problem("resource %s: %s %s is missing", r.URN, e.Kind, e.To)
	case at >= i:
		v.problem("resource %s: %s %s comes after it", r.URN, e.Kind, e.To)
	}
}
