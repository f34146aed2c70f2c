package pluginhost

import (
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

// spawner starts processes that die with us. Linux ties them to the thread that started them, so one thread starts
// them all and lives as long as the host.
type spawner struct {
	mu   sync.Mutex
	work chan func()
	done bool
}

func (s *spawner) start(cmd *exec.Cmd) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done {
		return errClosed
	}
	if s.work == nil {
		s.work = make(chan func())
		go serve(s.work)
	}
	started := make(chan error, 1)
	s.work <- func() { started <- cmd.Start() }
	return <-started
}

// serve does not hand its thread back: it ends with the host, when no process is left.
func serve(work <-chan func()) {
	runtime.LockOSThread()
	for f := range work {
		f()
	}
}

func (s *spawner) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.work != nil && !s.done {
		close(s.work)
	}
	s.done = true
}

func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
