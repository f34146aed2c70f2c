package newcmd

import (
	"context"
	"errors"
	"io"

	"golang.org/x/term"

	"github.com/cairn-iac/cairn/internal/cli/exit"
	"github.com/cairn-iac/cairn/internal/cli/factory"
)

// await runs what waits for a person, and gives up at the first request to stop: reading from a terminal cannot be
// ended, but the program can. The terminal is left as it was.
func await[T any](ctx context.Context, f *factory.Factory, read func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	restore := remember(f.Streams.In)
	answer := make(chan result, 1)
	go func() {
		v, err := read()
		answer <- result{v, err}
	}()
	var none T
	select {
	case r := <-answer:
		return r.value, r.err
	case <-f.Interrupts:
		restore()
		f.Streams.Errorf("\n")
		return none, exit.With(exit.Canceled, errors.New("stopped; nothing was made"))
	case <-ctx.Done():
		restore()
		return none, ctx.Err()
	}
}

// remember notes how a terminal is set, so that it shows again what is typed when a secret was being asked for.
func remember(in io.Reader) (restore func()) {
	file, ok := in.(interface{ Fd() uintptr })
	if !ok {
		return func() {}
	}
	fd := int(file.Fd())
	state, err := term.GetState(fd)
	if err != nil {
		return func() {}
	}
	return func() { _ = term.Restore(fd, state) } // the program ends anyway
}
