package diy

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairn-iac/cairn/internal/backend"
)

// The helper process: it takes the lock when told to, says what came of it and gives it back when told to.
const helperVar = "CAIRN_LOCK_HELPER"

func TestLockHelperProcess(t *testing.T) {
	root, noGate := os.Getenv(helperVar), os.Getenv(helperVar+"_NOGATE") != ""
	if root == "" {
		t.Skip("only as a child process")
	}
	s := storeAt(t, root)
	if noGate {
		s.gate = func(string) (gate, error) { return gate{state: gateAbsent}, nil }
	}
	var held backend.Lock
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		switch in.Text() {
		case "lock":
			lock, err := locker{s}.Lock(t.Context(), testRef, backend.LockOptions{})
			var locked *backend.LockedError
			switch {
			case err == nil:
				held = lock
				fmt.Printf("HELPER won %d\n", len(lock.Notices()))
			case errors.As(err, &locked):
				fmt.Println("HELPER locked")
			default:
				fmt.Printf("HELPER error %v\n", err)
			}
		case "unlock":
			if err := held.Release(t.Context()); err != nil {
				fmt.Printf("HELPER error %v\n", err)
			} else {
				fmt.Println("HELPER released")
			}
		}
	}
}

type helper struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func startHelper(t *testing.T, root string, noGate bool) *helper {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestLockHelperProcess$")
	cmd.Env = append(os.Environ(), helperVar+"="+root)
	if noGate {
		cmd.Env = append(cmd.Env, helperVar+"_NOGATE=1")
	}
	in, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	return &helper{cmd: cmd, in: in, out: bufio.NewScanner(out)}
}

func (h *helper) do(command string) string {
	if _, err := fmt.Fprintln(h.in, command); err != nil {
		return "error " + err.Error()
	}
	for h.out.Scan() {
		if answer, ok := strings.CutPrefix(h.out.Text(), "HELPER "); ok {
			return answer
		}
	}
	return "gone"
}

// TestProcessRace starts the lock in eight processes at once, with and without the kernel's lock.
func TestProcessRace(t *testing.T) {
	t.Parallel()
	for _, noGate := range []bool{false, true} {
		t.Run(fmt.Sprintf("noGate=%v", noGate), func(t *testing.T) {
			t.Parallel()
			const processes, rounds = 8, 20
			root := storeAt(t, t.TempDir()).root
			helpers := make([]*helper, processes)
			for i := range helpers {
				helpers[i] = startHelper(t, root, noGate)
			}
			for round := range rounds {
				answers := make([]string, processes)
				var wg sync.WaitGroup
				for i, h := range helpers {
					wg.Go(func() { answers[i] = h.do("lock") })
				}
				wg.Wait()
				winners := 0
				for i, answer := range answers {
					switch answer {
					case "locked":
					case "won 0":
						winners++
						if got := helpers[i].do("unlock"); got != "released" {
							t.Fatalf("round %d: %s", round, got)
						}
					default:
						t.Fatalf("round %d: %s", round, answer)
					}
				}
				if winners != 1 {
					t.Fatalf("round %d: %d winners: %v", round, winners, answers)
				}
			}
			noTemps(t, root)
		})
	}
}

// TestKilledHolder: a holder that was killed blocks nobody, even before it is reaped.
func TestKilledHolder(t *testing.T) {
	t.Parallel()
	for _, noGate := range []bool{false, true} {
		s := testStore(t)
		h := startHelper(t, s.root, noGate)
		if got := h.do("lock"); got != "won 0" {
			t.Fatal(got)
		}
		var locked *backend.LockedError
		if _, err := (locker{s}).Lock(t.Context(), testRef, backend.LockOptions{}); !errors.As(err, &locked) {
			t.Fatalf("beside a living holder: %v", err)
		}
		must(t, h.cmd.Process.Kill())
		lock, err := locker{s}.Lock(t.Context(), testRef, backend.LockOptions{Wait: time.Minute})
		must(t, err)
		if len(lock.Notices()) != 1 || !strings.Contains(lock.Notices()[0].Summary, "is gone") {
			t.Errorf("notices: %v", lock.Notices())
		}
		must(t, lock.Release(t.Context()))
	}
}
