package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/cairn-iac/cairn/internal/cli/exit"
	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/release"
)

// Main runs one command and gives the exit code. Under the name of a plugin it serves that plugin.
func Main(inv Invocation) (code int) {
	defer func() {
		if cause := recover(); cause != nil {
			inv.Streams.Errorf("error: this is a bug in pulumi %s: %v\n\n%s\nPlease report it with the lines above. "+
				"Your state is safe: everything that was done is recorded.\n", release.Tag, cause, debug.Stack())
			code = int(exit.Bug)
		}
	}()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	name := strings.TrimSuffix(filepath.Base(inv.Args[0]), ".exe")
	if isPlugin(name) {
		return serve(ctx, name, inv)
	}
	interrupts := make(chan struct{}, 2)
	go func() {
		for range inv.Interrupts {
			interrupts <- struct{}{}
		}
	}()
	f := &factory.Factory{
		Streams: inv.Streams, Env: inv.Environ, Dir: inv.Dir, Executable: inv.Executable,
		Username: inv.Username, Hostname: inv.Hostname, Interrupts: interrupts,
		Keys: inv.Keys,
	}
	stop := func() error { return nil }
	root := newRoot(f, func() (err error) {
		stop, err = profile(f, inv.PID)
		return err
	})
	root.SetArgs(inv.Args[1:])
	err := root.ExecuteContext(ctx)
	err = errors.Join(err, stop())
	tell(inv, err)
	return int(exit.Of(err))
}

// tell prints an error once, in one form: every line of a diagnostic that has a place names it.
func tell(inv Invocation, err error) {
	if err == nil || exit.IsReported(err) {
		return
	}
	if ds, ok := diag.As(err); ok {
		for _, d := range ds {
			inv.Streams.Errorf("%s: %s\n", d.Severity, d.Error())
		}
		return
	}
	inv.Streams.Errorf("error: %s\n", err)
}

func statDir(path string) (bool, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look at %s: %w", path, err)
	}
	return info.IsDir(), nil
}
