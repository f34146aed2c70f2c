package state

import (
	"context"
	"errors"

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
	cmd.Flags().BoolVar(&o.all, "all", false, "all resources of the stack")
	return cmd
}

type protectOptions struct {
	*editor
	name         string
	protect, all bool
}

func (o *protectOptions) run(ctx context.Context, urns []string) error {
	if o.all == (len(urns) > 0) {
		return errors.New("name the URNs of resources, or give --all; `pulumi stack --show-urns` lists the URNs")
	}
	question := "This will " + o.name + " the resources in the stack's state."
	if err := o.confirm(question); err != nil {
		return err
	}
	err := o.edit(ctx, o.name, func(snap *state.Snapshot) ([]exec.Change, error) {
		chosen := snap.Resources
		if !o.all {
			var err error
			if chosen, err = find(snap, urns); err != nil {
				return nil, err
			}
		}
		var changes []exec.Change
		for _, r := range chosen {
			if o.all && (r.Type == urn.StackType || r.Type.IsProvider()) || r.Protect == o.protect {
				continue
			}
			now := r.Clone()
			now.Protect = o.protect
			changes = append(changes, exec.Change{Old: r, New: now})
		}
		return changes, nil
	})
	if err != nil {
		return err
	}
	switch {
	case o.all:
		o.f.Streams.Printf("All resources %sed\n", o.name)
	case len(urns) == 1:
		o.f.Streams.Printf("Resource %sed\n", o.name)
	default:
		o.f.Streams.Printf("%d resources %sed\n", len(urns), o.name)
	}
	return nil
}
