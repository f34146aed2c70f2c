//go:build linux

package chaos_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/cairn-iac/cairn/internal/fakeprovidertest"
)

// The programs to use in place of the one that is built, and beside it.
const (
	envProgram  = "CHAOS_PULUMI"
	envUpstream = "CHAOS_UPSTREAM"
)

// worlds is how many stacks are tortured at a time.
const worlds = 2

// TestChaos kills `up`, `refresh` and `destroy` of 50 resources at random instants. After each kill the next unattended
// run must bring state and cloud together again; only creates that were under way may remain, as pending operations.
func TestChaos(t *testing.T) {
	t.Parallel()
	s := settingsOf(t)
	t.Logf("%d kills, seed %d (repeat with CHAOS_SEED=%d)", s.kills, s.seed, s.seed)
	tally := newTally()
	t.Cleanup(func() { t.Logf("seed %d\n%s", s.seed, tally) })
	for i := range worlds {
		share := (s.kills + worlds - 1 - i) / worlds
		t.Run(fmt.Sprintf("world%d", i), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, s, uint64(i))
			defer w.leave()
			w.tally = tally
			w.begin()
			w.measure()
			for w.kills < share {
				w.round()
			}
			w.end()
		})
	}
}

// settings are what the environment asks for.
type settings struct {
	kills int
	seed  uint64
	bin   string // folder with the program and the plugin
}

func settingsOf(t *testing.T) settings {
	t.Helper()
	s := settings{kills: 25, bin: binaries(t)}
	if text := os.Getenv("CHAOS_KILLS"); text != "" {
		kills, err := strconv.Atoi(text)
		if err != nil || kills < 1 {
			t.Fatalf("CHAOS_KILLS must be a positive number, not %q", text)
		}
		s.kills = kills
	}
	if text := os.Getenv("CHAOS_SEED"); text != "" {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("CHAOS_SEED must be a number, not %q", text)
		}
		s.seed = seed
	}
	if s.seed == 0 {
		s.seed = rand.Uint64()>>1 + 1
	}
	return s
}

// built makes the binaries once for all tests of the process.
var built struct {
	once sync.Once
	dir  string
	err  error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if built.dir != "" {
		_ = os.RemoveAll(built.dir) // a leftover in the temporary folder is no reason to fail
	}
	os.Exit(code)
}

func binaries(t *testing.T) string {
	t.Helper()
	built.once.Do(func() { built.dir, built.err = build(context.Background()) })
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.dir
}

func build(ctx context.Context) (string, error) {
	dir, err := os.MkdirTemp("", "chaos-bin-")
	if err != nil {
		return "", err
	}
	if _, err := (&fakeprovidertest.Kit{}).Build(ctx, dir); err != nil {
		return dir, err
	}
	program := filepath.Join(dir, "pulumi")
	if own := os.Getenv(envProgram); own != "" {
		own, err := filepath.Abs(own)
		if err != nil {
			return dir, err
		}
		return dir, os.Symlink(own, program)
	}
	command := exec.CommandContext(ctx, "go", "build", "-o", program, "github.com/cairn-iac/cairn/cmd/pulumi")
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := command.CombinedOutput(); err != nil {
		return dir, fmt.Errorf("build pulumi: %w\n%s", err, output)
	}
	return dir, nil
}

// tally counts what happened, for all worlds.
type tally struct {
	mu     sync.Mutex
	counts map[string]int
	order  []string
}

func newTally() *tally { return &tally{counts: map[string]int{}} }

func (y *tally) add(what string, n int) {
	y.mu.Lock()
	defer y.mu.Unlock()
	if _, known := y.counts[what]; !known {
		y.order = append(y.order, what)
	}
	y.counts[what] += n
}

func (y *tally) String() string {
	y.mu.Lock()
	defer y.mu.Unlock()
	var b strings.Builder
	for _, what := range y.order {
		fmt.Fprintf(&b, "%6d  %s\n", y.counts[what], what)
	}
	return b.String()
}
