package state

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/engine/exec"
	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/urn"
)

func newProtectCmd(e *editor, protect bool) *cobra.Command {
	o := &protectOptions{editor: e, protect: protect, name: "unprotect"}
	short, long := "Let resources be deleted again", "Takes the protection off resources, so that updates may delete them. A program that protects them does so again."
	if protect {
		o.name = "protect"
		short, long = "Keep resources from being deleted", "Protects resources: no update deletes or replaces them. A program that does not protect them takes that back."
	}
	cmd := &cobra.Command{
		Use: o.name + " [resource-urn]...", Short: short, Long: long,
		Example: "  pulumi state " + o.name + " 'urn:pulumi:dev::site::random:index/randomPet:RandomPet::name'\n  pulumi state " +
			o.name + " --all --yes",
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	}
	o.register(cmd)
	return cmd
}

type protectOptions struct {
	*editor
	selection
	name    string
	protect bool
}

func (o *protectOptions) run(ctx context.Context, urns []string) error {
	if err := o.take(urns); err != nil {
		return err
	}
	if err := o.confirm("This will " + o.name + " the resources in the stack's state."); err != nil {
		return err
	}
	count := 0
	err := o.edit(ctx, o.name, func(snap *state.Snapshot) ([]exec.Change, error) {
		chosen, err := o.of(snap)
		var changes []exec.Change
		for _, r := range chosen {
			if o.all && (r.Type == urn.StackType || r.Type.IsProvider()) {
				continue
			}
			count++
			if r.Protect == o.protect {
				continue
			}
			now := r.Clone()
			now.Protect = o.protect
			changes = append(changes, exec.Change{Old: r, New: now})
		}
		return changes, err
	})
	if err != nil {
		return err
	}
	switch {
	case o.all:
		o.f.Streams.Printf("All resources %sed\n", o.name)
	case count == 1:
		o.f.Streams.Printf("Resource %sed\n", o.name)
	default:
		o.f.Streams.Printf("%d resources %sed\n", count, o.name)
	}
	return nil
}
