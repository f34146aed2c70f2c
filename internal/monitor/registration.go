package monitor

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/cairn-iac/cairn/internal/engine"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
	"github.com/cairn-iac/cairn/internal/wire"
)

// unknownText is how SDKs write an id that is not known yet.
const unknownText = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"

func (s *monitorService) RegisterResource(
	ctx context.Context, r *pulumirpc.RegisterResourceRequest,
) (*pulumirpc.RegisterResourceResponse, error) {
	reg, err := s.registration(ctx, r)
	if err != nil {
		return nil, err
	}
	done, err := s.monitor.Register(ctx, reg)
	if err != nil {
		return nil, toStatus(err, fmt.Sprintf("registering %s %q", r.GetType(), r.GetName()))
	}
	peer := wire.ProgramPeer{
		AcceptSecrets: r.GetAcceptSecrets(), AcceptResources: r.GetAcceptResources(),
		AcceptByteStrings: r.GetAcceptsByteString(),
	}
	outputs := done.Outputs
	if !r.GetSupportsPartialValues() {
		outputs = outputs.Filter(func(_ string, v property.Value) bool { return !v.ContainsUnknown() })
	}
	object, err := wire.ToStruct(outputs, peer.Outputs())
	if err != nil {
		return nil, status.Errorf(codes.Internal, "outputs of %s: %s", done.URN, err)
	}
	return &pulumirpc.RegisterResourceResponse{
		Urn: string(done.URN), Id: string(done.ID), Object: object, Unknown: done.Unknown, Result: result(done.Result),
		PropertyDependencies: wire.ToDependencies(done.PropertyDependencies,
			func(urns []string) *pulumirpc.RegisterResourceResponse_PropertyDependencies {
				return &pulumirpc.RegisterResourceResponse_PropertyDependencies{Urns: urns}
			}),
	}, nil
}

func result(r engine.RegisterResult) pulumirpc.Result {
	switch r {
	case engine.ResultFail, engine.ResultSkip:
		// The published protocol has no number for a skipped resource; to an SDK it is as unusable as a failed one.
		return pulumirpc.Result_FAIL
	case engine.ResultSuccess:
		return pulumirpc.Result_SUCCESS
	default:
		return pulumirpc.Result_SUCCESS
	}
}

func (s *monitorService) registration(ctx context.Context, r *pulumirpc.RegisterResourceRequest) (engine.Registration, error) {
	if len(r.GetTransforms()) > 0 {
		return engine.Registration{}, notYet("resource transforms")
	}
	if len(r.GetStateMigrations()) > 0 {
		return engine.Registration{}, status.Error(codes.FailedPrecondition, "state migrations are not supported yet by this version")
	}
	reg := engine.Registration{
		Type: urn.Type(r.GetType()), Name: r.GetName(), Custom: r.GetCustom(), Remote: r.GetRemote(),
		Provider: r.GetProvider(), Providers: r.GetProviders(), EnvVarMappings: r.GetEnvVarMappings(),
		Package: engine.PackageRef{
			Ref: r.GetPackageRef(), Version: r.GetVersion(), DownloadURL: r.GetPluginDownloadURL(),
			Checksums: r.GetPluginChecksums(),
		},
		AliasSpecs:             aliasSpecs(r.GetAliases()),
		AcceptsResultReporting: r.GetSupportsResultReporting(),
	}
	reg.Set.Protect, reg.Set.RetainOnDelete = r.Protect != nil, r.RetainOnDelete != nil
	inputs, err := wire.FromStruct(r.GetObject(), wire.RegisterInputs())
	if err == nil {
		inputs, err = s.opts.HashAssets(ctx, inputs)
	}
	if err != nil {
		return reg, invalid(fmt.Errorf("inputs of %s %q: %w", r.GetType(), r.GetName(), err))
	}
	reg.Inputs = inputs
	if reg.Options, err = s.options(r); err != nil {
		return reg, invalid(fmt.Errorf("options of %s %q: %w", r.GetType(), r.GetName(), err))
	}
	return reg, nil
}

