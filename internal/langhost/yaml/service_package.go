package yaml

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/cairn-iac/cairn/internal/schema"
)

// GeneratePackage writes the declaration of a package into a folder: to YAML that is the whole of an SDK.
func (s *service) GeneratePackage(
	_ context.Context, r *pulumirpc.GeneratePackageRequest,
) (*pulumirpc.GeneratePackageResponse, error) {
	if len(r.GetExtraFiles()) > 0 {
		return nil, errors.New("overlays are not supported for YAML")
	}
	pkg, err := schema.Parse([]byte(r.GetSchema()))
	if err != nil {
		return nil, err
	}
	d, err := DeclarePackage(pkg)
	if err != nil {
		return nil, err
	}
	if err := writeFile(filepath.Join(r.GetDirectory(), d.File), d.Text); err != nil {
		return nil, err
	}
	return &pulumirpc.GeneratePackageResponse{}, nil
}

// Pack copies the one file that a package's folder holds.
func (s *service) Pack(_ context.Context, r *pulumirpc.PackRequest) (*pulumirpc.PackResponse, error) {
	entries, err := os.ReadDir(r.GetPackageDirectory())
	if err != nil {
		return nil, fmt.Errorf("read the package's folder: %w", err)
	}
	if len(entries) != 1 || !entries[0].Type().IsRegular() {
		return nil, fmt.Errorf("the folder %s must hold one file, the package's declaration; it holds %d", r.GetPackageDirectory(), len(entries))
	}
	text, err := os.ReadFile(filepath.Join(r.GetPackageDirectory(), entries[0].Name()))
	if err != nil {
		return nil, fmt.Errorf("read the package's declaration: %w", err)
	}
	path := filepath.Join(r.GetDestinationDirectory(), entries[0].Name())
	if err := writeFile(path, text); err != nil {
		return nil, err
	}
	return &pulumirpc.PackResponse{ArtifactPath: path}, nil
}

// Link has nothing to do: declarations are found where they are.
func (s *service) Link(context.Context, *pulumirpc.LinkRequest) (*pulumirpc.LinkResponse, error) {
	return &pulumirpc.LinkResponse{}, nil
}

// writeFile makes a file and its folder.
func writeFile(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("write a package declaration: %w", err)
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return fmt.Errorf("write a package declaration: %w", err)
	}
	return nil
}
