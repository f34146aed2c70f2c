package wire

import (
	"fmt"
	"time"

	"github.com/cairn-iac/cairn/internal/resource"
)

// TimeoutsMessage is any of the generated messages for the customTimeouts option: Go durations as text, "" for none.
type TimeoutsMessage interface {
	GetCreate() string
	GetUpdate() string
	GetDelete() string
}

// FromTimeouts decodes the customTimeouts option. The message may be nil.
func FromTimeouts(m TimeoutsMessage) (resource.Timeouts, error) {
	var t resource.Timeouts
	if m == nil {
		return t, nil
	}
	set := func(name, text string, to *time.Duration) error {
		if text == "" {
			return nil
		}
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 {
			return fmt.Errorf(`customTimeouts.%s: %q is not a duration; write it like "90s", "5m" or "1h30m"`, name, text)
		}
		*to = d
		return nil
	}
	if err := set("create", m.GetCreate(), &t.Create); err != nil {
		return resource.Timeouts{}, err
	}
	if err := set("update", m.GetUpdate(), &t.Update); err != nil {
		return resource.Timeouts{}, err
	}
	if err := set("delete", m.GetDelete(), &t.Delete); err != nil {
		return resource.Timeouts{}, err
	}
	// Not every message of the service knows a timeout for reads.
	if r, ok := m.(interface{ GetRead() string }); ok {
		if err := set("read", r.GetRead(), &t.Read); err != nil {
			return resource.Timeouts{}, err
		}
	}
	return t, nil
}

// ToDuration encodes one timeout; zero is "".
func ToDuration(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return d.String()
}

// ToSeconds encodes the timeout of a provider call; zero means none.
func ToSeconds(d time.Duration) float64 { return d.Seconds() }

// FromSeconds decodes the timeout of a provider call. What no duration can hold is no timeout.
func FromSeconds(s float64) time.Duration {
	const most = float64(1<<63-1) / float64(time.Second)
	if !(s > 0 && s < most) {
		return 0
	}
	return time.Duration(s * float64(time.Second))
}
