package state

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/engine/exec"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/urn"
)

func newRemoveCmd(e *editor) *cobra.Command {
	o := &removeOptions{editor: e}
	cmd := &cobra.Command{
		Use: "remove [resource-urn]...", Aliases: []string{"rm", "delete"},
		Short: "Take resources out of a stack's state",
		Long: "Forgets resources: they go on to exist, and nobody manages them any more. What others depend on, or are children\n" +
			"of, is refused unless those go along (--target-dependents); what is protected is refused without --force.",
		Example: "  pulumi state remove 'urn:pulumi:dev::site::random:index/randomPet:RandomPet::name'\n" +
			"  pulumi state remove --target-dependents --yes 'urn:pulumi:dev::site::site:index:Site::main'",
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	}
	o.register(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&o.force, "force", false, "protected resources too")
	flags.BoolVar(&o.dependents, "target-dependents", false, "also what depends on them, and their children")
	return cmd
}

type removeOptions struct {
	*editor
	selection
	force, dependents bool
}

func (o *removeOptions) run(ctx context.Context, urns []string) error {
	if err := o.take(urns); err != nil {
		return err
	}
	if err := o.confirm("This will take the resources out of the stack's state: they go on to exist, unmanaged."); err != nil {
		return err
	}
	count := 0
	err := o.edit(ctx, "remove", func(snap *state.Snapshot) ([]exec.Change, error) {
		chosen, err := o.closure(snap)
		if err != nil {
			return nil, err
		}
		var changes []exec.Change
		for _, r := range chosen {
			if r.Protect && !o.force {
				return nil, fmt.Errorf("%s is protected; take it out all the same with --force, or run `pulumi state unprotect '%[1]s'` first", r.URN)
			}
			changes = append(changes, exec.Change{Old: r})
		}
		slices.Reverse(changes) // what depends on others first: every record is a state that holds together
		count = len(changes)
		return changes, nil
	})
	if err != nil {
		return err
	}
	if count == 1 {
		o.f.Streams.Printf("Resource deleted\n")
	} else {
		o.f.Streams.Printf("%d resources deleted\n", count)
	}
	return nil
}

// closure lists the selected resources and, where that was asked for, what depends on them, in the state's order.
func (o *removeOptions) closure(snap *state.Snapshot) ([]*resource.State, error) {
	chosen, err := o.of(snap)
	if err != nil {
		return nil, err
	}
	going := map[urn.URN][]*resource.State{}
	for _, r := range chosen {
		going[r.URN] = append(going[r.URN], r)
	}
	var out []*resource.State
	var others []string
	// The order of a state has everything after what it refers to.
	for _, r := range snap.Resources {
		named := slices.Contains(going[r.URN], r)
		switch {
		case named:
		case !refersTo(r, going):
			continue
		case !o.dependents:
			others = append(others, string(r.URN))
			continue
		default:
			going[r.URN] = append(going[r.URN], r)
		}
		out = append(out, r)
	}
	if len(others) > 0 {
		return nil, fmt.Errorf("this cannot be deleted safely, because these resources refer to it:\n- %s\n"+
			"Delete those first, or along with it by --target-dependents", strings.Join(others, "\n- "))
	}
	return out, nil
}

// refersTo says whether r depends on, or is a child of, a resource that goes. Providers are told apart by their ids.
func refersTo(r *resource.State, going map[urn.URN][]*resource.State) bool {
	return slices.ContainsFunc(r.Edges(), func(edge resource.Edge) bool {
		return slices.ContainsFunc(going[edge.To], func(g *resource.State) bool {
			return !g.Delete && (edge.Kind != resource.EdgeProvider || edge.ProviderID == string(g.ID))
		})
	})
}
