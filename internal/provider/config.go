package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/codes"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/wire"
)

// CheckConfig has the provider check its configuration. Secrets are stripped from the request and put back.
func (p *client) CheckConfig(ctx context.Context, r plugin.CheckRequest) (plugin.CheckResponse, error) {
	o := p.beforeConfigure().peer.Config()
	olds, err := wire.ToStruct(r.Olds, o)
	if err != nil {
		return plugin.CheckResponse{}, err
	}
	news, err := wire.ToStruct(r.News, o)
	if err != nil {
		return plugin.CheckResponse{}, err
	}
	request := &pulumirpc.CheckRequest{
		Urn: string(r.URN), Name: r.URN.Name(), Type: string(r.URN.Type()), Olds: olds, News: news,
	}
	var answer *pulumirpc.CheckResponse
	err = p.call(ctx, func(ctx context.Context) (err error) {
		answer, err = p.rpc.CheckConfig(ctx, request)
		return err
	})
	if p.lacks(err) {
		return plugin.CheckResponse{}, fmt.Errorf("%w", plugin.ErrUnimplemented)
	}
	if err != nil {
		return plugin.CheckResponse{}, err
	}
	inputs, err := wire.FromStruct(answer.GetInputs(), p.beforeConfigure().peer.Returned(r.Preview))
	if err != nil {
		return plugin.CheckResponse{}, fmt.Errorf("the checked configuration: %w", err)
	}
	return plugin.CheckResponse{Inputs: remark(inputs, r.News), Failures: wire.FromFailures(answer.GetFailures())}, nil
}

// DiffConfig has the provider compare configurations. One that cannot says nothing about replacement.
func (p *client) DiffConfig(ctx context.Context, r plugin.DiffRequest) (plugin.DiffResponse, error) {
	request, err := diffRequest(r, p.beforeConfigure().peer.Config())
	if err != nil {
		return plugin.DiffResponse{}, err
	}
	var answer *pulumirpc.DiffResponse
	err = p.call(ctx, func(ctx context.Context) (err error) {
		answer, err = p.rpc.DiffConfig(ctx, request)
		return err
	})
	if p.lacks(err) || p.c.Package.Name == kubernetes && err != nil && strings.Contains(err.Error(), kubeconfigTrouble) {
		return plugin.DiffResponse{Changes: plugin.ChangesUnknown}, nil
	}
	if err != nil {
		return plugin.DiffResponse{}, err
	}
	return wire.FromDiff(answer), nil
}

// Two published providers are known to say "unimplemented" in words of their own, and one to fail over a file name
// that Configure takes.
const (
	dynamicNode       = "pulumi-nodejs"
	kubernetes        = "kubernetes"
	kubeconfigTrouble = "cannot unmarshal string into Go value of type struct"
)

// lacks says whether a failure of CheckConfig or DiffConfig means that the provider does not have it.
func (p *client) lacks(err error) bool {
	var failed *callError
	if !errors.As(err, &failed) {
		return false
	}
	switch {
	case failed.code == codes.Unimplemented:
		return true
	case p.c.Package.Name == dynamicNode:
		return failed.code == codes.Internal
	case p.c.Package.Name == kubernetes:
		return failed.code == codes.Unknown && strings.Contains(failed.Error(), "Unimplemented")
	default:
		return false
	}
}

// Configure gives the provider its configuration. One that is not fully known is not sent: see the package comment.
func (p *client) Configure(ctx context.Context, r plugin.ConfigureRequest) error {
	s := p.beforeConfigure()
	if r.Inputs.ContainsUnknown() {
		s.unknown = true
		p.configured.Store(&s)
		return nil
	}
	args, err := wire.ToStruct(r.Inputs, s.peer.Configure())
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	variables, err := p.variables(r)
	if err != nil {
		return err
	}
	urn, id, name, typ := string(r.URN), string(r.ID), r.URN.Name(), string(r.URN.Type())
	request := &pulumirpc.ConfigureRequest{
		Args: args, Variables: variables, AcceptSecrets: true, AcceptResources: true, SendsOldInputs: true,
		SendsOldInputsToDelete: true, Urn: &urn, Id: &id, Name: &name, Type: &typ,
	}
	var answer *pulumirpc.ConfigureResponse
	err = p.call(ctx, func(ctx context.Context) (err error) {
		answer, err = p.rpc.Configure(ctx, request)
		return err
	})
	if err != nil {
		return err
	}
	if p.agreed == nil {
		s = protocol{
			preview: answer.GetSupportsPreview(), autonaming: answer.GetSupportsAutonamingConfiguration(),
			peer: wire.ProviderPeer{
				AcceptSecrets: answer.GetAcceptSecrets(), AcceptResources: answer.GetAcceptResources(),
				AcceptOutputs: answer.GetAcceptOutputs(),
			},
		}
	}
	p.configured.Store(&s)
	return nil
}

// variables are the configuration as old providers read it: <package>:config:<key> to text.
func (p *client) variables(r plugin.ConfigureRequest) (map[string]string, error) {
	pkg := r.URN.Type().ProviderPackage()
	if pkg == "" {
		pkg = p.c.Package.Name
	}
	out := map[string]string{}
	for k, v := range r.Inputs.StripSecrets().All() {
		if k == "version" {
			continue
		}
		text, isText := v.AsString()
		if !isText {
			b, err := json.Marshal(plainJSON(v))
			if err != nil {
				return nil, fmt.Errorf("configuration key %s: %w", k, err)
			}
			text = string(b)
		}
		out[pkg+":config:"+k] = text
	}
	return out, nil
}

// plainJSON is a value as JSON without marks.
func plainJSON(v property.Value) any {
	switch v.Kind() {
	case property.KindBool:
		b, _ := v.AsBool()
		return b
	case property.KindNumber:
		n, _ := v.AsNumber()
		return n
	case property.KindString:
		s, _ := v.AsString()
		return s
	case property.KindList:
		l, _ := v.AsList()
		out := make([]any, 0, l.Len())
		for _, e := range l.All() {
			out = append(out, plainJSON(e))
		}
		return out
	case property.KindMap:
		m, _ := v.AsMap()
		out := make(map[string]any, m.Len())
		for k, e := range m.All() {
			out[k] = plainJSON(e)
		}
		return out
	case property.KindAsset:
		a, _ := v.AsAsset()
		return map[string]any{string(a.Source): a.Location, "hash": a.Hash}
	case property.KindArchive:
		a, _ := v.AsArchive()
		return map[string]any{string(a.Source): a.Location, "hash": a.Hash}
	case property.KindReference:
		ref, _ := v.AsReference()
		if id, ok := ref.ID.AsString(); ok && ref.HasID {
			return id
		}
		return string(ref.URN)
	default:
		return nil
	}
}
