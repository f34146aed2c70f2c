package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/pluginhost"
	"github.com/cairn-iac/cairn/internal/wire"
)

// client is a plugin.Provider whose work is done by a provider behind a connection.
type client struct {
	c   pluginhost.Connection
	rpc pulumirpc.ResourceProviderClient
	// agreed is what the handshake agreed on, nil when the provider is too old to have one.
	agreed     *protocol
	configured atomic.Pointer[protocol]
	canceled   atomic.Bool
	closing    sync.Once
	closed     error
}

// protocol is what provider and engine agreed on.
type protocol struct {
	peer wire.ProviderPeer
	// preview is false for providers that must not be asked to predict.
	preview bool
	// autonaming says that the provider takes naming rules.
	autonaming bool
	// unknown is true when the configuration is not known, so that the provider was not configured.
	unknown bool
}

// Connect shakes hands with the provider behind a connection and makes it ready for its configuration. On failure the
// connection stays the caller's.
func Connect(ctx context.Context, c pluginhost.Connection) (plugin.Provider, error) {
	p := &client{c: c, rpc: pulumirpc.NewResourceProviderClient(c.Conn)}
	if err := p.handshake(ctx); err != nil {
		return nil, err
	}
	if c.Process == nil && c.Services.Engine != "" {
		address := &pulumirpc.PluginAttach{Address: c.Services.Engine}
		if err := p.call(ctx, func(ctx context.Context) error {
			_, err := p.rpc.Attach(ctx, address)
			return err
		}); err != nil {
			return nil, fmt.Errorf("attach to the provider: %w", err)
		}
	}
	if err := p.parameterize(ctx); err != nil {
		return nil, err
	}
	return p, nil
}

// handshake asks until the server answers: a port may be open before what serves it is ready.
func (p *client) handshake(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, p.c.DialTimeout)
	defer cancel()
	request := p.handshakeRequest()
	for {
		var answer *pulumirpc.ProviderHandshakeResponse
		err := p.call(ctx, func(ctx context.Context) (err error) {
			answer, err = p.rpc.Handshake(ctx, request)
			return err
		})
		var failed *callError
		switch {
		case err == nil:
			p.agreed = &protocol{
				preview: true, autonaming: answer.GetSupportsAutonamingConfiguration(),
				peer: wire.ProviderPeer{
					AcceptSecrets: answer.GetAcceptSecrets(), AcceptResources: answer.GetAcceptResources(),
					AcceptOutputs: answer.GetAcceptOutputs(), AcceptByteStrings: answer.GetAcceptsByteString(),
					AcceptOutputsInInvoke: answer.GetAcceptsOutputsInInvoke(),
					AcceptOutputsInCall:   answer.GetAcceptsOutputsInCall(),
				},
			}
			return nil
		case errors.Is(err, plugin.ErrUnimplemented):
			return nil
		case !errors.As(err, &failed) || failed.code != codes.Unavailable || p.dead():
			return fmt.Errorf("failed to handshake with the provider: %w", err)
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("the provider did not come alive: %w", err)
		}
	}
}

func (p *client) handshakeRequest() *pulumirpc.ProviderHandshakeRequest {
	r := &pulumirpc.ProviderHandshakeRequest{
		EngineAddress:               p.c.Services.Engine,
		ConfigureWithUrn:            true,
		SupportsRefreshBeforeUpdate: true,
		InvokeWithPreview:           true,
		MapperTarget:                optional(p.c.Services.Mapper),
		LoaderTarget:                optional(p.c.Services.Loader),
		ResolverTarget:              optional(p.c.Services.Resolver),
		AcceptsByteString:           true,
		AcceptsOutputsInInvoke:      true,
		AcceptsOutputsInCall:        true,
		// Not spoken: views, and the old outputs in Check.
		SupportsViews:          false,
		SendsOldOutputsToCheck: false,
		AcceptsOutputsInCheck:  false,
	}
	if path := p.c.Path; path != "" {
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			path = filepath.Dir(path)
		}
		r.RootDirectory, r.ProgramDirectory = &path, &path
	}
	return r
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// parameterize turns the provider into another package, if that is wanted.
func (p *client) parameterize(ctx context.Context) error {
	want := p.c.Package.Parameterization
	if want == nil {
		return nil
	}
	request := &pulumirpc.ParameterizeRequest{Parameters: &pulumirpc.ParameterizeRequest_Value{
		Value: &pulumirpc.ParameterizeRequest_ParametersValue{Name: want.Name, Version: want.Version, Value: want.Value},
	}}
	err := p.call(ctx, func(ctx context.Context) error {
		_, err := p.rpc.Parameterize(ctx, request)
		return err
	})
	if err != nil {
		return fmt.Errorf("parameterize provider %s into package %s: %w", p.c.Package.Name, want.Name, err)
	}
	return nil
}

