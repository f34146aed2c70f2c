// Package canary_test proves that secrets stay secret: known values go through every kind of secret and every command,
// and are then looked for in everything that was printed or written.
package canary_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cairn-iac/cairn/internal/clitest"
	"github.com/cairn-iac/cairn/internal/fakeprovidertest"
)

// The canaries: plain, with characters that JSON escapes, and over several lines.
const (
	plain     = "canary-plain-7f3a9c"
	quoted    = `canary-"quoted"\<&>-51d2`
	multiline = "canary-line-one-aa81\ncanary-line-two-bb92"
)

const head = `name: canary
runtime: yaml
config:
  plain: {type: string, secret: true}
  quoted: {type: string, secret: true}
  multiline: {type: string, secret: true}
`

const program = head + `variables:
  built:
    fn::toJSON: {password: "${plain}", lines: "${multiline}"}
  encoded:
    fn::toBase64: ${plain}
resources:
  keeper:
    type: random:RandomPassword
    properties:
      length: 16
      keepers: {a: "${plain}", b: "${quoted}", c: "${multiline}"}
  run:
    type: command:local:Command
    properties:
      create: CREATE
      delete: echo "bye $TOKEN"
      environment: {TOKEN: "${plain}", OTHER: "${quoted}"}
      stdin: ${multiline}
    options:
      additionalSecretOutputs: [stdout, stderr]
outputs:
  built: ${built}
  encoded: ${encoded}
  password: ${keeper.result}
  nested: {deep: [{value: "${quoted}"}]}
`

