package display

import (
	"errors"
	"time"

	"github.com/cairn-iac/cairn/internal/event"
)

// View shows a run. Handle is called by one goroutine, in the order of the events. Close ends the view and tells
// whether everything could be written; a view that never saw event.Finished shows what it has by then.
type View interface {
	Handle(event.Event)
	Close() error
}

// Clock tells time. Now is needed; without Ticker a view that writes heartbeats writes none.
type Clock struct {
	Now func() time.Time
	// Ticker gives a channel of ticks at the interval and a function that ends them.
	Ticker func(interval time.Duration) (ticks <-chan time.Time, stop func())
}

// SystemClock is the clock of the machine.
func SystemClock() Clock {
	return Clock{
		Now: time.Now,
		Ticker: func(interval time.Duration) (<-chan time.Time, func()) {
			t := time.NewTicker(interval)
			return t.C, t.Stop
		},
	}
}

// stamp is the number and time of an event in event logs.
type stamp struct {
	sequence int
	at       time.Time
}

// stamped views write the stamps of events; views that are shown side by side must agree on them.
type stamped interface {
	handleStamped(event.Event, stamp)
}

// Tee shows a run in several views at once. Views that number and date events get the same numbers and times.
func Tee(clock Clock, views ...View) View {
	return &tee{clock: clock, views: views}
}

type tee struct {
	clock Clock
	views []View
	next  int
}

func (t *tee) Handle(e event.Event) {
	s := stamp{sequence: t.next, at: t.clock.Now()}
	t.next++
	for _, v := range t.views {
		if sv, ok := v.(stamped); ok {
			sv.handleStamped(e, s)
		} else {
			v.Handle(e)
		}
	}
}

func (t *tee) Close() error {
	var errs []error
	for _, v := range t.views {
		errs = append(errs, v.Close())
	}
	return errors.Join(errs...)
}
