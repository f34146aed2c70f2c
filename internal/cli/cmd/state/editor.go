package state

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/backend"
	"github.com/cairn-iac/cairn/internal/backend/session"
	"github.com/cairn-iac/cairn/internal/cli/exit"
	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/engine/exec"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/state"
)

// editor opens a stack's state, has it changed, and stores it.
type editor struct {
	f           *factory.Factory
	stack       string
	yes         bool
	waitForLock time.Duration
}

// selection is which resources an edit is about.
type selection struct {
	all  bool
	urns []string
}

func (c *selection) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&c.all, "all", false, "all resources of the stack")
}

// take accepts the arguments of a command.
func (c *selection) take(urns []string) error {
	if c.urns = urns; c.all == (len(urns) > 0) {
		return exit.With(exit.Usage, errors.New("name the URNs of resources, or give --all; `pulumi stack --show-urns` lists the URNs"))
	}
	return nil
}

// edit applies to a state, under the stack's lock, what plan makes of it.
func (e *editor) edit(ctx context.Context, command string, plan func(*state.Snapshot) ([]exec.Change, error)) error {
	s, err := e.f.Stack(ctx, factory.StackQuery{Flag: e.stack})
	if err != nil {
		return err
	}
	o, err := s.SessionOptions(ctx)
	if err != nil {
		return err
	}
	o.Kind, o.Command, o.Lock = backend.UpdateKindStateEdit, "state "+command, e.f.LockOptions(e.waitForLock)
	opened, err := session.Open(ctx, o)
	if err != nil {
		return err
	}
	e.f.Tell(opened.Notices())
	changes, err := plan(opened.Base())
	if err == nil && len(changes) > 0 {
		err = opened.Success(ctx, exec.Success{Changes: changes})
	}
	if err != nil {
		_, abandoned := opened.Abandon(ctx)
		return errors.Join(err, abandoned)
	}
	notices, err := opened.Close(ctx, session.Outcome{})
	e.f.Tell(notices)
	return err
}

// confirm asks whether to go on.
func (e *editor) confirm(what string) error {
	if e.yes || e.f.Env.Truthy("PULUMI_SKIP_CONFIRMATIONS") {
		return nil
	}
	if !e.f.Interactive() {
		return exit.With(exit.Usage, errors.New("--yes must be passed in to edit a state without being asked"))
	}
	e.f.Streams.Printf("%s\n", what)
	answer, err := e.f.Streams.Choose("Do you want to do this?", "no", "yes")
	if err != nil {
		return err
	}
	if answer != "yes" {
		e.f.Streams.Printf("confirmation declined\n")
		return exit.Reported()
	}
	return nil
}

// of gives the recorded resources that are selected, in the state's order, old halves of replacements included.
func (c *selection) of(snap *state.Snapshot) ([]*resource.State, error) {
	if c.all {
		return snap.Resources, nil
	}
	missing := slices.Clone(c.urns)
	var out []*resource.State
	for _, r := range snap.Resources {
		if slices.Contains(c.urns, string(r.URN)) {
			out = append(out, r)
			missing = slices.DeleteFunc(missing, func(u string) bool { return u == string(r.URN) })
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("no such resource %q exists in the current state. `pulumi stack --show-urns` lists them; "+
			"put URNs into single quotes, or the shell takes a $ in them for its own", missing[0])
	}
	return out, nil
}
