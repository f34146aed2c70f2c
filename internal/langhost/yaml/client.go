package yaml

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/cairn-iac/cairn/internal/engine"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/langhost/yaml/eval"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/urn"
	"github.com/cairn-iac/cairn/internal/wire"
)

const (
	// maxMessage is the size of the largest message that any party of the protocol sends or takes: 400 MiB.
	maxMessage = 400 << 20
	// maxInFlight bounds the requests that wait for an answer, and with them the memory they take.
	maxInFlight = 256
)

// client is the deployment at the other end of a connection.
type client struct {
	conn    *grpc.ClientConn
	monitor pulumirpc.ResourceMonitorClient
	// root is the folder that source positions are relative to.
	root  string
	slots chan struct{}
}

func dial(address string) (*grpc.ClientConn, error) {
	conn, err := grpc.NewClient("passthrough:///"+address,
		grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithNoProxy(),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage), grpc.MaxCallSendMsgSize(maxMessage)))
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", address, err)
	}
	return conn, nil
}

// newClient connects to the monitor at address.
func newClient(address, root string) (*client, error) {
	conn, err := dial(address)
	if err != nil {
		return nil, err
	}
	return &client{
		conn: conn, monitor: pulumirpc.NewResourceMonitorClient(conn), root: root, slots: make(chan struct{}, maxInFlight),
	}, nil
}

func (c *client) close() error { return c.conn.Close() }

