package about

import (
	"cmp"
	"context"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/cli/usage"
	"github.com/cairn-iac/cairn/internal/display/table"
	"github.com/cairn-iac/cairn/internal/pluginhost"
	"github.com/cairn-iac/cairn/internal/release"
)

type aboutOptions struct {
	f      *factory.Factory
	stack  string
	format usage.Format
}

func newAboutCmd(f *factory.Factory) *cobra.Command {
	o := &aboutOptions{f: f}
	cmd := &cobra.Command{
		Use: "about", Args: usage.Group,
		Short: "Describe the program, the project, the stack and the machine",
		Long: "Prints what helps to understand a problem: versions, the plugins that the program needs and where each comes from,\n" +
			"the current stack and backend, and the environment variables that count. Values of secret variables are hidden.",
		Example: "  pulumi about\n  pulumi about --json",
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	cmd.Flags().StringVarP(&o.stack, "stack", "s", "", "the stack to describe; the selected one by default")
	usage.Output(cmd, &o.format)
	cmd.AddCommand(usage.Later("env")...)
	return cmd
}

// report is everything that is known; its JSON is the one of --json. Parts that could not be found out are nil.
type report struct {
	Plugins      []pluginAbout     `json:"plugins"`
	Host         *hostAbout        `json:"host"`
	Backend      *backendAbout     `json:"backend"`
	Stack        *stackAbout       `json:"currentStack"`
	CLI          cliAbout          `json:"cliAbout"`
	Runtime      map[string]string `json:"runtime"`
	Dependencies []dependency      `json:"dependencies"`
	Errors       []string          `json:"errors"`
}

type pluginAbout struct {
	Name    string  `json:"name"`
	Version *string `json:"version"`
	Kind    string  `json:"kind"`
	// Source is where the plugin comes from; it is ours.
	Source string `json:"source,omitempty"`
}

type backendAbout struct {
	Name          string   `json:"name"`
	URL           string   `json:"url"`
	User          string   `json:"user"`
	Organizations []string `json:"organizations"`
}

type stackAbout struct {
	Name      string          `json:"name"`
	FullName  string          `json:"fullyQualifiedName"`
	Resources []resourceAbout `json:"resources"`
	Pending   []resourceAbout `json:"pendingOps"`
}

type resourceAbout struct {
	Type string `json:"type"`
	URN  string `json:"urn"`
}

type cliAbout struct {
	Version  string `json:"version"`
	Go       string `json:"goVersion"`
	Compiler string `json:"goCompiler"`
}

type dependency struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

func (o *aboutOptions) run(ctx context.Context) error {
	r := &report{
		CLI:    cliAbout{Version: release.Version, Go: runtime.Version(), Compiler: runtime.Compiler},
		Host:   hostOf(runtime.GOOS, runtime.GOARCH),
		Errors: []string{},
	}
	o.describeProject(ctx, r)
	o.describeBackend(ctx, r)
	if o.format == usage.JSON {
		text, err := table.JSON(r)
		if err != nil {
			return err
		}
		o.f.Streams.Printf("%s", text)
		return nil
	}
	o.f.Streams.Printf("%s", o.text(r))
	for _, e := range r.Errors {
		o.f.Streams.Errorf("warning: %s\n", e)
	}
	return nil
}

func (r *report) fail(what string, err error) {
	r.Errors = append(r.Errors, fmt.Sprintf("%s: %v", what, err))
}

func (o *aboutOptions) describeProject(ctx context.Context, r *report) {
	p, err := o.f.Project()
	if err != nil {
		r.fail("Failed to read project", err)
		return
	}
	r.Runtime = map[string]string{"language": p.Runtime.Name}
	required, err := o.f.RequiredPlugins(ctx)
	if err != nil {
		r.fail("Failed to get information about the plugin", err)
		return
	}
	r.Plugins, r.Dependencies = []pluginAbout{}, []dependency{}
	for _, q := range required {
		r.Dependencies = append(r.Dependencies, dependency{Name: q.Package.Name, Version: q.Package.Version})
		about := pluginAbout{Name: q.Package.Name, Kind: string(pluginhost.KindResource), Source: "missing"}
		if q.Missing != nil {
			r.fail("Missing plugin", q.Missing)
		} else {
			about.Source = string(q.Found.Origin)
		}
		if v := cmp.Or(q.Found.Version, q.Package.Version); v != "" {
			about.Version = &v
		}
		r.Plugins = append(r.Plugins, about)
	}
	version := release.Version
	r.Plugins = append(r.Plugins, pluginAbout{
		Name: p.Runtime.Name, Kind: string(pluginhost.KindLanguage), Version: &version, Source: string(pluginhost.FromBuiltin),
	})
}

func (o *aboutOptions) describeBackend(ctx context.Context, r *report) {
	b, err := o.f.Backend(ctx)
	if err != nil {
		r.fail("Could not access the backend", err)
		return
	}
	r.Backend = &backendAbout{Name: o.f.BackendName(), URL: b.URL, User: o.f.Username}
	s, err := o.f.Stack(ctx, factory.StackQuery{Flag: o.stack})
	if err != nil {
		r.fail("Failed to get information about the current stack", err)
		return
	}
	view, err := s.Look(ctx, factory.Looking{Damaged: true})
	if err != nil {
		r.fail("Failed to get information about the current stack", err)
		return
	}
	r.Stack = &stackAbout{
		Name: o.f.StackName(s.Ref), FullName: s.Ref.String(), Resources: []resourceAbout{}, Pending: []resourceAbout{},
	}
	for _, res := range view.Snapshot.Resources {
		r.Stack.Resources = append(r.Stack.Resources, resourceAbout{Type: string(res.Type), URN: string(res.URN)})
	}
	for _, op := range view.Snapshot.Pending {
		r.Stack.Pending = append(r.Stack.Pending, resourceAbout{Type: string(op.Kind), URN: string(op.Resource.URN)})
	}
}
