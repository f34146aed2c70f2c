package operation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/cli/exit"
	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/display"
	"github.com/cairn-iac/cairn/internal/engine"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/importer"
	"github.com/cairn-iac/cairn/internal/langhost/yaml/generate"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/secret"
	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/state/deploymentjson"
	"github.com/cairn-iac/cairn/internal/urn"
)

func newImport(f *factory.Factory) *cobra.Command {
	o, im := &flags{}, &importFlags{}
	cmd := &cobra.Command{
		Use: "import [type name id]", Args: cobra.MaximumNArgs(3),
		Short: "Bring resources that exist into a stack",
		Long: "Reads resources that exist, records them as part of the stack, and writes the code that a program needs for them.\n" +
			"Nothing is created or changed. Name one resource by its type, a name and its id, or many in a JSON file:\n\n" +
			"  {\"resources\": [{\"type\": \"random:index/randomString:RandomString\", \"name\": \"salt\", \"id\": \"x7Rt\"}]}\n\n" +
			"What is recorded already is left alone, so that an import can be repeated.",
		Example: "  pulumi import random:index/randomString:RandomString salt x7Rt\n" +
			"  pulumi import --yes --protect=false --file resources.json --out imported.yaml",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := im.read(f, args); err != nil {
				return exit.With(exit.Usage, err)
			}
			return run(cmd, f, o, spec{
				kind: engine.Import, display: display.Import, asks: "import", previewOnly: o.previewOnly, imports: im,
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&im.path, "file", "f", "", "import what this JSON file lists")
	flags.StringVarP(&im.out, "out", "o", "", "write the code into this file")
	flags.StringVar(&im.parent, "parent", "", "the parent's URN, or name=URN with the name it has in the program")
	flags.StringVar(&im.provider, "provider", "", "the provider's URN, or name=URN with the name it has in the program")
	flags.StringSliceVar(&im.properties, "properties", nil, "record these inputs only: name,name")
	flags.BoolVar(&im.protect, "protect", true, "protect what is imported from being deleted")
	flags.BoolVar(&im.generateCode, "generate-code", true, "write the code for the program")
	flags.BoolVar(&o.previewOnly, "preview-only", false, "only show what would be imported")
	o.registerCommon(cmd)
	o.registerApplying(cmd)
	for _, name := range []string{"from", "generate-resources"} {
		flags.String(name, "", "not available yet")
		_ = flags.MarkHidden(name)
	}
	return cmd
}

// importFlags say what to import.
type importFlags struct {
	path, out, parent, provider string
	properties                  []string
	protect, generateCode       bool

	file *importer.File
	plan *importer.Plan
}

// read gets the list of what is to be imported.
func (im *importFlags) read(f *factory.Factory, args []string) error {
	if im.path == "" {
		return im.single(args)
	}
	if len(args) > 0 || im.parent != "" || im.provider != "" || len(im.properties) > 0 {
		return errors.New("--file says what to import; it cannot be combined with a type, --parent, --provider or --properties")
	}
	data, err := os.ReadFile(f.Path(im.path))
	if err != nil {
		return fmt.Errorf("read the import file: %w", err)
	}
	if im.file, err = importer.Parse(data); err != nil {
		return fmt.Errorf("%s: %w", im.path, err)
	}
	return nil
}

func (im *importFlags) single(args []string) error {
	if len(args) < 3 {
		missing := []string{"type", "name", "id"}[len(args)]
		return fmt.Errorf("what is to be imported is not complete: the %s is missing. Give its type, a name and its id, or --file", missing)
	}
	s := importer.Spec{Type: urn.Type(args[0]), Name: args[1], ID: args[2], Properties: im.properties}
	im.file = &importer.File{NameTable: map[string]urn.URN{}}
	for _, ref := range []struct {
		what, given string
		name        *string
	}{{"parent", im.parent, &s.Parent}, {"provider", im.provider, &s.Provider}} {
		if ref.given == "" {
			continue
		}
		name, u, err := parseNamed(ref.what, ref.given)
		if err != nil {
			return err
		}
		if im.file.NameTable[name] != "" {
			return fmt.Errorf("--parent and --provider have the same name %q; give them different ones: name=URN", name)
		}
		*ref.name, im.file.NameTable[name] = name, u
	}
	im.file.Resources = []importer.Spec{s}
	return nil
}

// parseNamed reads name=URN, or a URN alone.
func parseNamed(what, text string) (string, urn.URN, error) {
	name := what
	if before, after, ok := strings.Cut(text, "="); ok && !strings.HasPrefix(text, "urn:") {
		name, text = before, after
	}
	if ref, err := urn.ParseProviderRef(text); err == nil && !ref.IsZero() {
		return "", "", fmt.Errorf("--%s: %q is a provider with its id; leave the id out: %s", what, text, ref.URN)
	}
	u, err := urn.Parse(text)
	if err != nil {
		return "", "", fmt.Errorf("--%s: %w", what, err)
	}
	return name, u, nil
}

// importing is what one phase of an import works with.
type importing struct {
	base    *state.Snapshot
	options *engine.Options
}

// source resolves the list against what is recorded by now. Each resource is imported for itself: one that fails does not
// keep the others from being imported.
func (im *importFlags) source(ctx context.Context, r *runner, w *world, in importing) (engine.Program, error) {
	plan, err := im.file.Resolve(importer.Target{
		Project: r.stack.Ref.Project, Stack: r.stack.Ref.Name, Base: in.base, Protect: im.protect,
		Decode: func(raw json.RawMessage) (property.Map, error) {
			secrets, err := r.stack.Secrets(ctx, nil)
			if err != nil {
				return property.Map{}, err
			}
			var crypter secret.Crypter
			if secrets != nil {
				crypter = secrets.Crypter()
			}
			return deploymentjson.DecodeProperties(ctx, raw, deploymentjson.NewSecrets(crypter, deploymentjson.SecretsOptions{}))
		},
	})
	if err != nil {
		return nil, exit.With(exit.Usage, fmt.Errorf("nothing was imported:\n%w", err))
	}
	plan.Monitor = func() engine.Monitor { return w.monitor }
	im.plan = plan
	in.options.ContinueOnError = true
	if p := r.stack.Project; p != nil && p.Runtime.Name == "yaml" {
		// The provider is the one that the program would use. A program that is not complete yet does not say.
		if versions, err := (&program{w: w, runtime: w.yaml}).defaultVersions(ctx); err == nil {
			in.options.DefaultVersions = versions
		}
	}
	return plan, nil
}

// writeProgram writes the code of what is recorded by now.
func (im *importFlags) writeProgram(ctx context.Context, r *runner) error {
	if !im.generateCode || im.plan == nil {
		return nil
	}
	opened, err := r.look(ctx)
	if err != nil {
		return err
	}
	var list []generate.Resource
	for _, it := range im.plan.Items {
		for _, s := range opened.base.Resources {
			if s.URN == it.URN && !s.Delete {
				list = append(list, generate.Resource{
					Key: it.Spec.Name, State: s, Parent: it.Spec.Parent, Provider: it.Spec.Provider, Version: it.Spec.Version,
				})
			}
		}
	}
	if len(list) == 0 {
		return nil
	}
	code, err := generate.Resources(list, generate.Options{Secrets: r.flags.showSecrets})
	if err != nil {
		return err
	}
	if im.out != "" {
		mode := os.FileMode(0o666)
		if r.flags.showSecrets {
			mode = 0o600
		}
		if err := os.WriteFile(r.f.Path(im.out), []byte(code), mode); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	if r.json {
		return nil
	}
	hint := "Add this to the program: an update deletes what the program does not have."
	if im.out != "" {
		hint = "The code is in " + im.out + ". Add it to the program: an update deletes what the program does not have."
		code = ""
	}
	if im.protect {
		hint += "\nThe resources are protected, so that this would fail. To delete one later, unprotect it first."
	}
	r.f.Streams.Printf("%s\n\n%s", hint, code)
	return nil
}

// writeImportFile lists what a preview would create.
func (r *runner) writeImportFile(events []event.Event) error {
	created := map[urn.URN]*resource.State{} // a component is told of twice
	for _, e := range events {
		if done, ok := e.(event.StepDone); ok && done.Step.Op == resource.OpCreate {
			created[done.Step.URN] = done.Step.New
		}
	}
	text, err := importer.FileOf(state.Sort(slices.Collect(maps.Values(created)))).Text()
	if err == nil {
		err = os.WriteFile(r.f.Path(r.flags.importFile), text, 0o666)
	}
	if err != nil {
		return fmt.Errorf("--import-file: %w", err)
	}
	return nil
}
