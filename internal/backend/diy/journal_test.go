package diy

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/backend"
)

// sampleJournal writes a journal and gives its bytes and the end of each line.
func sampleJournal(t *testing.T) (data []byte, ends []int) {
	t.Helper()
	s, ctx := testStore(t), t.Context()
	j, err := journals{s}.Create(ctx, mustLock(t, s), backend.JournalHeader{Checkpoint: "c", Writer: "w"})
	must(t, err)
	for i := range 4 {
		must(t, j.Append(ctx, fmt.Appendf(nil, `{"n":%d}`, i)))
	}
	must(t, j.Close())
	data, err = os.ReadFile(s.journal(testRef))
	must(t, err)
	for i, c := range data {
		if c == '\n' {
			ends = append(ends, i+1)
		}
	}
	return data, ends
}

// TestJournalTruncated cuts a journal at every byte: the whole records are there, a torn one is reported.
func TestJournalTruncated(t *testing.T) {
	t.Parallel()
	data, ends := sampleJournal(t)
	for cut := range len(data) + 1 {
		contents, err := parseJournal("j", data[:cut])
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		whole, last := 0, 0
		for _, end := range ends {
			if end <= cut {
				whole, last = whole+1, end
			}
		}
		if got := len(contents.Records); got != max(whole-1, 0) {
			t.Errorf("cut at %d: %d records of %d lines", cut, got, whole)
		}
		if (contents.Header != nil) != (whole > 0) {
			t.Errorf("cut at %d: header %v", cut, contents.Header)
		}
		var want *backend.TornRecord
		if last < cut {
			want = &backend.TornRecord{Line: whole + 1, Bytes: cut - last}
		}
		if diff := cmp.Diff(want, contents.Torn); diff != "" {
			t.Errorf("cut at %d: torn (-want +got):\n%s", cut, diff)
		}
	}
}

// TestJournalDamaged flips every byte: damage before the last record names the line, damage in it counts as torn.
func TestJournalDamaged(t *testing.T) {
	t.Parallel()
	data, ends := sampleJournal(t)
	for at := range data {
		bad := bytes.Clone(data)
		bad[at] ^= 0x41
		contents, err := parseJournal("j", bad)
		line := 1
		for _, end := range ends {
			if at >= end {
				line++
			}
		}
		// Without the break before it, the last line begins one line earlier.
		if line == len(ends) || at+1 == ends[len(ends)-2] {
			if err != nil || contents.Torn == nil {
				t.Errorf("byte %d of the last line: %v, %+v", at, err, contents)
			}
			continue
		}
		var damaged *backend.DamagedError
		if !errors.As(err, &damaged) {
			t.Errorf("byte %d: %v", at, err)
			continue
		}
		if damaged.Line != line || damaged.Location != "j" {
			t.Errorf("byte %d of line %d: %v", at, line, damaged)
		}
		wantInError(t, err, "mv j j.damaged", "pulumi refresh")
	}
}

func TestJournalNewer(t *testing.T) {
	t.Parallel()
	_, err := parseJournal("j", appendFrame(nil, []byte(`{"version":2}`)))
	wantInError(t, err, "version 2", "newer")
	_, err = parseJournal("j", appendFrame(nil, []byte(`{}`)))
	wantInError(t, err, "damaged")
}

// TestJournalResumed: what is appended after a torn record can be read.
func TestJournalResumed(t *testing.T) {
	t.Parallel()
	data, ends := sampleJournal(t)
	for cut := ends[0]; cut <= len(data); cut++ {
		s := testStore(t)
		writeFile(t, s.journal(testRef), string(data[:cut]))
		j, err := journals{s}.Resume(t.Context(), mustLock(t, s))
		must(t, err)
		must(t, j.Append(t.Context(), []byte(`"more"`)))
		must(t, j.Close())
		contents, err := journals{s}.Read(t.Context(), testRef)
		must(t, err)
		n := len(contents.Records)
		if contents.Torn != nil || n == 0 || string(contents.Records[n-1]) != `"more"` {
			t.Errorf("cut at %d: %d records, torn %v", cut, n, contents.Torn)
		}
	}
}

// TestJournalTakenOver: a writer whose journal was folded by somebody else learns it.
func TestJournalTakenOver(t *testing.T) {
	t.Parallel()
	s, ctx := testStore(t), t.Context()
	j, err := journals{s}.Create(ctx, mustLock(t, s), backend.JournalHeader{})
	must(t, err)
	must(t, j.Append(ctx, []byte(`1`)))
	must(t, os.Remove(s.journal(testRef)))
	for range 2 {
		if err := j.Append(ctx, []byte(`2`)); !errors.Is(err, backend.ErrLockLost) {
			t.Errorf("append to a removed journal: %v", err)
		}
	}
	must(t, j.Close())
}

// TestOrphanJournal: the journal of a stack that is gone is not mixed up with a new stack.
func TestOrphanJournal(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	writeFile(t, s.journal(testRef), "x")
	err := stacks{s}.Create(t.Context(), mustLock(t, s), []byte("{}"))
	if !errors.Is(err, backend.ErrJournalExists) {
		t.Errorf("got %v", err)
	}
	wantInError(t, err, s.journal(testRef))
}

func FuzzJournal(f *testing.F) {
	f.Add([]byte(nil))
	f.Add([]byte("\n"))
	f.Add([]byte("00000000 {}\n"))
	f.Add(appendFrame(appendFrame(nil, []byte(`{"version":1}`)), []byte(`{"n":1}`)))
	f.Fuzz(func(t *testing.T, data []byte) {
		contents, err := parseJournal("j", data)
		if err != nil {
			return
		}
		for _, r := range contents.Records {
			if _, err := parseFrame(bytes.TrimSuffix(appendFrame(nil, r), []byte("\n"))); err != nil {
				t.Error(err)
			}
		}
	})
}
