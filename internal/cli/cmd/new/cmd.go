package newcmd

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/cli/cmd/new/template"
	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/cli/usage"
)

type options struct {
	f *factory.Factory

	text                   string // the template argument
	name, description, dir string
	stack, secretsProvider string
	config                 []string
	configPath             bool
	force, generateOnly    bool
	offline, yes, listOnly bool
	templateMode           bool
	// stackIsWhole says that --stack names the project, too.
	stackIsWhole bool
}

// NewCmd is `new`.
func NewCmd(f *factory.Factory) *cobra.Command {
	o := &options{f: f}
	cmd := &cobra.Command{
		Use: "new [template|folder|url]", Aliases: []string{"create", "setup"}, SuggestFor: []string{"init"}, Args: usage.Args(0, 1),
		Short: "Make a project from a template, and its first stack",
		Long: "Makes a project in an empty folder, and a stack for it. A template is one of the program's own (--list-templates),\n" +
			"which need no network, a folder with a Pulumi.yaml, or a git repository. Of a repository the address may go on\n" +
			"with a folder, or with /tree/ and a branch, tag or commit and then a folder.\n\n" +
			"You are asked for what the flags do not say; --yes takes the suggested answers. When something goes wrong, nothing\n" +
			"is left behind.",
		Example: "  pulumi new random-yaml --dir pets\n  pulumi new ./our-template --yes --name website --stack prod\n" +
			"  pulumi new https://github.com/pulumi/templates/tree/master/random-yaml",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := refused(cmd); err != nil {
				return err
			}
			if len(args) > 0 {
				o.text = args[0]
			}
			if o.listOnly {
				return o.list(cmd.Context())
			}
			return o.run(cmd.Context())
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return o.complete(cmd.Context(), typed)
		},
	}
	o.register(cmd)
	return cmd
}

func (o *options) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&o.name, "name", "n", "", "the project's name; by default the folder's")
	f.StringVarP(&o.description, "description", "d", "", "one line about the project")
	f.StringVar(&o.dir, "dir", "", "make the project in this folder, which is made if needed; the current one by default")
	f.BoolVarP(&o.force, "force", "f", false, "write into a folder that is not empty, and over files in it")
	f.BoolVarP(&o.generateOnly, "generate-only", "g", false, "only write the files: no stack, no configuration")
	f.BoolVarP(&o.offline, "offline", "o", false, "use templates that are on this machine only")
	f.StringVarP(&o.stack, "stack", "s", "", "the stack to make; of a whole name (organization/project/stack) it may exist already")
	f.BoolVarP(&o.yes, "yes", "y", false, "do not ask; take the suggested answers")
	f.StringArrayVarP(&o.config, "config", "c", nil, "a configuration value, key=value; repeat it for more")
	f.BoolVar(&o.configPath, "config-path", false, "keys of --config lead into maps or lists")
	f.StringVar(&o.secretsProvider, "secrets-provider", "default", "what keeps the stack's secrets: default or passphrase")
	f.BoolVarP(&o.listOnly, "list-templates", "l", false, "list the templates on this machine")
	f.BoolVarP(&o.templateMode, "template-mode", "t", false, "")
	_ = f.MarkDeprecated("template-mode", "projects are always made from templates") // the flag exists
	for _, name := range []string{"ai", "language", "runtime-options"} {
		f.StringArray(name, nil, "not available yet")
		_ = f.MarkHidden(name)
	}
	for _, name := range []string{"remote-stack-config", "esc-config"} {
		f.Bool(name, false, "not available yet")
		_ = f.MarkHidden(name)
	}
}

// refused names what the user asked for and this version cannot do.
func refused(cmd *cobra.Command) error {
	for _, flag := range []struct{ name, what string }{
		{"ai", "making a project with an agent"}, {"language", "making a project with an agent"},
		{"runtime-options", "options of language runtimes"},
		{"remote-stack-config", "configuration that is kept by a service"}, {"esc-config", "ESC environments"},
	} {
		if fl := cmd.Flags().Lookup(flag.name); fl.Changed && fl.Value.String() != "false" {
			return fmt.Errorf("--%s: %s: not available yet in this version", flag.name, flag.what)
		}
	}
	return nil
}

// checkSecretsProvider tells what kinds of secrets provider there are.
func checkSecretsProvider(provider string) error {
	switch kind, _, _ := strings.Cut(provider, ":"); kind {
	case "", "default", "passphrase":
		return nil
	default:
		return fmt.Errorf("--secrets-provider: %q is not available yet in this version; only passphrase is", kind)
	}
}

var errNoAnswers = errors.New("non-interactive mode requires --yes flag: pass it to take the suggested answers, and the ones " +
	"that you want to give with --name, --description, --stack and --config")

// isUsable says whether this version can run the template's program.
func isUsable(t *template.Template) bool { return t.Runtime == "yaml" }
