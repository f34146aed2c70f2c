package newcmd

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/cairn-iac/cairn/internal/cli/factory"
)

// asker puts questions to a person, or takes the suggested answers.
type asker struct {
	f   *factory.Factory
	yes bool
	// began is true once something was asked.
	began bool
}

// question is one of them. The suggested answer may be empty.
type question struct {
	label, suggested string
	secret           bool
	// check says why an answer cannot be taken; nil takes every one.
	check func(string) error
	// flag is how to give the answer on the command line, for those that are never asked.
	flag string
}

// value is the answer.
func (a *asker) value(ctx context.Context, q question) (string, error) {
	for {
		answer, err := a.once(ctx, q)
		if err != nil {
			return "", err
		}
		if q.check == nil {
			return answer, nil
		}
		problem := q.check(answer)
		switch {
		case problem == nil:
			return answer, nil
		case errors.As(problem, new(*refusal)):
			return "", problem
		case a.yes:
			return "", fmt.Errorf("'%s' cannot be the %s: %w\nGive another one with %s", answer, q.label, problem, q.flag)
		}
		a.f.Streams.Printf("'%s' cannot be taken: %s\n", answer, problem)
	}
}

// refusal is a problem that no other answer mends.
type refusal struct{ error }

func (r *refusal) Unwrap() error { return r.error }

func (a *asker) once(ctx context.Context, q question) (string, error) {
	if a.yes {
		return q.suggested, nil
	}
	a.begin()
	label := q.label
	shown := q.suggested
	if q.secret && shown != "" {
		shown = "[secret]"
	}
	if shown != "" {
		label += " (" + shown + ")"
	}
	answer, err := await(ctx, a.f, func() (string, error) {
		if q.secret {
			return a.f.Streams.AskSecret(ctx, label)
		}
		return a.f.Streams.Ask(label + ":")
	})
	switch {
	case errors.Is(err, io.EOF):
		return "", fmt.Errorf("there was no answer for %q; nothing was made", q.label)
	case err != nil:
		return "", err
	case answer == "":
		return q.suggested, nil
	}
	return answer, nil
}

// begin tells once how questions work.
func (a *asker) begin() {
	if !a.began {
		a.f.Streams.Printf("Enter takes the answer in parentheses, ^C stops; nothing is made before the last answer.\n\n")
		a.began = true
	}
}
