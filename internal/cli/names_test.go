package cli_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/cairn-iac/cairn/internal/cli"
	"github.com/cairn-iac/cairn/internal/cli/iostreams"
	"github.com/cairn-iac/cairn/internal/release"
)

// TestNames invokes the program under names that downloads and links have, and under those of plugins.
func TestNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"pulumi": release.Tag, "/usr/bin/pulumi-linux-amd64": release.Tag, "pulumi-3.276.exe": release.Tag,
		"pulumi-resource-nobody": `no provider "nobody"`, "pulumi-analyzer-policy": `cannot serve "pulumi-analyzer-policy"`,
	} {
		var out bytes.Buffer
		cli.Main(cli.Invocation{
			Args: []string{name, "version"}, Dir: t.TempDir(), Environ: []string{"HOME=" + t.TempDir()},
			Streams: &iostreams.Streams{In: strings.NewReader(""), Out: &out, Err: &out},
		})
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s version: %q; want %q", name, out.String(), want)
		}
	}
}
