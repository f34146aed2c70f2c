//go:build !linux

package pluginhost

import "os/exec"

// spawner starts processes.
type spawner struct{}

func (s *spawner) start(cmd *exec.Cmd) error { return cmd.Start() }

func (s *spawner) stop() {}
