package pluginhost

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
)

// lineBytes is how much of a line is passed on at once; a longer one comes in parts.
const lineBytes = 64 << 10

// keptBytes is how much of what a plugin printed last is kept to explain its death.
const keptBytes = 64 << 10

// output is what a plugin prints on its two streams.
type output struct {
	mu   sync.Mutex
	kept []byte

	// port gets the first line of stdout, and is closed after it or when there is none.
	port chan string
	// drained is closed when both streams have ended.
	drained chan struct{}
}

// stream is where the lines of one stream go.
type stream struct {
	severity diag.Severity
	id       int32
}

// watch reads both streams until they end.
func (h *Host) watch(stdout, stderr io.Reader, hidden bool) *output {
	o := &output{port: make(chan string, 1), drained: make(chan struct{})}
	out, err := stream{diag.Info, h.streams.Add(1)}, stream{diag.InfoErr, h.streams.Add(1)}
	if hidden {
		out.severity, err.severity = diag.Debug, diag.Debug
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		first := true
		lines(stdout, func(text string, whole bool) {
			switch {
			case !first:
				h.pass(o, out, text)
				return
			case whole:
				o.port <- text
			default:
				// What ends or overflows before the first line does is no port, but it explains why there is none.
				o.keep(text)
			}
			first = false
			close(o.port)
		})
		if first {
			close(o.port)
		}
	})
	wg.Go(func() {
		lines(stderr, func(text string, _ bool) { h.pass(o, err, text) })
	})
	go func() {
		wg.Wait()
		close(o.drained)
	}()
	return o
}

// lines calls f for every line, with its newline; whole is false for a part of one.
func lines(r io.Reader, f func(text string, whole bool)) {
	b := bufio.NewReaderSize(r, lineBytes)
	for {
		text, err := b.ReadSlice('\n')
		if len(text) > 0 {
			f(string(text), err == nil)
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}

func (h *Host) pass(o *output, s stream, text string) {
	o.keep(text)
	if strings.TrimSpace(text) == "" {
		return
	}
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	h.log(plugin.Log{Severity: s.severity, Message: text, StreamID: s.id})
}

func (o *output) keep(text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.kept = append(o.kept, text...)
	if extra := len(o.kept) - keptBytes; extra > 0 {
		o.kept = append(o.kept[:0], o.kept[extra:]...)
	}
}

// tail is what was printed last: at most n lines.
func (o *output) tail(n int) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := strings.Split(strings.TrimRight(strings.ToValidUTF8(string(o.kept), "\uFFFD"), "\n"), "\n")
	return strings.Join(all[max(0, len(all)-n):], "\n")
}
