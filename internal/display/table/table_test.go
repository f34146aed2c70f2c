package table_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/display/palette"
	"github.com/cairn-iac/cairn/internal/display/table"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/secret"
	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/state/deploymentjson"
	"github.com/cairn-iac/cairn/internal/urn"
)

func upstream(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "upstream", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func equal(t testing.TB, want, got string) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func when(t testing.TB, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at.UTC()
}

// recorded is when the tables were printed.
func recorded(t testing.TB) time.Time { return when(t, "2026-11-30T21:16:55.5Z") }

func none() palette.Palette { return palette.New(palette.Never) }

// snapshot is the state of the stack that the tables were printed of; its secrets stay closed.
func snapshot(t testing.TB) *state.Snapshot {
	t.Helper()
	locked := func(context.Context, *state.SecretsProvider) (secret.Crypter, error) {
		return secret.Locked("not needed", nil), nil
	}
	c, _, err := deploymentjson.DecodeCheckpoint(context.Background(), []byte(upstream(t, "checkpoint.json")), locked,
		deploymentjson.SecretsOptions{})
	if err != nil {
		t.Fatal(err)
	}
	// The state was written again, in another order, before the tables were printed.
	about := upstream(t, "09-about.stdout")
	slices.SortFunc(c.Snapshot.Resources, func(a, b *resource.State) int {
		return strings.Index(about, string(a.URN)+"\n") - strings.Index(about, string(b.URN)+"\n")
	})
	return c.Snapshot
}

func outputs(t testing.TB) property.Map { return snapshot(t).Resources[0].Outputs }

func TestStacks(t *testing.T) {
	t.Parallel()
	ten := 10
	stacks := []table.Stack{{Name: "dev", Current: true, LastUpdate: when(t, "2026-11-30T21:16:54.854166027Z"), Resources: &ten}}
	equal(t, upstream(t, "09-stack-ls.stdout"), table.Stacks(stacks, recorded(t), none()))
	got, err := table.StacksJSON(stacks, table.ProgressUnknown)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, upstream(t, "09-stack-ls-json.stdout"), got)

	stacks = append(stacks, table.Stack{Name: "new"}, table.Stack{Name: "busy", InProgress: true, URL: "https://x.test/busy"})
	equal(t, `NAME  LAST UPDATE  RESOURCE COUNT  URL
dev*  now          10              n/a
new   n/a          n/a             n/a
busy  in progress  n/a             https://x.test/busy
`, table.Stacks(stacks, recorded(t), none()))
	got, err = table.StacksJSON(stacks[1:], table.ProgressKnown)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, `[
  {
    "name": "new",
    "current": false
  },
  {
    "name": "busy",
    "current": false,
    "updateInProgress": true,
    "url": "https://x.test/busy"
  }
]
`, got)
}

func TestOverview(t *testing.T) {
	t.Parallel()
	snap := snapshot(t)
	o := table.Overview{
		Stack: "dev", Backend: "host", Resources: snap.Resources, Outputs: outputs(t),
		Updated: &table.UpdatedBy{
			At: when(t, "2026-11-30T21:16:54.854166027Z"), Version: "v3.274.1", SecretsProvider: "passphrase",
		},
	}
	got, err := o.String(recorded(t), none())
	if err != nil {
		t.Fatal(err)
	}
	equal(t, upstream(t, "09-stack.stdout"), got)
	o.Show.URNs = true
	if got, err = o.String(recorded(t), none()); err != nil {
		t.Fatal(err)
	}
	equal(t, upstream(t, "09-stack-urns.stdout"), got)
}

func TestOverviewShapes(t *testing.T) {
	t.Parallel()
	root := &resource.State{URN: urn.New("dev", "p", "", urn.StackType, "p-dev"), Type: urn.StackType}
	child := func(id resource.ID, parent urn.URN) *resource.State {
		s := &resource.State{URN: urn.New("dev", "p", "", "x:y:Z", "a\nb"), Type: "x:y:Z", ID: id, Custom: true}
		s.Parent = parent
		return s
	}
	old := child("old", root.URN)
	old.Delete = true
	for name, c := range map[string]struct {
		overview table.Overview
		want     string
	}{
		"never updated": {table.Overview{Stack: "dev", Backend: "b"}, `Current stack is dev:
    Managed by b
    No updates yet; run ` + "`pulumi up`" + `
Current stack resources (0):
    No resources currently in this stack

`},
		"ids, and a replaced resource that is left over": {table.Overview{
			Stack: "dev", Backend: "b", Resources: []*resource.State{root, old, child("new", root.URN)},
			Updated: &table.UpdatedBy{}, Show: table.OverviewShow{IDs: true},
		}, `Current stack is dev:
    Managed by b
Current stack resources (3):
    TYPE                 NAME
    pulumi:pulumi:Stack  p-dev
    ├─ x:y:Z             a\nb
    │     ID: old
    └─ x:y:Z             a\nb
          ID: new

Current stack outputs (0):
    No output values currently in this stack

`},
		"a parent that is missing": {table.Overview{
			Stack: "dev", Backend: "b", Resources: []*resource.State{root, child("1", "urn:pulumi:dev::p::x:y:Z::gone")},
			Updated: &table.UpdatedBy{},
		}, `Current stack is dev:
    Managed by b
Current stack resources (2):
    TYPE                 NAME
    pulumi:pulumi:Stack  p-dev
    x:y:Z                a\nb

Current stack outputs (0):
    No output values currently in this stack

`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := c.overview.String(recorded(t), none())
			if err != nil {
				t.Fatal(err)
			}
			equal(t, c.want+"Use `pulumi stack select` to change stack; `pulumi stack ls` lists known ones\n", got)
		})
	}
}

