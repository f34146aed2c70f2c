package fakeprovidertest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
)

// Kit is a cloud for one test: a ledger and a control file in a folder.
type Kit struct {
	*Ledger

	Folder      string // the ledger's, which also holds the control file
	ControlFile string
}

// Setup makes a cloud without faults in a folder, or opens the one that is there.
func Setup(folder string) (*Kit, error) {
	ledger, err := OpenLedger(folder)
	if err != nil {
		return nil, err
	}
	kit := &Kit{Ledger: ledger, Folder: folder, ControlFile: filepath.Join(folder, "control.json")}
	if _, err := os.Stat(kit.ControlFile); errors.Is(err, os.ErrNotExist) {
		err = kit.Control(Control{})
		return kit, err
	}
	return kit, nil
}

// Control replaces the faults; running providers see them with their next call.
func (k *Kit) Control(c Control) error { return c.WriteFile(k.ControlFile) }

// Env is what a plugin process needs in its environment, as KEY=value.
func (k *Kit) Env() []string {
	return []string{EnvLedger + "=" + k.Folder, EnvControl + "=" + k.ControlFile}
}

// Link puts the plugin into a folder as a symbolic link to the running test binary, and answers its path. The
// binary's TestMain must hand over to [Main] when [Invoked]. An engine in the same test binary may refuse it as its
// own binary under a provider's name; use [Kit.Build] there.
func (k *Kit) Link(folder string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	plugin := filepath.Join(folder, BinaryName)
	return plugin, os.Symlink(self, plugin)
}

// Build compiles the plugin into a folder and answers its path. It needs the go command and the module's sources.
func (k *Kit) Build(ctx context.Context, folder string) (string, error) {
	plugin := filepath.Join(folder, BinaryName)
	command := exec.CommandContext(ctx, "go", "build", "-o", plugin, "github.com/cairn-iac/cairn/test/fakeprovider")
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", BinaryName, err, output)
	}
	return plugin, nil
}

// Running is a provider that a test process serves itself.
type Running struct {
	Server *Server
	Port   int
	stop   context.CancelFunc
	done   chan error
}

// Start serves the provider on a loopback port of the test process. A crash on demand closes every connection.
func Start(opts Options) (*Running, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	running := &Running{
		Port: listener.Addr().(*net.TCPAddr).Port,
		stop: stop,
		done: make(chan error, 1),
	}
	crash := make(chan struct{}, 1)
	if opts.Exit == nil {
		opts.Exit = func(int) {
			select {
			case crash <- struct{}{}:
			default:
			}
		}
	}
	if running.Server, err = NewServer(opts); err != nil {
		stop()
		return nil, errors.Join(err, listener.Close())
	}
	g := running.Server.grpcServer()
	go func() {
		select {
		case <-crash:
			g.Stop()
		case <-ctx.Done():
		}
	}()
	go func() { running.done <- serve(ctx, g, running.Server, listener) }()
	return running, nil
}

// Address is what a client dials.
func (r *Running) Address() string { return fmt.Sprintf("127.0.0.1:%d", r.Port) }

// Stop ends the provider and waits for it.
func (r *Running) Stop() error {
	r.stop()
	return <-r.done
}
