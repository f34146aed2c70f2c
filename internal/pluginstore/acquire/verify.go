package acquire

import (
	"context"
	"sync"

	"github.com/cairn-iac/cairn/internal/pluginstore"
	"github.com/cairn-iac/cairn/internal/pluginstore/lockfile"
)

// verdict is about one installed plugin; files are hashed once in the life of an Acquirer.
type verdict struct {
	once sync.Once
	err  error
}

// Verify compares the files of an installed plugin that is about to run with the lock file: a *lockfile.MismatchError if
// they are not what was recorded. Without a lock file everything may run.
func (a *Acquirer) Verify(_ context.Context, i pluginstore.Installed) error {
	a.mu.Lock()
	v := a.verified[i.Path]
	if v == nil {
		v = &verdict{}
		a.verified[i.Path] = v
	}
	a.mu.Unlock()
	v.once.Do(func() { v.err = a.verify(i) })
	return v.err
}

func (a *Acquirer) verify(i pluginstore.Installed) error {
	f, err := a.lockFile()
	if err != nil {
		return err
	}
	if !f.Exists && !(a.o.Locked && a.o.Lock != "") {
		return nil
	}
	p := pluginstore.Plugin{Kind: i.Kind, Name: i.Name, Version: i.Version}
	e, listed := f.Find(i.Kind, i.Name, i.Version)
	want := e.Hashes[pluginstore.Here()]
	if want.Files == "" {
		switch {
		case a.o.Locked:
			return &LockedError{Plugin: p, Lock: a.o.Lock}
		case listed:
			a.tellOnce("%s is in %s without a hash for %s; `pulumi install` adds it", p.Label(), a.o.Lock, pluginstore.Here())
		default:
			a.tellOnce("%s is not in %s; `pulumi install` adds it", p.Label(), a.o.Lock)
		}
		return nil
	}
	has, err := a.o.Store.HashInstalled(i, want.Files)
	if err != nil {
		return err
	}
	return want.Compare(lockfile.Hashes{Files: has}, lockfile.MismatchError{
		Plugin: p, Where: i.Path, Says: a.o.Lock, Changed: a.o.Store.Changed(i),
	})
}
