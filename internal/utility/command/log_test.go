//go:build unix

package command_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/utility/command"
)

func TestLogging(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string][]string{
		"":                {"err", "last", "out"},
		"stdoutAndStderr": {"err", "last", "out"},
		"stdout":          {"last", "out"},
		"stderr":          {"err"},
		"none":            nil,
		"other":           nil,
	} {
		t.Run("mode "+mode, func(t *testing.T) {
			t.Parallel()
			l := newLogs()
			p, _ := start(t, func(o *command.Options) { o.Log = l.add })
			logging := ""
			if mode != "" {
				logging = `,"logging":"` + mode + `"`
			}
			got := create(t, p, `{"create":"echo out; echo err >&2; printf last"`+logging+`}`)
			if text(t, got, "stdout") != "out\nlast" || text(t, got, "stderr") != "err" {
				t.Error("outputs depend on logging")
			}
			messages := l.messages()
			slices.Sort(messages)
			if diff := cmp.Diff(want, messages); diff != "" {
				t.Error(diff)
			}
			for _, m := range l.all {
				if m.Severity != diag.Info || !m.Ephemeral || m.URN != testURN || m.StreamID != 0 {
					t.Errorf("%+v", m)
				}
			}
		})
	}
}

func TestLinesAreShownWhileTheCommandRuns(t *testing.T) {
	t.Parallel()
	l := newLogs()
	p, _ := start(t, func(o *command.Options) { o.Log = l.add })
	done := make(chan error, 1)
	go func() {
		_, err := p.Create(t.Context(), plugin.CreateRequest{
			URN: testURN, Inputs: props(t, `{"create":"mkfifo go; printf 'a\\r\\n'; cat go"}`),
		})
		done <- err
	}()
	<-l.seen
	if diff := cmp.Diff([]string{"a"}, l.messages()); diff != "" {
		t.Error(diff)
	}
	if _, err := p.Invoke(t.Context(), plugin.InvokeRequest{
		Token: "command:local:run", Args: props(t, `{"command":"until [ -p go ]; do :; done; echo b > go","logging":"none"}`),
	}); err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestSecretsAreMaskedInLogs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		inputs string
		want   []string
	}{
		"variable":          {`{"create":"echo x $A y","environment":{"A":` + secret("hush") + `}}`, []string{"x [secret] y"}},
		"all variables":     {`{"create":"echo $A","environment":` + secretObject(`{"A":"hush"}`) + `}`, []string{"[secret]"}},
		"split over writes": {`{"create":"printf hu; printf sh","environment":{"A":` + secret("hush") + `}}`, []string{"[secret]"}},
		"several lines":     {`{"create":"cat","stdin":` + secret("first line\nsecond line\n") + `}`, []string{"[secret]", "[secret]"}},
		"the longer first":  {`{"create":"echo abcdef","environment":{"A":` + secret("abc") + `,"B":` + secret("abcdef") + `}}`, []string{"[secret]"}},
		"the command":       {`{"create":` + secret("echo hush; echo 'echo hush; echo'") + `}`, []string{"hush", "echo hush; echo"}},
		"a trigger":         {`{"create":"echo hush","triggers":[` + secret("hush") + `]}`, []string{"[secret]"}},
		"too short to mask": {`{"create":"echo is","environment":{"A":` + secret("is") + `}}`, []string{"is"}},
		"public":            {`{"create":"echo $A","environment":{"A":"open"}}`, []string{"open"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLogs()
			p, _ := start(t, func(o *command.Options) { o.Log = l.add })
			create(t, p, c.inputs)
			if diff := cmp.Diff(c.want, l.messages()); diff != "" {
				t.Error(diff)
			}
		})
	}

	l := newLogs()
	p, _ := start(t, func(o *command.Options) { o.Log = l.add })
	update(t, p, props(t, `{"stdout":`+secret("earlier secret")+`,"stderr":""}`), `{"create":"echo $PULUMI_COMMAND_STDOUT"}`)
	if diff := cmp.Diff([]string{"[secret]"}, l.messages()); diff != "" {
		t.Errorf("a secret output: %s", diff)
	}
}

func secretObject(text string) string {
	return strings.Replace(secret("?"), `"\"?\""`, quote(text), 1)
}

func quote(text string) string {
	return `"` + strings.ReplaceAll(text, `"`, `\"`) + `"`
}
