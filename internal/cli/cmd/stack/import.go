package stack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/backend/session"
	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/cli/usage"
	"github.com/cairn-iac/cairn/internal/state"
)

type importOptions struct {
	f           *factory.Factory
	stack       *string
	force       bool
	file        string
	waitForLock time.Duration
}

func newImportCmd(f *factory.Factory, stack *string) *cobra.Command {
	o := &importOptions{f: f, stack: stack}
	cmd := &cobra.Command{
		Use: "import", Args: usage.Args(0, 0),
		Short: "Replace the state of a stack by an exported one",
		Long: "Reads a state as `pulumi stack export` writes it, from standard input or a file, and makes it the state of the\n" +
			"stack. The state before it is kept as a backup. Pending operations are not taken over.",
		Example: "  pulumi stack import --file dev.json\n  pulumi stack export | jq ... | pulumi stack import",
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	flags := cmd.Flags()
	flags.BoolVarP(&o.force, "force", "f", false, "import though something seems wrong with the state")
	flags.StringVar(&o.file, "file", "", "read from this file")
	flags.DurationVar(&o.waitForLock, "wait-for-lock", 0, "wait this long for another update of the stack to end, as in 10m")
	return cmd
}

func (o *importOptions) run(ctx context.Context) error {
	s, err := o.f.Stack(ctx, factory.StackQuery{Flag: *o.stack})
	if err != nil {
		return err
	}
	data, err := o.read()
	if err != nil {
		return err
	}
	in, err := decode(ctx, s, data)
	if err != nil {
		return err
	}
	if err := o.check(s, in.snapshot); err != nil {
		return err
	}
	in.options.Lock = o.f.LockOptions(o.waitForLock)
	opened, err := session.Open(ctx, in.options)
	if err != nil {
		return err
	}
	o.f.Tell(opened.Notices())
	if err := opened.Replace(o.withoutPending(in.snapshot)); err != nil {
		_, abandoned := opened.Abandon(ctx)
		return errors.Join(err, abandoned)
	}
	notices, err := opened.Close(ctx, session.Outcome{})
	o.f.Tell(notices)
	if err != nil {
		return fmt.Errorf("could not import deployment: %w", err)
	}
	o.f.Streams.Printf("Import complete.\n")
	return nil
}

func (o *importOptions) read() ([]byte, error) {
	if o.file == "" {
		text, err := o.f.Streams.ReadAll()
		return []byte(text), err
	}
	data, err := os.ReadFile(o.f.Path(o.file))
	if err != nil {
		return nil, fmt.Errorf("could not open file: %w", err)
	}
	return data, nil
}

// check looks for what would make the state useless or dangerous: resources of another stack, broken integrity rules.
func (o *importOptions) check(s *factory.Stack, snap *state.Snapshot) error {
	var problems []string
	for _, r := range snap.Resources {
		if r.URN.Stack() != s.Ref.Name {
			problems = append(problems, fmt.Sprintf("resource '%s' is from a different stack (%s != %s)", r.URN, r.URN.Stack(), s.Ref.Name))
		}
	}
	if err := snap.Verify(); err != nil && !o.f.Flags.DisableIntegrityChecking {
		problems = append(problems, fmt.Sprintf("state file contains errors: %v", err))
	}
	if len(problems) == 0 {
		return nil
	}
	if o.force {
		for _, p := range problems {
			o.f.Streams.Errorf("warning: %s\n", p)
		}
		return nil
	}
	problems = append(problems, "importing this file could be dangerous; rerun with --force to proceed anyway")
	var b strings.Builder
	fmt.Fprintf(&b, "%d errors occurred:", len(problems))
	for i, p := range problems {
		fmt.Fprintf(&b, "\n    %d) %s", i+1, p)
	}
	return errors.New(b.String())
}

// withoutPending drops pending operations: who edits a state by hand has looked after them.
func (o *importOptions) withoutPending(snap *state.Snapshot) *state.Snapshot {
	for _, p := range snap.Pending {
		o.f.Streams.Errorf("warning: removing pending operation '%s' on '%s' from snapshot\n", p.Kind, p.Resource.URN)
	}
	clean := *snap
	clean.Pending = nil
	return &clean
}