// settled gives what was agreed on, once the provider is configured.
func (p *client) settled() (*protocol, error) {
	s := p.configured.Load()
	if s == nil {
		return nil, fmt.Errorf("provider %s is used before it is configured", p.c.Package.Name)
	}
	return s, nil
}

// known is settled for work that makes no sense without configuration.
func (p *client) known(what string) (*protocol, error) {
	s, err := p.settled()
	if err == nil && s.unknown {
		err = fmt.Errorf("cannot %s: the configuration of provider %s is not known", what, p.c.Package.Name)
	}
	return s, err
}

// beforeConfigure is what is agreed on before Configure.
func (p *client) beforeConfigure() protocol {
	if p.agreed != nil {
		return *p.agreed
	}
	return protocol{}
}

// Schema gives the schema of the package, or of the package that the provider was parameterized into.
func (p *client) Schema(ctx context.Context) ([]byte, error) {
	request := &pulumirpc.GetSchemaRequest{}
	if want := p.c.Package.Parameterization; want != nil {
		request.SubpackageName, request.SubpackageVersion = want.Name, want.Version
	}
	var answer *pulumirpc.GetSchemaResponse
	err := p.call(ctx, func(ctx context.Context) (err error) {
		answer, err = p.rpc.GetSchema(ctx, request)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("get the schema of package %s: %w", p.c.Package.Name, err)
	}
	if p.gitVersion() == "" {
		return []byte(answer.GetSchema()), nil
	}
	return withVersion([]byte(answer.GetSchema()), p.gitVersion())
}

// gitVersion is the version of a plugin from a git repository: the commit or tag, whatever the plugin itself says.
func (p *client) gitVersion() string {
	if strings.HasPrefix(p.c.Package.DownloadURL, "git://") {
		return p.c.Package.Version
	}
	return ""
}

func withVersion(schema []byte, version string) ([]byte, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(schema, &fields); err != nil {
		return nil, fmt.Errorf("the provider's schema: %w", err)
	}
	text, err := json.Marshal(version)
	if err != nil {
		return nil, err
	}
	fields["version"] = text
	return json.Marshal(fields)
}

// Info asks for the version of the plugin.
func (p *client) Info(ctx context.Context) (plugin.Info, error) {
	info := plugin.Info{Path: p.c.Path, SupportsPreview: p.beforeConfigure().preview}
	if s := p.configured.Load(); s != nil {
		info.SupportsPreview = s.preview
	}
	if info.Version = p.gitVersion(); info.Version != "" {
		return info, nil
	}
	err := p.call(ctx, func(ctx context.Context) error {
		answer, err := p.rpc.GetPluginInfo(ctx, &emptypb.Empty{})
		info.Version = strings.TrimPrefix(answer.GetVersion(), "v")
		return err
	})
	return info, err
}

// Cancel tells the provider to abort what it does.
func (p *client) Cancel(ctx context.Context) error {
	p.canceled.Store(true)
	if p.dead() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, p.c.Grace)
	defer cancel()
	_, err := p.rpc.Cancel(ctx, &emptypb.Empty{})
	if status.Code(err) == codes.Unavailable && p.gone() && p.dead() {
		return nil
	}
	if err != nil && status.Code(err) != codes.Unimplemented {
		return fmt.Errorf("cancel provider %s: %w", p.c.Package.Name, errors.New(status.Convert(err).Message()))
	}
	if p.c.Process != nil {
		p.c.Process.Expect()
	}
	return nil
}

// Close ends the provider. One that we did not start goes on.
func (p *client) Close() error {
	p.closing.Do(func() {
		if p.c.Process != nil && !p.canceled.Load() {
			// It is interrupted next, whatever it answers.
			_ = p.Cancel(context.Background())
		}
		p.closed = p.c.Close()
	})
	return p.closed
}

func (p *client) dead() bool {
	if p.c.Process == nil {
		return false
	}
	select {
	case <-p.c.Process.Exited():
		return true
	default:
		return false
	}
}
