package command_test

import (
	"encoding/json"
	"os"
	"sync"
	"testing"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/urn"
	"github.com/cairn-iac/cairn/internal/utility/command"
)

const testURN = urn.URN("urn:pulumi:dev::test::command:local:Command::res")

// props reads JSON in which special values are written as in state files; "<unknown>" is an unknown string.
func props(t testing.TB, text string) property.Map {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	v, _ := value(t, m).AsMap()
	return v
}

func value(t testing.TB, x any) property.Value {
	t.Helper()
	switch x := x.(type) {
	case bool:
		return property.Bool(x)
	case float64:
		return property.Number(x)
	case string:
		if x == "<unknown>" {
			return property.Unknown()
		}
		return property.String(x)
	case []any:
		var items []property.Value
		for _, e := range x {
			items = append(items, value(t, e))
		}
		return property.NewList(items...)
	case map[string]any:
		return special(t, x)
	default:
		return property.Null()
	}
}

func special(t testing.TB, x map[string]any) property.Value {
	t.Helper()
	text := func(k string) string { s, _ := x[k].(string); return s }
	switch text("4dabf18193072939515e22adb298388d") {
	case "1b47061264138c4ac30d75fd1eb44270":
		var inner any
		if err := json.Unmarshal([]byte(text("plaintext")), &inner); err != nil {
			t.Fatal(err)
		}
		return value(t, inner).MakeSecret()
	case "c44067f5952c0a294b673a41bacd8c17":
		return property.FromAsset(property.Asset{
			Source: property.SourcePath, Location: text("path"), Hash: text("hash"),
		})
	case "0def7320c3a5731c473e5ecbe6d01bc7":
		assets, _ := value(t, x["assets"]).AsMap()
		return property.FromArchive(property.Archive{
			Source: property.SourceAssets, Assets: assets, Hash: text("hash"),
		})
	default:
		m := map[string]property.Value{}
		for k, e := range x {
			m[k] = value(t, e)
		}
		return property.NewMap(m)
	}
}

// secret writes a secret string as in state files.
func secret(text string) string {
	quoted, _ := json.Marshal(text)
	again, _ := json.Marshal(string(quoted))
	return `{"4dabf18193072939515e22adb298388d":"1b47061264138c4ac30d75fd1eb44270","plaintext":` + string(again) + `}`
}

// logs collects messages.
type logs struct {
	mu   sync.Mutex
	all  []plugin.Log
	seen chan struct{}
}

func newLogs() *logs { return &logs{seen: make(chan struct{}, 1)} }

func (l *logs) add(m plugin.Log) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, m)
	select {
	case l.seen <- struct{}{}:
	default:
	}
}

func (l *logs) messages() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []string
	for _, m := range l.all {
		out = append(out, m.Message)
	}
	return out
}

// start makes a provider that runs in a folder of its own.
func start(t *testing.T, change func(*command.Options)) (plugin.Provider, string) {
	t.Helper()
	dir := t.TempDir()
	opts := command.Options{Dir: dir, Env: []string{"PATH=" + os.Getenv("PATH"), "BASE=base"}}
	if change != nil {
		change(&opts)
	}
	p := command.New(opts)
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p, dir
}

func text(t *testing.T, m property.Map, name string) string {
	t.Helper()
	s, ok := m.Get(name).AsString()
	if !ok {
		t.Fatalf("%s is a %s", name, m.Get(name).Kind())
	}
	return s
}

func mustJSON(t *testing.T, x any) string {
	t.Helper()
	b, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
