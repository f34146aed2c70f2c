package pkg

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/cli/usage"
	"github.com/cairn-iac/cairn/internal/display/palette"
	"github.com/cairn-iac/cairn/internal/schema"
)

type infoOptions struct {
	wanted
	module, resource, function string
}

func newInfoCmd(f *factory.Factory) *cobra.Command {
	o := &infoOptions{wanted: wanted{f: f}}
	cmd := &cobra.Command{
		Use: "info <provider|schema|path> [flags] [--] [provider-parameter]...", Args: usage.AtLeast(1),
		Short: "Show information about a package",
		Long: "Shows what a package offers: its modules; with --module, the resources and functions of one; with --resource or\n" +
			"--function, the inputs and outputs of one.\n\n" + sourceHelp,
		Example: "  pulumi package info random\n  pulumi package info random --resource RandomPet",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.source, o.args = args[0], args[1:]
			return o.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&o.module, "module", "m", "", "the module to show")
	flags.StringVarP(&o.resource, "resource", "r", "", "the resource to show")
	flags.StringVarP(&o.function, "function", "f", "", "the function to show")
	flags.StringVar(&o.server, "server", "", "the URL to download the plugin from")
	return cmd
}

func (o *infoOptions) run(ctx context.Context) error {
	if o.function != "" && o.resource != "" {
		return errors.New("only one of --function or --resource can be specified")
	}
	colors, err := o.f.Palette()
	if err != nil {
		return err
	}
	p, err := o.pkg(ctx)
	if err != nil {
		return err
	}
	v := &view{pkg: p, colors: colors}
	switch {
	case o.function != "":
		err = v.function(o.module, o.function)
	case o.resource != "":
		err = v.resource(o.module, o.resource)
	case o.module != "":
		err = v.module(o.module)
	default:
		err = v.whole(strings.Join(append([]string{o.source}, o.args...), " "))
	}
	if err != nil {
		return err
	}
	o.f.Streams.Printf("%s", v.b.String())
	return nil
}

// view writes about a package, as the Pulumi CLI does.
type view struct {
	pkg    *schema.Package
	colors palette.Palette
	b      strings.Builder
}

func (v *view) bold(text string) string { return v.colors.Paint(palette.Bold, text) }

func (v *view) line(format string, args ...any) { fmt.Fprintf(&v.b, format+"\n", args...) }

// short is a token's module, up to the first slash, and its name.
func short(token string) (module, name string, ok bool) {
	parts := strings.Split(token, ":")
	if len(parts) != 3 {
		return "", "", false
	}
	module, _, _ = strings.Cut(parts[1], "/")
	return module, parts[2], true
}

// whole shows the package, or what it has only one of.
func (v *view) whole(source string) error {
	modules := map[string]bool{}
	for _, token := range slices.Concat(slices.Collect(maps.Keys(v.pkg.Resources)), slices.Collect(maps.Keys(v.pkg.Functions))) {
		if module, _, ok := short(token); ok {
			modules[module] = true
		}
	}
	for token := range v.pkg.Functions {
		if _, name, ok := short(token); ok && len(v.pkg.Functions) == 1 {
			return v.function("", name)
		}
	}
	for token := range v.pkg.Resources {
		if _, name, ok := short(token); ok && len(v.pkg.Resources) == 1 {
			return v.resource("", name)
		}
	}
	names := slices.Sorted(maps.Keys(modules))
	if len(names) == 1 {
		return v.module(names[0])
	}
	v.line("%s: %s", v.bold("Name"), v.pkg.Name)
	v.line("%s: %s", v.bold("Version"), v.pkg.Version)
	v.line("%s: %s", v.bold("Description"), summary(v.pkg.Description))
	v.line("%s %d", v.bold("Total resources"), len(v.pkg.Resources))
	v.line("%s %d", v.bold("Total functions"), len(v.pkg.Functions))
	v.line("%s: %d\n", v.bold("Total modules"), len(names))
	v.line("%s: %s\n", v.bold("Modules"), strings.Join(names, ", "))
	flag := ""
	if len(names) > 1 {
		flag = "--module <module>"
		v.line("Use 'pulumi package info %s %s' to list resources in a module", source, flag)
	}
	v.line("Use 'pulumi package info %s %s --resource <resource>' for detailed resource info", source, flag)
	return nil
}

