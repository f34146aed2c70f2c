package yaml

import (
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/cairn-iac/cairn/internal/engine"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/wire"
)

type engineID = resource.ID

// registration writes a registration as the protocol has it.
func (c *client) registration(r engine.Registration) (*pulumirpc.RegisterResourceRequest, error) {
	options, inputs := wire.ReadInputs(), r.Inputs
	if !r.Remote {
		inputs = plainUnknowns(inputs)
	} else {
		// Components learn what every part of their inputs depends on.
		options = wire.RegisterInputs()
		options.UpgradeToOutputValues = true
	}
	object, err := wire.ToStruct(inputs, options)
	if err != nil {
		return nil, err
	}
	o := r.Options
	req := &pulumirpc.RegisterResourceRequest{
		Type: string(r.Type), Name: r.Name, Parent: string(o.Parent), Custom: r.Custom, Remote: r.Remote, Object: object,
		Dependencies: wire.ToURNs(o.Dependencies),
		PropertyDependencies: wire.ToDependencies(o.PropertyDependencies,
			func(urns []string) *pulumirpc.RegisterResourceRequest_PropertyDependencies {
				return &pulumirpc.RegisterResourceRequest_PropertyDependencies{Urns: urns}
			}),
		Provider: r.Provider, Providers: r.Providers,
		Version: r.Package.Version, PluginDownloadURL: r.Package.DownloadURL, PackageRef: r.Package.Ref,
		IgnoreChanges: o.IgnoreChanges, ReplaceOnChanges: o.ReplaceOnChanges, HideDiffs: o.HideDiffs,
		AdditionalSecretOutputs: o.AdditionalSecretOutputs,
		Aliases:                 aliases(r), AliasSpecs: true,
		ImportId: o.ImportID, CustomTimeouts: timeouts(o.Timeouts),
		DeletedWith: string(o.DeletedWith), ReplaceWith: wire.ToURNs(o.ReplaceWith), EnvVarMappings: r.EnvVarMappings,
		AcceptSecrets: true, AcceptResources: true, SupportsPartialValues: true,
		SupportsResultReporting: r.AcceptsResultReporting,
		SourcePosition:          c.position(o.SourcePosition),
	}
	if r.Set.Protect {
		req.Protect = &o.Protect
	}
	if r.Set.RetainOnDelete {
		req.RetainOnDelete = &o.RetainOnDelete
	}
	if o.DeleteBeforeReplace != nil {
		req.DeleteBeforeReplace, req.DeleteBeforeReplaceDefined = *o.DeleteBeforeReplace, true
	}
	if !o.ReplacementTrigger.IsNull() {
		if req.ReplacementTrigger, err = wire.ToValue(o.ReplacementTrigger, wire.ReadInputs()); err != nil {
			return nil, err
		}
	}
	return req, nil
}

func timeouts(t resource.Timeouts) *pulumirpc.RegisterResourceRequest_CustomTimeouts {
	if t.IsZero() {
		return nil
	}
	return &pulumirpc.RegisterResourceRequest_CustomTimeouts{
		Create: wire.ToDuration(t.Create), Update: wire.ToDuration(t.Update), Delete: wire.ToDuration(t.Delete),
		Read: wire.ToDuration(t.Read),
	}
}

func aliases(r engine.Registration) []*pulumirpc.Alias {
	var out []*pulumirpc.Alias
	for _, u := range r.Options.Aliases {
		out = append(out, &pulumirpc.Alias{Alias: &pulumirpc.Alias_Urn{Urn: string(u)}})
	}
	for _, a := range r.AliasSpecs {
		spec := &pulumirpc.Alias_Spec{Name: a.Name, Type: a.Type, Stack: a.Stack, Project: a.Project}
		switch {
		case a.NoParent:
			spec.Parent = &pulumirpc.Alias_Spec_NoParent{NoParent: true}
		case a.ParentURN != "":
			spec.Parent = &pulumirpc.Alias_Spec_ParentUrn{ParentUrn: string(a.ParentURN)}
		}
		out = append(out, &pulumirpc.Alias{Alias: &pulumirpc.Alias_Spec_{Spec: spec}})
	}
	return out
}
