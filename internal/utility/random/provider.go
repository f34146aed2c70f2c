package random

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/urn"
)

// Name is the package's name.
const Name = "random"

// Version is the version of the published provider that this one answers to.
func Version() string { return "4.21.2" }

// New makes the provider. log takes warnings; nil drops them.
func New(log plugin.LogFunc) plugin.Provider {
	if log == nil {
		log = func(plugin.Log) {}
	}
	p := &provider{log: log, byToken: map[urn.Type]*definition{}}
	for _, d := range definitions() {
		p.byToken[d.token()] = d
	}
	return p
}

type provider struct {
	log     plugin.LogFunc
	byToken map[urn.Type]*definition
}

// definition finds what kind of resource u is, unless the call was cancelled.
func (p *provider) definition(ctx context.Context, u urn.URN) (*definition, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	d, ok := p.byToken[u.Type()]
	if !ok {
		return nil, fmt.Errorf("the random provider %s has no resource type %q", Version(), u.Type())
	}
	return d, nil
}

func (p *provider) warn(u urn.URN, format string, args ...any) {
	p.log(plugin.Log{Severity: diag.Warning, Message: fmt.Sprintf(format, args...), URN: u})
}

// Invoke answers that there are no functions.
func (p *provider) Invoke(_ context.Context, req plugin.InvokeRequest) (plugin.InvokeResponse, error) {
	return plugin.InvokeResponse{}, fmt.Errorf("the random provider %s has no function %q", Version(), req.Token)
}

// Call answers the method terraformConfig of the provider resource, which tells its configuration: there is none.
func (p *provider) Call(_ context.Context, req plugin.CallRequest) (plugin.CallResponse, error) {
	if req.Token != methodToken {
		return plugin.CallResponse{}, fmt.Errorf("the random provider %s has no method %q", Version(), req.Token)
	}
	return plugin.CallResponse{Return: property.MapOf(map[string]property.Value{"result": property.NewMap(nil)})}, nil
}

// Construct is not known to this provider: it has no components.
func (p *provider) Construct(context.Context, plugin.ConstructRequest) (plugin.ConstructResponse, error) {
	return plugin.ConstructResponse{}, plugin.ErrUnimplemented
}

// Schema is the package schema as JSON.
func (p *provider) Schema(context.Context) ([]byte, error) {
	text, err := json.Marshal(packageSchema())
	if err != nil {
		return nil, fmt.Errorf("write the schema of the random provider: %w", err)
	}
	return text, nil
}

// Info says that the provider is part of this program.
func (p *provider) Info(context.Context) (plugin.Info, error) {
	return plugin.Info{Version: Version(), Builtin: true, SupportsPreview: true}, nil
}

// Cancel has nothing to do: no call takes long.
func (p *provider) Cancel(context.Context) error { return nil }

// Close has nothing to release.
func (p *provider) Close() error { return nil }