func TestNoSecretLeavesThePathsItIsMeantFor(t *testing.T) {
	t.Parallel()
	w := clitest.New(t)
	var printed []string
	run := func(args ...string) clitest.Result {
		r := w.Run(args...)
		command := strings.ReplaceAll(strings.Join(args, " "), plain, "(what the user typed)")
		printed = append(printed, "$ "+command+"\n"+r.Stdout+"\n"+r.Stderr)
		return r
	}
	logs := filepath.Join(w.Root, "logs")
	if err := os.MkdirAll(logs, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(create string) { w.Write("Pulumi.yaml", strings.Replace(program, "CREATE", create, 1)) }
	write(`'echo "$TOKEN"; echo "$OTHER" >&2; cat'`)
	configure(w)
	commands := [][]string{
		{"preview"}, {"preview", "--diff"}, {"preview", "--json"}, {"preview", "--show-config", "--debug"},
		{"preview", "--save-plan", filepath.Join(logs, "plan.json")}, {"up", "--yes", "--plan", filepath.Join(logs, "plan.json")},
		{"preview", "--save-plan", filepath.Join(logs, "plan.json")}, {"up", "--yes", "--strict"}, {"up", "--yes", "--skip-preview", "--event-log", filepath.Join(logs, "up.jsonl")},
		{"stack"}, {"stack", "output"}, {"stack", "output", "--json"}, {"stack", "output", "built"}, {"stack", "export"},
		{"stack", "history"}, {"stack", "history", "--json"}, {"config"}, {"config", "--json"}, {"about"},
		{"refresh", "--yes", "--diff"}, {"refresh", "--yes", "--skip-preview", "--json"},
		{"preview", "--import-file", filepath.Join(logs, "import.json")},
		{"import", "random:index/randomPassword:RandomPassword", "found", plain, "--yes", "--diff", "--protect=false", "--out", filepath.Join(logs, "found.yaml")},
	}
	for _, c := range commands {
		if r := run(c...); r.Code != 0 {
			t.Errorf("pulumi %s: exit code %d\n%s%s", strings.Join(c, " "), r.Code, r.Stdout, r.Stderr)
		}
	}
	// What --show-secrets is for is the screen.
	if r := w.Run("preview", "--save-plan", filepath.Join(logs, "shown.json"), "--show-secrets"); r.Code != 0 {
		t.Errorf("preview --show-secrets: exit code %d\n%s%s", r.Code, r.Stdout, r.Stderr)
	}
	// A secret that changes, a secret that becomes plain and back, commands that fail while they print secrets, and a plan
	// that has another value of a secret.
	write(`'echo "$TOKEN"; echo "$OTHER" >&2; cat; false'`)
	w.Write("Pulumi.yaml", strings.ReplaceAll(readFile(t, filepath.Join(w.Project, "Pulumi.yaml")), "length: 16", "length: 17"))
	for _, c := range [][]string{
		{"up", "--yes", "--plan", filepath.Join(logs, "plan.json")}, {"up", "--yes", "--skip-preview", "--plan", filepath.Join(logs, "plan.json"), "--json"},
		{"preview", "--diff"}, {"preview", "--json"}, {"up", "--yes", "--diff", "--event-log", filepath.Join(logs, "fail.jsonl")},
		{"up", "--yes", "--skip-preview", "--json"}, {"up", "--yes", "--skip-preview", "--output", "json"},
	} {
		run(c...)
	}
	write(`'echo "$TOKEN"; echo "$OTHER" >&2; cat'`)
	for _, c := range [][]string{{"up", "--yes"}, {"destroy", "--yes", "--diff", "--event-log", filepath.Join(logs, "destroy.jsonl")}, {"stack", "rm", "--yes"}} {
		if r := run(c...); r.Code != 0 {
			t.Errorf("pulumi %s: exit code %d\n%s%s", strings.Join(c, " "), r.Code, r.Stdout, r.Stderr)
		}
	}
	for _, text := range printed {
		search(t, "printed", text)
	}
	walk(t, w.Root)
}

// TestNoSecretLeavesInWhatProvidersSay lets a provider that knows nothing of secrets name them in every kind of error.
func TestNoSecretLeavesInWhatProvidersSay(t *testing.T) {
	t.Parallel()
	const program = head + `resources:
  thing: {type: "fp:index:Thing", properties: {v: ["${plain}", "${quoted}", "${multiline}", VERSION]}}
`
	w := clitest.New(t)
	cloud := t.TempDir()
	kit, err := fakeprovidertest.Setup(cloud)
	if err != nil {
		t.Fatal(err)
	}
	running, err := fakeprovidertest.Start(fakeprovidertest.Options{Ledger: kit.Folder, Control: kit.ControlFile})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = running.Stop() }) // it has nothing more to say
	w.Env = append(w.Env, fmt.Sprintf("PULUMI_DEBUG_PROVIDERS=fp:%d", running.Port))
	version := 0
	next := func() {
		version++
		w.Write("Pulumi.yaml", strings.Replace(program, "VERSION", strconv.Itoa(version), 1))
	}
	next()
	configure(w)
	said := "refused <" + plain + "> and " + quoted + " and\n" + multiline
	up := []string{"up", "--yes", "--skip-preview"}
	for _, attempt := range []struct {
		rule fakeprovidertest.Rule
		args []string
	}{
		{fakeprovidertest.Rule{Method: "Check", CheckFailures: map[string]string{"v": said}}, up},
		{fakeprovidertest.Rule{Method: "Create", Fail: fakeprovidertest.Before, Message: said}, up},
		{fakeprovidertest.Rule{Method: "Create", InitError: []string{said}}, up},
		{fakeprovidertest.Rule{Method: "Update", Fail: fakeprovidertest.Before, Message: said}, up},
		{fakeprovidertest.Rule{Method: "Update", InitError: []string{said}}, append(up, "--json")},
		{fakeprovidertest.Rule{Method: "Diff", Fail: fakeprovidertest.Before, Message: said}, []string{"preview", "--json"}},
		{fakeprovidertest.Rule{Method: "Read", Fail: fakeprovidertest.Before, Message: said}, []string{"refresh", "--yes", "--skip-preview"}},
		{fakeprovidertest.Rule{Method: "Read", InitError: []string{said}}, []string{"refresh", "--yes", "--diff"}},
		{fakeprovidertest.Rule{Method: "Delete", Fail: fakeprovidertest.Before, Message: said}, []string{"destroy", "--yes"}},
	} {
		if err := kit.Control(fakeprovidertest.Control{Rules: []fakeprovidertest.Rule{attempt.rule}}); err != nil {
			t.Fatal(err)
		}
		next()
		args := append(slices.Clone(attempt.args), "--event-log", filepath.Join(w.Root, fmt.Sprintf("events-%d.jsonl", version)))
		r := w.Run(args...)
		text := "$ " + strings.Join(args, " ") + "\n" + r.Stdout + "\n" + r.Stderr
		if !strings.Contains(text, "refused") || !strings.Contains(text, "[secret]") {
			t.Errorf("%s: exit code %d; want what was said, without the secret\n%s", attempt.rule.Method, r.Code, text)
		}
		search(t, "printed", text)
	}
	walk(t, w.Root)
}

// configure makes the stack and sets its secrets.
func configure(w *clitest.World) {
	w.Must("stack", "init", "dev")
	for key, value := range map[string]string{"plain": plain, "quoted": quoted, "multiline": multiline} {
		w.Must("config", "set", "--secret", key, value)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// walk searches every file of the test's world.
func walk(t *testing.T, root string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files++
		search(t, path, readFile(t, path))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 10 {
		t.Errorf("only %d files were searched", files)
	}
}

// search looks for each canary as it is, line by line, as JSON and YAML write it, and in base64.
func search(t *testing.T, where, text string) {
	t.Helper()
	forms := map[string]string{}
	for _, canary := range []string{plain, quoted, multiline} {
		for _, part := range append(strings.Split(canary, "\n"), canary) {
			forms[part] = "plain"
			escaped, err := json.Marshal(part)
			if err != nil {
				t.Fatal(err)
			}
			forms[string(escaped[1:len(escaped)-1])] = "JSON"
			forms[base64.StdEncoding.EncodeToString([]byte(part))] = "base64"
		}
	}
	for form, how := range forms {
		if at := strings.Index(text, form); at >= 0 {
			t.Errorf("%s: a secret shows (%s):\n%s", where, how, text[max(0, at-120):min(len(text), at+len(form)+60)])
		}
	}
}