func TestOutputs(t *testing.T) {
	t.Parallel()
	m := outputs(t)
	text, err := table.Outputs(m, table.ValueShow{})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, upstream(t, "09-stack-output.stdout"), text)
	if text, err = table.OutputsJSON(m, table.ValueShow{}); err != nil {
		t.Fatal(err)
	}
	equal(t, upstream(t, "09-stack-output-json.stdout"), text)
	if text, err = table.Output(m.Get("name"), table.ValueShow{}); err != nil {
		t.Fatal(err)
	}
	equal(t, upstream(t, "09-stack-output-name.stdout"), text+"\n")
	open := m.With("password", property.String("hq3YSfQmGI#4OTktjxLL").MakeSecret())
	if text, err = table.OutputsJSON(open, table.ValueShow{Secrets: true}); err != nil {
		t.Fatal(err)
	}
	equal(t, upstream(t, "09-stack-output-secrets.stdout"), text)
}

func TestOutputKinds(t *testing.T) {
	t.Parallel()
	m := property.MapOf(map[string]property.Value{
		"list":   property.NewList(property.Number(1), property.String("<a>").MakeSecret()),
		"lines":  property.String("one\ntwo"),
		"bytes":  property.String("\xff"),
		"empty":  property.NewMap(nil),
		"quoted": property.String("it's"),
		"null":   property.Null(),
	})
	text, err := table.Outputs(m, table.ValueShow{})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, `Current stack outputs (6):
    OUTPUT  VALUE
    bytes   b"/w=="
    empty   {}
    lines   one
            two
    list    [1,"[secret]"]
    null    null
    quoted  it's
`, text)
	if text, err = table.OutputsShell(m, table.ValueShow{Secrets: true}); err != nil {
		t.Fatal(err)
	}
	equal(t, `bytes='b"/w=="'
empty='{}'
lines='one
two'
list='[1,"<a>"]'
null=null
quoted='it'\''s'
`, text)
	if text, err = table.OutputJSON(m.Get("list"), table.ValueShow{}); err != nil {
		t.Fatal(err)
	}
	equal(t, "[\n  1,\n  \"[secret]\"\n]\n", text)
}

func TestHistory(t *testing.T) {
	t.Parallel()
	var records []struct {
		Version               int
		Kind, Message, Result string
		StartTime, EndTime    string
		Environment           map[string]string
		Config                map[string]table.ConfigValue
		ResourceChanges       map[string]int
	}
	recordedJSON := upstream(t, "09-stack-history-json.stdout")
	if err := json.Unmarshal([]byte(recordedJSON), &records); err != nil {
		t.Fatal(err)
	}
	var updates []table.Update
	for _, r := range records {
		updates = append(updates, table.Update{
			Version: r.Version, Kind: r.Kind, Message: r.Message, Result: r.Result, Environment: r.Environment,
			Config: r.Config, Changes: r.ResourceChanges, Start: when(t, r.StartTime), End: when(t, r.EndTime),
		})
	}
	got, err := table.HistoryJSON(updates)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, recordedJSON, got)
	equal(t, upstream(t, "09-stack-history.stdout"), table.History(updates, when(t, "2026-11-30T21:16:56Z"), table.HistoryShow{}, none()))

	dates := table.History(updates[:1], recorded(t), table.HistoryShow{FullDates: true}, none())
	if want := regexp.MustCompile(`Updated 2026-11-30 21:16:44 \+0000 UTC took`); !want.MatchString(dates) {
		t.Errorf("no full date in\n%s", dates)
	}
	equal(t, "Stack has never been updated\n", table.History(nil, recorded(t), table.HistoryShow{Page: 1}, none()))
	equal(t, "No stack updates found on page '2'\n", table.History(nil, recorded(t), table.HistoryShow{Page: 2}, none()))
}

