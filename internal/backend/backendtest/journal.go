package backendtest

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/backend"
)

func testJournal(t *testing.T, open Open) {
	b, ctx := open(t), t.Context()
	lock := mustCreate(t, b, ref("s"), `{}`)
	contents, err := b.Journals.Read(ctx, ref("s"))
	must(t, err)
	if contents != nil {
		t.Fatalf("a journal before there was one: %+v", contents)
	}
	must(t, b.Journals.Remove(ctx, lock))
	header := backend.JournalHeader{
		Checkpoint: "abc", Writer: "w1", Kind: "update", Started: time.Unix(1, 2).UTC(),
		SecretsProvider: []byte(`{"type":"passphrase"}`),
	}
	j, err := b.Journals.Create(ctx, lock, header)
	must(t, err)
	var want [][]byte
	for i := range 5 {
		record := fmt.Appendf(nil, `{"n":%d,"text":"a\nb é"}`, i)
		must(t, j.Append(ctx, record))
		want = append(want, record)
		contents, err := open(t).Journals.Read(ctx, ref("s")) // Durable before Append returns.
		must(t, err)
		if diff := cmp.Diff(want, contents.Records); diff != "" {
			t.Fatalf("records (-want +got):\n%s", diff)
		}
	}
	for _, bad := range [][]byte{nil, {}, []byte("{\n}")} {
		if err := j.Append(ctx, bad); err == nil {
			t.Errorf("appended %q", bad)
		}
	}
	if _, err := b.Journals.Create(ctx, lock, header); !errors.Is(err, backend.ErrJournalExists) {
		t.Errorf("second create: %v", err)
	}
	must(t, j.Close())
	must(t, j.Close())
	if err := j.Append(ctx, []byte(`{}`)); err == nil {
		t.Error("append after close")
	}
	contents, err = open(t).Journals.Read(ctx, ref("s"))
	must(t, err)
	header.Version = backend.JournalVersion
	if diff := cmp.Diff(&header, contents.Header); diff != "" {
		t.Errorf("header (-want +got):\n%s", diff)
	}
	if contents.Torn != nil || contents.Location == "" {
		t.Errorf("torn %v, location %q", contents.Torn, contents.Location)
	}
	j, err = b.Journals.Resume(ctx, lock)
	must(t, err)
	must(t, j.Append(ctx, []byte(`"more"`)))
	must(t, j.Close())
	contents, err = b.Journals.Read(ctx, ref("s"))
	must(t, err)
	if n := len(contents.Records); n != len(want)+1 || string(contents.Records[n-1]) != `"more"` {
		t.Errorf("%d records after going on, want %d", n, len(want)+1)
	}
	must(t, b.Journals.Remove(ctx, lock))
	contents, err = b.Journals.Read(ctx, ref("s"))
	must(t, err)
	if contents != nil {
		t.Error("the journal is still there")
	}
	if _, err := b.Journals.Resume(ctx, lock); err == nil {
		t.Error("went on with a journal that is not there")
	}
}

func testJournalConcurrent(t *testing.T, open Open) {
	b, ctx := open(t), t.Context()
	lock := mustCreate(t, b, ref("s"), `{}`)
	j, err := b.Journals.Create(ctx, lock, backend.JournalHeader{})
	must(t, err)
	const writers, each = 16, 20
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				if err := j.Append(ctx, fmt.Appendf(nil, `[%d,%d]`, w, i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	must(t, j.Close())
	contents, err := b.Journals.Read(ctx, ref("s"))
	must(t, err)
	if len(contents.Records) != writers*each {
		t.Fatalf("%d records", len(contents.Records))
	}
	for w := range writers {
		var mine []string
		for _, r := range contents.Records {
			var from, n int
			if _, err := fmt.Sscanf(string(r), "[%d,%d]", &from, &n); err != nil {
				t.Fatal(err)
			}
			if from == w {
				mine = append(mine, fmt.Sprintf("%03d", n))
			}
		}
		if len(mine) != each || !slices.IsSorted(mine) {
			t.Errorf("writer %d: %v", w, mine)
		}
	}
}

func testHistory(t *testing.T, open Open) {
	b, ctx := open(t), t.Context()
	lock := mustCreate(t, b, ref("s"), `{}`)
	infos, err := b.History.List(ctx, ref("s"), backend.Page{})
	must(t, err)
	if len(infos) != 0 {
		t.Fatalf("history before any update: %v", infos)
	}
	var want []backend.UpdateInfo
	for i := range 3 {
		info := backend.UpdateInfo{
			Kind: backend.UpdateKindUpdate, StartTime: int64(100 + i), EndTime: int64(200 + i), Message: "<m>",
			Environment: map[string]string{"exec.kind": "cli"}, Config: []byte(`{"p:k":"v"}`),
			Result: backend.ResultSucceeded, ResourceChanges: map[string]int{"same": i + 1},
		}
		must(t, b.History.Add(ctx, lock, backend.HistoryEntry{Info: info, Checkpoint: []byte(`{}`)}))
		want = append([]backend.UpdateInfo{info}, want...)
	}
	pages := map[backend.Page][]backend.UpdateInfo{
		{}:                   want,
		{Size: 2, Number: 1}: want[:2],
		{Size: 2, Number: 2}: want[2:],
		{Size: 2, Number: 3}: {},
		{Size: 2}:            want[:2],
	}
	for page, want := range pages {
		got, err := open(t).History.List(ctx, ref("s"), page)
		must(t, err)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("page %+v (-want +got):\n%s", page, diff)
		}
	}
}
