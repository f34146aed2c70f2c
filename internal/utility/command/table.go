package command

// The types and functions the provider knows.
const (
	localCommand = "command:local:Command"
	localRun     = "command:local:run"
	loggingType  = "command:local:Logging"
)

// The names of properties that the code refers to.
const (
	propCommand      = "command"
	propCreate       = "create"
	propUpdate       = "update"
	propDelete       = "delete"
	propTriggers     = "triggers"
	propStdin        = "stdin"
	propLogging      = "logging"
	propInterpreter  = "interpreter"
	propDir          = "dir"
	propEnvironment  = "environment"
	propAssetPaths   = "assetPaths"
	propArchivePaths = "archivePaths"
	propPrevious     = "addPreviousOutputInEnv"
	propStdout       = "stdout"
	propStderr       = "stderr"
	propAssets       = "assets"
	propArchive      = "archive"
)

// kind is the type of a property.
type kind int

const (
	kindText kind = iota
	kindFlag
	kindTexts
	kindGlobs
	kindEnvironment
	kindAnything
	kindLogging
	kindAssets
	kindArchive
)

// field declares one property; checks and schema derive from it.
type field struct {
	name     string
	kind     kind
	required bool
	// replace marks a property whose appearance or disappearance as a whole replaces the resource.
	replace bool
	doc     string
}

// object is what a resource or function takes and, beyond that, gives back.
type object struct {
	inputs  []field
	results []field
}

func (o object) input(name string) (field, bool) {
	for _, f := range o.inputs {
		if f.name == name {
			return f, true
		}
	}
	return field{}, false
}

func (o object) inputNames() []string {
	names := make([]string, 0, len(o.inputs))
	for _, f := range o.inputs {
		names = append(names, f.name)
	}
	return names
}

func commandObject() object {
	return object{
		inputs: append([]field{
			{name: propTriggers, kind: kindAnything, replace: true,
				doc: "Values of any kind that make the command run again when they change."},
			{name: propCreate, kind: kindText,
				doc: "What to run when the resource is created, and on updates as long as there is no `update`."},
			{name: propUpdate, kind: kindText,
				doc: "What to run when an input changed. The output of the run before is in PULUMI_COMMAND_STDOUT and " +
					"PULUMI_COMMAND_STDERR."},
			{name: propDelete, kind: kindText,
				doc: "What to run when the resource is deleted. The output of the run before is in " +
					"PULUMI_COMMAND_STDOUT and PULUMI_COMMAND_STDERR."},
		}, processInputs()...),
		results: processResults(),
	}
}

func runObject() object {
	return object{
		inputs: append([]field{
			{name: propCommand, kind: kindText, required: true, doc: "What to run."},
		}, processInputs()...),
		results: processResults(),
	}
}

func processInputs() []field {
	const globs = " Patterns are matched in order against paths relative to the folder of the command, with / as " +
		"separator: * stays within a folder, ** does not, and a leading ! takes out what earlier patterns took in. " +
		"Only files count."
	return []field{
		{name: propStdin, kind: kindText, doc: "Text that the command can read from its standard input."},
		{name: propLogging, kind: kindLogging,
			doc: "Which output is shown while the command runs; both streams unless set. The outputs `stdout` and " +
				"`stderr` are kept in any case."},
		{name: propInterpreter, kind: kindTexts,
			doc: "Program and arguments that get the command as their last argument: `/bin/sh -c` unless set, " +
				"`cmd /C` on Windows."},
		{name: propDir, kind: kindText, doc: "The folder to run in: the program's own unless set. It has to exist."},
		{name: propEnvironment, kind: kindEnvironment, doc: "Environment variables to set for the command."},
		{name: propAssetPaths, kind: kindGlobs,
			doc: "Which files to give back in `assets` once the command is done." + globs},
		{name: propArchivePaths, kind: kindGlobs,
			doc: "Which files to give back as one `archive` once the command is done." + globs},
		{name: propPrevious, kind: kindFlag,
			doc: "Whether PULUMI_COMMAND_STDOUT and PULUMI_COMMAND_STDERR hold the output of the run before; true " +
				"unless set."},
	}
}

func processResults() []field {
	return []field{
		{name: propStdout, kind: kindText, required: true, doc: "What the command wrote to its standard output."},
		{name: propStderr, kind: kindText, required: true, doc: "What the command wrote to its standard error."},
		{name: propAssets, kind: kindAssets, doc: "The files that `assetPaths` found, by relative path."},
		{name: propArchive, kind: kindArchive, doc: "The files that `archivePaths` found, as an archive."},
	}
}

// The values of logging.
const (
	logNone   = "none"
	logStdout = "stdout"
	logStderr = "stderr"
	logBoth   = "stdoutAndStderr"
)

// mode is a value of logging and what it stands for.
type mode struct{ value, doc string }

func loggingModes() []mode {
	return []mode{
		{logStdout, "Show what the command writes to standard output only."},
		{logStderr, "Show what the command writes to standard error only."},
		{logBoth, "Show both streams."},
		{logNone, "Show nothing."},
	}
}
