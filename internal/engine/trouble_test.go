package engine_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairn-iac/cairn/internal/engine"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/urn"
)

// versions asks for one version of the model provider.
func versions(v string) engine.Options {
	return engine.Options{DefaultVersions: map[string]plugin.Package{"fp": {Name: "fp", Version: v}}}
}

// things registers n0 to n(n-1), all with the same input.
func things(n int, v string) func(*program) error {
	return func(p *program) error {
		for i := range n {
			if _, err := p.thing(fmt.Sprint("n", i), props("v", v), report); err != nil {
				return err
			}
		}
		return nil
	}
}

func report(r *engine.Registration) { r.AcceptsResultReporting = true }

func TestEveryKindOfDependentOfAFailedResourceIsSkipped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.cloud.failures["create bad"] = 1
	w.run(runOptions{Options: engine.Options{ContinueOnError: true}}, func(p *program) error {
		bad, err := p.thing("bad", nil, report)
		if err != nil {
			return err
		}
		group, err := p.component("group", parent(bad.URN), report)
		if err != nil || group.Result != engine.ResultSkip {
			t.Errorf("component: %v %v", group.Result, err)
		}
		edits := map[string]func(*engine.Registration){
			"property": func(r *engine.Registration) {
				r.Inputs = r.Inputs.With("ref", property.Unknown().WithDependencies([]urn.URN{bad.URN}))
			},
			"replace":    func(r *engine.Registration) { r.Options.ReplaceWith = []urn.URN{bad.URN} },
			"grandchild": parent(group.URN),
		}
		for name, edit := range edits {
			if got, err := p.thing(name, props("v", "1"), report, edit); err != nil || got.Result != engine.ResultSkip || !got.Unknown {
				t.Errorf("%s: %+v %v", name, got, err)
			}
		}
		return nil
	})
	if w.result.Outcome != event.Failed || len(w.cloud.ids()) != 0 {
		t.Errorf("outcome %s, cloud %v", w.result.Outcome, w.cloud.ids())
	}
}

func TestRefusedRegistrationsSkipTheirDependents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(runOptions{Options: engine.Options{ContinueOnError: true}}, func(p *program) error {
		bad, err := p.thing("bad", nil, report, func(r *engine.Registration) { r.Type = "nosuch:index:Thing" })
		if err != nil || bad.Result != engine.ResultFail {
			t.Errorf("bad: %v %v", bad.Result, err)
		}
		got, err := p.thing("dependent", nil, report, dependsOn(bad.URN))
		if err != nil || got.Result != engine.ResultSkip {
			t.Errorf("dependent: %v %v", got.Result, err)
		}
		return nil
	})
	w.run(runOptions{}, func(p *program) error {
		_, err := p.thing("lost", nil, dependsOn("urn:pulumi:dev::proj::fp:index:Thing::nobody"))
		return err
	})
	if told := strings.Join(w.errors(), "\n"); !strings.Contains(told, "Thing::nobody' of 'urn:pulumi:dev::proj::fp:index:Thing::lost' was not registered") {
		t.Errorf("told %q", told)
	}
}

func TestProvidersStayWhileSomethingRefersToThem(t *testing.T) {
	t.Parallel()
	const n = 12
	w := newWorld(t)
	w.run(runOptions{Options: versions("1.0.0")}, things(n, "1"))
	w.wantSuccess()
	for i := range 4 {
		w.cloud.failures[fmt.Sprint("update n", i)] = 1
	}
	o := versions("2.0.0")
	o.ContinueOnError = true
	w.run(runOptions{Options: o}, things(n, "2"))
	if w.result.Outcome != event.Failed || w.find("default_1_0_0") == nil || w.find("default_2_0_0") == nil {
		t.Fatalf("outcome %s, 1.0.0 %v", w.result.Outcome, w.find("default_1_0_0"))
	}
	w.run(runOptions{kind: engine.Refresh}, nil)
	w.wantSuccess()
	w.run(runOptions{Options: versions("3.0.0")}, things(n, "2"))
	w.wantSuccess()
	if w.find("default_1_0_0") != nil || w.find("default_2_0_0") != nil || w.find("default_3_0_0") == nil {
		t.Errorf("providers that nothing needs any more are recorded")
	}
}

