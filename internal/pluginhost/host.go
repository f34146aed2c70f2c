package pluginhost

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/pluginstore"
)

// Options is what a host needs to know of the world. The zero value of a duration means its default.
type Options struct {
	// Environ is the environment of this program, "NAME=value" each.
	Environ []string
	// Executable is the path of this program.
	Executable string
	// Version is the version of this program, which plugins may require.
	Version string
	// Dir is the absolute folder that plugins run in: the one of the program.
	Dir     string
	Project Project
	// Services are told to every plugin.
	Services Services
	// Flags are told to every plugin's executable.
	Flags Flags
	// Builtins are the providers that are part of this program, by package.
	Builtins map[string]Builtin
	// Runtimes run plugins that are folders in this process, by the runtime's name.
	Runtimes map[string]Runtime
	// Install puts a plugin that was not found into the cache; nil when nothing is ever installed. Whether it is asked
	// is up to PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION and PULUMI_OFFLINE.
	Install func(context.Context, pluginstore.Plugin) error
	// Pinned gives the version of a plugin, by its name in the cache, for programs that ask for any; "" is none.
	Pinned func(Kind, string) (string, error)
	// Verify refuses a plugin from a file that must not run; nil lets all run.
	Verify func(context.Context, Found) error
	// Connect makes a provider of a connection: provider.Connect.
	Connect func(context.Context, Connection) (plugin.Provider, error)
	// Log takes what plugins print and what there is to warn of; nil drops it. It may be called concurrently.
	Log plugin.LogFunc

	// StartTimeout is how long a plugin may take to print its port; 5 minutes.
	StartTimeout time.Duration
	// DialTimeout is how long a plugin may then take to answer; 10 seconds.
	DialTimeout time.Duration
	// Grace is how long a plugin may take to end, once when canceled and once when interrupted; 5 seconds.
	Grace time.Duration
	// Abort is closed when plugins are not to be waited for any more: what is then still there is killed. Nil never is.
	Abort <-chan struct{}
}

// Project is what the project of the program says.
type Project struct {
	Name string
	// RuntimeOptions are the options of the program's language runtime, as text.
	RuntimeOptions map[string]string
	Plugins        []ProjectPlugin
	// Packages say where packages come from, and in which version, that programs name without saying so.
	Packages map[string]plugin.Package
}

// ProjectPlugin is an entry of "plugins" or a local path in "packages".
type ProjectPlugin struct {
	Kind Kind
	Name string
	// Path is the absolute path of the plugin's folder.
	Path string
	// Version may be "".
	Version string
}

// Services are the addresses (host:port) of our own gRPC services; "" for those that do not run.
type Services struct{ Engine, Mapper, Loader, Resolver string }

// Flags are the command line flags that plugins get before the engine's address.
type Flags struct {
	// LogFlow passes the following two on.
	LogFlow     bool
	LogToStderr bool
	Verbose     int
	// Tracing is an endpoint; "" for none.
	Tracing string
}

// Builtin is a provider that is part of this program.
type Builtin struct {
	// Version is the semantic version of the official plugin it answers to.
	Version string
	New     func(BuiltinLaunch) (plugin.Provider, error)
}

// BuiltinLaunch is what a built-in provider gets in place of a process of its own.
type BuiltinLaunch struct {
	// Environ is what a plugin's process would have as its environment.
	Environ []string
	// Dir is what it would have as its working directory.
	Dir string
	Log plugin.LogFunc
}

// Runtime runs a plugin folder in this process.
type Runtime func(context.Context, RuntimeLaunch) (plugin.Provider, error)

// RuntimeLaunch is a plugin folder to run.
type RuntimeLaunch struct {
	// Name is the package that is wanted.
	Name string
	// Plugin is the absolute path of the plugin's folder.
	Plugin string
	// Options are the runtime's options in PulumiPlugin.yaml.
	Options  map[string]any
	Services Services
	BuiltinLaunch
}

