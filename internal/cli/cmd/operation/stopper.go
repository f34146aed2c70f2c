package operation

import (
	"context"
	"sync"

	"github.com/cairn-iac/cairn/internal/cli/factory"
)

// stopper turns interrupts into a graceful stop, and a second one into an abort.
type stopper struct {
	// ctx is aborted by the second interrupt.
	ctx      context.Context
	abort    context.CancelFunc
	graceful chan struct{}
	once     sync.Once
	done     chan struct{}
}

func newStopper(ctx context.Context, f *factory.Factory) *stopper {
	s := &stopper{graceful: make(chan struct{}), done: make(chan struct{})}
	s.ctx, s.abort = context.WithCancel(ctx)
	go func() {
		for {
			select {
			case <-f.Interrupts:
				if s.stopGracefully() {
					f.Streams.Errorf("^C received; cancelling. If you would like to terminate immediately, press ^C again.\n" +
						"Note that terminating immediately may lead to orphaned resources and other inconsistencies.\n\n")
					continue
				}
				f.Streams.Errorf("^C received; terminating.\n")
				s.abort()
			case <-s.done:
				return
			}
		}
	}()
	return s
}

// stopGracefully says whether this was the first request.
func (s *stopper) stopGracefully() bool {
	first := false
	s.once.Do(func() {
		first = true
		close(s.graceful)
	})
	return first
}

func (s *stopper) end() {
	close(s.done)
	s.abort()
}