func TestNewVersionOfADefaultProviderChangesNoResource(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(runOptions{Options: versions("1.0.0")}, things(20, "1"))
	w.wantSuccess()
	targeted := versions("1.1.0")
	targeted.Targets = []string{"**::n3"}
	w.run(runOptions{Options: targeted}, things(20, "1"))
	w.wantSuccess()
	w.wantCalls()
	for range 2 {
		w.run(runOptions{Options: versions("1.1.0")}, things(20, "1"))
		w.wantSuccess()
		w.wantOps(map[string]int{"same": 21})
		w.wantCalls()
	}
	version, _ := w.find("default_1_1_0").Inputs.Get("version").AsString()
	if version != "1.1.0" || w.find("default_1_0_0") != nil || slices.Contains(w.cloud.versions, "1.0.0") && w.find("n3").Provider.URN.Name() != "default_1_1_0" {
		t.Errorf("version %q", version)
	}
}

func TestCancelReachesProvidersAndKeepsWhatTheyDid(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	cancel := make(chan struct{})
	w.cloud.hook = func(call string, u urn.URN) fault {
		if call != "create" {
			return healthy
		}
		close(cancel)
		for heard := false; !heard; time.Sleep(time.Millisecond) { // the provider goes on until it is told to stop
			w.cloud.mu.Lock()
			heard = w.cloud.canceled > 0
			w.cloud.mu.Unlock()
		}
		return healthy
	}
	w.run(runOptions{cancel: cancel}, pair(props("v", "1"), props("v", "1")))
	if w.result.Outcome != event.Canceled || w.find("a") == nil || w.find("b") != nil {
		t.Errorf("outcome %s, a %v, b %v", w.result.Outcome, w.find("a"), w.find("b"))
	}
	w.wantCalls("create a")
	if told := w.errors(); !slices.Contains(told, "update canceled") {
		t.Errorf("told %v", told)
	}
}

func TestPartsOfAComponentOutliveItsDependents(t *testing.T) {
	t.Parallel()
	for seed := range uint64(30) {
		w := newWorld(t)
		random := rand.New(rand.NewPCG(seed, 7))
		pause := func() { time.Sleep(time.Duration(random.IntN(300)) * time.Microsecond) }
		w.run(runOptions{}, func(p *program) error {
			c1, err := p.component("c1")
			if err != nil {
				return err
			}
			c2, err := p.component("c2", dependsOn(c1.URN))
			if err != nil {
				return err
			}
			wait1, wait2 := random.IntN(2) == 0, random.IntN(2) == 0
			var group sync.WaitGroup
			for name, c := range map[string]urn.URN{"k1": c1.URN, "k2": c2.URN} {
				if name == "k1" && wait1 || name == "k2" && wait2 {
					pause()
				}
				group.Go(func() {
					edits := []func(*engine.Registration){parent(c)}
					if name == "k2" {
						edits = append(edits, dependsOn(c1.URN)) // as SDKs say it for what is in c2
					}
					if _, err := p.thing(name, props("v", "1"), edits...); err != nil {
						t.Error(err)
					}
				})
			}
			group.Wait()
			return nil
		})
		w.wantSuccess()
		w.run(runOptions{kind: engine.Destroy}, nil)
		if got := w.cloud.takeCalls(); !slices.Equal(got, []string{"delete k2", "delete k1"}) {
			t.Fatalf("order: %v", got)
		}
	}
}

func TestContinueOnErrorSkipsDependents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.cloud.failures["create bad"] = 1
	report := func(r *engine.Registration) { r.AcceptsResultReporting = true }
	w.run(runOptions{Options: engine.Options{ContinueOnError: true}}, func(p *program) error {
		bad, err := p.thing("bad", props("v", "1"), report)
		if err != nil || bad.Result != engine.ResultFail {
			t.Errorf("bad: %v %v", bad.Result, err)
		}
		for name, edit := range map[string]func(*engine.Registration){
			"dependent": dependsOn(bad.URN), "child": parent(bad.URN),
			"with": func(r *engine.Registration) { r.Options.DeletedWith = bad.URN },
		} {
			got, err := p.thing(name, props("v", "1"), report, edit)
			if err != nil || got.Result != engine.ResultSkip {
				t.Errorf("%s: result %v, error %v", name, got.Result, err)
			}
		}
		good, err := p.thing("good", props("v", "1"), report)
		if err != nil || good.Result != engine.ResultSuccess {
			t.Errorf("good: %v %v", good.Result, err)
		}
		return nil
	})
	if w.result.Outcome != event.Failed || w.find("good") == nil || w.find("dependent") != nil {
		t.Errorf("outcome %s, good %v", w.result.Outcome, w.find("good"))
	}
}
