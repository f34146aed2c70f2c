package operation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/backend"
	"github.com/cairn-iac/cairn/internal/cli/exit"
	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/config"
	"github.com/cairn-iac/cairn/internal/display"
	"github.com/cairn-iac/cairn/internal/engine"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/state"
)

// spec is what tells the commands apart.
type spec struct {
	kind    engine.Kind
	display display.Kind
	// asks is the verb of the question before changes.
	asks        string
	previewOnly bool
	// imports is set for an import.
	imports *importFlags
}

// runner carries one command out.
type runner struct {
	f     *factory.Factory
	flags *flags
	spec  spec
	stack *factory.Stack
	opts  engine.Options
	stop  *stopper
	given map[string]string // flags as the history records them
	json  bool
	// history is the stack's configuration as the history keeps it.
	history json.RawMessage
	// effective is that with the project's defaults, as plans keep it.
	effective json.RawMessage
}

func run(cmd *cobra.Command, f *factory.Factory, o *flags, s spec) error {
	if err := refused(cmd); err != nil {
		return err
	}
	opts, err := o.options(f.Env)
	if err = errors.Join(err, o.check(cmd, o.skipPreview)); err != nil {
		return exit.With(exit.Usage, err)
	}
	if !s.previewOnly && !o.yes && (!f.Interactive() || o.json) && !f.Env.Truthy("PULUMI_SKIP_CONFIRMATIONS") {
		return exit.With(exit.Usage, errors.New("--yes or --skip-preview must be passed in to proceed when running in "+
			"non-interactive mode; pass --yes to change the stack without being asked"))
	}
	ctx := cmd.Context()
	stack, err := f.Stack(ctx, factory.StackQuery{Flag: o.stack, ConfigFile: o.configFile})
	if err != nil {
		return err
	}
	o.adjust(&opts, s, stack.Project)
	r := &runner{f: f, flags: o, spec: s, stack: stack, opts: opts, given: givenFlags(cmd), json: o.json || o.output == "json"}
	if err := r.setConfig(ctx); err != nil {
		return err
	}
	if err := r.preparePlan(ctx); err != nil {
		return err
	}
	r.stop = newStopper(ctx, f)
	defer r.stop.end()
	return r.run(r.stop.ctx)
}

func (r *runner) run(ctx context.Context) error {
	if r.spec.previewOnly {
		result, err := r.preview(ctx)
		if err != nil {
			return err
		}
		return r.outcome(result)
	}
	if !r.flags.skipPreview {
		result, err := r.preview(ctx)
		if err != nil {
			return err
		}
		if result.Outcome != event.Succeeded {
			return r.outcome(result)
		}
		if yes, err := r.confirm(result); err != nil || !yes {
			return err
		}
	}
	result, err := r.apply(ctx)
	if err != nil {
		return err
	}
	if r.spec.imports != nil {
		err = r.spec.imports.writeProgram(ctx, r)
	}
	if err := errors.Join(r.outcome(result), err); err != nil {
		return err
	}
	if r.spec.kind == engine.Destroy {
		return r.afterDestroy(ctx)
	}
	return nil
}

// previewed is a result together with the events that led to it, for the details a person may ask for.
type previewed struct {
	engine.Result
	events []event.Event
}

// preview plans against the recorded state, without a lock.
func (r *runner) preview(ctx context.Context) (previewed, error) {
	opened, err := r.look(ctx)
	if err != nil {
		return previewed{}, err
	}
	var events []event.Event
	keep := func(e event.Event) {
		if r.f.Interactive() && !r.spec.previewOnly || r.flags.importFile != "" {
			events = append(events, e)
		}
	}
	result, err := r.operate(ctx, phase{preview: true, opened: opened, also: keep})
	if err == nil && r.flags.importFile != "" && result.Outcome == event.Succeeded {
		err = r.writeImportFile(events)
	}
	// A preview that the user would be told to be wrong is no plan for a file; --strict decides for itself.
	if wanted := r.flags.strict || r.outcome(previewed{Result: result}) == nil; err == nil && wanted {
		err = r.keepPlan(ctx, result, opened.base)
	}
	return previewed{Result: result, events: events}, err
}

// apply changes things, under the stack's lock.
func (r *runner) apply(ctx context.Context) (previewed, error) {
	opened, err := r.lock(ctx)
	if err != nil {
		return previewed{}, err
	}
	result, err := r.operate(ctx, phase{opened: opened, also: func(event.Event) {}})
	if closeErr := opened.finish(r, result, err); err == nil && closeErr != nil {
		err = closeErr
	}
	return previewed{Result: result}, err
}

