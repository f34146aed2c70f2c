// Package iostreams is the terminal as commands see it: streams, whether a person sits there, and questions to them.
// It refuses to look at the process: what it knows was given to it.
package iostreams

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/cairn-iac/cairn/internal/display"
)

// Streams are the streams of a command.
type Streams struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer
	// Interactive is true when a person can be asked.
	Interactive bool
	// OutIsTerminal is true when Out is a terminal.
	OutIsTerminal bool
	// ErrIsTerminal is true when Err is a terminal.
	ErrIsTerminal bool
	// Terminal is the one that Out is, if it is one.
	Terminal display.Terminal
	// ReadSecret reads a line without echo; nil when In cannot.
	ReadSecret func() (string, error)

	once  sync.Once
	lines *bufio.Reader

	mu       sync.Mutex
	diverted io.Writer
}

// ErrNotInteractive answers a question that nobody is there to answer.
var ErrNotInteractive = errors.New("input is not interactive")

// Printf writes to Out; a closed pipe is not an error of the command.
func (s *Streams) Printf(format string, args ...any) { _, _ = fmt.Fprintf(s.Out, format, args...) }

// Errorf writes to Err, or to where that is diverted.
func (s *Streams) Errorf(format string, args ...any) {
	s.mu.Lock()
	w := s.diverted
	s.mu.Unlock()
	if w == nil {
		w = s.Err
	}
	_, _ = fmt.Fprintf(w, format, args...)
}

// Divert makes Errorf write to w, until it is called with nil.
func (s *Streams) Divert(w io.Writer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.diverted = w
}

// ReadAll reads the rest of In, for values that are piped in.
func (s *Streams) ReadAll() (string, error) {
	data, err := io.ReadAll(s.buffered())
	return string(data), err
}

func (s *Streams) buffered() *bufio.Reader {
	s.once.Do(func() { s.lines = bufio.NewReader(s.In) })
	return s.lines
}

// Ask puts a question and reads one line.
func (s *Streams) Ask(question string) (string, error) {
	if !s.Interactive {
		return "", ErrNotInteractive
	}
	s.Printf("%s ", question)
	line, err := s.buffered().ReadString('\n')
	if err != nil && (line == "" || !errors.Is(err, io.EOF)) {
		return "", fmt.Errorf("read the answer: %w", err)
	}
	return strings.TrimSpace(line), nil
}

// AskSecret puts a question and reads one line without showing it.
func (s *Streams) AskSecret(_ context.Context, question string) (string, error) {
	if !s.Interactive || s.ReadSecret == nil {
		return "", ErrNotInteractive
	}
	s.Errorf("%s: ", question)
	text, err := s.ReadSecret()
	s.Errorf("\n")
	return text, err
}

// Choose asks until the answer is one of the choices, or the start of exactly one, in any case. The first choice is the
// default.
func (s *Streams) Choose(question string, choices ...string) (string, error) {
	for {
		answer, err := s.Ask(fmt.Sprintf("%s [%s]:", question, strings.Join(choices, "/")))
		if err != nil {
			return "", err
		}
		if answer == "" {
			return choices[0], nil
		}
		var starts []string
		for _, c := range choices {
			if strings.EqualFold(c, answer) {
				return c, nil
			}
			if len(c) > len(answer) && strings.EqualFold(c[:len(answer)], answer) {
				starts = append(starts, c)
			}
		}
		if len(starts) == 1 {
			return starts[0], nil
		}
		s.Printf("Please answer with one of: %s\n", strings.Join(choices, ", "))
	}
}
