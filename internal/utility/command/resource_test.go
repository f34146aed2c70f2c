//go:build unix

package command_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/utility/command"
)

func create(t *testing.T, p plugin.Provider, inputs string) property.Map {
	t.Helper()
	got, err := p.Create(t.Context(), plugin.CreateRequest{URN: testURN, Inputs: props(t, inputs)})
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^res[0-9a-f]{8}$`).MatchString(string(got.ID)) {
		t.Errorf("id %q", got.ID)
	}
	return got.Outputs
}

func update(t *testing.T, p plugin.Provider, state property.Map, inputs string) property.Map {
	t.Helper()
	got, err := p.Update(t.Context(), plugin.UpdateRequest{
		URN: testURN, ID: "res12345678", OldOutputs: state, News: props(t, inputs),
	})
	if err != nil {
		t.Fatal(err)
	}
	return got.Outputs
}

func TestCreate(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ inputs, want string }{
		"no command":        {`{}`, `{"stdout":"","stderr":""}`},
		"delete only":       {`{"delete":"exit 1"}`, `{"delete":"exit 1","stdout":"","stderr":""}`},
		"empty command":     {`{"create":""}`, `{"create":"","stdout":"","stderr":""}`},
		"both streams":      {`{"create":"echo out; echo err >&2"}`, `{"create":"echo out; echo err >&2","stdout":"out","stderr":"err"}`},
		"one newline goes":  {`{"create":"printf 'a\n\n'"}`, `{"create":"printf 'a\n\n'","stdout":"a\n","stderr":""}`},
		"stdin":             {`{"create":"cat","stdin":"in\n"}`, `{"create":"cat","stdin":"in\n","stdout":"in","stderr":""}`},
		"no stdin":          {`{"create":"cat"}`, `{"create":"cat","stdout":"","stderr":""}`},
		"unread stdin":      {`{"create":"true","stdin":"` + strings.Repeat("x", 1<<17) + `"}`, `{"create":"true","stdin":"` + strings.Repeat("x", 1<<17) + `","stdout":"","stderr":""}`},
		"environment":       {`{"create":"echo $BASE $A","environment":{"A":"b c"}}`, `{"create":"echo $BASE $A","environment":{"A":"b c"},"stdout":"base b c","stderr":""}`},
		"override":          {`{"create":"echo $BASE","environment":{"BASE":"mine"}}`, `{"create":"echo $BASE","environment":{"BASE":"mine"},"stdout":"mine","stderr":""}`},
		"interpreter":       {`{"create":"b","interpreter":["echo","a"]}`, `{"create":"b","interpreter":["echo","a"],"stdout":"a b","stderr":""}`},
		"empty interpreter": {`{"create":"echo $0","interpreter":[]}`, `{"create":"echo $0","interpreter":[],"stdout":"/bin/sh","stderr":""}`},
		"nothing previous":  {`{"create":"echo ${PULUMI_COMMAND_STDOUT-none}"}`, `{"create":"echo ${PULUMI_COMMAND_STDOUT-none}","stdout":"none","stderr":""}`},
		"triggers":          {`{"create":"true","triggers":[1,{"a":null}]}`, `{"create":"true","triggers":[1,{"a":null}],"stdout":"","stderr":""}`},
		"secrets of inputs stay, output is public": {
			`{"create":"echo $A","environment":{"A":` + secret("hush") + `}}`,
			`{"create":"echo $A","environment":{"A":` + secret("hush") + `},"stdout":"hush","stderr":""}`,
		},
		"a secret command": {`{"create":` + secret("echo x") + `}`, `{"create":` + secret("echo x") + `,"stdout":"x","stderr":""}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, _ := start(t, nil)
			got := create(t, p, c.inputs)
			if !got.Equal(props(t, c.want)) {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestNothingComesFromOurOwnEnvironment(t *testing.T) {
	t.Parallel()
	p, _ := start(t, func(o *command.Options) { o.Env = nil })
	got := create(t, p, `{"create":"unset PWD OLDPWD SHLVL _; export"}`)
	if out := text(t, got, "stdout"); strings.Contains(out, "HOME") || strings.Contains(out, "PATH=") {
		t.Errorf("inherited: %s", out)
	}
}

func TestDir(t *testing.T) {
	t.Parallel()
	p, dir := start(t, nil)
	if err := os.MkdirAll(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	for given, want := range map[string]string{"": real, "sub": real + "/sub", "./sub/": real + "/sub", dir + "/sub": real + "/sub"} {
		got := create(t, p, `{"create":"pwd -P","dir":`+mustJSON(t, given)+`}`)
		if out := text(t, got, "stdout"); out != want {
			t.Errorf("dir %q: ran in %q, not in %q", given, out, want)
		}
	}
	for _, given := range []string{"missing", "file"} {
		if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := p.Create(t.Context(), plugin.CreateRequest{
			URN: testURN, Inputs: props(t, `{"create":"true","dir":"`+given+`"}`),
		})
		if err == nil || !strings.Contains(err.Error(), "property dir: the command cannot run there") {
			t.Errorf("%s: %v", given, err)
		}
	}
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	state := `{"create":"old","stdout":"before","stderr":"err before"}`
	for name, c := range map[string]struct{ state, inputs, want string }{
		"update": {state, `{"create":"exit 1","update":"echo $PULUMI_COMMAND_STDOUT, $PULUMI_COMMAND_STDERR"}`,
			`{"create":"exit 1","update":"echo $PULUMI_COMMAND_STDOUT, $PULUMI_COMMAND_STDERR","stdout":"before, err before","stderr":""}`},
		"create again":  {state, `{"create":"echo again"}`, `{"create":"echo again","stdout":"again","stderr":""}`},
		"neither":       {state, `{"delete":"x"}`, `{"delete":"x","stdout":"before","stderr":"err before"}`},
		"empty update":  {state, `{"create":"exit 1","update":""}`, `{"create":"exit 1","update":"","stdout":"","stderr":""}`},
		"not passed on": {state, `{"create":"echo ${PULUMI_COMMAND_STDOUT-none}","addPreviousOutputInEnv":false}`, `{"create":"echo ${PULUMI_COMMAND_STDOUT-none}","addPreviousOutputInEnv":false,"stdout":"none","stderr":""}`},
		"empty output is not passed on": {`{"stdout":"","stderr":""}`, `{"create":"echo ${PULUMI_COMMAND_STDOUT-none}"}`,
			`{"create":"echo ${PULUMI_COMMAND_STDOUT-none}","stdout":"none","stderr":""}`},
		"a secret output stays when nothing runs": {`{"stdout":` + secret("x") + `,"stderr":""}`, `{"delete":"y"}`,
			`{"delete":"y","stdout":` + secret("x") + `,"stderr":""}`},
		"files of an earlier run stay": {`{"stdout":"","stderr":"","assets":{}}`, `{"create":"true"}`, `{"create":"true","assets":{},"stdout":"","stderr":""}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, _ := start(t, nil)
			if got := update(t, p, props(t, c.state), c.inputs); !got.Equal(props(t, c.want)) {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestDelete(t *testing.T) {
	t.Parallel()
	p, dir := start(t, nil)
	state := create(t, p, `{"create":"echo made","delete":"echo $PULUMI_COMMAND_STDOUT > gone.txt","assetPaths":["**"]}`)
	if err := p.Delete(t.Context(), plugin.DeleteRequest{URN: testURN, ID: "res1", Outputs: state}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "gone.txt"))
	if err != nil || string(got) != "made\n" {
		t.Errorf("%q, %v", got, err)
	}
	if err := p.Delete(t.Context(), plugin.DeleteRequest{URN: testURN, Outputs: props(t, `{"create":"exit 1"}`)}); err != nil {
		t.Errorf("nothing to run: %v", err)
	}
	err = p.Delete(t.Context(), plugin.DeleteRequest{URN: testURN, Outputs: props(t, `{"delete":"exit 3"}`)})
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Errorf("got %v", err)
	}
}

func TestPreview(t *testing.T) {
	t.Parallel()
	p, dir := start(t, nil)
	inputs := `{"create":"touch ran","environment":"<unknown>","assetPaths":["x"],"archivePaths":["x"]}`
	created, err := p.Create(t.Context(), plugin.CreateRequest{URN: testURN, Inputs: props(t, inputs), Preview: true})
	if err != nil {
		t.Fatal(err)
	}
	want := props(t, `{"create":"touch ran","environment":"<unknown>","assetPaths":["x"],"archivePaths":["x"],
		"stdout":"<unknown>","stderr":"<unknown>","assets":"<unknown>","archive":"<unknown>"}`)
	if created.ID != "" || !created.Outputs.Equal(want) {
		t.Errorf("create: %+v", created)
	}
	updated, err := p.Update(t.Context(), plugin.UpdateRequest{
		URN: testURN, News: props(t, `{"create":"touch ran"}`), Preview: true,
		OldOutputs: props(t, `{"stdout":`+secret("a")+`,"stderr":"","assets":{}}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	want = property.MapOf(map[string]property.Value{
		"create": property.String("touch ran"), "stderr": property.Unknown(), "assets": property.Unknown(),
		"stdout": property.Unknown().MakeSecret(),
	})
	if !updated.Outputs.Equal(want) {
		t.Errorf("update: %v", updated.Outputs)
	}
	updated, err = p.Update(t.Context(), plugin.UpdateRequest{
		URN: testURN, News: props(t, `{"delete":"x"}`), Preview: true, OldOutputs: props(t, `{"stdout":"a","stderr":""}`),
	})
	if err != nil || !updated.Outputs.Equal(props(t, `{"delete":"x","stdout":"a","stderr":""}`)) {
		t.Errorf("nothing to run: %v, %v", updated.Outputs, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "ran")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a preview ran the command")
	}
}

func TestInvoke(t *testing.T) {
	t.Parallel()
	p, dir := start(t, nil)
	for name, c := range map[string]struct{ args, want string }{
		"run":     {`{"command":"echo hi","environment":{"A":` + secret("x") + `}}`, `{"command":"echo hi","environment":{"A":` + secret("x") + `},"stdout":"hi","stderr":""}`},
		"unknown": {`{"command":"touch ran","stdin":"<unknown>"}`, `{"command":"touch ran","stdin":"<unknown>","stdout":"<unknown>","stderr":"<unknown>"}`},
	} {
		got, err := p.Invoke(t.Context(), plugin.InvokeRequest{
			Token: "command:local:run", Args: props(t, c.args), Preview: true,
		})
		if err != nil || len(got.Failures) > 0 {
			t.Fatal(err, got.Failures)
		}
		if !got.Return.Equal(props(t, c.want)) {
			t.Errorf("%s: got %v", name, got.Return)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "ran")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("ran with unknown arguments")
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ inputs, want string }{
		"status": {`{"create":"exec 2>&1; echo out; echo err >&2; exit 7"}`,
			"exit status 7: running \"exec 2>&1; echo out; echo err >&2; exit 7\":\nout\nerr\n"},
		"error output": {`{"create":"echo err >&2; exit 1"}`, "exit status 1: running \"echo err >&2; exit 1\":\nerr\n"},
		"signal":       {`{"create":"kill -9 $$"}`, "signal: killed: running \"kill -9 $$\":\n"},
		"no program":   {`{"create":"x","interpreter":["no-such-program"]}`, "property interpreter: cannot start \"no-such-program\": executable file not found in $PATH"},
		"no script":    {`{"create":"x","interpreter":["./no-such-program"]}`, "fork/exec ./no-such-program: no such file or directory: running \"x\":\n"},
		"wrong kind":   {`{"create":"x","environment":{"A":1}}`, "property environment.A: expected a string, got a number"},
		"wrong entry":  {`{"create":"x","interpreter":["sh",1]}`, "property interpreter[1]: expected a string, got a number"},
		"glob":         {`{"create":"touch ran","assetPaths":["["]}`, "property assetPaths[0] is not a glob pattern: glob: syntax error at 1: unexpected end of input"},
		"secrets": {`{"create":"echo $A; echo $A >&2; exit 1","environment":{"A":` + secret("hush hush") + `}}`,
			"exit status 1: running \"echo $A; echo $A >&2; exit 1\":\n[secret]\n[secret]\n"},
		"secret command": {`{"create":` + secret("exit 1") + `}`, "exit status 1: running [secret]:\n"},
		"secret in the command": {`{"create":"echo 'two words'; exit 1","stdin":` + secret("two words") + `}`,
			"exit status 1: running \"echo '[secret]'; exit 1\":\n[secret]\n"},
		"not UTF-8": {`{"create":"printf 'a\\377b'; exit 1"}`, "exit status 1: running \"printf 'a\\\\377b'; exit 1\":\na\uFFFDb"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, dir := start(t, nil)
			_, err := p.Create(t.Context(), plugin.CreateRequest{URN: testURN, Inputs: props(t, c.inputs)})
			if err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(c.want, err.Error()); diff != "" {
				t.Error(diff)
			}
			if _, err := os.Stat(filepath.Join(dir, "ran")); !errors.Is(err, fs.ErrNotExist) {
				t.Error("the command ran all the same")
			}
		})
	}
}

func TestFailureWithMuchOutputKeepsTheEnd(t *testing.T) {
	t.Parallel()
	p, _ := start(t, nil)
	_, err := p.Create(t.Context(), plugin.CreateRequest{
		URN: testURN, Inputs: props(t, `{"create":"seq 1 200000; echo the end; exit 1"}`),
	})
	if err == nil || len(err.Error()) > 300<<10 || !strings.HasSuffix(err.Error(), "\nthe end\n") ||
		!strings.Contains(err.Error(), ":\n[the start of the output is left out]\n") {
		t.Errorf("%d bytes", len(err.Error()))
	}
}

func TestBigAndBinaryOutput(t *testing.T) {
	t.Parallel()
	l := newLogs()
	p, _ := start(t, func(o *command.Options) { o.Log = l.add })
	got := create(t, p, `{"create":"head -c 5000000 /dev/zero | tr '\\0' x; printf '\\377\\376\\0y' >&2"}`)
	if out := text(t, got, "stdout"); len(out) != 5_000_000 || strings.Trim(out, "x") != "" {
		t.Errorf("%d bytes", len(out))
	}
	if out := text(t, got, "stderr"); out != "\xff\xfe\x00y" {
		t.Errorf("%q", out)
	}
	for _, m := range l.messages() {
		if len(m) > 17<<10 || strings.ToValidUTF8(m, "") != m {
			t.Errorf("a message of %d bytes", len(m))
		}
	}
	// The way out is named when it cannot be passed on to the next run.
	_, err := p.Update(t.Context(), plugin.UpdateRequest{URN: testURN, OldOutputs: got, News: props(t, `{"create":"true"}`)})
	if err == nil || !strings.Contains(err.Error(), "the stderr of the run before holds a NUL character") ||
		!strings.Contains(err.Error(), "set addPreviousOutputInEnv to false") {
		t.Error(err)
	}
	err = p.Delete(t.Context(), plugin.DeleteRequest{
		URN: testURN, Outputs: got.With("stderr", property.String("")).With("delete", property.String("true")),
	})
	if err == nil || !strings.Contains(err.Error(), "argument list too long") ||
		!strings.Contains(err.Error(), "set addPreviousOutputInEnv to false") {
		t.Error(err)
	}
	next := update(t, p, got, `{"create":"echo ok","addPreviousOutputInEnv":false}`)
	if out := text(t, next, "stdout"); out != "ok" {
		t.Error(out)
	}
}
