package pluginhost_test

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/pluginhost"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/provider"
	"github.com/cairn-iac/cairn/internal/urn"
)

// world is a machine with one plugin on its $PATH.
type world struct {
	t    *testing.T
	dir  string
	mode string

	mu   sync.Mutex
	logs []plugin.Log
}

func newWorld(t *testing.T, mode string) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), mode: mode}
	for _, d := range []string{"bin", "home/plugins", "work"} {
		if err := os.MkdirAll(filepath.Join(w.dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func (w *world) path(parts ...string) string {
	return filepath.Join(append([]string{w.dir}, parts...)...)
}

// install puts the test binary somewhere under another name.
func (w *world) install(parts ...string) string {
	w.t.Helper()
	self, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	file := w.path(parts...)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Symlink(self, file); err != nil {
		w.t.Fatal(err)
	}
	return file
}

func (w *world) environ(more ...string) []string {
	return append([]string{
		"PATH=" + w.path("bin") + ":/usr/bin:/bin", "HOME=" + w.dir, "PULUMI_HOME=" + w.path("home"),
		modeVariable + "=" + w.mode, pidVariable + "=" + w.path("pids"),
	}, more...)
}

func (w *world) options(more ...string) pluginhost.Options {
	return pluginhost.Options{
		Environ: w.environ(more...), Executable: w.path("bin", "pulumi"), Dir: w.path("work"), Connect: provider.Connect,
		Services: pluginhost.Services{Engine: "127.0.0.1:9"}, Grace: 5 * time.Second,
		Log: func(l plugin.Log) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.logs = append(w.logs, l)
		},
	}
}

// host makes a host that ends with the test, and checks that it leaves no process.
func (w *world) host(o pluginhost.Options) *pluginhost.Host {
	w.t.Helper()
	h := pluginhost.New(o)
	w.t.Cleanup(func() {
		if err := h.Close(); err != nil {
			w.t.Errorf("Close: %v", err)
		}
		for _, pid := range w.pids() {
			if survives(pid) {
				w.t.Errorf("process %d survived", pid)
			}
		}
	})
	return h
}

// said gives all messages of a severity.
func (w *world) said(s diag.Severity) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var b strings.Builder
	for _, l := range w.logs {
		if l.Severity == s {
			b.WriteString(l.Message + "\n")
		}
	}
	return b.String()
}

func (w *world) pids() []int {
	text, err := os.ReadFile(w.path("pids"))
	if err != nil {
		return nil
	}
	var out []int
	for _, line := range strings.Fields(string(text)) {
		pid, err := strconv.Atoi(line)
		if err != nil {
			w.t.Fatal(err)
		}
		out = append(out, pid)
	}
	return out
}

// alive says whether a process exists and is not just waiting to be reaped by somebody.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return runtime.GOOS != "linux"
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(after, "Z")
}

// survives says whether a process that was killed is still there. One that others started is killed, too, but nobody
// tells when the system is done with that; the limit is only there so that a failure ends.
func survives(pid int) bool {
	for range 3000 {
		if !alive(pid) {
			return false
		}
		time.Sleep(10 * time.Millisecond)
	}
	return true
}

// load starts the plugin that a world has on its $PATH.
func (w *world) load(h *pluginhost.Host) (plugin.Provider, error) {
	return h.Load(w.t.Context(), plugin.Package{Name: "thing"}, plugin.LoadOptions{})
}

func (w *world) mustLoad(h *pluginhost.Host, pkg plugin.Package, opts plugin.LoadOptions) plugin.Provider {
	w.t.Helper()
	p, err := h.Load(w.t.Context(), pkg, opts)
	if err != nil {
		w.t.Fatal(err)
	}
	u := urn.New("dev", "p", "", urn.ProviderType(pkg.Name), "default")
	if err := p.Configure(w.t.Context(), plugin.ConfigureRequest{URN: u}); err != nil {
		w.t.Fatal(err)
	}
	return p
}

func ask(t *testing.T, p plugin.Provider, token string) string {
	t.Helper()
	resp, err := p.Invoke(t.Context(), plugin.InvokeRequest{Token: token})
	if err != nil {
		t.Fatal(err)
	}
	s, _ := resp.Return.Get("result").AsString()
	return s
}

