package resource

// Op is one kind of step; its text is the one of the event protocol and of state files.
type Op string

// The operations, as the engine event protocol names them.
const (
	OpSame                 Op = "same"
	OpCreate               Op = "create"
	OpUpdate               Op = "update"
	OpDelete               Op = "delete"
	OpReplace              Op = "replace"
	OpCreateReplacement    Op = "create-replacement"
	OpDeleteReplaced       Op = "delete-replaced"
	OpRead                 Op = "read"
	OpReadReplacement      Op = "read-replacement"
	OpRefresh              Op = "refresh"
	OpDiscard              Op = "discard"
	OpDiscardReplaced      Op = "discard-replaced"
	OpRemovePendingReplace Op = "remove-pending-replace"
	OpImport               Op = "import"
	OpImportReplacement    Op = "import-replacement"
)

// PendingKind is the kind of an operation that was begun and not ended, as state files name it.
type PendingKind string

// The kinds of pending operation.
const (
	PendingCreating  PendingKind = "creating"
	PendingUpdating  PendingKind = "updating"
	PendingDeleting  PendingKind = "deleting"
	PendingReading   PendingKind = "reading"
	PendingImporting PendingKind = "importing"
)
