package display

import (
	"io"
	"strings"

	"github.com/cairn-iac/cairn/internal/display/palette"
)

// Kind is what a run does.
type Kind string

// The kinds of run.
const (
	Update  Kind = "update"
	Refresh Kind = "refresh"
	Destroy Kind = "destroy"
	Import  Kind = "import"
)

// Phase names one phase of a run: what it does, whether only in preview, and to which stack.
type Phase struct {
	Kind    Kind
	Preview bool
	// Stack is the stack's name as it is shown.
	Stack string
	// Project names the root resource before it is known.
	Project string
}

// Label says what the phase does: "Previewing update", "Updating".
func (p Phase) Label() string {
	if p.Preview {
		return "Previewing " + string(p.Kind)
	}
	switch p.Kind {
	case Refresh:
		return "Refreshing"
	case Destroy:
		return "Destroying"
	case Import:
		return "Importing"
	case Update:
		return "Updating"
	default:
		return "Updating"
	}
}

// Headline is the line a text view begins with: "Updating (dev):".
func (p Phase) Headline() string { return p.Label() + " (" + p.Stack + "):" }

func (p Phase) heartbeat() string { return strings.ToLower(p.Label()) + "..." }

// rootName is the name the root resource has by default.
func (p Phase) rootName() string {
	return p.Project + "-" + p.Stack[strings.LastIndex(p.Stack, "/")+1:]
}

// Show selects what else is shown.
type Show struct {
	// Config lists the configuration first.
	Config bool
	// Sames shows resources and outputs that do not change.
	Sames bool
	// Reads shows resources that are read; otherwise only a note in the stack's row tells of them.
	Reads bool
	// ReplacementSteps shows the steps that make up a replacement in diffs and JSON.
	ReplacementSteps bool
	// Secrets shows what secrets hold. The producer of the events must have been told too.
	Secrets bool
	// URNs shows URNs instead of types and names.
	URNs bool
	// Debug shows debug messages.
	Debug bool
}

// Suppress selects what is not shown.
type Suppress struct {
	// Outputs hides the stack's outputs.
	Outputs bool
	// Progress keeps heartbeats away.
	Progress bool
	// FullOutput shortens long values.
	FullOutput bool
}

// Options are those of all views; a view ignores what it has no use for.
type Options struct {
	Phase    Phase
	Palette  palette.Palette
	Clock    Clock
	Show     Show
	Suppress Suppress
	// Emoji marks heartbeats with a star.
	Emoji bool
	// Diagnostics is where the diff view writes messages; nil means where it writes the rest.
	Diagnostics io.Writer
}
