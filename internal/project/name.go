package project

import (
	"errors"
	"fmt"
	"strings"
)

const maxName = 100

// ValidateName says why a text cannot be a project's name.
func ValidateName(name string) error {
	switch {
	case name == "":
		return errors.New("project names may not be empty")
	case len(name) > maxName:
		return errors.New("project names are limited to 100 characters")
	case strings.IndexFunc(name, notInName) >= 0:
		return errors.New("project names may only contain alphanumerics, hyphens, underscores, and periods")
	case onlyDots(name):
		return errors.New("project names need more than periods")
	}
	return nil
}

// ValidateStackName says why a text cannot be a stack's name (without organization and project).
func ValidateStackName(name string) error {
	switch {
	case name == "":
		return errors.New("a stack name may not be empty")
	case len(name) > maxName:
		return errors.New("a stack name cannot exceed 100 characters")
	case onlyDots(name):
		return errors.New("a stack name needs more than periods")
	}
	for i, r := range name {
		if notInName(r) {
			return fmt.Errorf("a stack name may only contain alphanumeric, hyphens, underscores, or periods: "+
				"invalid character %q at position %d", r, i)
		}
	}
	return nil
}

func notInName(r rune) bool {
	isLetter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	return !isLetter && !(r >= '0' && r <= '9') && r != '-' && r != '_' && r != '.'
}

// onlyDots keeps names out that mean a folder: names become parts of paths.
func onlyDots(name string) bool { return strings.Trim(name, ".") == "" }
