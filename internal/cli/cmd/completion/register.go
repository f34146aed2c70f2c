package completion

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cairn-iac/cairn/internal/backend"
	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/cli/iostreams"
)

// Register has stack names offered below root: for every --stack flag, and for the commands whose argument is a stack.
func Register(root *cobra.Command, f *factory.Factory) {
	c := completer{f: f}
	offer(root, c)
}

func offer(cmd *cobra.Command, c completer) {
	for _, flags := range []*pflag.FlagSet{cmd.LocalNonPersistentFlags(), cmd.PersistentFlags()} {
		if flags.Lookup("stack") != nil {
			// A flag that offers something already keeps it.
			_ = cmd.RegisterFlagCompletionFunc("stack", c.stacks)
		}
	}
	if takesStack(cmd) && cmd.ValidArgsFunction == nil {
		cmd.ValidArgsFunction = c.first
	}
	for _, child := range cmd.Commands() {
		offer(child, c)
	}
}

// takesStack knows the commands whose only argument is a stack that exists.
func takesStack(cmd *cobra.Command) bool {
	path := strings.SplitN(cmd.CommandPath(), " ", 2)
	return len(path) == 2 && slices.Contains([]string{"stack select", "stack rm", "stack remove", "cancel"}, path[1])
}

type completer struct{ f *factory.Factory }

// first offers stacks for the first argument only.
func (c completer) first(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return c.stacks(cmd, args, typed)
}

// stacks offers the stacks of the project at hand, or of the whole backend outside of one.
func (c completer) stacks(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	ctx := cmd.Context()
	if ctx == nil {
		ctx = context.Background()
	}
	var out []string
	for _, name := range c.names(ctx) {
		if strings.HasPrefix(name, typed) {
			out = append(out, name)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

func (c completer) names(ctx context.Context) []string {
	f := c.quiet()
	b, err := f.Backend(ctx)
	if err != nil {
		return nil
	}
	project := ""
	if p, err := f.Project(); err == nil {
		project = p.Name
	}
	refs, err := b.Stacks.List(ctx, backend.StackFilter{Project: project})
	if err != nil {
		return nil
	}
	var out []string
	for _, ref := range refs {
		out = append(out, ref.Display(project))
	}
	return out
}

// quiet is the factory without anyone to talk to, in the folder that --cwd names.
func (c completer) quiet() *factory.Factory {
	f := &factory.Factory{
		Streams: &iostreams.Streams{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard},
		Env:     c.f.Env, Dir: c.f.Dir, Executable: c.f.Executable, Username: c.f.Username, Hostname: c.f.Hostname, Flags: c.f.Flags,
	}
	if dir := f.Flags.Cwd; dir != "" {
		if info, err := os.Stat(f.Path(dir)); err == nil && info.IsDir() {
			f.Dir = filepath.Clean(f.Path(dir))
		}
	}
	return f
}
