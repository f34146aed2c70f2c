package engine_test

import (
	"context"
	"errors"
	"testing"

	"github.com/cairn-iac/cairn/internal/engine"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// remote registers a component that its provider makes.
func (p *program) remote(name string, edit ...func(*engine.Registration)) (engine.Registered, error) {
	r := engine.Registration{
		Type: "fp:index:Comp", Name: name, Remote: true, Options: resource.Options{Parent: p.stack}, AcceptsResultReporting: true,
	}
	for _, e := range edit {
		e(&r)
	}
	return p.monitor.Register(context.Background(), r)
}

// constructing makes the model provider build components of two children, the second of which may not come to be.
func (w *world) constructing(p *program, failing bool) {
	w.cloud.construct = func(r plugin.ConstructRequest) (plugin.ConstructResponse, error) {
		ctx := context.Background()
		c, err := p.monitor.Register(ctx, engine.Registration{
			Type: r.Type, Name: r.Name, Options: r.Options, Providers: r.Providers, Inputs: r.Inputs,
		})
		if err != nil {
			return plugin.ConstructResponse{}, err
		}
		child, err := p.thing(r.Name+"-child", props("v", "1"), parent(c.URN))
		if err != nil {
			return plugin.ConstructResponse{}, err
		}
		if failing {
			return plugin.ConstructResponse{}, errors.New("the other child cannot be made")
		}
		outputs := property.MapOf(map[string]property.Value{"id": str(string(child.ID))})
		if err := p.monitor.RegisterOutputs(ctx, c.URN, outputs); err != nil {
			return plugin.ConstructResponse{}, err
		}
		return plugin.ConstructResponse{URN: c.URN, State: outputs}, nil
	}
}

func TestRemoteComponents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	body := func(p *program) error {
		w.constructing(p, false)
		c, err := p.remote("c")
		if err != nil || c.Outputs.Get("id").IsNull() {
			t.Errorf("component: %+v %v", c, err)
		}
		_, err = p.thing("user", props("v", "1"), dependsOn(c.URN))
		return err
	}
	for range 2 {
		w.run(runOptions{}, body)
		w.wantSuccess()
	}
	w.wantOps(map[string]int{"same": 4})
	if c := w.find("c"); c == nil || c.Outputs.Get("id").IsNull() || w.find("c-child").Parent != c.URN {
		t.Errorf("recorded %+v", c)
	}
	w.run(runOptions{kind: engine.Destroy}, nil)
	w.wantSuccess()
	if calls := w.cloud.takeCalls(); len(calls) != 2 || calls[0] != "delete user" {
		t.Errorf("calls %v", calls)
	}
}

func TestWhatDependsOnABrokenRemoteComponentIsSkipped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.cloud.failures["create bad"] = 1
	w.run(runOptions{Options: engine.Options{ContinueOnError: true}}, func(p *program) error {
		w.constructing(p, true)
		broken, err := p.remote("broken")
		if err != nil || broken.Result != engine.ResultFail {
			t.Errorf("broken: %v %v", broken.Result, err)
		}
		bad, _ := p.thing("bad", nil, report)
		w.cloud.construct = func(plugin.ConstructRequest) (plugin.ConstructResponse, error) {
			t.Error("a component was made although it depends on a failed resource")
			return plugin.ConstructResponse{}, nil
		}
		skipped, err := p.remote("skipped", func(r *engine.Registration) {
			r.Inputs = property.MapOf(map[string]property.Value{"ref": property.Unknown().WithDependencies([]urn.URN{bad.URN})})
		})
		if err != nil || skipped.Result != engine.ResultSkip {
			t.Errorf("skipped: %v %v", skipped.Result, err)
		}
		for _, c := range []urn.URN{broken.URN, skipped.URN} {
			if got, err := p.thing("user of "+c.Name(), nil, report, dependsOn(c)); err != nil || got.Result != engine.ResultSkip {
				t.Errorf("user of %s: %v %v", c.Name(), got.Result, err)
			}
		}
		return nil
	})
	if w.result.Outcome != event.Failed || w.find("broken-child") == nil {
		t.Errorf("outcome %s", w.result.Outcome)
	}
}

func TestFunctionsWaitForWhatTheyDependOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	called := map[bool]bool{}
	body := func(preview bool) func(*program) error {
		return func(p *program) error {
			c, err := p.component("c")
			if err != nil {
				return err
			}
			if _, err := p.thing("child", props("v", "1"), parent(c.URN)); err != nil {
				return err
			}
			r, err := p.monitor.Invoke(context.Background(), engine.Invocation{
				Token: "fp:index:look", Args: property.MapOf(props("x", "y")), Parent: p.stack, DependsOn: []urn.URN{c.URN},
			})
			called[preview] = !r.Unknown && r.Return.Has("x")
			return err
		}
	}
	w.run(runOptions{preview: true}, body(true))
	w.wantSuccess()
	w.run(runOptions{}, body(false))
	w.wantSuccess()
	if called[true] || !called[false] {
		t.Errorf("called in the preview: %v, in the update: %v", called[true], called[false])
	}
	w.run(runOptions{preview: true}, body(true))
	if !called[true] {
		t.Errorf("not called in a preview although everything exists")
	}
}
