package engine_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

func TestRefreshDropsWhatIsGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(runOptions{}, pair(props("v", "1"), props("v", "1")))
	delete(w.cloud.resources, string(w.find("a").ID))
	w.run(runOptions{kind: engine.Refresh}, nil)
	w.wantSuccess()
	w.wantOps(map[string]int{"delete": 1, "same": 2})
	if b := w.find("b"); w.find("a") != nil || len(b.Dependencies) != 0 {
		t.Errorf("b depends on %v", b.Dependencies)
	}
}

func TestRefreshErrorKeepsTheEntryAndGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(runOptions{}, pair(props("v", "1"), props("v", "1")))
	w.cloud.failures["read a"] = 1
	w.run(runOptions{kind: engine.Refresh}, nil)
	if w.result.Outcome != event.Failed || w.find("a") == nil {
		t.Errorf("outcome %s, a %v", w.result.Outcome, w.find("a"))
	}
	w.wantCalls("read a", "read b")
}

func TestRefreshWithAnOldHalfAndItsChildren(t *testing.T) {
	t.Parallel()
	body := func(force string) func(*program) error {
		return func(p *program) error {
			a, err := p.thing("p", props("force", force))
			if err != nil {
				return err
			}
			for _, n := range []string{"c1", "c2"} {
				if _, err := p.thing(n, props("v", "1"), parent(a.URN)); err != nil {
					return err
				}
			}
			return nil
		}
	}
	for seed := range uint64(20) {
		w := newWorld(t)
		w.run(runOptions{}, body("1"))
		w.cloud.failures["delete p"] = 1
		w.run(runOptions{}, body("2"))
		if w.result.Outcome != event.Failed || len(w.base.Resources) != 6 {
			t.Fatalf("outcome %s, %d resources", w.result.Outcome, len(w.base.Resources))
		}
		w.cloud.hook = delays(seed)
		w.run(runOptions{kind: engine.Refresh}, nil)
		w.wantSuccess()
		w.run(runOptions{Options: engine.Options{Refresh: true, Targets: []string{"**::c1"}}}, body("2"))
		w.wantSuccess()
		w.run(runOptions{}, body("2"))
		w.wantSuccess()
		w.wantCalls("delete p")
	}
}

// delays slow calls down, a little and at random.
func delays(seed uint64) func(string, urn.URN) fault {
	random := rand.New(rand.NewPCG(seed, seed))
	var mu sync.Mutex
	return func(string, urn.URN) fault {
		mu.Lock()
		pause := time.Duration(random.IntN(200)) * time.Microsecond
		mu.Unlock()
		time.Sleep(pause)
		return healthy
	}
}

func TestDefaultProvidersFollowTodaysConfiguration(t *testing.T) {
	t.Parallel()
	for _, kind := range []engine.Kind{engine.Refresh, engine.Destroy} {
		w := newWorld(t)
		config := func(token string) runOptions {
			return runOptions{config: map[string]string{"fp:token": token}, secrets: []string{"fp:token"}}
		}
		w.run(config("old-token"), things(1, "1"))
		w.wantSuccess()
		w.cloud.configs = nil
		o := config("new-token")
		o.kind = kind
		w.run(o, nil)
		w.wantSuccess()
		if len(w.cloud.configs) != 1 {
			t.Fatalf("configured %d times", len(w.cloud.configs))
		}
		if token, _ := w.cloud.configs[0].Get("token").AsString(); token != "new-token" || !w.cloud.configs[0].Get("token").Secret() {
			t.Errorf("token is %q", token)
		}
	}
}

