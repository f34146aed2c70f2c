package command_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/urn"
	"github.com/cairn-iac/cairn/internal/utility/command"
)

func TestCheckNamesPropertyAndReason(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		inputs   string
		property string
		reason   string
	}{
		"number":            {`{"create": 3}`, "create", "expected a string, got a number: quote it"},
		"secret number":     {`{"create": {"4dabf18193072939515e22adb298388d":"1b47061264138c4ac30d75fd1eb44270","plaintext":"7"}}`, "create", "expected a string, got a number: quote it"},
		"typo":              {`{"creat": "x"}`, "creat", "is not a property; did you mean create?"},
		"far off":           {`{"zzzzzz": "x"}`, "zzzzzz", "is not a property; there are triggers, create, update, delete, stdin, logging, interpreter, dir, environment, assetPaths, archivePaths, addPreviousOutputInEnv"},
		"internal":          {`{"__x": 1}`, "__x", "is not a property; there are triggers, create, update, delete, stdin, logging, interpreter, dir, environment, assetPaths, archivePaths, addPreviousOutputInEnv"},
		"output":            {`{"stdout": "x"}`, "stdout", "is an output and cannot be set"},
		"environment":       {`{"environment": "A=b"}`, "environment", "expected a map of strings, got a string"},
		"variable":          {`{"environment": {"PORT": 8080}}`, "environment.PORT", "expected a string, got a number: quote it"},
		"variable name":     {`{"environment": {"A=B": "x"}}`, "environment.A=B", "is not a name an environment variable can have"},
		"empty variable":    {`{"environment": {"": "x"}}`, `environment[""]`, "is not a name an environment variable can have"},
		"NUL":               {`{"environment": {"A": "\u0000"}}`, "environment.A", "holds a NUL character, which an environment variable cannot"},
		"NUL in a command":  {`{"create": "a\u0000b"}`, "create", "holds a NUL character, which a command cannot"},
		"interpreter":       {`{"interpreter": "bash"}`, "interpreter", "expected a list of strings, got a string"},
		"interpreter entry": {`{"interpreter": ["bash", true]}`, "interpreter[1]", "expected a string, got a bool: quote it"},
		"null entry":        {`{"interpreter": [null]}`, "interpreter[0]", "expected a string, got null"},
		"triggers":          {`{"triggers": "now"}`, "triggers", "expected a list, got a string"},
		"flag":              {`{"addPreviousOutputInEnv": "yes"}`, "addPreviousOutputInEnv", "expected true or false, got a string"},
		"logging":           {`{"logging": true}`, "logging", "expected a string, got a bool: quote it"},
		"glob":              {`{"assetPaths": ["ok", "![a-"]}`, "assetPaths[1]", "is not a glob pattern: glob: syntax error at 3: unexpected end of input"},
		"dir":               {`{"dir": []}`, "dir", "expected a string, got a list"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, _ := start(t, nil)
			got, err := p.Check(t.Context(), plugin.CheckRequest{URN: testURN, News: props(t, c.inputs)})
			if err != nil {
				t.Fatal(err)
			}
			want := []plugin.CheckFailure{{Property: c.property, Reason: c.reason}}
			if diff := cmp.Diff(want, got.Failures); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCheckKeepsInputs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ inputs, want string }{
		"nothing":           {`{}`, `{}`},
		"no defaults added": {`{"create":"x"}`, `{"create":"x"}`},
		"nulls":             {`{"create":null,"environment":{"A":null},"triggers":[null,{"a":null}]}`, `{"environment":{},"triggers":[null,{}]}`},
		"secrets": {`{"create":` + secret("x") + `,"environment":{"A":` + secret("y") + `}}`,
			`{"create":` + secret("x") + `,"environment":{"A":` + secret("y") + `}}`},
		"unknowns": {`{"create":"<unknown>","environment":"<unknown>","interpreter":["<unknown>"],"triggers":"<unknown>","logging":"<unknown>","assetPaths":["<unknown>"]}`,
			`{"create":"<unknown>","environment":"<unknown>","interpreter":["<unknown>"],"triggers":"<unknown>","logging":"<unknown>","assetPaths":["<unknown>"]}`},
		"stdin holds any byte": {`{"stdin":"a\u0000b"}`, `{"stdin":"a\u0000b"}`},
		"an unknown variable":  {`{"environment":{"A":"<unknown>"}}`, `{"environment":{"A":"<unknown>"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, _ := start(t, nil)
			got, err := p.Check(t.Context(), plugin.CheckRequest{URN: testURN, News: props(t, c.inputs), Preview: true})
			if err != nil || len(got.Failures) > 0 {
				t.Fatal(err, got.Failures)
			}
			if !got.Inputs.Equal(props(t, c.want)) {
				t.Errorf("got %v", got.Inputs)
			}
		})
	}
}

func TestCheckWarnsOfAnUnknownLoggingMode(t *testing.T) {
	t.Parallel()
	l := newLogs()
	p, _ := start(t, func(o *command.Options) { o.Log = l.add })
	got, err := p.Check(t.Context(), plugin.CheckRequest{URN: testURN, News: props(t, `{"logging":"STDOUT"}`)})
	if err != nil || len(got.Failures) > 0 {
		t.Fatal(err, got.Failures)
	}
	want := []plugin.Log{{
		Severity: diag.Warning, URN: testURN,
		Message: "logging: the value is none of stdout, stderr, stdoutAndStderr, none; no output is shown",
	}}
	if diff := cmp.Diff(want, l.all); diff != "" {
		t.Error(diff)
	}
}

func TestTypesOfTheOfficialPluginOnly(t *testing.T) {
	t.Parallel()
	p, _ := start(t, nil)
	for _, token := range []urn.Type{"command:remote:Command", "command:remote:CopyFile", "command:remote:CopyToRemote"} {
		u := urn.New("dev", "test", "", token, "r")
		_, checkErr := p.Check(t.Context(), plugin.CheckRequest{URN: u})
		_, diffErr := p.Diff(t.Context(), plugin.DiffRequest{URN: u})
		_, createErr := p.Create(t.Context(), plugin.CreateRequest{URN: u})
		_, updateErr := p.Update(t.Context(), plugin.UpdateRequest{URN: u})
		_, readErr := p.Read(t.Context(), plugin.ReadRequest{URN: u})
		deleteErr := p.Delete(t.Context(), plugin.DeleteRequest{URN: u})
		for _, err := range []error{checkErr, diffErr, createErr, updateErr, readErr, deleteErr} {
			var unsupported *command.UnsupportedError
			if !errors.As(err, &unsupported) || unsupported.Token != string(token) {
				t.Fatalf("%s: %v", token, err)
			}
			if !strings.Contains(err.Error(), "pulumi plugin install resource command v1.2.1") {
				t.Errorf("no way out in %q", err)
			}
		}
	}
	_, err := p.Check(t.Context(), plugin.CheckRequest{URN: urn.New("dev", "test", "", "command:local:Nope", "r")})
	if err == nil || !strings.Contains(err.Error(), "no resource command:local:Nope") {
		t.Error(err)
	}
	_, err = p.Invoke(t.Context(), plugin.InvokeRequest{Token: "command:local:Run"})
	if err == nil || !strings.Contains(err.Error(), "no function command:local:Run") {
		t.Error(err)
	}
}

func TestInvokeChecksItsArguments(t *testing.T) {
	t.Parallel()
	p, _ := start(t, nil)
	got, err := p.Invoke(t.Context(), plugin.InvokeRequest{
		Token: "command:local:run", Args: props(t, `{"create":"x","stdin":1}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []plugin.CheckFailure{
		{Property: "create", Reason: "is not a property; there are command, stdin, logging, interpreter, dir, environment, assetPaths, archivePaths, addPreviousOutputInEnv"},
		{Property: "stdin", Reason: "expected a string, got a number: quote it"},
		{Property: "command", Reason: "is required"},
	}
	if diff := cmp.Diff(want, got.Failures); diff != "" {
		t.Error(diff)
	}
}

func TestWhatThePackageDoesNotHave(t *testing.T) {
	t.Parallel()
	p, _ := start(t, nil)
	_, callErr := p.Call(t.Context(), plugin.CallRequest{})
	_, constructErr := p.Construct(t.Context(), plugin.ConstructRequest{})
	if !errors.Is(callErr, plugin.ErrUnimplemented) || !errors.Is(constructErr, plugin.ErrUnimplemented) {
		t.Error(callErr, constructErr)
	}
	_, err := p.Read(t.Context(), plugin.ReadRequest{URN: testURN, ID: "some"})
	if err == nil || !strings.Contains(err.Error(), "cannot be imported") {
		t.Error(err)
	}
	info, err := p.Info(t.Context())
	if diff := cmp.Diff(plugin.Info{Version: "1.2.1", Builtin: true, SupportsPreview: true}, info); err != nil || diff != "" {
		t.Error(err, diff)
	}
	if err := p.Configure(t.Context(), plugin.ConfigureRequest{Inputs: property.Map{}}); err != nil {
		t.Error(err)
	}
}
