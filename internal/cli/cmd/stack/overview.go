package stack

import (
	"context"
	"encoding/json"
	"time"

	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/backend/session"
	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/cli/usage"
	"github.com/cairn-iac/cairn/internal/display/table"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/urn"
)

type overviewOptions struct {
	f        *factory.Factory
	stack    string
	show     table.OverviewShow
	showName bool
	format   usage.Format
}

func (o *overviewOptions) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVarP(&o.show.IDs, "show-ids", "i", false, "show the id of every resource")
	flags.BoolVarP(&o.show.URNs, "show-urns", "u", false, "show the URN of every resource")
	flags.BoolVar(&o.show.Secrets, "show-secrets", false, "show secret outputs in plain text")
	flags.BoolVar(&o.showName, "show-name", false, "show only the stack's name")
	usage.Output(cmd, &o.format)
}

func (o *overviewOptions) run(ctx context.Context) error {
	s, err := o.f.Stack(ctx, factory.StackQuery{Flag: o.stack})
	if err != nil {
		return err
	}
	if o.showName {
		name := s.Ref.Name
		if o.f.Flags.FullyQualify {
			name = s.Ref.String()
		}
		o.f.Streams.Printf("%s\n", name)
		return nil
	}
	view, err := s.Look(ctx, factory.Looking{Secrets: o.show.Secrets})
	if err != nil {
		return err
	}
	if o.format == usage.JSON {
		return o.writeJSON(s, view)
	}
	colors, err := o.f.Palette()
	if err != nil {
		return err
	}
	text, err := table.Overview{
		Stack: o.f.StackName(s.Ref), Backend: o.f.BackendName(), Updated: updatedBy(view.Snapshot),
		Resources: view.Snapshot.Resources, Outputs: outputsOf(view.Snapshot), Show: o.show,
	}.String(time.Now(), colors)
	if err != nil {
		return err
	}
	o.f.Streams.Printf("%s", text)
	return nil
}

// updatedBy tells of the last write of a state; nil for a stack that has none yet.
func updatedBy(snap *state.Snapshot) *table.UpdatedBy {
	m := snap.Manifest
	if m.Time.IsZero() && m.Version == "" && snap.SecretsProvider == nil && len(snap.Resources) == 0 {
		return nil
	}
	by := &table.UpdatedBy{Version: m.Version}
	if !m.Time.IsZero() {
		by.At = m.Time.Local()
	}
	if snap.SecretsProvider != nil {
		by.SecretsProvider = snap.SecretsProvider.Type
	}
	return by
}

// outputsOf are the stack's outputs: those of its root resource.
func outputsOf(snap *state.Snapshot) property.Map {
	for _, r := range snap.Resources {
		if r.Type == urn.StackType && r.Parent == "" && !r.Delete {
			return r.Outputs
		}
	}
	return property.Map{}
}

// document is the overview as JSON.
type document struct {
	Project   string                 `json:"project,omitempty"`
	Stack     string                 `json:"stack"`
	Backend   string                 `json:"backend"`
	Tags      map[string]string      `json:"tags"`
	Manifest  *manifest              `json:"manifest,omitempty"`
	Secrets   *state.SecretsProvider `json:"secretsProvider,omitempty"`
	Resources []listed               `json:"resources"`
	Outputs   json.RawMessage        `json:"outputs"`
}

type manifest struct {
	Time    string `json:"time,omitempty"`
	Version string `json:"pulumiVersion,omitempty"`
}

// listed is a resource in the overview.
type listed struct {
	URN    string `json:"urn"`
	Type   string `json:"type"`
	Name   string `json:"name"`
	ID     string `json:"id,omitempty"`
	Parent string `json:"parent,omitempty"`
}

func (o *overviewOptions) writeJSON(s *factory.Stack, view *session.View) error {
	snap := view.Snapshot
	outputs, err := table.OutputsJSON(outputsOf(snap), table.ValueShow{Secrets: o.show.Secrets})
	if err != nil {
		return err
	}
	doc := document{
		Project: s.Ref.Project, Stack: s.Ref.Name, Backend: o.f.BackendName(), Tags: map[string]string{},
		Secrets: snap.SecretsProvider, Resources: make([]listed, len(snap.Resources)), Outputs: json.RawMessage(outputs),
	}
	if by := updatedBy(snap); by != nil {
		doc.Manifest = &manifest{Version: by.Version}
		if !by.At.IsZero() {
			doc.Manifest.Time = table.Time(by.At)
		}
	}
	for i, r := range snap.Resources {
		doc.Resources[i] = listed{
			URN: string(r.URN), Type: string(r.Type), Name: r.URN.Name(), ID: string(r.ID), Parent: string(r.Parent),
		}
	}
	text, err := table.JSON(doc)
	if err != nil {
		return err
	}
	o.f.Streams.Printf("%s", text)
	return nil
}