func TestWhatAPluginIsStartedWith(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "ok")
	w.install("bin", "pulumi-resource-pulumi-nodejs")
	o := w.options("OLD=value", "PULUMI_CONFIG=ours")
	o.Project = pluginhost.Project{Name: "proj", RuntimeOptions: map[string]string{"typescript": "false"}}
	o.Flags = pluginhost.Flags{LogFlow: true, LogToStderr: true, Verbose: 9, Tracing: "http://t"}
	p := w.mustLoad(w.host(o), plugin.Package{Name: "pulumi-nodejs"}, plugin.LoadOptions{
		EnvVarMappings: map[string]string{"NEW": "OLD", "GONE": "MISSING"},
		Config: property.MapOf(map[string]property.Value{
			"a": property.String("x").MakeSecret(), "b": property.NewList(property.Number(1)), "c": property.Unknown(),
		}),
	})
	for token, want := range map[string]string{
		"args": "--logtostderr -v=9 --tracing http://t 127.0.0.1:9", "dir": w.path("work"), "group": "true", "NEW": "value",
		"OLD": "value", "GONE": "", "PULUMI_PROJECT": "proj", "PULUMI_NODEJS_PROJECT": "proj",
		"PULUMI_RUNTIME_TYPESCRIPT": "false", "PULUMI_CONFIG": `{"a":"x","b":"[1]"}`,
	} {
		if got := ask(t, p, token); got != want {
			t.Errorf("%s: got %q", token, got)
		}
	}
}

func TestPluginsThatDoNotStart(t *testing.T) {
	t.Parallel()
	cases := map[string][]string{
		"garbage": {"invalid port", "Segmentation fault"},
		"endless": {"invalid port"},
		"silent":  {"did not print the port it listens on within 300ms", "thinking..."},
		"exit":    {"could not read plugin", "exit status 3", "panic: cannot start"},
		"partial": {"could not read plugin", "exit status 0", "12"},
		"nobody":  {"did not begin responding to RPC connections on port 1"},
		"mute":    {"did not begin responding"},
		"errors":  {"failed to handshake", "everything is broken"},
	}
	for mode, want := range cases {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, mode)
			file := w.install("bin", "pulumi-resource-thing")
			o := w.options()
			o.DialTimeout = 300 * time.Millisecond
			if mode == "silent" {
				o.StartTimeout = 300 * time.Millisecond
			} else if mode == "errors" {
				o.DialTimeout = time.Minute
			}
			h := w.host(o)
			_, err := w.load(h)
			for _, s := range append(want, "failed to load plugin "+file) {
				if err == nil || !strings.Contains(err.Error(), s) {
					t.Errorf("no %q in: %v", s, err)
				}
			}
			for _, pid := range w.pids() {
				if survives(pid) {
					t.Errorf("process %d survived the failure", pid)
				}
			}
		})
	}
}

func TestWaitingForAPluginCanBeCanceled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "silent")
	w.install("bin", "pulumi-resource-thing")
	h := w.host(w.options())
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() {
		_, err := h.Load(ctx, plugin.Package{Name: "thing"}, plugin.LoadOptions{})
		failed <- err
	}()
	for len(w.pids()) == 0 {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestProgressMarksAroundThePort(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "escapes")
	w.install("bin", "pulumi-resource-thing")
	if _, err := w.load(w.host(w.options())); err != nil {
		t.Error(err)
	}
}

func TestDeathInACall(t *testing.T) {
	t.Parallel()
	for name, status := range map[string]string{"exits": "exit status 7", "killed": "signal: killed"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "ok")
			file := w.install("bin", "pulumi-resource-thing")
			h := w.host(w.options())
			p := w.mustLoad(h, plugin.Package{Name: "thing"}, plugin.LoadOptions{})
			u := urn.New("dev", "p", "", "thing:index:Thing", name)
			_, err := p.Create(t.Context(), plugin.CreateRequest{URN: u})
			var uncertain *plugin.UncertainError
			var death *pluginhost.DeathError
			if !errors.As(err, &uncertain) || !errors.As(err, &death) {
				t.Fatalf("got %v", err)
			}
			if death.Status != status || death.Plugin != file || !strings.Contains(death.Output, "out of luck") {
				t.Errorf("got %+v", death)
			}
			// What is asked of a dead provider is certainly not done.
			_, err = p.Create(t.Context(), plugin.CreateRequest{URN: u})
			if errors.As(err, &uncertain) || !errors.As(err, &death) {
				t.Errorf("got %v", err)
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
			// The failed calls told everything: there is no report on top.
			if text := w.said(diag.Error); text != "" {
				t.Errorf("got %s", text)
			}
		})
	}
}