// options decodes the resource options of a registration.
func (s *monitorService) options(r *pulumirpc.RegisterResourceRequest) (resource.Options, error) {
	o := resource.Options{
		Protect: r.GetProtect(), RetainOnDelete: r.GetRetainOnDelete(),
		IgnoreChanges: r.GetIgnoreChanges(), ReplaceOnChanges: r.GetReplaceOnChanges(), HideDiffs: r.GetHideDiffs(),
		AdditionalSecretOutputs: r.GetAdditionalSecretOutputs(),
		ImportID:                r.GetImportId(), SnippetID: r.GetSnippetId(), Hooks: hooks(r.GetHooks()),
		SourcePosition: s.position(r.GetSourcePosition()), StackTrace: s.stackTrace(r.GetStackTrace()),
	}
	if r.GetDeleteBeforeReplaceDefined() || r.GetDeleteBeforeReplace() {
		first := r.GetDeleteBeforeReplace()
		o.DeleteBeforeReplace = &first
	}
	errs := []error{
		parseURN(&o.Parent, "parent", r.GetParent()),
		parseURN(&o.DeletedWith, "deletedWith", r.GetDeletedWith()),
	}
	list := func(to *[]urn.URN, name string, texts []string) {
		urns, err := wire.FromURNs(texts)
		if err != nil {
			err = fmt.Errorf("%s: %w", name, err)
		}
		*to = urns
		errs = append(errs, err)
	}
	list(&o.Dependencies, "dependencies", r.GetDependencies())
	list(&o.ReplaceWith, "replaceWith", r.GetReplaceWith())
	list(&o.Aliases, "aliases", append(r.GetAliasURNs(), aliasURNs(r.GetAliases())...))
	var err error
	if len(r.GetPropertyDependencies()) > 0 || r.GetUsesOutputValues() || r.GetRemote() {
		if o.PropertyDependencies, err = wire.FromDependencies(r.GetPropertyDependencies()); err == nil &&
			o.PropertyDependencies == nil {
			o.PropertyDependencies = map[string][]urn.URN{}
		}
		errs = append(errs, err)
	}
	if t := r.GetCustomTimeouts(); t != nil {
		o.Timeouts, err = wire.FromTimeouts(t)
		errs = append(errs, err)
	}
	if v := r.GetReplacementTrigger(); v != nil {
		o.ReplacementTrigger, err = wire.FromValue(v, wire.ReplacementTrigger())
		o.ReplacementTrigger = o.ReplacementTrigger.Transform(func(v property.Value) property.Value {
			return v.WithDependencies(nil)
		})
		errs = append(errs, err)
	}
	errs = append(errs, parsePaths("replaceOnChanges", r.GetReplaceOnChanges()))
	return o, errors.Join(errs...)
}

func parseURN(to *urn.URN, name, text string) error {
	if text == "" {
		return nil
	}
	u, err := urn.Parse(text)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	*to = u
	return nil
}

