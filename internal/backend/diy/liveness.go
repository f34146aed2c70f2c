package diy

import (
	"fmt"
	"time"
)

// identity tells one process from all others, past ones included.
type identity struct {
	PID int `json:"pid"`
	// Boot is the kernel's boot id, Namespace the pid namespace, Started the start in clock ticks after boot.
	Boot      string `json:"boot,omitempty"`
	Namespace string `json:"pidNamespace,omitempty"`
	Started   string `json:"started,omitempty"`
}

// comparable says whether pids mean the same processes to both.
func (id identity) comparable(o identity) bool {
	return id.Boot != "" && id.Namespace != "" && id.Boot == o.Boot && id.Namespace == o.Namespace
}

// judge decides whether the holder of a lock is dead.
type judge struct {
	self identity
	// gate is the state of the kernel lock on the folder, as far as the judging process has it.
	gate gateState
	// clock gives the time by which files in the folder are stamped.
	clock func() time.Time
	// watched remembers how long a heartbeat has not changed.
	watched *watched
}

// verdict says why a lock's holder is dead; "" means that it must be taken for alive.
func (j judge) verdict(lock lockFile) string {
	l := lock.record.Cairn
	if l == nil {
		return "" // Nobody renews such a lock: only its owner or `cancel` may remove it.
	}
	if j.self.comparable(l.Process) {
		if processGone(l.Process) {
			return fmt.Sprintf("process %d is gone", l.Process.PID)
		}
		if j.gate != gateOpen || !l.Flock {
			return "" // It lives, however slowly.
		}
		// It lives but no longer has the kernel's lock: it failed to remove its file. The lease decides.
	}
	duration := time.Duration(l.Seconds * float64(time.Second))
	if duration <= 0 {
		return ""
	}
	if age := j.clock().Sub(lock.changed); age > duration {
		return fmt.Sprintf("its lease was last renewed %s ago", age.Round(time.Second))
	}
	if j.watched != nil && j.watched.unchanged(*l) > duration {
		return "its lease was not renewed while we waited"
	}
	return ""
}

// watched notices heartbeats that stand still. It needs no clock but our own, so that a file stamped in the future by
// a wrong clock does not block for ever.
type watched struct {
	seen map[string]sighting
}

type sighting struct {
	heartbeat int
	since     time.Time
}

func (w *watched) unchanged(l lease) time.Duration {
	s, ok := w.seen[l.Instance]
	if !ok || s.heartbeat != l.Heartbeat {
		w.seen[l.Instance] = sighting{heartbeat: l.Heartbeat, since: time.Now()}
		return 0
	}
	return time.Since(s.since)
}
