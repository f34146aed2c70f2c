package cli

import (
	"context"
	"strings"

	"github.com/cairn-iac/cairn/internal/cli/builtin"
	"github.com/cairn-iac/cairn/internal/provider"
)

// serve runs the program as the plugin whose name it was invoked under, and gives the exit code.
func serve(ctx context.Context, name string, inv Invocation) int {
	fail := func(format string, args ...any) int {
		inv.Streams.Errorf("error: "+format+"\n", args...)
		return 1
	}
	if resource, ok := strings.CutPrefix(name, "pulumi-resource-"); ok {
		b, known := builtin.Providers()[resource]
		if !known {
			return fail("this program has no provider %q; it serves random and command", resource)
		}
		err := provider.Serve(ctx, provider.ServeOptions{
			Args: inv.Args[1:], Environ: inv.Environ, Dir: inv.Dir, Stdout: inv.Streams.Out, New: b.New,
		})
		if err != nil {
			return fail("%s: %s", name, err)
		}
		return 0
	}
	return fail("this program cannot serve %q", name)
}
