package command

import (
	"bytes"
	"strings"
	"sync"
)

// longestShown is the length in bytes after which a line is cut off when it is shown.
const longestShown = 16 << 10

// longestReported is how much of the output, counted from its end, goes into the error of a failed command.
const longestReported = 256 << 10

// transcript holds what both streams printed, in the order in which it arrived.
type transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (t *transcript) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.Write(p)
}

// tail gives the end of the output, masked before it is cut so that no part of a secret stays.
func (t *transcript) tail(mask *strings.Replacer) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.ToValidUTF8(mask.Replace(t.text.String()), "\uFFFD")
	if len(text) <= longestReported {
		return text
	}
	end := text[len(text)-longestReported:]
	if _, rest, ok := strings.Cut(end, "\n"); ok {
		end = rest
	}
	return "[the start of the output is left out]\n" + strings.ToValidUTF8(end, "")
}

// stream collects one stream and shows its lines as they become complete.
type stream struct {
	text    bytes.Buffer
	all     *transcript
	partial []byte
	// show is nil when lines are not shown.
	show func(line string)
}

func (s *stream) Write(p []byte) (int, error) {
	s.text.Write(p)
	if _, err := s.all.Write(p); err != nil {
		return 0, err
	}
	if s.show == nil {
		return len(p), nil
	}
	rest := p
	for {
		line, after, ok := bytes.Cut(rest, []byte("\n"))
		s.partial = append(s.partial, line...)
		if !ok {
			return len(p), nil
		}
		s.flush()
		rest = after
	}
}

// finish shows a last line that has no newline.
func (s *stream) finish() {
	if s.show != nil && len(s.partial) > 0 {
		s.flush()
	}
}

func (s *stream) flush() {
	s.show(strings.TrimSuffix(string(s.partial), "\r"))
	s.partial = s.partial[:0]
}

// value is the stream as an output: byte for byte, without one newline at the end.
func (s *stream) value() string { return strings.TrimSuffix(s.text.String(), "\n") }

// shown makes a line fit for a log.
func shown(line string, mask *strings.Replacer) string {
	line = strings.ToValidUTF8(mask.Replace(line), "\uFFFD")
	if len(line) <= longestShown {
		return line
	}
	return strings.ToValidUTF8(line[:longestShown], "") + "…"
}
