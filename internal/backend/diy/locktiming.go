package diy

import "time"

// Timing sets the pace of locks. Zero fields mean the defaults.
type Timing struct {
	// Lease is how long a lock holds without renewal where its holder's death cannot be seen otherwise.
	Lease time.Duration
	// Renew is how often a holder renews its lease, Watch how often it looks whether its lock is still there.
	Renew time.Duration
	Watch time.Duration
	// Poll is how often somebody who waits tries again.
	Poll time.Duration
	// Settle is how often simultaneous starters look at each other.
	Settle time.Duration
}

func (t Timing) withDefaults() Timing {
	set := func(d *time.Duration, v time.Duration) {
		if *d <= 0 {
			*d = v
		}
	}
	set(&t.Lease, 60*time.Second)
	set(&t.Renew, 15*time.Second)
	set(&t.Watch, time.Second)
	set(&t.Poll, 500*time.Millisecond)
	set(&t.Settle, 20*time.Millisecond)
	return t
}