// Connection is a provider that can be talked to.
type Connection struct {
	Package plugin.Package
	Conn    *grpc.ClientConn
	// Process is nil for an attached provider.
	Process *Process
	// Path is the executable or folder, "" for an attached provider.
	Path     string
	Services Services
	// DialTimeout is for the handshake, Grace for the Cancel call at the end.
	DialTimeout, Grace time.Duration
	Log                plugin.LogFunc
}

// Close ends the connection and the process behind it.
func (c Connection) Close() error {
	err := c.Conn.Close()
	if c.Process != nil {
		c.Process.Close()
	}
	return err
}

// Host starts plugins and keeps track of them. Its methods may be called concurrently.
type Host struct {
	o       Options
	env     environ
	spawner *spawner
	streams atomic.Int32

	mu        sync.Mutex
	closed    bool
	instances map[*instance]struct{}
	processes map[*Process]struct{}
	languages map[string]*language
	told      map[string]bool
}

var _ plugin.Host = (*Host)(nil)

// New makes a host. It starts nothing until it is asked to.
func New(o Options) *Host {
	def := func(d *time.Duration, value time.Duration) {
		if *d == 0 {
			*d = value
		}
	}
	def(&o.StartTimeout, 5*time.Minute)
	def(&o.DialTimeout, 10*time.Second)
	def(&o.Grace, 5*time.Second)
	return &Host{
		o: o, env: o.Environ, spawner: &spawner{}, instances: map[*instance]struct{}{},
		processes: map[*Process]struct{}{}, languages: map[string]*language{}, told: map[string]bool{},
	}
}

// errClosed is what a host that was closed answers.
var errClosed = errors.New("the plugin host is closed")

// log passes a message on.
func (h *Host) log(l plugin.Log) {
	if h.o.Log != nil {
		h.o.Log(l)
	}
}

// first says whether text comes for the first time.
func (h *Host) first(text string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.told[text] {
		return false
	}
	h.told[text] = true
	return true
}

// instance is a provider that the host keeps track of.
type instance struct {
	plugin.Provider
	host *Host
	once sync.Once
	err  error
}

// Close ends the provider; a second call waits for the first.
func (i *instance) Close() error {
	i.once.Do(func() {
		i.err = i.Provider.Close()
		i.host.mu.Lock()
		defer i.host.mu.Unlock()
		delete(i.host.instances, i)
	})
	return i.err
}

// manage keeps track of a provider until it is closed. On a closed host it closes the provider.
func (h *Host) manage(p plugin.Provider) (plugin.Provider, error) {
	i := &instance{Provider: p, host: h}
	h.mu.Lock()
	closed := h.closed
	if !closed {
		h.instances[i] = struct{}{}
	}
	h.mu.Unlock()
	if closed {
		return nil, errors.Join(errClosed, p.Close())
	}
	return i, nil
}

// running lists the providers that were not closed.
func (h *Host) running() []*instance {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := make([]*instance, 0, len(h.instances))
	for i := range h.instances {
		out = append(out, i)
	}
	return out
}

// together calls f for all of them at once and waits.
func together[T any](all []T, f func(T) error) error {
	errs := make([]error, len(all))
	var wg sync.WaitGroup
	for i, x := range all {
		wg.Go(func() { errs[i] = f(x) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// Cancel asks every provider to abort what it does, gracefully, and then the language hosts that run some of them.
// Calls in flight go on until the providers answer them.
func (h *Host) Cancel(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, h.o.Grace)
	defer cancel()
	err := together(h.running(), func(i *instance) error { return i.Cancel(ctx) })
	return errors.Join(err, together(h.hosts(), func(l *language) error { return l.cancel(ctx) }))
}

// Kill ends all processes at once, and everything they started. Calls in flight fail.
func (h *Host) Kill() {
	h.mu.Lock()
	all := make([]*Process, 0, len(h.processes))
	for p := range h.processes {
		all = append(all, p)
	}
	h.mu.Unlock()
	_ = together(all, func(p *Process) error {
		p.Kill()
		return nil
	})
}

// Close ends every plugin, gracefully where it lets us, and waits until none is left.
func (h *Host) Close() error {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	err := together(h.running(), (*instance).Close)
	err = errors.Join(err, together(h.hosts(), (*language).close))
	h.Kill()
	h.spawner.stop()
	return err
}
