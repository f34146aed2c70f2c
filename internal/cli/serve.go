package cli

import (
	"context"
	"os"
	"slices"
	"strings"

	"github.com/cairn-iac/cairn/internal/cli/builtin"
	"github.com/cairn-iac/cairn/internal/langhost/yaml"
	"github.com/cairn-iac/cairn/internal/provider"
	"github.com/cairn-iac/cairn/internal/release"
)

// isPlugin says whether plugins have names like that. Others, as of a download called pulumi-linux-amd64, are the CLI's.
func isPlugin(name string) bool {
	return slices.ContainsFunc([]string{"language", "resource", "analyzer", "converter", "tool"}, func(kind string) bool {
		return strings.HasPrefix(name, "pulumi-"+kind+"-")
	})
}

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
	if name == "pulumi-language-yaml" {
		ctx, stop := untilInterrupted(ctx, inv.Interrupts)
		defer stop()
		err := yaml.ServeLanguageHost(ctx, yaml.ServeOptions{
			Engine: engineAddress(inv.Args[1:]), Version: release.Version, Environment: inv.Environ,
			Stdout: inv.Streams.Out, Stderr: inv.Streams.Err,
		})
		if err != nil {
			return fail("%s: %s", name, err)
		}
		return 0
	}
	return fail("this program cannot serve %q: it serves pulumi-language-yaml, pulumi-resource-random and "+
		"pulumi-resource-command", name)
}

// engineAddress is the last argument that is no flag.
func engineAddress(args []string) string {
	for _, a := range slices.Backward(args) {
		if !strings.HasPrefix(a, "-") {
			return a
		}
	}
	return ""
}

// untilInterrupted ends the context with the first request to stop.
func untilInterrupted(ctx context.Context, interrupts <-chan os.Signal) (context.Context, context.CancelFunc) {
	ctx, stop := context.WithCancel(ctx)
	go func() {
		select {
		case <-interrupts:
			stop()
		case <-ctx.Done():
		}
	}()
	return ctx, stop
}
