package journey_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/cli/builtin"
	"github.com/cairn-iac/cairn/internal/pluginhost"
	"github.com/cairn-iac/cairn/internal/schema"
)

// generated is the line of docs/utility-providers.md below which everything follows from the providers' schemas.
const generated = "<!-- From here on `UPDATE=1 go test ./test/journey -run TestReference` writes this file. -->\n"

// TestReference compares the reference of the providers in the box with their schemas. UPDATE=1 writes it.
func TestReference(t *testing.T) {
	t.Parallel()
	path := filepath.Join(repository(t), "docs", "utility-providers.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(text), generated)
	want := head + generated
	providers := builtin.Providers()
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(providers))) {
		want += reference(t, name, providers[name])
	}
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := gocmp.Diff(want, string(text)); diff != "" {
		t.Errorf("docs/utility-providers.md is old; run with UPDATE=1 (-want +got):\n%s", diff)
	}
}

func reference(t *testing.T, name string, b pluginhost.Builtin) string {
	t.Helper()
	provider, err := b.New(pluginhost.BuiltinLaunch{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	text, err := provider.Schema(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := schema.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	w := &writer{t: t, pkg: pkg}
	w.printf("\n## Package %s\n\nVersion %s. %s\n", name, pkg.Version, pkg.Description)
	for _, token := range slices.Sorted(maps.Keys(pkg.Resources)) {
		r := pkg.Resources[token]
		w.section(token, r.Description)
		w.table("input", r.Inputs(), r.InputNames())
		w.table("output", r.ObjectType, w.only(r.ObjectType, r.Inputs()))
	}
	for _, token := range slices.Sorted(maps.Keys(pkg.Functions)) {
		f := pkg.Functions[token]
		if f.Inputs != nil && f.Inputs.Requires("__self__") {
			continue // a method, for programs in other languages
		}
		w.section(token, f.Description)
		w.table("argument", *f.Inputs, slices.Sorted(maps.Keys(f.Inputs.Properties)))
		answer := schema.ObjectType{Properties: f.Outputs.Properties, Required: f.Outputs.Required}
		w.table("answer", answer, w.only(answer, *f.Inputs))
	}
	return w.b.String()
}

// writer makes a package's reference. Everything in it has to have a description.
type writer struct {
	t   *testing.T
	pkg *schema.Package
	b   strings.Builder
}

func (w *writer) printf(format string, args ...any) { fmt.Fprintf(&w.b, format, args...) }

func (w *writer) section(token, description string) {
	w.t.Helper()
	if description == "" {
		w.t.Errorf("%s has no description", token)
	}
	pkg, rest, _ := strings.Cut(token, ":")
	module, name, _ := strings.Cut(rest, ":")
	module, _, _ = strings.Cut(module, "/")
	short := pkg + ":" + name
	if module != "index" {
		short = pkg + ":" + module + ":" + name
	}
	w.printf("\n### %s\n\n%s\n", short, description)
}

// only names the properties that are in a and not in b.
func (w *writer) only(a, b schema.ObjectType) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(a.Properties)) {
		if _, both := b.Properties[name]; !both {
			out = append(out, name)
		}
	}
	return out
}

func (w *writer) table(what string, o schema.ObjectType, names []string) {
	w.t.Helper()
	if len(names) == 0 {
		return
	}
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Compare(rank(o.Requires(a)), rank(o.Requires(b)))
	})
	w.printf("\n| %s | type | |\n|---|---|---|\n", what)
	for _, name := range names {
		p := o.Properties[name]
		if p.Description == "" {
			w.t.Errorf("%s: %s has no description", what, name)
		}
		var notes []string
		if o.Requires(name) && (what == "input" || what == "argument") {
			notes = append(notes, "Required.")
		}
		notes = append(notes, strings.TrimSpace(p.Description))
		if p.Secret {
			notes = append(notes, "Secret.")
		}
		if p.Default != nil {
			notes = append(notes, fmt.Sprintf("Default: `%v`.", p.Default))
		}
		if p.DeprecationMessage != "" {
			notes = append(notes, "Deprecated: "+p.DeprecationMessage)
		}
		w.printf("| `%s` | %s | %s |\n", name, w.typeName(p.Shape), inCell(strings.Join(notes, " ")))
	}
}

// inCell keeps a text from meaning anything in a table, but for its code.
func inCell(text string) string {
	plain := strings.NewReplacer("*", `\*`, "_", `\_`, "<", "&lt;", "[", `\[`)
	parts := strings.Split(strings.ReplaceAll(text, "\n", " "), "`")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = plain.Replace(parts[i])
	}
	return strings.ReplaceAll(strings.Join(parts, "`"), "|", `\|`)
}

func rank(first bool) int {
	if first {
		return 0
	}
	return 1
}

// typeName is a type in words.
func (w *writer) typeName(s schema.Shape) string {
	if name, ok := strings.CutPrefix(s.Ref, "pulumi.json#/"); ok {
		return strings.ToLower(strings.TrimSuffix(name, "Any")) + map[bool]string{true: "any"}[name == "Any"]
	}
	if token, ok := strings.CutPrefix(s.Ref, "#/types/"); ok {
		var values []string
		for _, v := range w.pkg.Types[token].Enum {
			values = append(values, fmt.Sprintf("`%v`", v.Value))
		}
		if len(values) == 0 {
			w.t.Errorf("the type %s is no list of values", token)
		}
		return strings.Join(values, ", ")
	}
	switch {
	case s.Type == "array" && s.Items != nil:
		return "list of " + w.typeName(s.Items.Shape)
	case s.Type == "object" && s.AdditionalProperties != nil:
		return "object of " + w.typeName(s.AdditionalProperties.Shape)
	case s.Type == "":
		w.t.Errorf("%+v is a type without a name", s)
	}
	return s.Type
}