// slot waits until there is room for one more request; the caller gives it back with the function.
func (c *client) slot(ctx context.Context) (func(), error) {
	select {
	case c.slots <- struct{}{}:
		return func() { <-c.slots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Register implements eval.Deployment.
func (c *client) Register(ctx context.Context, r engine.Registration) (engine.Registered, error) {
	req, err := c.registration(r)
	if err != nil {
		return engine.Registered{}, err
	}
	release, err := c.slot(ctx)
	if err != nil {
		return engine.Registered{}, err
	}
	defer release()
	resp, err := c.monitor.RegisterResource(ctx, req)
	if err != nil {
		return engine.Registered{}, fromStatus(err)
	}
	outputs, err := wire.FromStruct(resp.GetObject(), wire.ReadInputs())
	if err != nil {
		return engine.Registered{}, fmt.Errorf("outputs of %s: %w", resp.GetUrn(), err)
	}
	out := engine.Registered{URN: urn.URN(resp.GetUrn()), Outputs: outputs, Unknown: resp.GetUnknown()}
	out.ID, out.Result = known(resp.GetId()), result(resp.GetResult())
	return out, nil
}

// Read implements eval.Deployment.
func (c *client) Read(ctx context.Context, r engine.ReadRegistration) (engine.Registered, error) {
	props, err := wire.ToStruct(plainUnknowns(r.Inputs), wire.ReadInputs())
	if err != nil {
		return engine.Registered{}, err
	}
	id, _ := r.ID.AsString()
	release, err := c.slot(ctx)
	if err != nil {
		return engine.Registered{}, err
	}
	defer release()
	resp, err := c.monitor.ReadResource(ctx, &pulumirpc.ReadResourceRequest{
		Id: id, Type: string(r.Type), Name: r.Name, Parent: string(r.Options.Parent), Properties: props,
		Dependencies: wire.ToURNs(r.Options.Dependencies), Provider: r.Provider, Version: r.Package.Version,
		PluginDownloadURL: r.Package.DownloadURL, PackageRef: r.Package.Ref,
		AcceptSecrets: true, AcceptResources: true, AdditionalSecretOutputs: r.Options.AdditionalSecretOutputs,
		SourcePosition: c.position(r.Options.SourcePosition),
	})
	if err != nil {
		return engine.Registered{}, fromStatus(err)
	}
	outputs, err := wire.FromStruct(resp.GetProperties(), wire.ReadInputs())
	if err != nil {
		return engine.Registered{}, fmt.Errorf("outputs of %s: %w", resp.GetUrn(), err)
	}
	out := engine.Registered{URN: urn.URN(resp.GetUrn()), Outputs: outputs, Unknown: resp.GetUnknown()}
	out.ID, out.Result = known(resp.GetId()), result(resp.GetResult())
	return out, nil
}

// Invoke implements eval.Deployment.
func (c *client) Invoke(ctx context.Context, r engine.Invocation) (eval.Invoked, error) {
	args, err := wire.ToStruct(r.Args, wire.ReadInputs())
	if err != nil {
		return eval.Invoked{}, err
	}
	resp, err := c.monitor.Invoke(ctx, &pulumirpc.ResourceInvokeRequest{
		Tok: r.Token, Args: args, Provider: r.Provider, Version: r.Package.Version,
		PluginDownloadURL: r.Package.DownloadURL, PackageRef: r.Package.Ref, Parent: string(r.Parent),
		DependsOn: wire.ToURNs(r.DependsOn), AcceptResources: true,
	})
	if err != nil {
		return eval.Invoked{}, fromStatus(err)
	}
	ret, err := wire.FromStruct(resp.GetReturn(), wire.ReadInputs())
	if err != nil {
		return eval.Invoked{}, fmt.Errorf("result of %s: %w", r.Token, err)
	}
	return eval.Invoked{
		InvokeResponse: plugin.InvokeResponse{Return: ret, Failures: wire.FromFailures(resp.GetFailures())},
		Unknown:        resp.GetUnknown(),
	}, nil
}

// RegisterOutputs implements eval.Deployment.
func (c *client) RegisterOutputs(ctx context.Context, u urn.URN, outputs property.Map) error {
	s, err := wire.ToStruct(plainUnknowns(outputs), wire.RegisterOutputs())
	if err != nil {
		return fmt.Errorf("outputs of %s: %w", u, err)
	}
	_, err = c.monitor.RegisterResourceOutputs(ctx, &pulumirpc.RegisterResourceOutputsRequest{Urn: string(u), Outputs: s})
	return fromStatus(err)
}

// RegisterPackage implements eval.Deployment.
func (c *client) RegisterPackage(ctx context.Context, p plugin.Package) (string, error) {
	req := &pulumirpc.RegisterPackageRequest{Name: p.Name, Version: p.Version, DownloadUrl: p.DownloadURL}
	if v := p.Parameterization; v != nil {
		req.Parameterization = &pulumirpc.Parameterization{Name: v.Name, Version: v.Version, Value: v.Value}
	}
	resp, err := c.monitor.RegisterPackage(ctx, req)
	return resp.GetRef(), fromStatus(err)
}

// shutdown says that the program has ended, and waits for its last steps. Engines that do not know the call take the
// end of the program as its end.
func (c *client) shutdown(ctx context.Context) error {
	_, err := c.monitor.SignalAndWaitForShutdown(ctx, &emptypb.Empty{})
	if status.Code(err) == codes.Unimplemented {
		return nil
	}
	return fromStatus(err)
}

// plainUnknowns takes the secret mark off values that are not known yet: outside of output values the protocol has no
// secret unknowns, and displays show them as unknown.
func plainUnknowns(m property.Map) property.Map {
	return m.Transform(func(v property.Value) property.Value {
		if v.IsUnknown() {
			return v.WithSecret(false)
		}
		return v
	})
}

func known(id string) (out engineID) {
	if wire.IsUnknown(id) {
		return ""
	}
	return engineID(id)
}

func result(r pulumirpc.Result) engine.RegisterResult {
	if r == pulumirpc.Result_SUCCESS {
		return engine.ResultSuccess
	}
	return engine.ResultFail
}

// fromStatus tells apart what the user knows already, and takes the other messages as they are.
func fromStatus(err error) error {
	s, ok := status.FromError(err)
	if !ok || err == nil {
		return err
	}
	switch {
	case s.Code() == codes.Unavailable && strings.HasPrefix(s.Message(), engine.ErrShuttingDown.Error()):
		return fmt.Errorf("%w: %s", engine.ErrShuttingDown, s.Message())
	case s.Code() == codes.Internal && s.Message() == "resource registration failed":
		return engine.ErrReported
	case s.Code() == codes.Canceled:
		return context.Canceled
	default:
		return statusError(s.Message())
	}
}

// statusError is the message of a gRPC status, without its code.
type statusError string

func (e statusError) Error() string { return string(e) }

// position turns a recorded position into the one of the protocol, whose path is absolute.
func (c *client) position(recorded string) *pulumirpc.SourcePosition {
	path, place, ok := strings.Cut(strings.TrimPrefix(recorded, "project:///"), "#")
	if !ok {
		return nil
	}
	line, column, _ := strings.Cut(place, ",")
	uri := url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(c.root, filepath.FromSlash(path)))}
	return &pulumirpc.SourcePosition{Uri: uri.String(), Line: number(line), Column: number(column)}
}

func number(text string) int32 {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return 0
	}
	return int32(n)
}