func TestDeathBetweenCallsIsReported(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "flood")
	file := w.install("bin", "pulumi-resource-thing")
	p, err := w.load(w.host(w.options()))
	if err != nil {
		t.Fatal(err)
	}
	for !strings.Contains(w.said(diag.Debug), "line 1999") {
		time.Sleep(time.Millisecond)
	}
	if err := syscall.Kill(w.pids()[0], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for alive(w.pids()[0]) {
		time.Sleep(time.Millisecond)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	for _, s := range []string{"Detected that " + file + " exited prematurely", "signal: killed", "line 1999"} {
		if text := w.said(diag.Error); !strings.Contains(text, s) {
			t.Errorf("no %q in %.500s", s, text)
		}
	}
	if w.said(diag.Info) != "" {
		t.Error("what a resource plugin prints is shown")
	}
}

func TestProcessesEnd(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"ok", "stubborn", "family"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, mode)
			w.install("bin", "pulumi-resource-thing")
			o := w.options()
			o.Grace = 200 * time.Millisecond
			h := w.host(o)
			closed, err := w.load(h)
			if err != nil {
				t.Fatal(err)
			}
			// One is closed, one is left to the host; host() checks that neither is left.
			if _, err := w.load(h); err != nil {
				t.Fatal(err)
			}
			if err := closed.Close(); err != nil {
				t.Error(err)
			}
			if mode == "family" && len(w.pids()) != 4 {
				t.Errorf("got %v", w.pids())
			}
			if text := w.said(diag.Error); text != "" {
				t.Errorf("an end that was asked for is reported: %s", text)
			}
		})
	}
}

func TestKillEndsEverythingAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "stubborn")
	w.install("bin", "pulumi-resource-thing")
	o := w.options()
	o.Grace = time.Hour
	h := pluginhost.New(o)
	if _, err := w.load(h); err != nil {
		t.Fatal(err)
	}
	h.Kill()
	for _, pid := range w.pids() {
		if survives(pid) {
			t.Errorf("process %d survived", pid)
		}
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	if _, err := w.load(h); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("a closed host starts plugins: %v", err)
	}
}

func TestCloseEndsALoad(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "silent")
	w.install("bin", "pulumi-resource-thing")
	h := w.host(w.options())
	failed := make(chan error)
	go func() {
		_, err := w.load(h)
		failed <- err
	}()
	for len(w.pids()) == 0 {
		time.Sleep(time.Millisecond)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	if err := <-failed; err == nil {
		t.Error("loaded by a closed host")
	}
}

func TestCancelReachesProviders(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "ok")
	w.install("bin", "pulumi-resource-thing")
	h := w.host(w.options())
	for range 3 {
		if _, err := w.load(h); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.Cancel(t.Context()); err != nil {
		t.Error(err)
	}
}

// Nothing outlives us, even if we are killed.
func TestPluginsDieWithUs(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux ties processes together")
	}
	w := newWorld(t, "engine")
	w.install("bin", "pulumi-resource-thing")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	engine := exec.Command(self)
	engine.Env = w.environ()
	out, err := engine.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Start(); err != nil {
		t.Fatal(err)
	}
	if line, _ := bufio.NewReader(out).ReadString('\n'); line != "loaded\n" {
		t.Errorf("got %q", line)
	}
	if err := engine.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = engine.Wait()
	pids := w.pids()
	if len(pids) != 1 {
		t.Fatalf("got %v", pids)
	}
	for alive(pids[0]) {
		time.Sleep(time.Millisecond)
	}
}
