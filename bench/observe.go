package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// row is one measured run.
type row struct {
	tool  string
	phase phase
	size  int
	usage

	// journal is the size the journal reached; files the bytes of all files that are new or changed afterwards, a file
	// with several names once.
	journal, files int64
	// before and after are the sizes of the state file; changed the bytes of the resources in it that are new, gone or
	// different, each counted once.
	before, after, changed int64
}

// observe measures a run and what it leaves in the folder of the state.
func observe(c contender, dir string, p phase) (row, error) {
	folder, file := c.state(dir)
	r := row{tool: c.name(), phase: p}
	old, err := inventory(folder)
	if err != nil {
		return r, err
	}
	oldState, err := readState(file)
	if err != nil {
		return r, err
	}
	stop, seen := make(chan struct{}), make(chan int64)
	go func() { seen <- watchJournal(strings.TrimSuffix(file, ".json")+".journal", stop) }()
	r.usage, err = measure(c.command(dir, p))
	close(stop)
	r.journal = <-seen
	if err != nil {
		return r, err
	}
	now, err := inventory(folder)
	if err != nil {
		return r, err
	}
	for id, f := range now {
		if old[id] != f {
			r.files += f.size
		}
	}
	newState, err := readState(file)
	if err != nil {
		return r, err
	}
	r.before, r.after, r.changed = oldState.size, newState.size, changedBytes(oldState, newState)
	return r, nil
}

// fileState tells whether a file was changed.
type fileState struct {
	size    int64
	changed time.Time
}

// inventory lists the files below a folder by their inode.
func inventory(folder string) (map[uint64]fileState, error) {
	all := map[uint64]fileState{}
	err := filepath.WalkDir(folder, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		stat, ok := info.Sys().(*syscall.Stat_t)
		if !ok {
			return errors.New("this system does not number its files")
		}
		all[stat.Ino] = fileState{size: info.Size(), changed: info.ModTime()}
		return nil
	})
	return all, err
}

// watchJournal opens the journal as soon as it is there. An open file keeps its size when it is removed.
func watchJournal(path string, stop <-chan struct{}) int64 {
	ticker := time.NewTicker(3 * time.Millisecond)
	defer ticker.Stop()
	for {
		file, err := os.Open(path)
		if err == nil {
			defer file.Close()
			<-stop
			info, err := file.Stat()
			if err != nil {
				return 0
			}
			return info.Size()
		}
		select {
		case <-stop:
			return 0
		case <-ticker.C:
		}
	}
}

// stateFile is a state file and the text of each resource in it.
type stateFile struct {
	size      int64
	resources map[string]string
}

// readState reads a state file of Pulumi's; of another one only the size is known.
func readState(path string) (stateFile, error) {
	s := stateFile{resources: map[string]string{}}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	s.size = int64(len(text))
	var document struct {
		Checkpoint struct {
			Latest struct {
				Resources []json.RawMessage `json:"resources"`
			} `json:"latest"`
		} `json:"checkpoint"`
	}
	if err := json.Unmarshal(text, &document); err != nil {
		return s, fmt.Errorf("read %s: %w", path, err)
	}
	for _, resource := range document.Checkpoint.Latest.Resources {
		var named struct {
			URN string `json:"urn"`
		}
		if err := json.Unmarshal(resource, &named); err != nil {
			return s, fmt.Errorf("read %s: %w", path, err)
		}
		s.resources[named.URN] = string(resource)
	}
	return s, nil
}

// changedBytes sums up the resources that differ: by their new text, or by the old one where there is no new one.
func changedBytes(before, after stateFile) int64 {
	var n int
	for urn, text := range after.resources {
		if before.resources[urn] != text {
			n += len(text)
		}
	}
	for urn, text := range before.resources {
		if _, stays := after.resources[urn]; !stays {
			n += len(text)
		}
	}
	return int64(n)
}
