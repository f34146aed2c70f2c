package event

import (
	"time"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// Event is one of the types of this package.
type Event interface{ sealed() }

// Prelude comes first: the configuration of the run, secrets masked.
type Prelude struct{ Config map[string]string }

// Diagnostic is a message of the engine, a plugin or the program.
type Diagnostic struct {
	URN      urn.URN
	Severity diag.Severity
	// Message is plain text; it may span lines and end with a newline.
	Message string
	// StreamID groups the messages of one output stream; 0 is none.
	StreamID int32
	// Ephemeral messages are shown while work goes on and not kept.
	Ephemeral bool
	// Position is the place in the program the message is about, if known.
	Position diag.Position
}

// StepStarted tells that a step begins (resourcePreEvent of the protocol).
type StepStarted struct {
	Step Step
	// Planning is true in a preview.
	Planning bool
	At       time.Time
}

// StepDone tells that a step succeeded (resOutputsEvent of the protocol). Components and the stack get a second one
// of operation same or create when their outputs arrive.
type StepDone struct {
	Step     Step
	Planning bool
	At       time.Time
}

// StepFailed tells that a step failed (resOpFailedEvent of the protocol). The reason is a Diagnostic.
type StepFailed struct {
	Step     Step
	Planning bool
	At       time.Time
	// Unknown is true when the provider may have done the work all the same.
	Unknown bool
}

// Summary comes at the end of a phase.
type Summary struct {
	Preview bool
	// Changes counts resources per operation; default providers and other internal steps are not counted.
	Changes  map[resource.Op]int
	Duration time.Duration
	Result   Result
}

// Finished is the last event of a run (cancelEvent of the protocol).
type Finished struct{}

// Result is how a phase ended.
type Result string

// The results, as the protocol names them.
const (
	Succeeded Result = "succeeded"
	Failed    Result = "failed"
	Canceled  Result = "canceled"
)

func (Prelude) sealed()     {}
func (Diagnostic) sealed()  {}
func (StepStarted) sealed() {}
func (StepDone) sealed()    {}
func (StepFailed) sealed()  {}
func (Summary) sealed()     {}
func (Finished) sealed()    {}