func parsePaths(name string, texts []string) error {
	for _, text := range texts {
		if text == "#initerror" {
			continue
		}
		if _, err := property.ParsePath(text); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func aliasURNs(aliases []*pulumirpc.Alias) []string {
	var out []string
	for _, a := range aliases {
		if u := a.GetUrn(); u != "" {
			out = append(out, u)
		}
	}
	return out
}

func aliasSpecs(aliases []*pulumirpc.Alias) []engine.AliasSpec {
	var out []engine.AliasSpec
	for _, a := range aliases {
		if spec := a.GetSpec(); spec != nil {
			out = append(out, engine.AliasSpec{
				Name: spec.GetName(), Type: spec.GetType(), Stack: spec.GetStack(), Project: spec.GetProject(),
				ParentURN: urn.URN(spec.GetParentUrn()), NoParent: spec.GetNoParent(),
			})
		}
	}
	return out
}

// hooks names the lifecycle hooks as state files do.
func hooks(b *pulumirpc.RegisterResourceRequest_ResourceHooksBinding) map[string][]string {
	all := map[string][]string{
		"BeforeCreate": b.GetBeforeCreate(), "AfterCreate": b.GetAfterCreate(),
		"BeforeUpdate": b.GetBeforeUpdate(), "AfterUpdate": b.GetAfterUpdate(),
		"BeforeDelete": b.GetBeforeDelete(), "AfterDelete": b.GetAfterDelete(), "OnError": b.GetOnError(),
	}
	out := map[string][]string{}
	for k, names := range all {
		if len(names) > 0 {
			out[k] = names
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// position writes a source position as state keeps it: project:///<path relative to the project>#line,column.
func (s *monitorService) position(p *pulumirpc.SourcePosition) string {
	if p.GetUri() == "" {
		return ""
	}
	uri := p.GetUri()
	if path, ok := strings.CutPrefix(uri, "file://"); ok {
		if rel, err := filepath.Rel(s.opts.ProjectRoot, path); err == nil {
			uri = "project:///" + filepath.ToSlash(rel)
		}
	}
	switch {
	case p.GetLine() == 0:
		return uri
	case p.GetColumn() == 0:
		return fmt.Sprintf("%s#%d", uri, p.GetLine())
	default:
		return fmt.Sprintf("%s#%d,%d", uri, p.GetLine(), p.GetColumn())
	}
}

func (s *monitorService) stackTrace(t *pulumirpc.StackTrace) []string {
	var out []string
	for _, f := range t.GetFrames() {
		out = append(out, s.position(f.GetPc()))
	}
	return out
}

func (s *monitorService) ReadResource(
	ctx context.Context, r *pulumirpc.ReadResourceRequest,
) (*pulumirpc.ReadResourceResponse, error) {
	inputs, err := wire.FromStruct(r.GetProperties(), wire.ReadInputs())
	if err != nil {
		return nil, invalid(fmt.Errorf("properties of %s %q: %w", r.GetType(), r.GetName(), err))
	}
	o := resource.Options{
		AdditionalSecretOutputs: r.GetAdditionalSecretOutputs(),
		SourcePosition:          s.position(r.GetSourcePosition()), StackTrace: s.stackTrace(r.GetStackTrace()),
	}
	deps, err := wire.FromURNs(r.GetDependencies())
	o.Dependencies = deps
	if err := errors.Join(err, parseURN(&o.Parent, "parent", r.GetParent())); err != nil {
		return nil, invalid(fmt.Errorf("options of %s %q: %w", r.GetType(), r.GetName(), err))
	}
	id := property.String(r.GetId())
	if r.GetId() == unknownText {
		id = property.Unknown()
	}
	done, err := s.monitor.Read(ctx, engine.ReadRegistration{
		Type: urn.Type(r.GetType()), Name: r.GetName(), ID: id, Inputs: inputs, Options: o, Provider: r.GetProvider(),
		Package: engine.PackageRef{
			Ref: r.GetPackageRef(), Version: r.GetVersion(), DownloadURL: r.GetPluginDownloadURL(),
			Checksums: r.GetPluginChecksums(),
		},
	})
	if err != nil {
		return nil, toStatus(err, fmt.Sprintf("reading %s %q", r.GetType(), r.GetName()))
	}
	peer := wire.ProgramPeer{
		AcceptSecrets: r.GetAcceptSecrets(), AcceptResources: r.GetAcceptResources(),
		AcceptByteStrings: r.GetAcceptsByteString(),
	}
	properties, err := wire.ToStruct(done.Outputs, peer.Outputs())
	if err != nil {
		return nil, status.Errorf(codes.Internal, "outputs of %s: %s", done.URN, err)
	}
	return &pulumirpc.ReadResourceResponse{Urn: string(done.URN), Properties: properties}, nil
}
