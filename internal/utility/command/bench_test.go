//go:build unix

package command_test

import (
	"os"
	"testing"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/utility/command"
)

func BenchmarkCreate(b *testing.B) {
	p := command.New(command.Options{Dir: b.TempDir(), Env: os.Environ()})
	inputs := props(b, `{"create":"true"}`)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := p.Create(b.Context(), plugin.CreateRequest{URN: testURN, Inputs: inputs}); err != nil {
				b.Error(err)
			}
		}
	})
}
