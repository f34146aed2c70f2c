package backend

import "encoding/json"

// UpdateKind says what an update did; the texts are those of history files.
type UpdateKind string

// The kinds of update.
const (
	UpdateKindUpdate         UpdateKind = "update"
	UpdateKindPreview        UpdateKind = "preview"
	UpdateKindRefresh        UpdateKind = "refresh"
	UpdateKindRename         UpdateKind = "rename"
	UpdateKindDestroy        UpdateKind = "destroy"
	UpdateKindStackImport    UpdateKind = "import"
	UpdateKindResourceImport UpdateKind = "resource-import"
	// UpdateKindStateEdit names edits of a state in their journal; they leave no history.
	UpdateKindStateEdit UpdateKind = "state edit"
)

// UpdateResult says how an update ended; the texts are those of history files.
type UpdateResult string

// The results.
const (
	ResultInProgress UpdateResult = "in-progress"
	ResultSucceeded  UpdateResult = "succeeded"
	ResultFailed     UpdateResult = "failed"
)

// UpdateInfo is what history keeps about one update, in the shape that the Pulumi CLI reads and writes.
type UpdateInfo struct {
	Kind UpdateKind `json:"kind"`
	// StartTime and EndTime are in seconds since 1970.
	StartTime int64  `json:"startTime"`
	Message   string `json:"message"`
	// Environment tells who acted and where from: user, version control, CI system, flags.
	Environment map[string]string `json:"environment"`
	// Config is the stack's configuration as JSON, secrets encrypted.
	Config json.RawMessage `json:"config"`
	// Version is always 0 in a store without a service.
	Version int          `json:"version"`
	Result  UpdateResult `json:"result"`
	EndTime int64        `json:"endTime"`
	// ResourceChanges counts steps by the name of their operation.
	ResourceChanges map[string]int `json:"resourceChanges,omitempty"`
}
