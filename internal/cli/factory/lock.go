package factory

import (
	"time"

	"github.com/cairn-iac/cairn/internal/backend"
)

// LockOptions wait for a lock, and say for whom.
func (f *Factory) LockOptions(wait time.Duration) backend.LockOptions {
	return backend.LockOptions{Wait: wait, OnWait: func(holders []backend.Holder) {
		f.Streams.Errorf("waiting for another update of the stack to end:\n")
		for _, h := range holders {
			f.Streams.Errorf("  %s\n", h)
		}
	}}
}
