package command

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
)

// Check validates the inputs of a command.
func (p *provider) Check(_ context.Context, req plugin.CheckRequest) (plugin.CheckResponse, error) {
	if err := supported(req.URN); err != nil {
		return plugin.CheckResponse{}, err
	}
	inputs, c := p.command.check(req.News)
	for _, w := range c.warnings {
		p.log(plugin.Log{Severity: diag.Warning, Message: w, URN: req.URN})
	}
	return plugin.CheckResponse{Inputs: inputs, Failures: c.failures}, nil
}

// Diff compares inputs; what a command printed never counts.
func (p *provider) Diff(_ context.Context, req plugin.DiffRequest) (plugin.DiffResponse, error) {
	if err := supported(req.URN); err != nil {
		return plugin.DiffResponse{}, err
	}
	return p.command.diff(req), nil
}

// Create runs the create command, if there is one, and makes up an id.
func (p *provider) Create(ctx context.Context, req plugin.CreateRequest) (plugin.CreateResponse, error) {
	if err := supported(req.URN); err != nil {
		return plugin.CreateResponse{}, err
	}
	if req.Preview {
		return plugin.CreateResponse{Outputs: predicted(req.Inputs)}, nil
	}
	id, err := newID(req.URN.Name())
	if err != nil {
		return plugin.CreateResponse{}, err
	}
	results := map[string]property.Value{propStdout: property.String(""), propStderr: property.String("")}
	if req.Inputs.Has(propCreate) {
		s, err := newScript(propCreate, req.Inputs, before{})
		if err != nil {
			return plugin.CreateResponse{}, err
		}
		ctx, end := p.begin(ctx, limit{option: "create", after: req.Timeout})
		defer end()
		if results, err = p.run(ctx, req.URN, s); err != nil {
			return plugin.CreateResponse{}, err
		}
	}
	return plugin.CreateResponse{ID: id, Outputs: outputs(req.Inputs, results)}, nil
}

// Update runs the update command, or the create command when there is none. Without either, what the last run left
// stays.
func (p *provider) Update(ctx context.Context, req plugin.UpdateRequest) (plugin.UpdateResponse, error) {
	if err := supported(req.URN); err != nil {
		return plugin.UpdateResponse{}, err
	}
	news := p.command.ignore(req.News, req.OldInputs, req.IgnoreChanges)
	results := p.results(req.OldOutputs)
	name := propUpdate
	if !news.Has(name) {
		name = propCreate
	}
	if !news.Has(name) {
		return plugin.UpdateResponse{Outputs: outputs(news, results)}, nil
	}
	if req.Preview {
		return plugin.UpdateResponse{Outputs: outputs(predicted(news), unknown(results))}, nil
	}
	s, err := newScript(name, news, before{stdout: results[propStdout], stderr: results[propStderr]})
	if err != nil {
		return plugin.UpdateResponse{}, err
	}
	ctx, end := p.begin(ctx, limit{option: "update", after: req.Timeout})
	defer end()
	fresh, err := p.run(ctx, req.URN, s)
	if err != nil {
		return plugin.UpdateResponse{}, err
	}
	// Files of an earlier run stay among the outputs until a run collects new ones.
	for name, v := range fresh {
		results[name] = v
	}
	return plugin.UpdateResponse{Outputs: outputs(news, results)}, nil
}

// Delete runs the delete command, if there is one, as it was recorded.
func (p *provider) Delete(ctx context.Context, req plugin.DeleteRequest) error {
	if err := supported(req.URN); err != nil {
		return err
	}
	if !req.Outputs.Has(propDelete) {
		return nil
	}
	last := before{stdout: req.Outputs.Get(propStdout), stderr: req.Outputs.Get(propStderr)}
	s, err := newScript(propDelete, req.Outputs, last)
	if err != nil {
		return err
	}
	// Nobody would see the files.
	s.assets, s.archive = nil, nil
	ctx, end := p.begin(ctx, limit{option: "delete", after: req.Timeout})
	defer end()
	_, err = p.run(ctx, req.URN, s)
	return err
}

// Read gives the recorded state: what a command did cannot be looked up. For the same reason there is no import.
func (p *provider) Read(_ context.Context, req plugin.ReadRequest) (plugin.ReadResponse, error) {
	if err := supported(req.URN); err != nil {
		return plugin.ReadResponse{}, err
	}
	if req.Inputs.Len() == 0 && req.State.Len() == 0 {
		return plugin.ReadResponse{}, errors.New(
			"a command cannot be imported: nothing but the state of the stack that ran it knows about it")
	}
	inputs := req.Inputs
	return plugin.ReadResponse{ID: req.ID, Inputs: &inputs, Outputs: req.State}, nil
}

// results are the outputs that are not inputs.
func (p *provider) results(outputs property.Map) map[string]property.Value {
	out := map[string]property.Value{propStdout: property.String(""), propStderr: property.String("")}
	for _, f := range p.command.results {
		if v, ok := outputs.Lookup(f.name); ok {
			out[f.name] = v
		}
	}
	return out
}

// outputs are the inputs and the results of the last run. Secrets among the inputs stay secret; what a command prints
// is as public as the program says by additionalSecretOutputs.
func outputs(inputs property.Map, results map[string]property.Value) property.Map {
	all := inputs.StripDependencies().Clone()
	for name, v := range results {
		all[name] = v
	}
	return property.MapOf(all)
}

// predicted are the outputs a preview can tell: the inputs, and unknown results.
func predicted(inputs property.Map) property.Map {
	results := map[string]property.Value{propStdout: property.Unknown(), propStderr: property.Unknown()}
	if inputs.Has(propAssetPaths) {
		results[propAssets] = property.Unknown()
	}
	if inputs.Has(propArchivePaths) {
		results[propArchive] = property.Unknown()
	}
	return outputs(inputs, results)
}

func unknown(results map[string]property.Value) map[string]property.Value {
	out := make(map[string]property.Value, len(results))
	for name, v := range results {
		out[name] = property.Unknown().WithSecret(v.Secret())
	}
	return out
}

// newID is the resource's name and eight random hexadecimal digits.
func newID(name string) (resource.ID, error) {
	var random [4]byte
	if _, err := rand.Read(random[:]); err != nil {
		return "", fmt.Errorf("make an id: %w", err)
	}
	return resource.ID(name + hex.EncodeToString(random[:])), nil
}
