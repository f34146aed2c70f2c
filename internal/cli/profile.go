package cli

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"

	"github.com/cairn-iac/cairn/internal/cli/factory"
)

// profile starts the profiles that --profiling asks for: <prefix>.<pid>.cpu, and <prefix>.<pid>.mem when stop is called.
func profile(f *factory.Factory, pid int) (stop func() error, err error) {
	if f.Flags.Profiling == "" {
		return func() error { return nil }, nil
	}
	prefix := fmt.Sprintf("%s.%d", f.Path(f.Flags.Profiling), pid)
	cpu, err := os.Create(prefix + ".cpu")
	if err != nil {
		return nil, fmt.Errorf("--profiling: %w", err)
	}
	if err := pprof.StartCPUProfile(cpu); err != nil {
		return nil, errors.Join(fmt.Errorf("--profiling: %w", err), cpu.Close())
	}
	return func() error {
		pprof.StopCPUProfile()
		mem, err := os.Create(prefix + ".mem")
		if err != nil {
			return errors.Join(cpu.Close(), err)
		}
		runtime.GC()
		return errors.Join(cpu.Close(), pprof.WriteHeapProfile(mem), mem.Close())
	}, nil
}
