package diy

// gateState is what came of asking for the kernel's lock on a lock folder.
type gateState int

const (
	// gateOpen: we have it, so no other process of this machine holds the stack's lock through it.
	gateOpen gateState = iota
	// gateBusy: another process of this machine, or another lock of this process, has it.
	gateBusy
	// gateAbsent: the file system or system has no such locks.
	gateAbsent
)

// gate is a held kernel lock. The kernel takes it back when the process ends, however it ends.
type gate struct {
	state gateState
	close func() error
}

func (g gate) release() error {
	if g.close == nil {
		return nil
	}
	return g.close()
}
