package engine

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-iac/cairn/internal/property"
)

// shortestSecret is the length below which a secret text is not looked for in messages: masking every "1" or "no" would
// make them unreadable without hiding anything.
const shortestSecret = 4

// scrubber masks known secrets in messages of programs and providers, which the engine does not write itself.
type scrubber struct {
	mu    sync.Mutex
	known map[string]bool // what was learnt
	texts map[string]bool // what is looked for
	// lengths are those of the texts with the same first shortestSecret bytes, the longest first. With them a message is
	// searched in one pass, however many secrets there are.
	lengths map[string][]int
}

func newScrubber() *scrubber {
	return &scrubber{known: map[string]bool{}, texts: map[string]bool{}, lengths: map[string][]int{}}
}

// isEmpty says whether there is nothing to look for.
func (s *scrubber) isEmpty() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.texts) == 0
}

// learnMap notes every secret text within m.
func (s *scrubber) learnMap(m property.Map) {
	if m.ContainsSecret() {
		s.learn(property.FromMap(m))
	}
}

// learn notes every secret text within v, also as it looks in JSON and in base64.
func (s *scrubber) learn(v property.Value) {
	if v.Secret() {
		s.learnAll(v)
		return
	}
	if l, ok := v.AsList(); ok {
		for _, e := range l.All() {
			s.learn(e)
		}
	}
	if m, ok := v.AsMap(); ok {
		for _, e := range m.All() {
			s.learn(e)
		}
	}
}

// learnAll notes every text within a secret value.
func (s *scrubber) learnAll(v property.Value) {
	v.Transform(func(e property.Value) property.Value {
		if text, ok := e.AsString(); ok {
			s.add(text)
		}
		return e
	})
}

func (s *scrubber) add(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known[text] {
		return
	}
	s.known[text] = true
	for _, part := range append(strings.Split(text, "\n"), text) {
		part = strings.TrimSpace(part)
		if len(part) < shortestSecret || part == "true" || part == "false" || part == "null" || part == property.Mask {
			continue
		}
		s.addText(part)
		s.addText(base64.StdEncoding.EncodeToString([]byte(part)))
		if quoted, err := json.Marshal(part); err == nil {
			s.addText(string(quoted[1 : len(quoted)-1]))
		}
	}
}

func (s *scrubber) addText(text string) {
	if s.texts[text] {
		return
	}
	s.texts[text] = true
	prefix := text[:shortestSecret]
	longestFirst := func(a, b int) int { return cmp.Compare(b, a) }
	if at, found := slices.BinarySearchFunc(s.lengths[prefix], len(text), longestFirst); !found {
		s.lengths[prefix] = slices.Insert(s.lengths[prefix], at, len(text))
	}
}

// clean masks every known secret in message. Secrets that overlap become one mask.
func (s *scrubber) clean(message string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out strings.Builder
	done, from, end := 0, 0, 0 // message[from:end] is to be masked, what comes before done is written
	for i := 0; i+shortestSecret <= len(message); i++ {
		n := s.secretAt(message[i:])
		if n == 0 {
			continue
		}
		if i >= end {
			done = maskTo(&out, message, done, from, end)
			from = i
		}
		end = max(end, i+n)
	}
	done = maskTo(&out, message, done, from, end)
	return out.String() + message[done:]
}

// secretAt is the length of the longest known secret that text begins with.
func (s *scrubber) secretAt(text string) int {
	for _, n := range s.lengths[text[:shortestSecret]] {
		if n <= len(text) && s.texts[text[:n]] {
			return n
		}
	}
	return 0
}

// maskTo writes message up to end with a mask in place of what lies between from and end, and gives how far it came.
func maskTo(out *strings.Builder, message string, done, from, end int) int {
	if end <= done {
		return done
	}
	out.WriteString(message[done:from])
	out.WriteString(property.Mask)
	return end
}
