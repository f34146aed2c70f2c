package providertest

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// Subject is a provider and what may be asked of it.
type Subject struct {
	// New makes a provider that is not configured.
	New     func(t *testing.T) plugin.Provider
	Package string
	// Version is the one it must report.
	Version   string
	Config    property.Map
	Resources []Resource
	Functions []Function
}

// Resource is a resource to make, change and delete.
type Resource struct {
	Type   urn.Type
	Inputs property.Map
	// Changed are other valid inputs; the zero Map when nothing can change.
	Changed property.Map
	// Replaces says that the change needs a replacement.
	Replaces bool
	// Invalid are inputs that Check refuses; the zero Map when there are none.
	Invalid property.Map
}

// Function is a function to call.
type Function struct {
	Token string
	Args  property.Map
}

// Run checks the contract.
func Run(t *testing.T, s Subject) {
	t.Helper()
	for mode, open := range map[string]func(*testing.T) plugin.Provider{
		"in process": s.New,
		"served":     func(t *testing.T) plugin.Provider { return Serve(t, s.New(t)) },
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			s.describe(t, open)
			for _, r := range s.Resources {
				t.Run(string(r.Type), func(t *testing.T) {
					t.Parallel()
					life{t: t, p: s.configured(t, open), r: r}.run()
				})
			}
			for _, f := range s.Functions {
				t.Run(f.Token, func(t *testing.T) {
					t.Parallel()
					if _, err := s.configured(t, open).Invoke(t.Context(), plugin.InvokeRequest{Token: f.Token, Args: f.Args}); err != nil {
						t.Error(err)
					}
				})
			}
		})
	}
	for _, r := range s.Resources {
		t.Run("same answers for "+string(r.Type), func(t *testing.T) {
			t.Parallel()
			s.same(t, r)
		})
	}
}

// configured gives a provider that is ready for resources.
func (s Subject) configured(t *testing.T, open func(*testing.T) plugin.Provider) plugin.Provider {
	t.Helper()
	p := open(t)
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	u := urn.New("dev", "p", "", urn.ProviderType(s.Package), "default")
	config := s.Config
	checked, err := p.CheckConfig(t.Context(), plugin.CheckRequest{URN: u, News: config})
	switch {
	case errors.Is(err, plugin.ErrUnimplemented):
	case err != nil || len(checked.Failures) > 0:
		t.Fatalf("CheckConfig: %v %v", checked.Failures, err)
	default:
		config = checked.Inputs
	}
	if err := p.Configure(t.Context(), plugin.ConfigureRequest{URN: u, ID: "id", Inputs: config}); err != nil {
		t.Fatalf("Configure: %v", err)
	}
	return p
}

// describe checks what a provider says of itself, and what it says to what it does not know.
func (s Subject) describe(t *testing.T, open func(*testing.T) plugin.Provider) {
	t.Helper()
	p := s.configured(t, open)
	if info, err := p.Info(t.Context()); err != nil || info.Version != s.Version || !info.SupportsPreview {
		t.Errorf("Info: %+v, %v", info, err)
	}
	schema, err := p.Schema(t.Context())
	var head struct{ Name, Version string }
	if err != nil || json.Unmarshal(schema, &head) != nil || head.Name != s.Package {
		t.Errorf("Schema: name %q, %v", head.Name, err)
	}
	nonsense := urn.New("dev", "p", "", urn.Type(s.Package+":index:NoSuchThing"), "n")
	if _, err := p.Create(t.Context(), plugin.CreateRequest{URN: nonsense}); err == nil {
		t.Error("a resource of an unknown type was made")
	}
	if _, err := p.Invoke(t.Context(), plugin.InvokeRequest{Token: s.Package + ":index:noSuchThing"}); err == nil {
		t.Error("an unknown function was called")
	}
	if err := p.Cancel(t.Context()); err != nil {
		t.Errorf("Cancel: %v", err)
	}
}

// life is the life of one resource.
type life struct {
	t *testing.T
	p plugin.Provider
	r Resource
}

func (l life) urn() urn.URN { return urn.New("dev", "p", "", l.r.Type, "n") }

func seed() []byte { return []byte("0123456789abcdef0123456789abcdef") }

func (l life) run() {
	inputs := l.check(l.r.Inputs, property.Map{})
	l.refuse()
	l.preview(inputs)
	made, err := l.p.Create(l.t.Context(), plugin.CreateRequest{URN: l.urn(), Inputs: inputs})
	if err != nil || made.ID == "" {
		l.t.Fatalf("Create: id %q, %v", made.ID, err)
	}
	l.unchanged(made, inputs)
	inputs, made = l.change(made, inputs)
	request := plugin.DeleteRequest{URN: l.urn(), ID: made.ID, Inputs: inputs, Outputs: made.Outputs}
	if err := l.p.Delete(l.t.Context(), request); err != nil {
		l.t.Errorf("Delete: %v", err)
	}
}

// check completes inputs, and checks that complete inputs stay as they are.
func (l life) check(news, olds property.Map) property.Map {
	l.t.Helper()
	resp, err := l.p.Check(l.t.Context(), plugin.CheckRequest{URN: l.urn(), Olds: olds, News: news, RandomSeed: seed()})
	if err != nil || len(resp.Failures) > 0 {
		l.t.Fatalf("Check: %v %v", resp.Failures, err)
	}
	again, err := l.p.Check(l.t.Context(), plugin.CheckRequest{
		URN: l.urn(), Olds: resp.Inputs, News: news, RandomSeed: []byte("another seed, another seed 0123456789"),
	})
	if err != nil || !again.Inputs.Equal(resp.Inputs) {
		l.t.Errorf("Check is not stable: %s, %v", difference(resp.Inputs, again.Inputs), err)
	}
	return resp.Inputs
}

