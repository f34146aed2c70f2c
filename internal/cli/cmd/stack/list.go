package stack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/backend"
	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/cli/usage"
	"github.com/cairn-iac/cairn/internal/display/table"
)

type listOptions struct {
	f            *factory.Factory
	stack        *string
	all          bool
	organization string
	project      string
	tag          string
	format       usage.Format
}

func newListCmd(f *factory.Factory, stack *string) *cobra.Command {
	o := &listOptions{f: f, stack: stack}
	cmd := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Args: usage.Args(0, 0),
		Short:   "List stacks",
		Long:    "Lists the stacks of the project at hand, or with --all of every project in the backend.",
		Example: "  pulumi stack ls\n  pulumi stack ls --all --json\n  pulumi stack ls --project website",
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	flags := cmd.Flags()
	flags.BoolVarP(&o.all, "all", "a", false, "list the stacks of all projects")
	flags.StringVarP(&o.organization, "organization", "o", "", "list only stacks of this organization")
	flags.StringVarP(&o.project, "project", "p", "", "list only stacks of this project")
	flags.StringVarP(&o.tag, "tag", "t", "", "list only stacks with this tag (not available yet)")
	usage.Output(cmd, &o.format)
	return cmd
}

func (o *listOptions) run(ctx context.Context) error {
	if o.tag != "" {
		return errors.New("--tag: stack tags are not available yet in this version")
	}
	filter := backend.StackFilter{Project: o.project}
	if !o.all && o.project == "" {
		p, err := o.f.Project()
		if err != nil {
			return fmt.Errorf("could not detect current project: %w", err)
		}
		filter.Project = p.Name
	}
	b, err := o.f.Backend(ctx)
	if err != nil {
		return err
	}
	refs, err := b.Stacks.List(ctx, filter)
	if err != nil {
		return err
	}
	if o.organization != "" && o.organization != backend.LocalOrganization {
		refs = nil // This backend has one organization.
	}
	rows, err := o.rows(ctx, b, refs)
	if err != nil {
		return err
	}
	if o.format == usage.JSON {
		text, err := table.StacksJSON(rows, table.ProgressUnknown)
		if err != nil {
			return err
		}
		o.f.Streams.Printf("%s", text)
		return nil
	}
	colors, err := o.f.Palette()
	if err != nil {
		return err
	}
	o.f.Streams.Printf("%s", table.Stacks(rows, time.Now(), colors))
	return nil
}

// rows describes stacks. One that cannot be read is told and does not hide the others.
func (o *listOptions) rows(ctx context.Context, b *backend.Backend, refs []backend.StackRef) ([]table.Stack, error) {
	current := o.current()
	rows := make([]table.Stack, 0, len(refs))
	for _, ref := range refs {
		row := table.Stack{Name: o.f.StackName(ref), Current: ref == current}
		s, err := o.f.StackAt(b, ref, "")
		if err != nil {
			return nil, err
		}
		view, err := s.Look(ctx, factory.Looking{Damaged: true})
		switch {
		case errors.Is(err, backend.ErrStackNotFound):
			continue // It was removed in the meantime.
		case ctx.Err() != nil:
			return nil, err
		case err != nil:
			o.f.Streams.Errorf("warning: %s\n", err)
		default:
			count := len(view.Snapshot.Resources)
			row.LastUpdate, row.Resources = view.Snapshot.Manifest.Time, &count
		}
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b table.Stack) int { return cmp.Compare(a.Name, b.Name) })
	return rows, nil
}

// current is the stack that commands mean here, if there is one.
func (o *listOptions) current() backend.StackRef {
	name, err := o.f.CurrentStack(*o.stack)
	if err != nil || name == "" {
		return backend.StackRef{}
	}
	ref, err := o.f.ParseStack(name)
	if err != nil {
		return backend.StackRef{}
	}
	return ref
}
