package state

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cairn-iac/cairn/internal/backend"
	"github.com/cairn-iac/cairn/internal/backend/session"
	"github.com/cairn-iac/cairn/internal/cli/exit"
	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/engine/exec"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/urn"
)

// editor opens a stack's state, has it changed, and stores it.
type editor struct {
	f           *factory.Factory
	stack       string
	yes         bool
	waitForLock time.Duration
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
	o.Kind, o.Command, o.Lock = backend.UpdateKindStackImport, "state "+command, e.f.LockOptions(e.waitForLock)
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
		return errors.New("non-interactive mode requires --yes flag")
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

// find gives the recorded resources of some URNs, old halves of replacements included.
func find(snap *state.Snapshot, urns []string) ([]*resource.State, error) {
	var out []*resource.State
	for _, text := range urns {
		known := false
		for _, r := range snap.Resources {
			if r.URN == urn.URN(text) {
				known = true
				out = append(out, r)
			}
		}
		if !known {
			hint := ""
			if !strings.Contains(text, "$") {
				hint = "; a $ in it needs single quotes in a shell"
			}
			return nil, fmt.Errorf("no such resource %q exists in the current state. `pulumi stack --show-urns` lists them%s", text, hint)
		}
	}
	return out, nil
}
