package langhost

import (
	"context"
	"errors"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/schema"
)

// ErrBail is what a program ends with when everything that went wrong has been reported already. The deployment
// fails; nothing more is to be printed.
var ErrBail = errors.New("the program failed; its errors have been reported")

// Runtime runs programs of one language.
type Runtime interface {
	// Run evaluates the program and returns when it has ended and the monitor has done all its steps. Problems of the
	// program go to RunRequest.Report, and Run then returns ErrBail; other errors are failures of the machinery.
	Run(context.Context, RunRequest) error
	// RequiredPackages lists the packages that the program refers to, by name. Of one that it wants in several versions the
	// first is what it means where it names none. A program with errors has none: Run reports them.
	RequiredPackages(context.Context, Program) ([]plugin.Package, error)
	// About describes the language's tools, for `pulumi about`.
	About(context.Context, Program) (About, error)
}

// Program says where a program is.
type Program struct {
	// Root is the absolute path of the folder that holds Pulumi.yaml.
	Root string
	// Directory is Root, or the absolute path of the folder that the project's main option names.
	Directory string
	// EntryPoint is "." or the name of a file.
	EntryPoint string
	// Options are the project's runtime options.
	Options map[string]any
	// Environment is what child processes get, as NAME=value.
	Environment []string
}

// RunRequest is one run of a program.
type RunRequest struct {
	Program
	Project, Stack, Organization string
	// Args are passed to the program's process; languages without one have none.
	Args []string
	// Config maps full keys (namespace:name) to values; objects and lists are JSON.
	Config map[string]string
	// ConfigSecretKeys are the full keys whose values are secret.
	ConfigSecretKeys []string
	Preview          bool
	Parallel         int
	// MonitorAddress and EngineAddress are where the deployment listens (host:port).
	MonitorAddress, EngineAddress string
	// Schemas finds package schemas; runtimes that check types before they run need it.
	Schemas Schemas
	// Report takes warnings and errors of the program as they are found. It may be called concurrently.
	Report func(diag.Diagnostic)
}

// Schemas finds the schema of a package. Implementations may start a provider for it, and should remember the answer.
type Schemas interface {
	Schema(context.Context, SchemaRequest) (*schema.Package, error)
}

// SchemaRequest names a package the way a program does.
type SchemaRequest struct {
	Name string
	// Version is a semantic version without "v", "" for any.
	Version     string
	DownloadURL string
	// Parameterization is set when Name is a base provider that has to be turned into another package.
	Parameterization *plugin.Parameterization
}

// About describes the tools of a language.
type About struct {
	Executable, Version string
	Metadata            map[string]string
}
