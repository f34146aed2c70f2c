// Command pulumi is the engine and CLI in one binary. Invoked under the name of one of its plugins
// (pulumi-language-yaml, pulumi-resource-random, ...), it serves that plugin.
package main

import (
	"os"

	"github.com/cairn-iac/cairn/internal/cli"
)

func main() { os.Exit(cli.Main(cli.FromProcess())) }
