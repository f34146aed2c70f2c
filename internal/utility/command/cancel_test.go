//go:build unix

package command_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/utility/command"
)

// job is a create command that prints a line when it is ready.
type job struct {
	script string
	grace  time.Duration
	// ctx is the caller's; nil is the test's own.
	ctx context.Context
}

// begin starts the job and waits until it is ready.
func (j job) begin(t *testing.T) (p plugin.Provider, dir string, done <-chan error) {
	t.Helper()
	l := newLogs()
	p, dir = start(t, func(o *command.Options) { o.Log, o.Grace = l.add, j.grace })
	ctx := j.ctx
	if ctx == nil {
		ctx = t.Context()
	}
	ended := make(chan error, 1)
	go func() {
		_, err := p.Create(ctx, plugin.CreateRequest{
			URN: testURN, Inputs: property.MapOf(map[string]property.Value{"create": property.String(j.script)}),
		})
		ended <- err
	}()
	select {
	case <-l.seen:
	case err := <-ended:
		t.Fatalf("ended early: %v", err)
	}
	return p, dir, ended
}

// pids are the processes a job noted down; none when it did not get that far.
func pids(t *testing.T, dir string) []int {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "pids"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	var out []int
	for _, f := range strings.Fields(string(data)) {
		pid, err := strconv.Atoi(f)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, pid)
	}
	return out
}

// gone waits until no process is left; the limit of the test run ends a wait in vain.
func gone(pids []int) {
	for _, pid := range pids {
		for alive(pid) {
			time.Sleep(5 * time.Millisecond)
		}
	}
}

// alive does not count processes that have ended and only wait to be reaped by whoever adopted them.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return !errors.Is(err, os.ErrNotExist)
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}

const family = `sleep 1000 & echo $! >> pids; (sleep 1000; true) & echo $! >> pids; echo $$ >> pids; echo ready; `

func TestCancelLeavesNoChild(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"obedient": family + `wait`,
		"stubborn": `trap '' INT TERM; ` + family + `wait; sleep 1000`,
		"silent":   family + `exec >/dev/null 2>&1; wait`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, dir, done := job{script: script, grace: 50 * time.Millisecond}.begin(t)
			if err := p.Cancel(t.Context()); err != nil {
				t.Fatal(err)
			}
			err := <-done
			if !errors.Is(err, command.ErrCanceled) || !strings.HasPrefix(err.Error(), "canceled: running ") ||
				!strings.HasSuffix(err.Error(), "\nready\n") {
				t.Errorf("got %v", err)
			}
			gone(pids(t, dir))
			// Nothing new starts.
			_, err = p.Create(t.Context(), plugin.CreateRequest{URN: testURN, Inputs: props(t, `{"create":"touch late"}`)})
			if !errors.Is(err, command.ErrCanceled) {
				t.Error(err)
			}
			if _, err := os.Stat(filepath.Join(dir, "late")); err == nil {
				t.Error("a command ran after the cancel")
			}
		})
	}
}

func TestInterruptedCommandMayCleanUp(t *testing.T) {
	t.Parallel()
	p, dir, done := job{
		script: `trap 'echo tidy > tidied; exit 5' INT; echo ready; while :; do sleep 0.01; done`, grace: time.Hour,
	}.begin(t)
	if err := p.Cancel(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-done; !errors.Is(err, command.ErrCanceled) {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "tidied")); err != nil {
		t.Error(err)
	}
}

func TestCallersContextEndsACommand(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	_, dir, done := job{script: family + `wait`, grace: 50 * time.Millisecond, ctx: ctx}.begin(t)
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	gone(pids(t, dir))
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	p, dir := start(t, func(o *command.Options) { o.Grace = 50 * time.Millisecond })
	_, err := p.Create(t.Context(), plugin.CreateRequest{
		URN: testURN, Timeout: time.Second,
		Inputs: property.MapOf(map[string]property.Value{"create": property.String(family + `wait`)}),
	})
	if !errors.Is(err, context.DeadlineExceeded) ||
		!strings.HasPrefix(err.Error(), "the command took longer than customTimeouts.create allows (1s)") {
		t.Error(err)
	}
	gone(pids(t, dir))
	if got := create(t, p, `{"create":"echo fine"}`); text(t, got, "stdout") != "fine" {
		t.Error("the provider is of no use after a timeout")
	}
}

func TestProcessThatLeftTheGroupDoesNotHoldUsUp(t *testing.T) {
	t.Parallel()
	setsid, err := exec.LookPath("setsid")
	if err != nil {
		t.Skip("no setsid here")
	}
	p, dir, done := job{
		script: setsid + ` sh -c 'echo $$ >> pids; echo ready; exec sleep 1000' & wait`, grace: 10 * time.Millisecond,
	}.begin(t)
	if err := p.Cancel(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-done; !errors.Is(err, command.ErrCanceled) {
		t.Error(err)
	}
	for _, pid := range pids(t, dir) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

func TestFinishedCommandKeepsItsDaemon(t *testing.T) {
	t.Parallel()
	p, dir := start(t, nil)
	create(t, p, `{"create":"sleep 1000 >/dev/null 2>&1 & echo $! > pids"}`)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	for _, pid := range pids(t, dir) {
		if !alive(pid) {
			t.Error("the daemon is gone")
		}
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// TestHelperProvider is the process that the next test kills; on its own it does nothing.
func TestHelperProvider(t *testing.T) {
	dir := os.Getenv("COMMAND_TEST_DIR")
	if dir == "" {
		return
	}
	p := command.New(command.Options{Dir: dir, Env: os.Environ()})
	_, err := p.Create(t.Context(), plugin.CreateRequest{
		URN:    testURN,
		Inputs: property.MapOf(map[string]property.Value{"create": property.String(family + `touch ready; wait`)}),
	})
	t.Error(err)
}

func TestNoOrphansWhenWeAreKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	helper := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHelperProvider$")
	helper.Env = append(os.Environ(), "COMMAND_TEST_DIR="+dir)
	if err := helper.Start(); err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "ready")); err == nil {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if err := helper.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = helper.Wait()
	gone(pids(t, dir))
}
