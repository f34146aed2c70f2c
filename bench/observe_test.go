package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestMeasureSeesWhatAProcessCosts(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "out")
	u, err := measure(exec.Command("sh", "-c", "head -c 100000 /dev/zero > "+file))
	if err != nil {
		t.Fatal(err)
	}
	if u.wall <= 0 || u.peak < 1<<18 || u.tree < u.peak || u.written < 100_000 {
		t.Errorf("%+v", u)
	}
	if _, err := measure(exec.Command("sh", "-c", "echo why; exit 3")); err == nil {
		t.Error("a failure was not noticed")
	}
}

func TestChangedBytes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	read := func(name, resources string) stateFile {
		path := filepath.Join(dir, name)
		text := `{"version":3,"checkpoint":{"latest":{"resources":[` + resources + `]}}}`
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := readState(path)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	before := read("before", `{"urn":"a"},{"urn":"b","id":"1"},{"urn":"c"}`)
	after := read("after", `{"urn":"a"},{"urn":"b","id":"22"},{"urn":"d"}`)
	want := int64(len(`{"urn":"b","id":"22"}{"urn":"c"}{"urn":"d"}`))
	if got := changedBytes(before, after); got != want {
		t.Errorf("%d bytes, want %d", got, want)
	}
	if got := changedBytes(after, after); got != 0 {
		t.Errorf("nothing changed, %d bytes", got)
	}
}

func TestWatchJournalKeepsTheSizeOfARemovedFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "dev.journal")
	stop, seen := make(chan struct{}), make(chan int64)
	if err := os.WriteFile(path, []byte("1234567"), 0o600); err != nil {
		t.Fatal(err)
	}
	go func() { seen <- watchJournal(path, stop) }()
	close(stop)
	if size := <-seen; size != 7 {
		t.Errorf("%d bytes", size)
	}
}