func (l life) refuse() {
	if l.r.Invalid.Len() == 0 {
		return
	}
	resp, err := l.p.Check(l.t.Context(), plugin.CheckRequest{URN: l.urn(), News: l.r.Invalid, RandomSeed: seed()})
	if err != nil || len(resp.Failures) == 0 {
		l.t.Errorf("Check took invalid inputs: %v", err)
	}
}

// preview predicts the resource, also with an input that is not known.
func (l life) preview(inputs property.Map) {
	if resp, err := l.p.Create(l.t.Context(), plugin.CreateRequest{URN: l.urn(), Inputs: inputs, Preview: true}); err != nil || resp.ID != "" {
		l.t.Errorf("Create in preview: id %q, %v", resp.ID, err)
	}
	for k := range l.r.Inputs.All() {
		unknown := l.r.Inputs.With(k, property.Unknown())
		checked, err := l.p.Check(l.t.Context(), plugin.CheckRequest{
			URN: l.urn(), News: unknown, RandomSeed: seed(), Preview: true,
		})
		if err != nil || len(checked.Failures) > 0 {
			l.t.Errorf("Check with unknown %s: %v %v", k, checked.Failures, err)
			continue
		}
		if !checked.Inputs.Get(k).ContainsUnknown() {
			l.t.Errorf("Check made the unknown %s known", k)
		}
		if _, err := l.p.Create(l.t.Context(), plugin.CreateRequest{URN: l.urn(), Inputs: checked.Inputs, Preview: true}); err != nil {
			l.t.Errorf("Create in preview with unknown %s: %v", k, err)
		}
	}
}

// unchanged checks that nothing differs right after the resource was made, and that it can be read.
func (l life) unchanged(made plugin.CreateResponse, inputs property.Map) {
	diff, err := l.p.Diff(l.t.Context(), plugin.DiffRequest{
		URN: l.urn(), ID: made.ID, OldInputs: inputs, OldOutputs: made.Outputs, News: inputs,
	})
	if err != nil || diff.Changes == plugin.ChangesSome || diff.Replace() {
		l.t.Errorf("Diff of nothing: %+v, %v", diff, err)
	}
	read, err := l.p.Read(l.t.Context(), plugin.ReadRequest{URN: l.urn(), ID: made.ID, Inputs: inputs, State: made.Outputs})
	if errors.Is(err, plugin.ErrUnimplemented) {
		return
	}
	if err != nil || read.ID != made.ID || !read.Outputs.Equal(made.Outputs) {
		l.t.Errorf("Read: id %q, %s, %v", read.ID, difference(made.Outputs, read.Outputs), err)
	}
}

// change changes the resource, or replaces it.
func (l life) change(made plugin.CreateResponse, inputs property.Map) (property.Map, plugin.CreateResponse) {
	if l.r.Changed.Len() == 0 {
		return inputs, made
	}
	news := l.check(l.r.Changed, inputs)
	diff, err := l.p.Diff(l.t.Context(), plugin.DiffRequest{
		URN: l.urn(), ID: made.ID, OldInputs: inputs, OldOutputs: made.Outputs, News: news,
	})
	if err != nil || diff.Changes == plugin.ChangesNone || diff.Replace() != l.r.Replaces {
		l.t.Errorf("Diff of a change: %+v, %v", diff, err)
	}
	if l.r.Replaces {
		return inputs, made
	}
	update := plugin.UpdateRequest{
		URN: l.urn(), ID: made.ID, OldInputs: inputs, OldOutputs: made.Outputs, News: news, Preview: true,
	}
	if _, err := l.p.Update(l.t.Context(), update); err != nil {
		l.t.Errorf("Update in preview: %v", err)
	}
	update.Preview = false
	resp, err := l.p.Update(l.t.Context(), update)
	if err != nil {
		l.t.Errorf("Update: %v", err)
		return inputs, made
	}
	made.Outputs = resp.Outputs
	return news, made
}

// same checks that a provider answers the same, in process and served.
func (s Subject) same(t *testing.T, r Resource) {
	direct := life{t: t, p: s.configured(t, s.New), r: r}
	served := life{t: t, p: s.configured(t, func(t *testing.T) plugin.Provider { return Serve(t, s.New(t)) }), r: r}
	a, b := direct.check(r.Inputs, property.Map{}), served.check(r.Inputs, property.Map{})
	if !a.Equal(b) {
		t.Errorf("Check: %s", difference(a, b))
	}
	if r.Changed.Len() == 0 {
		return
	}
	request := plugin.DiffRequest{URN: direct.urn(), ID: resource.ID("id"), OldInputs: a, OldOutputs: a, News: direct.check(r.Changed, a)}
	x, errX := direct.p.Diff(t.Context(), request)
	y, errY := served.p.Diff(t.Context(), request)
	if (errX == nil) != (errY == nil) {
		t.Errorf("Diff: %v and %v", errX, errY)
	}
	if diff := cmp.Diff(x, y); diff != "" {
		t.Errorf("Diff: %s", diff)
	}
}

// difference lists where two maps differ, by path only: values may be secret.
func difference(a, b property.Map) string {
	var paths []string
	for _, c := range property.Changes(a, b) {
		paths = append(paths, c.Path.String())
	}
	return fmt.Sprintf("differences at %q", paths)
}
