package importer

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/cairn-iac/cairn/internal/engine"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// Plan is a file that was resolved. As a program it registers the items, each after its parent and its provider.
type Plan struct {
	// Items are the resources of the file, in its order, and then providers that are made for them.
	Items   []*Item
	root    urn.URN
	protect bool
	// Monitor is where items are registered.
	Monitor func() engine.Monitor
}

// Run implements engine.Program. An item that cannot be imported keeps only those from being imported that need it.
func (p *Plan) Run(ctx context.Context, _ plugin.Environment) error {
	m := p.Monitor()
	root, err := m.Register(ctx, engine.Registration{Type: urn.StackType, Name: p.root.Name()})
	if err != nil {
		return err
	}
	m.SetRootResource(root.URN)
	var group sync.WaitGroup
	errs := make([]error, len(p.Items))
	for i, it := range p.Items {
		group.Go(func() {
			defer close(it.done)
			for _, other := range []*Item{it.parentItem, it.providerItem} {
				if other != nil {
					<-other.done
				}
			}
			errs[i] = p.register(ctx, m, it)
		})
	}
	group.Wait()
	errs = slices.DeleteFunc(errs, func(err error) bool { return errors.Is(err, engine.ErrReported) })
	return errors.Join(errs...) // what was told counts as well; the deployment knows
}

func (p *Plan) register(ctx context.Context, m engine.Monitor, it *Item) error {
	s := it.Spec
	r := engine.Registration{
		Type: s.Type, Name: s.LogicalName, Custom: !s.Component, Inputs: it.inputs, Provider: it.provider,
		Package:                engine.PackageRef{Version: s.Version, DownloadURL: s.PluginDownloadURL},
		Options:                resource.Options{Parent: it.parent},
		AcceptsResultReporting: true,
	}
	if it.providerItem != nil {
		if r.Provider = it.providerItem.ref; r.Provider == "" {
			return engine.ErrReported // why, was told of the provider
		}
	}
	if it.pkg != nil {
		ref, err := m.RegisterPackage(ctx, *it.pkg)
		if err != nil {
			return err
		}
		r.Package = engine.PackageRef{Ref: ref}
	}
	if !s.Type.IsProvider() {
		r.AsFound = &resource.AsFound{Properties: s.Properties, Remote: s.Remote}
		r.Options.ImportID, r.Options.Protect = s.ID, p.protect
		r.Set.Protect = true
	}
	done, err := m.Register(ctx, r)
	if err != nil {
		return err
	}
	if done.Result != engine.ResultSuccess {
		return engine.ErrReported
	}
	switch {
	case s.Component:
		return m.RegisterOutputs(ctx, done.URN, property.Map{})
	case s.Type.IsProvider():
		id := string(done.ID)
		if id == "" {
			id = engine.UnknownID
		}
		it.ref = urn.ProviderRef{URN: done.URN, ID: id}.String()
	}
	return nil
}
