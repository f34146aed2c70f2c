package monitor

import (
	"context"
	"fmt"
	"slices"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/cairn-iac/cairn/internal/engine"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/urn"
	"github.com/cairn-iac/cairn/internal/wire"
)

// monitorService serves pulumirpc.ResourceMonitor.
type monitorService struct {
	pulumirpc.UnimplementedResourceMonitorServer
	monitor engine.Monitor
	opts    Options
}

// features maps what SDKs ask for by name to the enum newer SDKs read. What is missing here is refused when used.
func features() map[string]pulumirpc.ResourceMonitorFeature {
	return map[string]pulumirpc.ResourceMonitorFeature{
		"secrets":            pulumirpc.ResourceMonitorFeature_RESOURCE_MONITOR_FEATURE_SECRETS,
		"resourceReferences": pulumirpc.ResourceMonitorFeature_RESOURCE_MONITOR_FEATURE_RESOURCE_REFERENCES,
		"outputValues":       pulumirpc.ResourceMonitorFeature_RESOURCE_MONITOR_FEATURE_OUTPUT_VALUES,
		"aliasSpecs":         pulumirpc.ResourceMonitorFeature_RESOURCE_MONITOR_FEATURE_ALIAS_SPECS,
		"replacementTrigger": pulumirpc.ResourceMonitorFeature_RESOURCE_MONITOR_FEATURE_REPLACEMENT_TRIGGER,
		"deletedWith":        pulumirpc.ResourceMonitorFeature_RESOURCE_MONITOR_FEATURE_DELETED_WITH,
		"replaceWith":        pulumirpc.ResourceMonitorFeature_RESOURCE_MONITOR_FEATURE_REPLACE_WITH,
		"parameterization":   pulumirpc.ResourceMonitorFeature_RESOURCE_MONITOR_FEATURE_PARAMETERIZATION,
		"byteString":         pulumirpc.ResourceMonitorFeature_RESOURCE_MONITOR_FEATURE_BYTE_STRING,
		"invokeParent":       pulumirpc.ResourceMonitorFeature_RESOURCE_MONITOR_FEATURE_INVOKE_PARENT,
	}
}

func (s *monitorService) GetDeploymentInfo(context.Context, *emptypb.Empty) (*pulumirpc.DeploymentInfo, error) {
	env := s.monitor.Info()
	var supported []pulumirpc.ResourceMonitorFeature
	for _, f := range features() {
		supported = append(supported, f)
	}
	slices.Sort(supported)
	return &pulumirpc.DeploymentInfo{
		Project: env.Project, Stack: env.Stack, Organization: env.Organization,
		Config: env.Config, ConfigSecretKeys: env.ConfigSecretKeys,
		DryRun: env.Preview, Parallel: int32(env.Parallel), SupportedFeatures: supported,
	}, nil
}

func (s *monitorService) SupportsFeature(
	_ context.Context, r *pulumirpc.SupportsFeatureRequest,
) (*pulumirpc.SupportsFeatureResponse, error) {
	_, ok := features()[r.GetId()]
	return &pulumirpc.SupportsFeatureResponse{HasSupport: ok}, nil
}

func (s *monitorService) Invoke(
	ctx context.Context, r *pulumirpc.ResourceInvokeRequest,
) (*pulumirpc.ResourceInvokeResponse, error) {
	args, err := wire.FromStruct(r.GetArgs(), wire.InvokeArgs())
	if err != nil {
		return nil, invalid(fmt.Errorf("arguments of %s: %w", r.GetTok(), err))
	}
	resp, err := s.monitor.Invoke(ctx, engine.Invocation{
		Token: r.GetTok(), Args: args, Provider: r.GetProvider(), Parent: urn.URN(r.GetParent()),
		Package: engine.PackageRef{
			Ref: r.GetPackageRef(), Version: r.GetVersion(), DownloadURL: r.GetPluginDownloadURL(),
			Checksums: r.GetPluginChecksums(),
		},
	})
	if err != nil {
		return nil, toStatus(err, "invoking "+r.GetTok())
	}
	peer := wire.ProgramPeer{AcceptResources: r.GetAcceptResources(), AcceptByteStrings: r.GetAcceptsByteString()}
	options := peer.InvokeReturn()
	if r.GetTok() == "pulumi:pulumi:getResource" {
		options = peer.GetResourceReturn()
	}
	out, err := wire.ToStruct(resp.Return, options)
	if err != nil {
		return nil, status.Errorf(codes.Internal, "result of %s: %s", r.GetTok(), err)
	}
	return &pulumirpc.ResourceInvokeResponse{Return: out, Failures: wire.ToFailures(resp.Failures)}, nil
}

