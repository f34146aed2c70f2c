package deploymentjson

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/urn"
)

func bigCheckpoint(n int) *Checkpoint {
	snap := &state.Snapshot{SecretsProvider: &state.SecretsProvider{Type: "t"}}
	for i := range n {
		r := fullResource()
		r.URN = urn.New("dev", "p", "", "a:b:C", fmt.Sprint("n", i))
		snap.Resources = append(snap.Resources, r)
	}
	return &Checkpoint{Stack: "organization/p/dev", Snapshot: snap}
}

func BenchmarkEncode(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			c, s := bigCheckpoint(n), NewSecrets(&countingCrypter{}, SecretsOptions{})
			b.ReportAllocs()
			for b.Loop() {
				if err := EncodeCheckpoint(b.Context(), io.Discard, c, s); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/resource")
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var buf bytes.Buffer
			s := NewSecrets(&countingCrypter{}, SecretsOptions{})
			if err := EncodeCheckpoint(b.Context(), &buf, bigCheckpoint(n), s); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(buf.Len()))
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := DecodeCheckpoint(b.Context(), buf.Bytes(), with(&countingCrypter{}), SecretsOptions{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/resource")
		})
	}
}
