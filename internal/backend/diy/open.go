package diy

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/cairn-iac/cairn/internal/backend"
	"github.com/cairn-iac/cairn/internal/diag"
)

// metaVersion is the version of the layout in which stacks belong to projects.
const metaVersion = 1

// Options say where the store is and who uses it. The package reads no environment.
type Options struct {
	// URL is file://<path>, where the path may be relative to WorkDir or start with ~ for Home.
	URL     string
	Home    string
	WorkDir string
	// Username and Hostname are shown to others who find the store locked.
	Username string
	Hostname string
	// Version is this program's version; it goes into lock files.
	Version string
	// DisableBackups leaves out the files in backups/ (PULUMI_DIY_BACKEND_DISABLE_CHECKPOINT_BACKUPS).
	DisableBackups bool
	// NoLegacyWarning leaves out the warning about stray stacks of the legacy layout
	// (PULUMI_DIY_BACKEND_NO_LEGACY_WARNING).
	NoLegacyWarning bool
	// Timing is for tests; the zero value means the defaults.
	Timing Timing
}

// store implements all parts of a backend on one folder.
type store struct {
	layout
	options  Options
	address  address
	disk     disk
	writer   writer
	timing   Timing
	identity func() (identity, error)
	gate     func(dir string) (gate, error)
	now      func() time.Time
}

// Open opens the store in a folder, which must exist unless the URL says create_dir. A new store gets the layout with
// projects. It fails with backend.ErrLegacyLayout where stacks of the legacy layout are all there is.
func Open(ctx context.Context, opts Options) (*backend.Backend, error) {
	s, err := newStore(opts, osDisk{})
	if err != nil {
		return nil, err
	}
	notices, err := s.prepare(ctx)
	if err != nil {
		return nil, err
	}
	return s.backend(notices), nil
}

func newStore(opts Options, d disk) (*store, error) {
	addr, err := parseAddress(opts.URL, opts.Home, opts.WorkDir)
	if err != nil {
		return nil, err
	}
	return &store{
		layout:   layout{root: addr.root},
		options:  opts,
		address:  addr,
		disk:     d,
		writer:   writer{disk: d, random: randomHex},
		timing:   opts.Timing.withDefaults(),
		identity: ownIdentity,
		gate:     openGate,
		now:      time.Now,
	}, nil
}

func (s *store) backend(notices diag.Diagnostics) *backend.Backend {
	return &backend.Backend{
		URL:         s.options.URL,
		Stacks:      stacks{s},
		Locker:      locker{s},
		Checkpoints: checkpoints{s},
		Journals:    journals{s},
		History:     history{s},
		Notices:     notices,
	}
}

func randomHex() string {
	var raw [tempRandomBytes]byte
	// Read fills the slice or ends the program; it gives no errors.
	_, _ = rand.Read(raw[:])
	return hex.EncodeToString(raw[:])
}

// prepare checks the folder and its layout version and makes both where they may be made.
func (s *store) prepare(ctx context.Context) (diag.Diagnostics, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := s.prepareRoot(); err != nil {
		return nil, err
	}
	legacy, err := s.legacyStacks()
	if err != nil {
		return nil, err
	}
	version, found, err := s.readMeta()
	switch {
	case err != nil:
		return nil, err
	case !found && len(legacy) > 0, found && version == 0:
		return nil, &legacyError{root: s.root, stacks: legacy}
	case !found:
		return nil, s.writeMeta()
	case version > metaVersion:
		return nil, fmt.Errorf("state store unsupported: %s has version %d, and this program knows versions up to %d; "+
			"use a newer release", s.meta(), version, metaVersion)
	case version < 0:
		return nil, &backend.DamagedError{Location: s.meta(), Reason: fmt.Sprintf("version %d is no version", version),
			WayOut: "Restore the file from a backup; its usual contents are `version: 1`"}
	}
	if len(legacy) == 0 || s.options.NoLegacyWarning {
		return nil, nil
	}
	return diag.Diagnostics{{
		Severity: diag.Warning,
		Summary:  "Found legacy stack files in state store: " + strings.Join(legacy, ", "),
		Detail: "They belong to no project and are passed over. Move them with `pulumi state upgrade` of the Pulumi CLI " +
			"v3.274.1 or earlier, or set PULUMI_DIY_BACKEND_NO_LEGACY_WARNING=1 to hide this warning.",
	}}, nil
}

func (s *store) prepareRoot() error {
	info, err := os.Stat(s.root)
	if errors.Is(err, fs.ErrNotExist) && s.address.query.Get("create_dir") != "" {
		return explain(os.MkdirAll(s.root, dirMode))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("unable to open state directory %q: %w; make it first (mkdir -p %s)", s.options.URL, err, s.root)
	}
	if err != nil {
		return fmt.Errorf("unable to open state directory %q: %w", s.options.URL, explain(err))
	}
	if !info.IsDir() {
		return fmt.Errorf("unable to open state directory %q: %s is not a folder", s.options.URL, s.root)
	}
	return nil
}

// readMeta gives the layout version; found is false without a meta file.
func (s *store) readMeta() (version int, found bool, err error) {
	text, err := os.ReadFile(s.meta())
	if errors.Is(err, fs.ErrNotExist) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("read the version of the state store: %w", explain(err))
	}
	var meta struct {
		Version *int `yaml:"version"`
	}
	damaged := &backend.DamagedError{Location: s.meta(), WayOut: "Its usual contents are `version: 1`"}
	if err := yaml.Unmarshal(text, &meta); err != nil {
		damaged.Reason = err.Error()
		return 0, false, damaged
	}
	if meta.Version == nil {
		damaged.Reason = "it says no version"
		return 0, false, damaged
	}
	return *meta.Version, true, nil
}

func (s *store) writeMeta() error {
	text := fmt.Sprintf("version: %d\n", metaVersion)
	if err := s.writer.replace(s.meta(), "meta", []byte(text)); err != nil {
		return fmt.Errorf("make a new state store in %s: %w", s.root, err)
	}
	return nil
}

// legacyStacks lists the checkpoints that lie directly in the stacks folder, as the old layout had them.
func (s *store) legacyStacks() ([]string, error) {
	entries, err := readDir(s.stacksDir())
	if err != nil {
		return nil, fmt.Errorf("look for stacks of the legacy layout: %w", err)
	}
	var found []string
	for _, e := range entries {
		name := stackName(e.Name())
		if !e.IsDir() && (backend.StackRef{Project: "p", Name: name}).Validate() == nil {
			found = append(found, name)
		}
	}
	return found, nil
}

// readDir lists a folder without hidden files; a missing folder is empty.
func readDir(dir string) ([]fs.DirEntry, error) {
	all, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, explain(err)
	}
	entries := all[:0]
	for _, e := range all {
		if !hidden(e.Name()) {
			entries = append(entries, e)
		}
	}
	return entries, nil
}

// legacyError tells the way out of the legacy layout.
type legacyError struct {
	root   string
	stacks []string
}

func (e *legacyError) Error() string {
	return fmt.Sprintf("the state in %s has the legacy layout, in which stacks do not belong to projects (%s). "+
		"Upgrade it with `pulumi state upgrade` of the Pulumi CLI v3.274.1 or earlier "+
		"(with PULUMI_DIY_BACKEND_IGNORE_DEPRECATION_ERROR=1 set from v3.257 on), then use this program again. "+
		"Nothing was changed", e.root, strings.Join(e.stacks, ", "))
}

func (e *legacyError) Unwrap() error { return backend.ErrLegacyLayout }