func (s *monitorService) Call(
	ctx context.Context, r *pulumirpc.ResourceCallRequest,
) (*pulumirpc.CallResponse, error) {
	args, err := wire.FromStruct(r.GetArgs(), wire.CallArgs())
	if err != nil {
		return nil, invalid(fmt.Errorf("arguments of %s: %w", r.GetTok(), err))
	}
	deps, err := wire.FromDependencies(r.GetArgDependencies())
	if err != nil {
		return nil, invalid(err)
	}
	resp, err := s.monitor.Call(ctx, engine.MethodCall{
		Token: r.GetTok(), Args: args, ArgDependencies: deps, Provider: r.GetProvider(),
		Package: engine.PackageRef{
			Ref: r.GetPackageRef(), Version: r.GetVersion(), DownloadURL: r.GetPluginDownloadURL(),
			Checksums: r.GetPluginChecksums(),
		},
	})
	if err != nil {
		return nil, toStatus(err, "calling "+r.GetTok())
	}
	peer := wire.ProgramPeer{
		AcceptSecrets: true, AcceptResources: true, AcceptByteStrings: r.GetAcceptsByteString(),
		AcceptOutputValues: r.GetAcceptOutputValues(),
	}
	out, err := wire.ToStruct(resp.Return, peer.CallReturn())
	if err != nil {
		return nil, status.Errorf(codes.Internal, "result of %s: %s", r.GetTok(), err)
	}
	return &pulumirpc.CallResponse{
		Return: out, Failures: wire.ToFailures(resp.Failures),
		ReturnDependencies: wire.ToDependencies(resp.ReturnDependencies,
			func(urns []string) *pulumirpc.CallResponse_ReturnDependencies {
				return &pulumirpc.CallResponse_ReturnDependencies{Urns: urns}
			}),
	}, nil
}

func (s *monitorService) RegisterResourceOutputs(
	ctx context.Context, r *pulumirpc.RegisterResourceOutputsRequest,
) (*emptypb.Empty, error) {
	u, err := urn.Parse(r.GetUrn())
	if err != nil {
		return nil, invalid(err)
	}
	outputs, err := wire.FromStruct(r.GetOutputs(), wire.RegisterOutputs())
	if err != nil {
		return nil, invalid(fmt.Errorf("outputs of %s: %w", u, err))
	}
	if outputs, err = s.opts.HashAssets(ctx, outputs); err != nil {
		return nil, invalid(fmt.Errorf("outputs of %s: %w", u, err))
	}
	if err := s.monitor.RegisterOutputs(ctx, u, outputs); err != nil {
		return nil, toStatus(err, "registering the outputs of "+r.GetUrn())
	}
	return &emptypb.Empty{}, nil
}

func (s *monitorService) RegisterPackage(
	ctx context.Context, r *pulumirpc.RegisterPackageRequest,
) (*pulumirpc.RegisterPackageResponse, error) {
	if r.GetExtension() != nil {
		return nil, status.Error(codes.Unimplemented, "extension parameterization is not supported yet by this version")
	}
	pkg := plugin.Package{
		Name: r.GetName(), Version: r.GetVersion(), DownloadURL: r.GetDownloadUrl(), Checksums: r.GetChecksums(),
	}
	if p := r.GetParameterization(); p != nil {
		pkg.Parameterization = &plugin.Parameterization{Name: p.GetName(), Version: p.GetVersion(), Value: p.GetValue()}
	}
	ref, err := s.monitor.RegisterPackage(ctx, pkg)
	if err != nil {
		return nil, toStatus(err, "registering package "+r.GetName())
	}
	return &pulumirpc.RegisterPackageResponse{Ref: ref}, nil
}

func (s *monitorService) SignalAndWaitForShutdown(ctx context.Context, _ *emptypb.Empty) (*emptypb.Empty, error) {
	if err := s.monitor.AwaitShutdown(ctx); err != nil {
		return nil, toStatus(err, "waiting for the end")
	}
	return &emptypb.Empty{}, nil
}

func notYet(what string) error {
	return status.Errorf(codes.Unimplemented, "%s are not supported yet by this version; remove them from the program", what)
}

func (s *monitorService) RegisterStackTransform(context.Context, *pulumirpc.Callback) (*emptypb.Empty, error) {
	return nil, notYet("stack transforms")
}

func (s *monitorService) RegisterStackInvokeTransform(context.Context, *pulumirpc.Callback) (*emptypb.Empty, error) {
	return nil, notYet("invoke transforms")
}

func (s *monitorService) RegisterResourceHook(
	context.Context, *pulumirpc.RegisterResourceHookRequest,
) (*emptypb.Empty, error) {
	return nil, notYet("resource hooks")
}

func (s *monitorService) RegisterErrorHook(
	context.Context, *pulumirpc.RegisterErrorHookRequest,
) (*emptypb.Empty, error) {
	return nil, notYet("error hooks")
}
