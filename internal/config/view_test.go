package config_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/config"
)

// fakeCrypter "encrypts" by writing backwards behind a mark.
type fakeCrypter struct{ mark string }

func (c fakeCrypter) Encrypt(_ context.Context, plaintext string) (string, error) {
	return c.mark + plaintext, nil
}

func (c fakeCrypter) Decrypt(_ context.Context, ciphertext string) (string, error) {
	if text, ok := strings.CutPrefix(ciphertext, c.mark); ok {
		return text, nil
	}
	return "", errors.New("another key")
}

func upstream(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "upstream", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func indented(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func table(t *testing.T, rows []config.Row) string {
	t.Helper()
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "KEY\tVALUE")
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%s\n", r.Key, r.Value)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// constant decrypts everything to one text.
type constant string

func (c constant) Decrypt(context.Context, string) (string, error) { return string(c), nil }

// The views of a file that the Pulumi CLI wrote are the ones it printed.
func TestViewsAreThePulumiCLIs(t *testing.T) {
	t.Parallel()
	f, err := config.Parse(config.Source{Path: "Pulumi.dev.yaml", Project: "quick", Data: []byte(upstream(t, "Pulumi.dev.yaml"))})
	if err != nil {
		t.Fatal(err)
	}
	m := f.Config()
	if diff := cmp.Diff(upstream(t, "config.txt"), table(t, m.Rows("quick"))); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(upstream(t, "config.json"), indented(t, m.Show())); diff != "" {
		t.Errorf("json (-want +got):\n%s", diff)
	}
	revealed, err := m.Reveal(context.Background(), constant("s3cr3t"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(upstream(t, "config-secrets.json"), indented(t, revealed.Show())); diff != "" {
		t.Errorf("json with secrets (-want +got):\n%s", diff)
	}
	if got := fileText(t, f); got != upstream(t, "Pulumi.dev.yaml") {
		t.Errorf("rewritten as %s", got)
	}
}

const secrets = `config:
  my:obj: {b: "<&>", a: [{secure: "k1:one"}, two], n: 1.10}
  my:s: {secure: "k1:three"}
  my:plain: text
`

func TestReveal(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	m := parseFile(t, secrets).Config()
	if _, err := m.Program(); err == nil || err.Error() != "the configuration value my:obj is still encrypted" {
		t.Errorf("got %v", err)
	}
	revealed, err := m.Reveal(ctx, fakeCrypter{"k1:"})
	if err != nil {
		t.Fatal(err)
	}
	program, err := revealed.Program()
	if err != nil {
		t.Fatal(err)
	}
	want := config.Program{
		Values: map[string]string{
			"my:obj": "{\"a\":[\"one\",\"two\"],\"b\":\"\\u003c\\u0026\\u003e\",\"n\":1.1}", "my:s": "three", "my:plain": "text",
		},
		SecretKeys: []string{"my:obj", "my:s"},
	}
	if diff := cmp.Diff(want, program); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	shown := revealed.Show()["my:obj"]
	if string(shown.ObjectValue) != `{"a":["one","two"],"b":"<&>","n":1.1}` || !shown.Secret {
		t.Errorf("shown %+v", shown)
	}
	for _, printed := range []string{fmt.Sprint(revealed), fmt.Sprintf("%+v %#v %q", revealed, revealed, revealed), fmt.Sprintf("%v %#v", program, program)} {
		if strings.Contains(printed, "one") || strings.Contains(printed, "three") {
			t.Errorf("a secret is printed: %s", printed)
		}
	}
	for _, v := range []config.Value{m[config.Key{Namespace: "my", Name: "obj"}], revealed[config.Key{Namespace: "my", Name: "obj"}]} {
		if got := v.Masked().ProgramText(); got != "{\"a\":[\"[secret]\",\"two\"],\"b\":\"\\u003c\\u0026\\u003e\",\"n\":1.1}" {
			t.Errorf("masked %s", got)
		}
	}
	if got := config.NewList(config.NewString("canary")).AsSecret().Masked().ProgramText(); got != "[secret]" {
		t.Errorf("masked %s", got)
	}
	if _, err := revealed.MarshalJSON(); err == nil || strings.Contains(err.Error(), "one") {
		t.Errorf("marshalled a plaintext: %v", err)
	}

	_, err = m.Reveal(ctx, fakeCrypter{"other:"})
	if err == nil || err.Error() != "decrypt the configuration value my:obj: a[0]: another key" {
		t.Errorf("got %v", err)
	}
}

func TestConceal(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	m := parseFile(t, secrets).Config()
	moved := config.Map{}
	for k, v := range m {
		revealed, err := v.Reveal(ctx, fakeCrypter{"k1:"})
		if err != nil {
			t.Fatal(err)
		}
		if moved[k], err = revealed.Conceal(ctx, fakeCrypter{"k2:"}); err != nil {
			t.Fatal(err)
		}
	}
	const want = `{"my:obj":{"a":[{"secure":"k2:one"},"two"],"b":"\u003c\u0026\u003e","n":1.1},"my:plain":"text","my:s":{"secure":"k2:three"}}`
	if diff := cmp.Diff(want, mapText(t, moved)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	whole, err := config.NewObject(config.Entry{Name: "a", Value: config.NewString("x")}).AsSecret().Conceal(ctx, fakeCrypter{"k:"})
	if err != nil || !whole.Encrypted() || whole.ProgramText() != `{"a":{"secure":"k:x"}}` {
		t.Errorf("got %s, %v", whole.ProgramText(), err)
	}
}

func TestHistoryJSON(t *testing.T) {
	t.Parallel()
	const text = `{"a:b":{"secure":"c"},"a:c":"3","a:d":[1,{"secure":"x"}],"a:e":""}`
	m := parseMap(t, text)
	if diff := cmp.Diff(text, mapText(t, m)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !m.Encrypted() {
		t.Error("no ciphertext found")
	}
	for _, bad := range []string{`[]`, `{"nocolon": 1}`, `{`} {
		if err := new(config.Map).UnmarshalJSON([]byte(bad)); err == nil {
			t.Errorf("took %s", bad)
		}
	}
	if err := new(config.Map).UnmarshalJSON([]byte(`null`)); err != nil {
		t.Error(err)
	}
	if _, err := config.ParseJSON([]byte(`{"secure": "forged"}`)); err == nil {
		t.Error("took a ciphertext from outside")
	}
	if v, err := config.ParseJSON([]byte(`{"a": [1.10, "x"]}`)); err != nil || v.ProgramText() != `{"a":[1.1,"x"]}` {
		t.Errorf("got %s, %v", v.ProgramText(), err)
	}
}

func TestLooksLikeSecret(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"xk29dkAA99s": true, "AKIAIOSFODNN7EXAMPLE": true, "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY": true,
		"ghp_16C7e42F292c6912E7710c838347Ae178B4a": true, "9f86d081884c7d65": true,
		"": false, "x9": false, "s3cr3t": false, "hunter2": false, "password": false, "correcthorsebatterystaple": false, "12345678": false,
		"true": false, "my-secret-name": false, "production": false, "eu-west-1": false, "abc123": false, "P@ssw0rd": false,
		"0123456789abcdef": false, "the quick brown fox": false, "s3cr3t-p4ssw0rd": false, "zzzzzzzzzzzzzzzz": false,
		"ElasticSearch2024": false, "vault:secret/data/foo": false, "/etc/app/token.txt": false,
	} {
		if got := config.LooksLikeSecret(config.Key{Namespace: "my", Name: "dbPassword"}, text); got != want {
			t.Errorf("%q: %v", text, got)
		}
		if config.LooksLikeSecret(config.Key{Namespace: "secret", Name: "region"}, text) {
			t.Errorf("%q: a plain key's value was taken for a secret", text)
		}
	}
}