func TestRefreshTellsDriftAsTheProviderSeesIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(runOptions{}, things(2, "1"))
	id := string(w.find("n0").ID)
	w.cloud.resources[id] = w.cloud.resources[id].With("v", str("2")).With("extra", str("x"))
	w.run(runOptions{kind: engine.Refresh}, nil)
	w.wantSuccess()
	w.wantOps(map[string]int{"same": 2, "update": 1})
	for _, e := range w.events {
		done, ok := e.(event.StepDone)
		if !ok || done.Step.URN.Name() != "n0" {
			continue
		}
		if done.Step.Op != resource.OpUpdate || !slices.Equal(done.Step.Diffs, []string{"extra", "v"}) {
			t.Errorf("told %s of %v", done.Step.Op, done.Step.Diffs)
		}
	}
	// The provider ignores what only differs in outputs.
	w.cloud.undiffed = true
	w.cloud.resources[id] = w.cloud.resources[id].With("v", str("3"))
	w.run(runOptions{kind: engine.Refresh}, nil)
	w.wantOps(map[string]int{"same": 3})
	if v, _ := w.find("n0").Outputs.Get("v").AsString(); v != "3" {
		t.Errorf("recorded %q", v)
	}
}

func TestProvidersMayAskForARefreshBeforeEveryUpdate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(runOptions{}, things(2, "1"))
	flagged := w.find("n0")
	flagged.RefreshBeforeUpdate = true
	w.cloud.gone[string(flagged.ID)] = true
	delete(w.cloud.resources, string(flagged.ID))
	w.run(runOptions{}, things(2, "1"))
	w.wantSuccess()
	w.wantCalls("read n0", "create n0")
}

func TestRefreshOfSomethingUnhealthyWarns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(runOptions{}, things(1, "1"))
	w.cloud.hook = func(call string, _ urn.URN) fault {
		if call == "read" {
			return partial
		}
		return healthy
	}
	w.run(runOptions{kind: engine.Refresh}, nil)
	w.wantSuccess()
	told := false
	for _, e := range w.events {
		d, ok := e.(event.Diagnostic)
		told = told || ok && d.Severity == diag.Warning && strings.HasPrefix(d.Message, "Refreshed resource is in an unhealthy state:\n* ")
	}
	if !told || len(w.find("n0").InitErrors) != 1 {
		t.Errorf("told %v, recorded %v", told, w.find("n0").InitErrors)
	}
	w.cloud.hook = nil
	w.run(runOptions{}, things(1, "1"))
	w.wantSuccess()
	w.wantCalls("update n0")
}

// TestInterruptedOperationsAreReadFirst lets an earlier run begin a delete and an update and never see their end: what
// they did to the cloud counts, not what was recorded before.
func TestInterruptedOperationsAreReadFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(runOptions{}, pair(props("v", "1"), props("v", "1")))
	w.wantSuccess()
	w.cloud.hook = func(call string, _ urn.URN) fault {
		if call == "delete" || call == "update" {
			return uncertainDone
		}
		return healthy
	}
	w.run(runOptions{pending: true, loose: true}, func(p *program) error {
		_, err := p.thing("a", props("v", "2"))
		return err
	})
	w.run(runOptions{kind: engine.Destroy, pending: true, loose: true, Options: engine.Options{Targets: []string{"**::b"}}}, nil)
	w.cloud.hook = nil
	w.run(runOptions{preview: true}, pair(props("v", "1"), props("v", "1")))
	w.wantOps(map[string]int{"same": 1, "update": 1, "create": 1})
	w.run(runOptions{}, pair(props("v", "1"), props("v", "1")))
	w.wantSuccess()
	w.wantCalls("read a", "read b", "update a", "create b")
	if v, _ := w.cloud.resources[string(w.find("a").ID)].Get("v").AsString(); v != "1" {
		t.Errorf("a has v %q", v)
	}
}

// TestReasonsAreRecordedWithoutSecretOutputs has a provider quote a secret that it has just made up.
func TestReasonsAreRecordedWithoutSecretOutputs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.cloud.tokens = true
	w.cloud.hook = func(call string, _ urn.URN) fault {
		if call == "create" {
			return partial
		}
		return healthy
	}
	w.run(runOptions{}, func(p *program) error {
		_, err := p.thing("a", props("v", "1"), func(r *engine.Registration) {
			r.Options.AdditionalSecretOutputs = []string{"token"}
		})
		return err
	})
	reasons := strings.Join(w.find("a").InitErrors, "\n")
	if told := strings.Join(w.errors(), "\n"); strings.Contains(reasons+told, "token-of-") || !strings.Contains(reasons, "cannot log in with") {
		t.Errorf("recorded %q, told %q", reasons, told)
	}
}
