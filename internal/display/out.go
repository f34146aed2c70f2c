package display

import (
	"io"
	"sync"
	"time"

	"github.com/cairn-iac/cairn/internal/display/palette"
)

// heartbeatInterval is how long nothing is written before a sign of life. Build servers stop jobs that stay silent for
// minutes; people do not want to scroll past a dot for every second.
const heartbeatInterval = 10 * time.Second

// tickInterval is how often the silence is measured.
const tickInterval = time.Second

// out is where a text view writes: whole lines, and in between dots as heartbeats ("@ updating....": one more dot for
// each interval of silence). The first error is kept and ends writing.
type out struct {
	mu  sync.Mutex
	w   io.Writer
	err error
	// dots is true while the last line is a row of dots that has not been ended.
	dots  bool
	last  time.Time
	clock Clock
	stop  func()
	ended chan struct{}
}

func newOut(w io.Writer, opts Options) *out {
	o := &out{w: w, clock: opts.Clock, last: opts.Clock.Now(), stop: func() {}}
	if opts.Suppress.Progress || opts.Clock.Ticker == nil {
		return o
	}
	sign := "@ "
	if opts.Emoji {
		sign = "✨ "
	}
	ticks, stopTicks := opts.Clock.Ticker(tickInterval)
	quit := make(chan struct{})
	o.ended = make(chan struct{})
	o.stop = sync.OnceFunc(func() {
		stopTicks()
		close(quit)
		<-o.ended
	})
	go o.beat(ticks, quit, heart{palette: opts.Palette, prefix: sign + opts.Phase.heartbeat()})
	return o
}

type heart struct {
	palette palette.Palette
	prefix  string
}

func (o *out) beat(ticks <-chan time.Time, quit <-chan struct{}, h heart) {
	defer close(o.ended)
	for {
		select {
		case <-quit:
			return
		case <-ticks:
			o.dot(h)
		}
	}
}

func (o *out) dot(h heart) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := o.clock.Now()
	if now.Sub(o.last) < heartbeatInterval {
		return
	}
	o.last = now
	text := "."
	if !o.dots {
		text = h.prefix + text
	}
	o.dots = true
	o.write(o.w, h.palette.Paint(palette.Warning, text))
}

// print writes text, which ends with a line break, after ending a row of dots.
func (o *out) print(text string) { o.printTo(o.w, text) }

// printTo is print to another stream. The row of dots ends all the same: both may be one terminal.
func (o *out) printTo(w io.Writer, text string) {
	if text == "" {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.endDots()
	o.last = o.clock.Now()
	o.write(w, text)
}

func (o *out) endDots() {
	if o.dots {
		o.dots = false
		o.write(o.w, "\n")
	}
}

func (o *out) write(w io.Writer, text string) {
	if o.err != nil {
		return
	}
	_, o.err = io.WriteString(w, text)
}

// close ends the heartbeat and an open row of dots.
func (o *out) close() error {
	o.stop()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.endDots()
	return o.err
}