// module lists the resources and functions of a module.
func (v *view) module(wanted string) error {
	in := func(token string) (string, bool) {
		module, name, ok := short(token)
		return name, ok && (module == wanted || strings.Split(token, ":")[1] == wanted)
	}
	resources, functions := map[string]string{}, map[string]string{}
	for token, r := range v.pkg.Resources {
		if name, ok := in(token); ok {
			resources[name] = r.Description
		}
	}
	for token, f := range v.pkg.Functions {
		if name, ok := in(token); ok {
			functions[name] = f.Description
		}
	}
	if len(resources)+len(functions) == 0 {
		return fmt.Errorf("module %q not found", wanted)
	}
	v.line("%s: %s", v.bold("Name"), v.pkg.Name)
	v.line("%s: %s", v.bold("Module"), wanted)
	v.line("%s: %s", v.bold("Version"), v.pkg.Version)
	v.line("%s: %s", v.bold("Description"), summary(v.pkg.Description))
	list := func(title string, of map[string]string) {
		v.line("%s: %d\n", v.bold(title), len(of))
		for _, name := range slices.Sorted(maps.Keys(of)) {
			v.line(" - %s: %s", v.bold(name), summary(of[name]))
		}
	}
	list("Resources", resources)
	v.line("")
	list("Functions", functions)
	return nil
}

// find gives the token of a resource or function by its name, and its module if there are several.
func (v *view) find(tokens []string, kind, module, name string) (string, error) {
	found := ""
	for _, token := range tokens {
		if _, n, ok := short(token); !ok || n != name {
			continue
		}
		switch {
		case module != "" && v.moduleOf(token) == module:
			return token, nil
		case module != "":
		case found != "":
			return "", fmt.Errorf("ambiguous %s name %q, please use --module <module> to disambiguate", kind, name)
		default:
			found = token
		}
	}
	if found == "" {
		return "", fmt.Errorf("%s %q not found", kind, name)
	}
	return found, nil
}

// moduleOf is a token's module by the package's own rule.
func (v *view) moduleOf(token string) string {
	module := strings.Split(token, ":")[1]
	if v.pkg.Meta != nil && v.pkg.Meta.ModuleFormat != "" {
		if rule, err := regexp.Compile(v.pkg.Meta.ModuleFormat); err == nil {
			if m := rule.FindStringSubmatch(module); len(m) > 1 && strings.HasPrefix(module, m[1]) {
				module = m[1]
			}
		}
	}
	if module == "" {
		return "index"
	}
	return module
}

func (v *view) description(text string) {
	switch text = rendered(text); {
	case text == "":
	case strings.Contains(text, "\n"):
		v.line("%s:\n%s", v.bold("Description"), text)
	default:
		v.line("%s: %s", v.bold("Description"), text)
	}
}

func (v *view) resource(module, name string) error {
	token, err := v.find(slices.Sorted(maps.Keys(v.pkg.Resources)), "resource", module, name)
	if err != nil {
		return err
	}
	r := v.pkg.Resources[token]
	v.line("%s: %s", v.bold("Resource"), token)
	v.description(r.Description)
	v.line("")
	v.properties("Inputs", r.InputProperties, r.RequiredInputs, naming{pkg: v.pkg, inputs: true})
	v.line("")
	v.properties("Outputs", r.Properties, r.Required, naming{pkg: v.pkg})
	return nil
}

func (v *view) function(module, name string) error {
	token, err := v.find(slices.Sorted(maps.Keys(v.pkg.Functions)), "function", module, name)
	if err != nil {
		return err
	}
	f := v.pkg.Functions[token]
	v.line("%s: %s", v.bold("Function"), token)
	v.description(f.Description)
	v.line("")
	var inputs schema.ObjectType
	if f.Inputs != nil {
		inputs = *f.Inputs
	}
	v.properties("Inputs", inputs.Properties, inputs.Required, naming{pkg: v.pkg})
	if outputs, ok := f.Outputs.Object(); ok {
		v.line("")
		v.properties("Outputs", outputs.Properties, outputs.Required, naming{pkg: v.pkg})
	} else if value, ok := f.Outputs.Value(); ok {
		v.line("\n%s: %s", v.bold("Outputs"), v.underlined(naming{pkg: v.pkg}.of(value.Shape)))
	}
	return nil
}

func (v *view) underlined(text string) string { return v.colors.Paint("underline", text) }

func (v *view) properties(title string, of map[string]schema.Property, required []string, n naming) {
	v.line("%s:", v.bold(title))
	marked := false
	for _, name := range slices.Sorted(maps.Keys(of)) {
		mark := ""
		if slices.Contains(required, name) {
			mark, marked = v.underlined("*"), true
		}
		fmt.Fprintf(&v.b, " - %s (%s%s)", v.bold(name), v.underlined(n.of(of[name].Shape)), mark)
		if text := summary(of[name].Description); text != "" {
			v.b.WriteString(": " + text)
		}
		v.b.WriteByte('\n')
	}
	if marked && title == "Inputs" {
		v.line("Inputs marked with '*' are required")
	} else if marked {
		v.line("Outputs marked with '*' are always present")
	}
}
