package pluginhost

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/protobuf/types/known/structpb"
)

// InstallDependencies has the language host of a plugin folder's runtime install what the plugin needs to run. What the
// host's tools print goes to out. A folder without a manifest, and one whose runtime is part of this program, need nothing.
func (h *Host) InstallDependencies(ctx context.Context, dir string, out io.Writer) error {
	m, isFolder, err := readManifest(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !isFolder {
		return nil
	}
	if err != nil {
		return err
	}
	if _, ok := h.o.Runtimes[m.runtime]; ok {
		return nil
	}
	if h.env.isTrue(offlineVariable) {
		return fmt.Errorf("%s is set, so the packages that the plugin's %s program depends on were not got", offlineVariable, m.runtime)
	}
	l, err := h.languageHost(ctx, m.runtime)
	if err != nil {
		return fmt.Errorf("the plugin needs runtime %q: %w", m.runtime, err)
	}
	options, err := structpb.NewStruct(m.options)
	if err != nil {
		return fmt.Errorf("runtime options of %s: %w", manifestName, err)
	}
	s, err := l.client.InstallDependencies(ctx, &pulumirpc.InstallDependenciesRequest{
		Info:     &pulumirpc.ProgramInfo{RootDirectory: m.dir, ProgramDirectory: m.dir, EntryPoint: ".", Options: options},
		IsPlugin: true,
	})
	if err != nil {
		return fmt.Errorf("the language host %q: %w", m.runtime, err)
	}
	for {
		answer, err := s.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the language host %q: %w", m.runtime, err)
		}
		for _, text := range [][]byte{answer.GetStdout(), answer.GetStderr()} {
			if _, err := out.Write(text); err != nil {
				return err
			}
		}
	}
}
