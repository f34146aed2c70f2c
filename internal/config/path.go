package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Step is one step of a [Path]: into a mapping by Name, or into a list by Index.
type Step struct {
	Name    string
	Index   int
	IsIndex bool
}

func (s Step) String() string {
	switch {
	case s.IsIndex:
		return "[" + strconv.Itoa(s.Index) + "]"
	case s.Name == "" || strings.ContainsAny(s.Name, `."[]`) && !strings.HasSuffix(s.Name, `\`):
		return `["` + strings.ReplaceAll(s.Name, `"`, `\"`) + `"]`
	default:
		return s.Name
	}
}

// Path leads into a nested value.
type Path []Step

// String is the text [ParsePath] reads: `outer.inner`, `list[0].name`, `["with.dots"]`.
func (p Path) String() string {
	var b strings.Builder
	for i, step := range p {
		text := step.String()
		if i > 0 && !strings.HasPrefix(text, "[") {
			b.WriteByte('.')
		}
		b.WriteString(text)
	}
	return b.String()
}

// ParsePath reads `name`, `a.b`, `a["b.c"]`, `a[0].b` and their like. Text up to the next dot or bracket is a name, whatever
// is in it; in quotes only `\"` is an escape. Wildcards belong to resource options, not to configuration.
func ParsePath(text string) (Path, error) {
	if strings.HasPrefix(text, ".") {
		return nil, errors.New("expected property path to start with a name or index")
	}
	var path Path
	for rest := text; rest != ""; {
		var step Step
		var err error
		switch {
		case strings.HasPrefix(rest, `["`):
			step, rest, err = quotedStep(rest[2:])
		case rest[0] == '[':
			step, rest, err = indexStep(rest[1:])
		default:
			if rest[0] == '.' {
				rest = rest[1:]
				if rest == "" || rest[0] == '.' || rest[0] == '[' {
					return nil, errors.New("expected property name after '.'")
				}
			}
			end := strings.IndexAny(rest, ".[")
			if end < 0 {
				end = len(rest)
			}
			step, rest = Step{Name: rest[:end]}, rest[end:]
		}
		if err != nil {
			return nil, err
		}
		path = append(path, step)
	}
	return path, nil
}

func quotedStep(rest string) (Step, string, error) {
	var name strings.Builder
	for i := 0; i < len(rest); i++ {
		switch {
		case rest[i] == '"':
			if after, ok := strings.CutPrefix(rest[i+1:], "]"); ok {
				return Step{Name: name.String()}, after, nil
			}
			return Step{}, "", errors.New("missing closing bracket in property access")
		case strings.HasPrefix(rest[i:], `\"`):
			i++
			name.WriteByte('"')
		default:
			name.WriteByte(rest[i])
		}
	}
	return Step{}, "", errors.New("missing closing quote in property name")
}

func indexStep(rest string) (Step, string, error) {
	text, after, ok := strings.Cut(rest, "]")
	switch {
	case !ok:
		return Step{}, "", errors.New("missing closing bracket in array index")
	case text == "*":
		return Step{}, "", errors.New("a configuration path takes no wildcard; name one index")
	}
	index, err := strconv.Atoi(text)
	if err != nil {
		return Step{}, "", fmt.Errorf("invalid array index: %q is not a number; put a name in quotes: [\"%s\"]", text, text)
	}
	return Step{Index: index, IsIndex: true}, after, nil
}
