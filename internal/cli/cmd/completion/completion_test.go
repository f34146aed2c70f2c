package completion_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/cli/cmd/completion"
	newcmd "github.com/cairn-iac/cairn/internal/cli/cmd/new"
	"github.com/cairn-iac/cairn/internal/cli/cmd/operation"
	"github.com/cairn-iac/cairn/internal/cli/cmd/stack"
	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/cli/iostreams"
	"github.com/cairn-iac/cairn/internal/clitest"
)

// run runs a command of a tree with completion in the world's project.
func run(w *clitest.World, args ...string) (out, errout string, err error) {
	var stdout, stderr bytes.Buffer
	f := &factory.Factory{
		Streams: &iostreams.Streams{In: strings.NewReader(""), Out: &stdout, Err: &stderr},
		Env:     w.Env, Dir: w.Project, Username: w.Username, Hostname: w.Hostname,
	}
	root := &cobra.Command{
		Use: "pulumi", SilenceErrors: true, SilenceUsage: true, CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.PersistentFlags().StringVarP(&f.Flags.Cwd, "cwd", "C", "", "")
	root.SetOut(&stdout)
	root.SetErr(&stderr)
	root.AddCommand(operation.Commands(f)...)
	root.AddCommand(stack.NewCmd(f), newcmd.NewCmd(f), completion.NewCmd())
	completion.Register(root, f)
	root.SetArgs(args)
	err = root.ExecuteContext(context.Background())
	return stdout.String(), stderr.String(), err
}

// offered is what a shell would offer: the words, without descriptions and the directive behind them.
func offered(t *testing.T, w *clitest.World, args ...string) []string {
	t.Helper()
	out, errout, err := run(w, append([]string{cobra.ShellCompRequestCmd}, args...)...)
	if err != nil {
		t.Fatalf("%v\n%s", err, errout)
	}
	if strings.Contains(errout, "rror") {
		t.Errorf("complete %q says %s", args, errout)
	}
	words := []string{}
	for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
		if word, _, _ := strings.Cut(line, "\t"); !strings.HasPrefix(word, ":") {
			words = append(words, word)
		}
	}
	return words
}

// project has three stacks. Only one is made in the slow way, with a key of its own.
func project(t *testing.T) *clitest.World {
	t.Helper()
	w := clitest.New(t)
	w.Write("Pulumi.yaml", "name: shop\nruntime: yaml\n")
	w.Must("stack", "init", "dev")
	dir := filepath.Join(w.State, ".pulumi", "stacks", "shop")
	empty, err := os.ReadFile(filepath.Join(dir, "dev.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"prod", "preview"} {
		if err := os.WriteFile(filepath.Join(dir, name+".json"), empty, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func TestStacks(t *testing.T) {
	t.Parallel()
	w := project(t)
	for _, c := range []struct {
		args string
		want []string
	}{
		{"up --stack |", []string{"dev", "preview", "prod"}}, {"up --stack p|", []string{"preview", "prod"}},
		{"up -s pro|", []string{"prod"}}, {"up --stack=d|", []string{"dev"}}, {"up --stack x|", []string{}},
		{"destroy --yes --stack d|", []string{"dev"}}, {"stack output --stack d|", []string{"dev"}},
		{"stack select |", []string{"dev", "preview", "prod"}}, {"stack select dev |", []string{}}, {"stack rm pre|", []string{"preview"}},
		{"cancel d|", []string{"dev"}},
		{"new ya|", []string{"yaml"}}, {"new yaml |", []string{}}, {"gen-completion z|", []string{"zsh"}},
		{"stack sel|", []string{"select"}},
	} {
		args := strings.Split(strings.TrimSuffix(c.args, "|"), " ")
		if diff := cmp.Diff(c.want, offered(t, w, args...)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.args, diff)
		}
	}
	// --cwd counts, and outside of a project whole names are offered.
	whole := []string{"organization/shop/dev", "organization/shop/preview", "organization/shop/prod"}
	if diff := cmp.Diff(whole, offered(t, w, "-C", w.Root, "up", "--stack", "")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Whatever is wrong with the machine, tab says nothing.
func TestSilence(t *testing.T) {
	t.Parallel()
	w := clitest.New(t)
	broken := func(env ...string) {
		v := *w
		v.Env = append(append([]string{}, w.Env...), env...)
		if got := offered(t, &v, "up", "--stack", ""); len(got) > 0 {
			t.Errorf("%q offers %q", env, got)
		}
	}
	broken()
	broken("PULUMI_BACKEND_URL=")
	broken("PULUMI_BACKEND_URL=s3://bucket")
	broken("PULUMI_BACKEND_URL=file:///nonexistent/folder")
	w.Write("Pulumi.yaml", "name: [\n")
	broken()
}

func TestScripts(t *testing.T) {
	t.Parallel()
	w := clitest.New(t)
	for shell, part := range map[string]string{
		"bash": "__start_pulumi", "zsh": "#compdef pulumi", "fish": "complete -c pulumi", "powershell": "Register-ArgumentCompleter",
	} {
		out, _, err := run(w, "gen-completion", shell)
		if err != nil || !strings.Contains(out, part) {
			t.Errorf("%s: %v, %q is missing", shell, err, part)
		}
	}
	if _, _, err := run(w, "completion", "tcsh"); err == nil || !strings.Contains(err.Error(), "bash, zsh, fish, powershell") {
		t.Errorf("got %v", err)
	}
	if _, _, err := run(w, "gen-completion"); err == nil || !strings.Contains(err.Error(), "--help") {
		t.Errorf("got %v", err)
	}
}

// The script works in a real bash, with a stand-in for the program that answers as it does.
func TestBash(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	w := project(t)
	script, _, err := run(w, "gen-completion", "bash")
	if err != nil {
		t.Fatal(err)
	}
	answer, _, err := run(w, cobra.ShellCompRequestCmd, "up", "--stack", "p")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"script": script, "answer": answer, "pulumi": "#!/bin/sh\nexec cat " + dir + "/answer\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	// What the package bash-completion does for the script.
	const session = `
_get_comp_words_by_ref() { cur=p; prev=--stack; words=(pulumi up --stack p); cword=3; }
__ltrim_colon_completions() { :; }
compopt() { :; }
source "$1/script"
COMP_TYPE=9
__start_pulumi
printf '%s\n' "${COMPREPLY[@]}"
`
	cmd := exec.Command(bash, "-c", session, "bash", dir)
	cmd.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH")}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if diff := cmp.Diff("preview\nprod", strings.Join(strings.Fields(string(out)), "\n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
