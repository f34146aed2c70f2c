package cli_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/cairn-iac/cairn/internal/backend"
	"github.com/cairn-iac/cairn/internal/backend/diy"
	"github.com/cairn-iac/cairn/internal/backend/session"
	"github.com/cairn-iac/cairn/internal/cli"
	engineexec "github.com/cairn-iac/cairn/internal/engine/exec"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/release"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/secret"
	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/urn"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"pulumi": func() { os.Exit(cli.Main(cli.FromProcess())) },
	})
}

// TestScript runs the user stories in testdata/script with the real program.
func TestScript(t *testing.T) {
	t.Parallel()
	upstream, err := filepath.Abs("../../testdata/upstream")
	if err != nil {
		t.Fatal(err)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("PULUMI_HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("PULUMI_BACKEND_URL", "file://"+filepath.Join(e.WorkDir, "state"))
			e.Setenv("PULUMI_CONFIG_PASSPHRASE", "fixture")
			e.Setenv("USER", "tester")
			e.Setenv("UPSTREAM", upstream)
			e.Setenv("HOST", host)
			e.Setenv("VERSION", release.Version)
			return os.Mkdir(filepath.Join(e.WorkDir, "state"), 0o755)
		},
		Condition: func(name string) (bool, error) {
			if name == "root" {
				return os.Getuid() == 0, nil
			}
			return false, errors.New("unknown condition " + name)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits": exits, "like": like, "copytree": copyTree, "unfinished": unfinished,
		},
	})
}

// exits runs a command and wants this exit code: exits 6 pulumi stack select nosuch.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND ARGS...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// like compares a file (or stdout, stderr) with a pattern file: literal text with variables and {{regular expressions}}.
func like(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: like FILE PATTERN")
	}
	got, pattern := ts.ReadFile(args[0]), ts.ReadFile(args[1])
	var b strings.Builder
	for i, part := range regexp.MustCompile(`\{\{|\}\}`).Split(pattern, -1) {
		if i%2 == 1 {
			b.WriteString("(?:" + part + ")")
			continue
		}
		b.WriteString(regexp.QuoteMeta(os.Expand(part, ts.Getenv)))
	}
	if !regexp.MustCompile(`\A` + b.String() + `\z`).MatchString(got) {
		ts.Fatalf("%s is not like %s:\n%s", args[0], args[1], got)
	}
}

// copyTree copies a folder, writable: copytree FROM TO.
func copyTree(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: copytree FROM TO")
	}
	from, to := args[0], ts.MkAbs(args[1])
	ts.Check(filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, name), 0o755)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), data, 0o644)
	}))
}

// unfinished leaves the journal of an update that was killed after it made one resource and began another: unfinished
// STACK.
func unfinished(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: unfinished STACK")
	}
	ctx := context.Background()
	ref, err := backend.ParseStackRef(args[0], "quick")
	ts.Check(err)
	b, err := diy.Open(ctx, diy.Options{URL: ts.Getenv("PULUMI_BACKEND_URL"), Username: "tester", Hostname: ts.Getenv("HOST")})
	ts.Check(err)
	s, err := session.Open(ctx, session.Options{
		Backend: b, Ref: ref, Kind: backend.UpdateKindUpdate, Version: release.Tag,
		Keys: func(context.Context, *state.SecretsProvider) (secret.Crypter, error) {
			return secret.Locked("a test", nil), nil
		},
	})
	ts.Check(err)
	made := thing(ref, "made")
	ticket, err := s.Begin(ctx, engineexec.Begin{Kind: resource.PendingCreating, Resource: made})
	ts.Check(err)
	ts.Check(s.Success(ctx, engineexec.Success{Ticket: ticket, Changes: []engineexec.Change{{New: made}}}))
	_, err = s.Begin(ctx, engineexec.Begin{Kind: resource.PendingCreating, Resource: thing(ref, "begun")})
	ts.Check(err)
	_, err = s.Abandon(ctx)
	ts.Check(err)
}

func thing(ref backend.StackRef, name string) *resource.State {
	const typ = "my:index:Component"
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return &resource.State{
		URN: urn.New(ref.Name, ref.Project, "", typ, name), Type: typ, Created: &now, Modified: &now,
		Outputs: property.MapOf(map[string]property.Value{"name": property.String(name)}),
	}
}
