package engine

import (
	"encoding/base64"
	"encoding/json"
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
	texts map[string]bool
}

func newScrubber() *scrubber { return &scrubber{texts: map[string]bool{}} }

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
	if s.texts[text] {
		return
	}
	for _, part := range append(strings.Split(text, "\n"), text) {
		part = strings.TrimSpace(part)
		if len(part) < shortestSecret || part == "true" || part == "false" || part == "null" || part == property.Mask {
			continue
		}
		s.texts[part] = true
		s.texts[base64.StdEncoding.EncodeToString([]byte(part))] = true
		if quoted, err := json.Marshal(part); err == nil {
			s.texts[string(quoted[1:len(quoted)-1])] = true
		}
	}
}

// clean masks every known secret in message, longer ones first where they overlap.
func (s *scrubber) clean(message string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var hits []string
	for text := range s.texts {
		if strings.Contains(message, text) {
			hits = append(hits, text)
		}
	}
	for len(hits) > 0 {
		longest := 0
		for i, h := range hits {
			if len(h) > len(hits[longest]) || len(h) == len(hits[longest]) && h < hits[longest] {
				longest = i
			}
		}
		message = strings.ReplaceAll(message, hits[longest], property.Mask)
		hits = append(hits[:longest], hits[longest+1:]...)
	}
	return message
}
