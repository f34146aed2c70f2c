package monitor

import (
	"context"

	"github.com/blang/semver/v4"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/urn"
)

// engineService serves pulumirpc.Engine: messages of programs and plugins.
type engineService struct {
	pulumirpc.UnimplementedEngineServer
	monitor engine.Monitor
	opts    Options
}

func (s *engineService) Log(_ context.Context, r *pulumirpc.LogRequest) (*emptypb.Empty, error) {
	severity := diag.Error
	switch r.GetSeverity() {
	case pulumirpc.LogSeverity_DEBUG:
		severity = diag.Debug
	case pulumirpc.LogSeverity_INFO:
		severity = diag.Info
	case pulumirpc.LogSeverity_WARNING:
		severity = diag.Warning
	case pulumirpc.LogSeverity_ERROR:
	}
	s.monitor.Log(plugin.Log{
		Severity: severity, Message: r.GetMessage(), URN: urn.URN(r.GetUrn()),
		StreamID: r.GetStreamId(), Ephemeral: r.GetEphemeral(),
	})
	return &emptypb.Empty{}, nil
}

func (s *engineService) GetRootResource(
	context.Context, *pulumirpc.GetRootResourceRequest,
) (*pulumirpc.GetRootResourceResponse, error) {
	return &pulumirpc.GetRootResourceResponse{Urn: string(s.monitor.RootResource())}, nil
}

func (s *engineService) SetRootResource(
	_ context.Context, r *pulumirpc.SetRootResourceRequest,
) (*pulumirpc.SetRootResourceResponse, error) {
	s.monitor.SetRootResource(urn.URN(r.GetUrn()))
	return &pulumirpc.SetRootResourceResponse{}, nil
}

func (s *engineService) StartDebugging(context.Context, *pulumirpc.StartDebuggingRequest) (*emptypb.Empty, error) {
	return nil, status.Error(codes.FailedPrecondition, "attaching a debugger is not supported yet by this version")
}

func (s *engineService) RequirePulumiVersion(
	_ context.Context, r *pulumirpc.RequirePulumiVersionRequest,
) (*pulumirpc.RequirePulumiVersionResponse, error) {
	inRange, err := semver.ParseRange(r.GetPulumiVersionRange())
	if err != nil {
		return nil, status.Errorf(codes.InvalidArgument, "%q is not a version range: %s", r.GetPulumiVersionRange(), err)
	}
	version, err := semver.ParseTolerant(s.opts.Version)
	if err != nil {
		return nil, status.Errorf(codes.Internal, "this program's version %q: %s", s.opts.Version, err)
	}
	version.Build = nil
	if !inRange(version) {
		return nil, status.Errorf(codes.FailedPrecondition,
			"Pulumi CLI version %s does not satisfy the version range %q", version, r.GetPulumiVersionRange())
	}
	return &pulumirpc.RequirePulumiVersionResponse{}, nil
}