func TestConfig(t *testing.T) {
	t.Parallel()
	entries := []table.ConfigEntry{{Key: "token", Value: "[secret]"}, {Key: "words", Value: "3"}}
	equal(t, upstream(t, "04-config.stdout"), table.Config(entries, none()))
	token, words := "s3cr3t", "3"
	for name, values := range map[string]map[string]table.ConfigValue{
		"04-config-json.stdout":         {"quick:token": {Secret: true}, "quick:words": {Value: &words}},
		"04-config-json-secrets.stdout": {"quick:token": {Secret: true, Value: &token}, "quick:words": {Value: &words}},
	} {
		got, err := table.ConfigJSON(values)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, upstream(t, name), got)
	}
}

func TestPlugins(t *testing.T) {
	t.Parallel()
	now := recorded(t)
	plugins := []table.Plugin{
		{Name: "command", Kind: "resource", Version: "1.2.1", Bytes: 54_100_000, Installed: now.Add(-time.Hour), LastUsed: now.Add(-12 * time.Second)},
		{Name: "random", Kind: "resource", Version: "4.21.2", Bytes: 100_900_000, Installed: now.Add(-time.Hour), LastUsed: now.Add(-12 * time.Second)},
	}
	equal(t, upstream(t, "09-plugin-ls.stdout"), table.Plugins(plugins, now, none()))
	plugins = append(plugins[:1], table.Plugin{Name: "random", Kind: "resource", Version: "4.21.2", Source: "built in"})
	equal(t, `NAME     KIND      VERSION  SIZE   INSTALLED   LAST USED       SOURCE
command  resource  1.2.1    54 MB  1 hour ago  12 seconds ago  
random   resource  4.21.2   n/a    n/a         never           built in

TOTAL plugin cache size: 54 MB
`, table.Plugins(plugins, now, none()))
	got, err := table.PluginsJSON(plugins)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, `[
  {
    "name": "command",
    "kind": "resource",
    "version": "1.2.1",
    "size": 54100000,
    "installTime": "2026-11-30T20:16:55.500Z",
    "lastUsedTime": "2026-11-30T21:16:43.500Z"
  },
  {
    "name": "random",
    "kind": "resource",
    "version": "4.21.2",
    "size": 0,
    "source": "built in"
  }
]
`, got)
}

func TestAbout(t *testing.T) {
	t.Parallel()
	stack := &table.AboutStack{Name: "dev", FullName: "organization/quick/dev"}
	for _, r := range snapshot(t).Resources {
		stack.Resources = append(stack.Resources, []string{string(r.Type), string(r.URN)})
	}
	a := table.About{
		CLI: [][]string{{"Version", "3.274.1"}, {"Go Version", "go1.26.8"}, {"Go Compiler", "gc"}},
		Plugins: []table.Plugin{
			{Kind: "resource", Name: "command"}, {Kind: "resource", Name: "pair"}, {Kind: "resource", Name: "random"},
			{Kind: "language", Name: "yaml"},
		},
		Host:    [][]string{{"OS", "debian"}, {"Version", "12.11"}, {"Arch", "x86_64"}},
		Project: "This project is written in yaml",
		Stack:   stack,
		Backend: [][]string{
			{"Name", "host"}, {"URL", "file:///project/state"}, {"User", "root"}, {"Organizations", ""}, {"Token type", "personal"},
		},
		Environment: [][]string{
			{"PULUMI_BACKEND_URL", `"file:///project/state"`}, {"PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION", "true"},
			{"PULUMI_HOME", `"/project/home"`}, {"PULUMI_SKIP_UPDATE_CHECK", "true"},
		},
		Dependencies: [][]string{{"command", ""}, {"pair", ""}, {"random", ""}},
		Logs:         "Pulumi locates its logs in /tmp by default",
	}
	equal(t, upstream(t, "09-about.stdout"), a.String())
}

func TestTable(t *testing.T) {
	t.Parallel()
	wide := table.Table{
		Headers: []string{"A", "B"}, Prefix: "> ",
		Rows: []table.Row{
			{Cells: []string{"\x1b[31mred\x1b[0m", "x"}, Below: "  below\n"},
			{Cells: []string{"日本", "two\nlines"}},
			{Cells: []string{"short"}},
		},
	}
	equal(t, "> A      B\n> \x1b[31mred\x1b[0m    x\n  below\n> 日本   two\n>        lines\n> short  \n", wide.String())
	wide.Palette = palette.New(palette.Raw)
	wide.Rows = nil
	equal(t, "> <{%fg 13%}><{%bold%}>A<{%reset%}>  <{%fg 13%}><{%bold%}>B<{%reset%}>\n", wide.String())
}
