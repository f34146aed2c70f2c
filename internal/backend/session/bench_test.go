package session_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/cairn-iac/cairn/internal/backend/session"
)

// BenchmarkUpdate creates resources, 16 at a time: what a step costs must not depend on how many there are.
func BenchmarkUpdate(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				w := newWorld(b)
				b.StartTimer()
				s, err := session.Open(ctx, w.opts)
				must(b, err)
				createAll(b, s, n)
				_, err = s.Close(ctx, session.Outcome{})
				must(b, err)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/resource")
		})
	}
}

func createAll(b *testing.B, s *session.Session, n int) {
	const parallel = 16
	var wg sync.WaitGroup
	for p := range parallel {
		wg.Go(func() {
			for i := p; i < n; i += parallel {
				if err := create(s, thing(fmt.Sprint("n", i), "1")); err != nil {
					b.Error(err)
				}
			}
		})
	}
	wg.Wait()
}
