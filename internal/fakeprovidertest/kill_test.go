package fakeprovidertest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/cairn-iac/cairn/internal/fakeprovidertest"
)

// Whatever was answered before a kill is in the ledger, and what is there can be read and written on.
func TestLedgerSurvivesAKill(t *testing.T) {
	t.Parallel()
	kit := setup(t)
	p := launch(t, kit)
	const workers, killAfter = 8, 40
	answered := make(chan string, workers*killAfter)
	var running sync.WaitGroup
	for w := range workers {
		running.Go(func() {
			for i := 0; ; i++ {
				created, err := create(t, p, fmt.Sprintf("t%d-%d", w, i), map[string]any{"v": i})
				if err != nil {
					return
				}
				answered <- created.Id
			}
		})
	}
	var acknowledged []string
	for range killAfter {
		acknowledged = append(acknowledged, <-answered)
	}
	must(t, p.command.Process.Kill())
	running.Wait()
	close(answered)
	for id := range answered {
		acknowledged = append(acknowledged, id)
	}
	got := ids(t, kit)
	for _, id := range acknowledged {
		if !slices.Contains(got, id) {
			t.Errorf("%s was answered and is not in the ledger", id)
		}
	}
	unanswered := 0
	for _, c := range calls(t, kit, "Create") {
		if !c.Done {
			unanswered++
		}
	}
	if len(got) > len(acknowledged)+unanswered {
		t.Errorf("%d things of %d answered and %d unanswered creates", len(got), len(acknowledged), unanswered)
	}
	if _, err := create(t, launch(t, kit), "next", nil); err != nil {
		t.Errorf("create after the kill: %v", err)
	}
}

func TestTornRowIsCutOff(t *testing.T) {
	t.Parallel()
	kit := setup(t)
	client := serveHere(t, kit)
	first, err := create(t, client, "a", nil)
	must(t, err)
	for _, name := range []string{"ledger.jsonl", "calls.jsonl"} {
		file, err := os.OpenFile(filepath.Join(kit.Folder, name), os.O_WRONLY|os.O_APPEND, 0)
		must(t, err)
		_, err = file.WriteString(`{"kind":"create","thing":{"id":"half`)
		must(t, err)
		must(t, file.Close())
	}
	if got := ids(t, kit); !slices.Equal(got, []string{first.Id}) {
		t.Errorf("ids with a torn row: %v", got)
	}
	second, err := create(t, client, "b", nil)
	must(t, err)
	again, err := fakeprovidertest.Setup(kit.Folder)
	must(t, err)
	if got := ids(t, again); !slices.Equal(got, []string{first.Id, second.Id}) {
		t.Errorf("ids after the torn row: %v", got)
	}
	if got := calls(t, again, "Create"); len(got) != 2 || !got[1].Done {
		t.Errorf("calls after the torn row: %+v", got)
	}
}

func TestTestsActBehindTheEnginesBack(t *testing.T) {
	t.Parallel()
	kit := setup(t)
	created, err := create(t, serveHere(t, kit), "a", nil)
	must(t, err)
	must(t, kit.Remove(created.Id))
	if err := kit.Remove(created.Id); err == nil {
		t.Error("removed twice")
	}
	if err := kit.Drift(created.Id, nil); err == nil {
		t.Error("changed what is gone")
	}
}

func TestBuild(t *testing.T) {
	t.Parallel()
	kit := setup(t)
	binary, err := kit.Build(t.Context(), t.TempDir())
	must(t, err)
	info, err := os.Stat(binary)
	must(t, err)
	if info.Mode().Perm()&0o100 == 0 {
		t.Errorf("%s is not executable", binary)
	}
}
