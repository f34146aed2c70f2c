package main

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/cairn-iac/cairn/internal/backend"
	"github.com/cairn-iac/cairn/internal/backend/diy"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/secret"
	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/state/deploymentjson"
	"github.com/cairn-iac/cairn/internal/state/journal"
	"github.com/cairn-iac/cairn/internal/urn"
)

// eachSize runs a benchmark for every size; the metric tells what one resource costs.
func eachSize(b *testing.B, f func(b *testing.B, s *state.Snapshot)) {
	b.Helper()
	for _, size := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			s := snapshot(size)
			b.ReportAllocs()
			f(b, s)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(size), "ns/resource")
		})
	}
}

func snapshot(size int) *state.Snapshot {
	now := time.Date(2026, 1, 2, 3, 4, 5, 678_901_234, time.UTC)
	s := &state.Snapshot{Manifest: state.NewManifest(now, "1.0.0")}
	parent := urn.New("dev", "bench", "", "pulumi:pulumi:Stack", "bench-dev")
	provider := &resource.State{
		URN: urn.New("dev", "bench", "", "pulumi:providers:random", "default"), Type: "pulumi:providers:random",
		Custom: true, ID: "0f3b7c86-95a9-4b4f-a7a9-9b1f4d4f5a55", Created: &now, Modified: &now,
	}
	s.Resources = append(s.Resources, &resource.State{
		URN: parent, Type: "pulumi:pulumi:Stack", Created: &now, Modified: &now,
	}, provider)
	for i := range size {
		r := &resource.State{
			URN:  urn.New("dev", "bench", "", "random:index/randomPet:RandomPet", fmt.Sprintf("pet%05d", i)),
			Type: "random:index/randomPet:RandomPet", Custom: true, ID: resource.ID(fmt.Sprintf("bench-certain-pet-%d", i)),
			Inputs: property.MapOf(map[string]property.Value{
				"length": property.Number(3), "prefix": property.String("bench"),
			}),
			Created: &now, Modified: &now,
		}
		r.Outputs = property.MapOf(map[string]property.Value{
			"id": property.String(string(r.ID)), "length": property.Number(3),
			"prefix": property.String("bench"), "separator": property.String("-"),
		})
		r.Parent, r.Provider = parent, provider.ProviderRef()
		s.Resources = append(s.Resources, r)
	}
	return s
}

func noSecrets() *deploymentjson.Secrets {
	return deploymentjson.NewSecrets(nil, deploymentjson.SecretsOptions{})
}

func encode(b *testing.B, s *state.Snapshot) []byte {
	b.Helper()
	var text bytes.Buffer
	checkpoint := &deploymentjson.Checkpoint{Stack: "organization/bench/dev", Snapshot: s}
	if err := deploymentjson.EncodeCheckpoint(b.Context(), &text, checkpoint, noSecrets()); err != nil {
		b.Fatal(err)
	}
	return text.Bytes()
}

func BenchmarkEncodeCheckpoint(b *testing.B) {
	eachSize(b, func(b *testing.B, s *state.Snapshot) {
		for b.Loop() {
			b.SetBytes(int64(len(encode(b, s))))
		}
	})
}

func BenchmarkDecodeCheckpoint(b *testing.B) {
	eachSize(b, func(b *testing.B, s *state.Snapshot) {
		text := encode(b, s)
		b.SetBytes(int64(len(text)))
		open := func(context.Context, *state.SecretsProvider) (secret.Crypter, error) { return nil, nil }
		for b.Loop() {
			if _, _, err := deploymentjson.DecodeCheckpoint(b.Context(), text, open, deploymentjson.SecretsOptions{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// creates are the records of an update that creates all resources.
func creates(s *state.Snapshot) []journal.Record {
	var records []journal.Record
	for i, r := range s.Resources {
		n := int64(i + 1)
		begun := r.Clone()
		begun.ID, begun.Outputs = "", property.Map{}
		records = append(records,
			journal.Begin{Ticket: n, Kind: resource.PendingCreating, Resource: begun},
			journal.Success{Ticket: n, Put: []journal.Put{{N: n, State: r}}})
	}
	return records
}

func BenchmarkFoldCreates(b *testing.B) {
	eachSize(b, func(b *testing.B, s *state.Snapshot) {
		records := creates(s)
		for b.Loop() {
			if _, err := journal.Fold(nil, records); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkDecodeRecords(b *testing.B) {
	eachSize(b, func(b *testing.B, s *state.Snapshot) {
		lines := encodeRecords(b, creates(s))
		for b.Loop() {
			for _, line := range lines {
				if _, err := journal.Decode(b.Context(), line, noSecrets()); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}

func encodeRecords(b *testing.B, records []journal.Record) [][]byte {
	b.Helper()
	lines := make([][]byte, 0, len(records))
	for _, r := range records {
		line, err := journal.Encode(b.Context(), r, noSecrets())
		if err != nil {
			b.Fatal(err)
		}
		lines = append(lines, line)
	}
	return lines
}

// BenchmarkAppend makes records durable one after the other: the cost must not depend on the size of the stack.
func BenchmarkAppend(b *testing.B) {
	eachSize(b, func(b *testing.B, s *state.Snapshot) {
		lines := encodeRecords(b, creates(s))
		for b.Loop() {
			appendAll(b, lines)
		}
	})
}

func appendAll(b *testing.B, lines [][]byte) {
	b.Helper()
	ctx := b.Context()
	store, err := diy.Open(ctx, diy.Options{URL: "file://" + b.TempDir(), Username: "bench", Hostname: "bench"})
	must(b, err)
	lock, err := store.Locker.Lock(ctx, backend.StackRef{Project: "bench", Name: "dev"}, backend.LockOptions{})
	must(b, err)
	defer func() { must(b, lock.Release(context.WithoutCancel(ctx))) }()
	log, err := store.Journals.Create(ctx, lock, backend.JournalHeader{Writer: "bench", Kind: "update"})
	must(b, err)
	for _, line := range lines {
		must(b, log.Append(ctx, line))
	}
	must(b, log.Close())
}

func must(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}
