package factory

import (
	"context"
	"errors"
	"fmt"

	"github.com/cairn-iac/cairn/internal/backend"
	"github.com/cairn-iac/cairn/internal/backend/session"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/urn"
)

// References resolves stack references against the opened backend.
type References struct{ Factory *Factory }

// Outputs reads the outputs of another stack as they are recorded.
func (r References) Outputs(ctx context.Context, stack string) (property.Map, error) {
	s, err := r.Factory.otherStack(stack)
	if err != nil {
		return property.Map{}, err
	}
	opts, err := s.SessionOptions(ctx)
	if err != nil {
		return property.Map{}, err
	}
	opts.Manager = nil // nothing is written
	view, err := session.Read(ctx, opts)
	if errors.Is(err, backend.ErrStackNotFound) {
		return property.Map{}, fmt.Errorf("unknown stack \"%s\"", stack)
	}
	if err != nil {
		return property.Map{}, err
	}
	for _, res := range view.Snapshot.Resources {
		if res.Type == urn.StackType && !res.Delete {
			return res.Outputs, nil
		}
	}
	return property.Map{}, nil
}
