package yaml_test

import (
	"archive/tar"
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/clitest"
	"github.com/cairn-iac/cairn/internal/fakeprovidertest"
	"github.com/cairn-iac/cairn/internal/upstreamtest"
	"github.com/cairn-iac/cairn/internal/wire"
)

func TestPrograms(t *testing.T) {
	t.Parallel()
	for _, p := range programs(t) {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			r := newRun(t, p)
			for _, line := range p.script {
				r.command(line)
			}
			r.states()
			got := r.out.String()
			if os.Getenv("UPDATE") != "" {
				p.rewrite(t, got)
				return
			}
			if diff := cmp.Diff(strings.Split(p.want, "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("%s, -want +got (UPDATE=1 accepts it):\n%s", p.path, diff)
			}
		})
	}
}

// run is one run of a program's script.
type run struct {
	t       *testing.T
	world   *clitest.World
	root    string // of the first project
	files   map[string]string
	folders []string // of all projects, relative to root, in the order of their first use
	names   *upstreamtest.Names
	out     strings.Builder
}

func newRun(t *testing.T, p *program) *run {
	t.Helper()
	w := clitest.New(t)
	r := &run{t: t, world: w, root: w.Project, files: p.files(), names: &upstreamtest.Names{}}
	r.names.Set(w.Root, "<root>")
	r.names.Set(wire.Unknown, "<unknown>")
	w.Env = append(w.Env, "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION=true", "PULUMI_SKIP_UPDATE_CHECK=true")
	r.keepStackNames()
	r.serve()
	if p.fake {
		r.fakeProvider()
	}
	for name, text := range r.files {
		w.Write(name, text)
	}
	if _, ok := r.files["Pulumi.yaml"]; ok {
		r.in(".")
	}
	return r
}

// keepStackNames keeps names of stacks, which are the ids of stack references, from being taken for accidents.
func (r *run) keepStackNames() {
	form := regexp.MustCompile(`organization/\w+/dev`)
	for _, text := range r.files {
		for _, name := range form.FindAllString(text, -1) {
			r.names.Set(name, name)
		}
	}
}

// serve gives the files below www/ to whoever asks, and a folder there as a tar archive.
func (r *run) serve() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		path := webFolder + strings.TrimPrefix(q.URL.Path, "/")
		text, ok := r.files[path]
		if strings.HasSuffix(path, ".tar") {
			text, ok = r.pack(path+"/"), true
		}
		if !ok {
			http.NotFound(w, q)
			return
		}
		_, _ = fmt.Fprint(w, text) // who does not read on has a reason
	}))
	r.t.Cleanup(server.Close)
	r.names.Set(server.URL, "<server>")
	for name, text := range r.files {
		r.files[name] = strings.ReplaceAll(text, "{{server}}", server.URL)
	}
}

// pack makes a tar archive of the files below a folder.
func (r *run) pack(folder string) string {
	var b bytes.Buffer
	archive := tar.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(r.files)) {
		inside, ok := strings.CutPrefix(name, folder)
		if !ok {
			continue
		}
		header := &tar.Header{Name: inside, Mode: 0o644, Size: int64(len(r.files[name]))}
		if err := archive.WriteHeader(header); err != nil {
			r.t.Error(err)
		}
		if _, err := archive.Write([]byte(r.files[name])); err != nil {
			r.t.Error(err)
		}
	}
	if err := archive.Close(); err != nil {
		r.t.Error(err)
	}
	return b.String()
}

func (r *run) fakeProvider() {
	kit, err := fakeprovidertest.Setup(filepath.Join(r.world.Root, "cloud"))
	if err != nil {
		r.t.Fatal(err)
	}
	running, err := fakeprovidertest.Start(fakeprovidertest.Options{Ledger: kit.Folder, Control: kit.ControlFile})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = running.Stop() }) // it has nothing more to say
	r.world.Env = append(r.world.Env, fmt.Sprintf("PULUMI_DEBUG_PROVIDERS=fp:%d", running.Port))
}

// in goes to a project, and makes its stack when it is the first time.
func (r *run) in(folder string) {
	r.world.Project = filepath.Join(r.root, folder)
	for _, known := range r.folders {
		if known == folder {
			return
		}
	}
	r.folders = append(r.folders, folder)
	if init := r.world.Run("stack", "init", "dev"); init.Code != 0 {
		r.print("$ stack init dev", init)
	}
}

// put copies the files below a folder over the project.
func (r *run) put(folder string) {
	found := false
	for name, text := range r.files {
		if rest, ok := strings.CutPrefix(name, folder+"/"); ok {
			r.world.Write(rest, text)
			found = true
		}
	}
	if !found {
		r.t.Fatalf("there are no files below %s", folder)
	}
}

func (r *run) command(line string) {
	words := strings.Fields(line)
	switch words[0] {
	case "put":
		r.put(words[1])
	case "in":
		r.in(words[1])
	case "preview", "up", "refresh", "destroy":
		r.operation(line, words)
	default:
		result := r.world.Run(words...)
		r.print("$ "+line, result)
		r.indented(result.Stdout)
	}
}

// operation runs the engine and writes down what it did.
func (r *run) operation(line string, words []string) {
	log := filepath.Join(r.world.Root, "events.jsonl")
	if err := os.WriteFile(log, nil, 0o600); err != nil {
		r.t.Fatal(err)
	}
	words = append(words, "--non-interactive", "--event-log", log)
	if words[0] != "preview" {
		words = append(words, "--yes", "--skip-preview")
	}
	result := r.world.Run(words...)
	r.print("$ "+line, result)
	text, err := os.ReadFile(log)
	if err != nil {
		r.t.Fatal(err)
	}
	if err := r.names.Collect(text); err != nil {
		r.t.Fatal(err)
	}
	events, err := upstreamtest.Rules{Names: r.names}.Events(text)
	if err != nil {
		r.t.Fatal(err)
	}
	writeEvents(&r.out, events)
}

func (r *run) print(line string, result clitest.Result) {
	fmt.Fprintf(&r.out, "%s\n", line)
	if result.Code != 0 {
		fmt.Fprintf(&r.out, "  exit code %d\n", result.Code)
	}
	if result.Code != 0 {
		r.indented(result.Stderr)
	}
}

func (r *run) indented(text string) {
	text = upstreamtest.Rules{Names: r.names}.Text(text)
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\n"); line != "" {
			fmt.Fprintf(&r.out, "  %s\n", line)
		}
	}
}

// states writes down the states of all stacks.
func (r *run) states() {
	for _, folder := range r.folders {
		r.in(folder)
		export := r.world.Run("stack", "export", "--stack", "dev", "--show-secrets")
		if export.Code != 0 {
			continue
		}
		document, err := upstreamtest.Rules{Names: r.names}.Document([]byte(export.Stdout))
		if err != nil {
			r.t.Fatal(err)
		}
		title := "state"
		if folder != "." {
			title += " of " + folder
		}
		fmt.Fprintf(&r.out, "%s\n", title)
		writeState(&r.out, document)
	}
}
