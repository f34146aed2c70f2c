package passphrase

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The variables that give a passphrase without asking.
const (
	EnvPassphrase     = "PULUMI_CONFIG_PASSPHRASE"
	EnvPassphraseFile = "PULUMI_CONFIG_PASSPHRASE_FILE"
)

// ErrNoPassphrase says that there is no passphrase and nobody to ask. Its text is one that scripts look for.
var ErrNoPassphrase = errors.New("passphrase must be set with " + EnvPassphrase + " or " + EnvPassphraseFile +
	" environment variables")

// Source says where passphrases come from: the first variable (which may be set and empty), the file the second one names,
// then the person at the terminal.
type Source struct {
	// Keys, where there are some, are shared with other keyrings of the process.
	Keys *Keys
	// Lookup reads the environment; nil is an empty one.
	Lookup func(name string) (value string, ok bool)
	// Dir is what a relative file name is relative to; empty means the working directory.
	Dir string
	// Ask shows a message and reads a passphrase without echo. Nil means that nobody can be asked.
	Ask func(ctx context.Context, message string) (string, error)
	// Complain tells the person that was asked why the question comes again. It may be nil.
	Complain func(message string)
}

// given is the passphrase of the environment, if there is one.
func (s Source) given() (passphrase string, ok bool, err error) {
	if s.Lookup == nil {
		return "", false, nil
	}
	if phrase, ok := s.Lookup(EnvPassphrase); ok {
		return phrase, true, nil
	}
	name, ok := s.Lookup(EnvPassphraseFile)
	if !ok || name == "" {
		return "", false, nil
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(s.Dir, name)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return "", false, fmt.Errorf("unable to read %s: %w", EnvPassphraseFile, err)
	}
	return strings.TrimSpace(string(data)), true, nil
}

func (s Source) complain(message string) {
	if s.Complain != nil {
		s.Complain(message)
	}
}

// unlockMessage is the question for an existing stack; stack may be empty.
func unlockMessage(stack string) string {
	message := "Enter your passphrase to unlock config/secrets"
	if stack != "" {
		message += " for stack " + stack
	}
	return message + "\n    (" + EnvPassphrase + " or " + EnvPassphraseFile + " answers this without asking)"
}
