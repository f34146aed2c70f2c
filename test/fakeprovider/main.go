// Command fakeprovider is the plugin pulumi-resource-fp, a provider with a cloud of its own for tests.
package main

import (
	"context"
	"os"

	"github.com/cairn-iac/cairn/internal/fakeprovidertest"
)

func main() {
	os.Exit(fakeprovidertest.Main(context.Background(), fakeprovidertest.Process{
		Args:   os.Args,
		Getenv: os.Getenv,
		Stdout: os.Stdout,
		Stderr: os.Stderr,
		Exit:   os.Exit,
	}))
}
