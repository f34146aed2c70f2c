package backend

import (
	"errors"
	"fmt"
	"strings"
)

// LocalOrganization is the only organization that local and object-store backends know.
const LocalOrganization = "organization"

const maxNameLength = 100

// StackRef names one stack of a backend.
type StackRef struct {
	Project string
	Name    string
}

// ParseStackRef reads the forms stack, organization/stack and organization/project/stack. The project of the first
// two is currentProject; without one they are an error.
func ParseStackRef(s, currentProject string) (StackRef, error) {
	if s == "" {
		return StackRef{}, errors.New("stack name must not be empty")
	}
	ref := StackRef{Project: currentProject}
	parts := strings.Split(s, "/")
	switch len(parts) {
	case 1:
		ref.Name = parts[0]
	case 2:
		ref.Name = parts[1]
	case 3:
		ref.Project, ref.Name = parts[1], parts[2]
	default:
		return StackRef{}, fmt.Errorf("stack reference %q has too many parts: "+
			"expected stack, organization/stack or organization/project/stack", s)
	}
	if len(parts) > 1 && parts[0] != LocalOrganization {
		return StackRef{}, fmt.Errorf("organization name must be '%s', not %q: "+
			"this backend has no other organizations", LocalOrganization, parts[0])
	}
	if len(parts) < 3 && currentProject == "" {
		return StackRef{}, errors.New("no Pulumi.yaml project file found; either run this command from a directory " +
			"containing a Pulumi project, or pass the fully qualified stack name (organization/project/stack); " +
			"`pulumi new` makes a project")
	}
	return ref, ref.Validate()
}

// Validate checks both names against the rules of the on-disk layout.
func (r StackRef) Validate() error {
	if err := validateName("project", r.Project); err != nil {
		return err
	}
	return validateName("stack", r.Name)
}

// IsZero says whether r names nothing.
func (r StackRef) IsZero() bool { return r == StackRef{} }

// String is the fully qualified form: organization/project/stack.
func (r StackRef) String() string {
	return LocalOrganization + "/" + r.Project + "/" + r.Name
}

// Display is the form for people: the bare name within the current project, else the fully qualified one.
func (r StackRef) Display(currentProject string) string {
	if r.Project == currentProject {
		return r.Name
	}
	return r.String()
}

func validateName(what, name string) error {
	switch {
	case name == "":
		return fmt.Errorf("a %s name may not be empty", what)
	case len(name) > maxNameLength:
		return fmt.Errorf("a %s name cannot exceed %d characters", what, maxNameLength)
	case name == "." || name == "..":
		// They pass the character rule but would leave the folder of the stack.
		return fmt.Errorf("%q cannot be a %s name", name, what)
	}
	for i := range len(name) {
		if !isNameByte(name[i]) {
			return fmt.Errorf("a %s name may only contain alphanumeric, hyphens, underscores, or periods: "+
				"invalid character %q at position %d", what, name[i], i)
		}
	}
	return nil
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.'
}
