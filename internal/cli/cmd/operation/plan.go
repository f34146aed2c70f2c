package operation

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/cli/exit"
	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/engine"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/release"
	"github.com/cairn-iac/cairn/internal/secret"
	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/state/deploymentjson"
	"github.com/cairn-iac/cairn/internal/state/updateplan"
)

// planFlags are those of update plans.
type planFlags struct {
	// plan is the file that an update is held to, savePlan the one that a preview writes.
	plan, savePlan string
	// strict holds an update to its own preview.
	strict bool
}

// elsewhere says, of each flag of update plans, which command has it.
func elsewhere() map[string]string {
	return map[string]string{
		"plan":      "only `pulumi up` is held to a plan; it shows a preview under the plan first, unless --skip-preview is given",
		"save-plan": "it is `pulumi preview` that writes a plan, for `pulumi up --plan`",
		"strict":    "only `pulumi up` is held to its preview",
	}
}

// registerElsewhere lets the flags that cmd does not have say where they are. It comes after all others.
func registerElsewhere(cmd *cobra.Command) {
	for name := range elsewhere() {
		if f := cmd.Flags(); f.Lookup(name) == nil {
			f.String(name, "", "")
			if name == "strict" {
				f.Lookup(name).NoOptDefVal = "true"
			}
			_ = f.MarkHidden(name)
		}
	}
}

// check refuses what the flags of cmd cannot do, by itself or together.
func (o *planFlags) check(cmd *cobra.Command, skipPreview bool) error {
	for name, where := range elsewhere() {
		fl := cmd.Flags().Lookup(name)
		switch {
		case fl == nil || !fl.Changed:
		case fl.Hidden:
			return fmt.Errorf("--%s: %s", name, where)
		case fl.Value.String() == "":
			return fmt.Errorf("--%s: it must name a file", name)
		}
	}
	if o.strict && skipPreview {
		return errors.New("--strict cannot be used with --skip-preview; strict requires a preview. To leave the preview out, save a " +
			"plan before, with `pulumi preview --save-plan`, and give it with --plan")
	}
	return nil
}

// preparePlan reads the plan of --plan, and looks early whether the one of --save-plan can be written.
func (r *runner) preparePlan(ctx context.Context) error {
	if file := r.flags.savePlan; file != "" {
		folder := filepath.Dir(r.f.Path(file))
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			return exit.With(exit.Usage, fmt.Errorf("--save-plan: there is no folder %s; make it first", filepath.Dir(file)))
		}
	}
	if r.flags.plan == "" {
		return nil
	}
	p, err := r.readPlan(ctx)
	if err != nil {
		return fmt.Errorf("--plan: read %s: %w", r.flags.plan, err)
	}
	r.opts.Plan = p
	return nil
}

func (r *runner) readPlan(ctx context.Context) (*updateplan.Plan, error) {
	text, err := os.ReadFile(r.f.Path(r.flags.plan))
	if errors.Is(err, os.ErrNotExist) {
		return nil, errors.New("there is no such file; make a plan with `pulumi preview --save-plan <file>`")
	}
	if err != nil {
		return nil, err
	}
	view, err := r.stack.Look(ctx, factory.Looking{Damaged: true, Quiet: true})
	if err != nil {
		return nil, err
	}
	secrets, err := r.planSecrets(ctx, view.Snapshot)
	if err != nil {
		return nil, err
	}
	p, err := deploymentjson.DecodePlan(ctx, text, secrets)
	var closed *deploymentjson.SecretError
	if !errors.As(err, &closed) {
		return p, err
	}
	if u := closed.URN; u.Stack() != r.stack.Ref.Name {
		return nil, fmt.Errorf("the plan is one for stack %s of project %s, and this is stack %s; make one for this stack with "+
			"`pulumi preview --save-plan <file>`", u.Stack(), u.Project(), r.stack.Ref.Name)
	}
	return nil, fmt.Errorf("%w\nA plan is encrypted with the secrets provider of its stack; if that or the passphrase was changed "+
		"since, make a new plan with `pulumi preview --save-plan <file>`", err)
}

// planSecrets encrypt what is secret in a plan, as the stack's configuration or else its state is.
func (r *runner) planSecrets(ctx context.Context, base *state.Snapshot) (*deploymentjson.Secrets, error) {
	var recorded *state.SecretsProvider
	if base != nil {
		recorded = base.SecretsProvider
	}
	m, err := r.stack.Secrets(ctx, recorded)
	if err != nil {
		return nil, err
	}
	var crypter secret.Crypter
	if m != nil {
		crypter = m.Crypter()
	}
	return deploymentjson.NewSecrets(crypter, deploymentjson.SecretsOptions{}), nil
}

// plans says whether a preview is to make a plan.
func (r *runner) plans() bool { return r.flags.savePlan != "" || r.flags.strict && r.opts.Plan == nil }

// keepPlan does with a preview's plan what was asked for: an update of --strict is held to it, --save-plan writes it. It
// is never written with secrets in plain text, not even with --show-secrets, which is for the screen.
func (r *runner) keepPlan(ctx context.Context, result engine.Result, base *state.Snapshot) error {
	p := result.Plan
	if p == nil || result.Outcome != event.Succeeded {
		return nil
	}
	if r.flags.strict {
		r.opts.Plan = p
	}
	file := r.flags.savePlan
	if file == "" {
		return nil
	}
	secrets, err := r.planSecrets(ctx, base)
	if err != nil {
		return err
	}
	p.Manifest, p.Config = state.NewManifest(time.Now(), release.Tag), r.effective
	var text bytes.Buffer
	if err := deploymentjson.EncodePlan(ctx, &text, p, secrets); err != nil {
		return fmt.Errorf("--save-plan: %w", err)
	}
	if err := os.WriteFile(r.f.Path(file), text.Bytes(), 0o666); err != nil {
		return fmt.Errorf("--save-plan: %w", err)
	}
	if !r.json {
		r.f.Streams.Errorf("Update plan written to '%s'\nRun `pulumi up --plan='%s'` to constrain the update to the operations "+
			"planned by this preview\n", file, file)
	}
	return nil
}