// confirm asks whether to go on.
func (r *runner) confirm(p previewed) (bool, error) {
	if r.flags.yes || r.f.Env.Truthy("PULUMI_SKIP_CONFIRMATIONS") {
		return true, nil
	}
	for {
		answer, err := r.f.Streams.Choose(fmt.Sprintf("Do you want to perform this %s?", r.spec.asks), "no", "yes", "details")
		if err != nil {
			return false, err
		}
		switch answer {
		case "yes":
			r.opts.GuardMissing = nil // a person has seen what is missing
			return true, nil
		case "details":
			opts, err := r.displayOptions(true)
			if err != nil {
				return false, err
			}
			r.f.Streams.Printf("%s\n", display.Details(p.events, opts))
		default:
			return false, exit.With(exit.Canceled, fmt.Errorf("confirmation declined, not proceeding with the %s", r.spec.asks))
		}
	}
}

// outcome turns a result into the command's error.
func (r *runner) outcome(p previewed) error {
	switch p.Outcome {
	case event.Canceled:
		return exit.With(exit.Canceled, fmt.Errorf("%s canceled", r.spec.asks))
	case event.Failed:
		return exit.Reported()
	case event.Succeeded:
	}
	if !r.flags.expectNoChanges {
		return nil
	}
	changed := p.OutputsChanged
	for op, n := range p.Changes {
		if n > 0 && op != resource.OpSame && op != resource.OpRead {
			changed = true
		}
	}
	if changed {
		return exit.With(exit.UnwantedChanges, fmt.Errorf("no changes were expected but changes %s", map[bool]string{
			true: "were proposed", false: "occurred",
		}[r.spec.previewOnly]))
	}
	return nil
}

// setConfig applies --config to the stack's file.
func (r *runner) setConfig(context.Context) error {
	if len(r.flags.config) == 0 {
		return nil
	}
	file, err := r.stack.ConfigFile()
	if err != nil {
		return err
	}
	for _, kv := range r.flags.config {
		key, value, ok := strings.Cut(kv, "=")
		if !ok {
			return exit.With(exit.Usage, fmt.Errorf("--config %q: expected key=value", kv))
		}
		address, err := r.address(key)
		if err != nil {
			return err
		}
		v := config.NewString(value)
		if r.flags.configPath {
			if v, err = config.ParseScalar(address, value, ""); err != nil {
				return err
			}
		}
		if err := file.Set(address, v); err != nil {
			return err
		}
	}
	return r.stack.SaveConfig()
}

func (r *runner) address(key string) (config.Address, error) {
	if r.flags.configPath {
		return config.ParseAddress(r.stack.Ref.Project, key)
	}
	k, err := config.ParseKeyIn(r.stack.Ref.Project, key)
	return config.Address{Key: k}, err
}

// afterDestroy removes the stack, or says how to.
func (r *runner) afterDestroy(ctx context.Context) error {
	name := r.stack.Ref.Name
	if !r.flags.remove {
		if len(r.opts.Targets) == 0 && len(r.opts.Excludes) == 0 && !r.json {
			r.f.Streams.Printf("The resources in the stack have been deleted, but the history and configuration associated with "+
				"the stack are still maintained. \nIf you want to remove the stack completely, run `pulumi stack rm %s`.\n", name)
		}
		return nil
	}
	lock, err := r.stack.Backend.Locker.Lock(ctx, r.stack.Ref, backend.LockOptions{Wait: r.flags.waitForLock})
	if err != nil {
		return err
	}
	err = r.stack.Backend.Stacks.Remove(ctx, lock, backend.RemoveOptions{})
	if rerr := lock.Release(ctx); rerr != nil && err == nil {
		r.f.Streams.Errorf("warning: %s\n", rerr)
	}
	if err != nil {
		return err
	}
	if err := r.stack.RemoveConfig(); err != nil {
		return err
	}
	if err := r.f.Unselect(r.stack.Ref); err != nil {
		return err
	}
	r.f.Streams.Printf("The resources in the stack have been deleted, and the stack '%s' has been removed.\n", name)
	return nil
}

// excluded completes the excludes by --exclude-protected.
func (r *runner) excluded(snap *state.Snapshot) []string {
	out := slices.Clone(r.opts.Excludes)
	if r.flags.excludeProtected && snap != nil {
		for _, s := range snap.Resources {
			if s.Protect {
				out = append(out, string(s.URN))
			}
		}
	}
	return out
}
