//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package diy

import (
	"errors"
	"os"
	"syscall"
)

// openGate asks for the kernel's lock on the folder itself, so that no extra file is needed.
func openGate(dir string) (gate, error) {
	for {
		d, err := os.Open(dir)
		if err != nil {
			return gate{}, err
		}
		state, err := flock(d)
		if err != nil || state != gateOpen {
			return gate{state: state}, errors.Join(err, d.Close())
		}
		// Somebody may have replaced the folder between the two calls; a lock on the old one is worth nothing.
		current, err := isCurrent(d, dir)
		if err != nil {
			return gate{}, errors.Join(err, d.Close())
		}
		if current {
			return gate{state: gateOpen, close: d.Close}, nil
		}
		if err := d.Close(); err != nil {
			return gate{}, err
		}
	}
}

func flock(d *os.File) (gateState, error) {
	for {
		err := syscall.Flock(int(d.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return gateOpen, nil
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return gateBusy, nil
		case errors.Is(err, syscall.ENOLCK), errors.Is(err, syscall.EBADF), errors.Is(err, syscall.EINVAL),
			errors.Is(err, errors.ErrUnsupported):
			// Network file systems: the lease has to do.
			return gateAbsent, nil
		default:
			return gateAbsent, &os.PathError{Op: "flock", Path: d.Name(), Err: err}
		}
	}
}

func isCurrent(d *os.File, dir string) (bool, error) {
	held, err := d.Stat()
	if err != nil {
		return false, err
	}
	now, err := os.Stat(dir)
	if err != nil {
		return false, err
	}
	return os.SameFile(held, now), nil
}
