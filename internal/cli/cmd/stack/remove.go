package stack

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/backend"
	"github.com/cairn-iac/cairn/internal/cli/exit"
	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/cli/usage"
	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/urn"
)

type removeOptions struct {
	f              *factory.Factory
	stack          *string
	force          bool
	yes            bool
	preserveConfig bool
	removeBackups  bool
	waitForLock    time.Duration
}

func newRemoveCmd(f *factory.Factory, stack *string) *cobra.Command {
	o := &removeOptions{f: f, stack: stack}
	cmd := &cobra.Command{
		Use: "remove [stack-name]", Aliases: []string{"rm", "delete"}, Args: usage.Args(0, 1),
		Short: "Remove a stack and its configuration",
		Long: "Removes a stack with its history and its configuration file. It deletes no resource: that is what `pulumi destroy`\n" +
			"is for, and a stack that still has resources is refused.",
		Example: "  pulumi stack rm dev\n  pulumi stack rm --yes --preserve-config dev",
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	}
	flags := cmd.Flags()
	flags.BoolVarP(&o.force, "force", "f", false, "remove the stack though it has resources, which then nobody manages")
	flags.BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	flags.BoolVar(&o.preserveConfig, "preserve-config", false, "keep the file Pulumi.<stack-name>.yaml")
	flags.BoolVar(&o.removeBackups, "remove-backups", false, "also remove the backups of the stack's state")
	flags.DurationVar(&o.waitForLock, "wait-for-lock", 0, "wait this long for another update of the stack to end, as in 10m")
	return cmd
}

func (o *removeOptions) run(ctx context.Context, args []string) error {
	name, err := named(*o.stack, args)
	if err != nil {
		return err
	}
	s, err := o.f.Stack(ctx, factory.StackQuery{Flag: name})
	if err != nil {
		return err
	}
	shown := o.f.StackName(s.Ref)
	if err := o.confirm(shown); err != nil {
		return err
	}
	if err := o.remove(ctx, s); err != nil {
		return err
	}
	if !o.preserveConfig {
		if err := s.RemoveConfig(); err != nil {
			return err
		}
	}
	o.f.Streams.Printf("Stack '%s' has been removed!\n", shown)
	return o.f.Unselect(s.Ref)
}

// confirm asks for the stack's name.
func (o *removeOptions) confirm(name string) error {
	if o.yes || o.f.Env.Truthy("PULUMI_SKIP_CONFIRMATIONS") {
		return nil
	}
	if !o.f.Interactive() {
		return errors.New("non-interactive mode requires --yes flag")
	}
	o.f.Streams.Printf("This will permanently remove the '%s' stack!\n", name)
	answer, err := o.f.Streams.Ask(fmt.Sprintf("Please confirm that this is what you'd like to do by typing `%s`:", name))
	if err != nil {
		return err
	}
	if answer != name {
		o.f.Streams.Printf("confirmation declined\n")
		return exit.Reported()
	}
	return nil
}

// remove takes the stack out of the backend, under its lock.
func (o *removeOptions) remove(ctx context.Context, s *factory.Stack) error {
	lock, err := s.Backend.Locker.Lock(ctx, s.Ref, o.f.LockOptions(o.waitForLock))
	if err != nil {
		return err
	}
	o.f.Tell(lock.Notices())
	err = o.removeLocked(ctx, s, lock)
	if released := lock.Release(context.WithoutCancel(ctx)); released != nil {
		o.f.Streams.Errorf("warning: %s\n", released)
	}
	return err
}

func (o *removeOptions) removeLocked(ctx context.Context, s *factory.Stack, lock backend.Lock) error {
	if !o.force {
		view, err := s.Look(ctx, factory.Looking{Damaged: true})
		if err != nil {
			return fmt.Errorf("%w\nTo remove the stack without knowing what it holds, use --force", err)
		}
		if inUse(view.Snapshot) {
			return stillInUse(o.f.StackName(s.Ref))
		}
	}
	return s.Backend.Stacks.Remove(ctx, lock, backend.RemoveOptions{Backups: o.removeBackups})
}

// inUse says whether a state knows of anything besides the stack itself. A pending operation may have made something.
func inUse(snap *state.Snapshot) bool {
	if len(snap.Pending) > 0 || len(snap.Resources) > 1 {
		return true
	}
	return len(snap.Resources) == 1 && snap.Resources[0].Type != urn.StackType
}

func stillInUse(name string) error {
	return fmt.Errorf("'%s' still has resources; removal rejected. Possible actions:\n"+
		"- Make sure that '%[1]s' is the stack that you want to destroy\n"+
		"- Run `pulumi destroy` to delete the resources, then run `pulumi stack rm`\n"+
		"- Run `pulumi stack rm --force` to override this error", name)
}
