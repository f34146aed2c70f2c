package operation

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/cli/exit"
	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/engine"
	"github.com/cairn-iac/cairn/internal/project"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// flags of all operations; each command registers the ones it has.
type flags struct {
	stack, configFile, message string
	config                     []string
	configPath                 bool

	yes, skipPreview, previewOnly, expectNoChanges  bool
	parallel                                        int
	continueOnError                                 bool
	refresh                                         string
	targets, excludes, replace, targetReplace       []string
	targetDependents, excludeDependents, runProgram bool
	waitForLock                                     time.Duration

	diff, json                              bool
	output, eventLog                        string
	showConfig, showSames, showReads        bool
	showReplacementSteps, showSecrets       bool
	showURNs                                bool
	suppressOutputs, suppressProgress       bool
	suppressPermalink                       string
	debug                                   bool
	remove, excludeProtected, ignoreProtect bool
	clearPendingCreates, skipPendingCreates bool
	importPendingCreates                    []string
	execKind, execAgent                     string
	importFile, guardMissing                string
	planFlags
}

func (o *flags) registerCommon(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&o.stack, "stack", "s", "", "the stack to work on; the selected one by default")
	f.StringVar(&o.configFile, "config-file", "", "use this file instead of Pulumi.<stack>.yaml")
	f.IntVarP(&o.parallel, "parallel", "p", 0, "how many resource operations run at once (default: PULUMI_PARALLEL, else 4 per CPU)")
	f.BoolVarP(&o.debug, "debug", "d", false, "show debug messages")
	f.DurationVar(&o.waitForLock, "wait-for-lock", 0, "wait this long for another update of the stack to end, as in 10m")
	f.BoolVar(&o.diff, "diff", false, "show what changes as a detailed diff")
	f.BoolVarP(&o.json, "json", "j", false, "write JSON instead of text")
	f.StringVar(&o.output, "output", "text", "text, or json for one line with the result; progress then goes to stderr")
	f.StringVar(&o.eventLog, "event-log", "", "write every engine event to this file, one JSON text per line")
	f.BoolVar(&o.showConfig, "show-config", false, "show the configuration first")
	f.BoolVar(&o.showSames, "show-sames", false, "show resources that do not change")
	f.BoolVar(&o.showReads, "show-reads", false, "show resources that are read")
	f.BoolVar(&o.showReplacementSteps, "show-replacement-steps", false, "show the steps that make up a replacement")
	f.BoolVar(&o.showSecrets, "show-secrets", false, "show secrets in plain text")
	f.BoolVar(&o.showURNs, "urns", false, "show URNs instead of types and names")
	f.BoolVar(&o.suppressOutputs, "suppress-outputs", false, "do not show stack outputs")
	f.BoolVar(&o.suppressProgress, "suppress-progress", false, "do not show that work is still going on")
	f.StringVar(&o.suppressPermalink, "suppress-permalink", "", "accepted for compatibility: a local backend has no permalinks")
	f.Lookup("suppress-permalink").NoOptDefVal = "true"
	f.BoolVar(&o.continueOnError, "continue-on-error", false, "go on with other resources after a failure")
	f.StringVar(&o.execKind, "exec-kind", "", "")
	f.StringVar(&o.execAgent, "exec-agent", "", "")
	_ = f.MarkHidden("exec-kind")  // set by the Automation API; recorded in the history
	_ = f.MarkHidden("exec-agent") // likewise
	for _, name := range []string{"policy-pack", "policy-pack-config", "attach-debugger", "client"} {
		f.StringArray(name, nil, "not available yet")
		_ = f.MarkHidden(name)
	}
	for _, name := range []string{"neo", "copilot", "remote"} {
		f.Bool(name, false, "not available yet")
		_ = f.MarkHidden(name)
	}
}

// registerRecorded registers what the operations on recorded resources have in common.
func (o *flags) registerRecorded(cmd *cobra.Command) {
	o.registerCommon(cmd)
	o.registerTargets(cmd)
	o.registerGuard(cmd)
}

func (o *flags) registerTargets(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVarP(&o.targets, "target", "t", nil, "work on this URN only; repeat it for more; * and ** are wildcards")
	f.StringArrayVarP(&o.excludes, "exclude", "x", nil, "leave this URN alone; repeat it for more; * and ** are wildcards")
	f.BoolVar(&o.targetDependents, "target-dependents", false, "also work on what depends on the targets")
	f.BoolVar(&o.excludeDependents, "exclude-dependents", false, "also leave alone what depends on the excludes")
}

func (o *flags) registerGuard(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.guardMissing, "guard-missing", "", "stop an unattended refresh that misses protected resources, or more than this\n"+
		"share of all (in percent, or off; default: cairn.guardMissing of Pulumi.yaml)")
	f.Lookup("guard-missing").NoOptDefVal = "20"
}

// guard is the share that may be missing, nil for any.
func (o *flags) guard() (*int, error) {
	switch o.guardMissing {
	case "", "off", "false":
		return nil, nil
	}
	share, err := strconv.Atoi(strings.TrimSuffix(o.guardMissing, "%"))
	if err != nil || share < 0 || share > 100 {
		return nil, fmt.Errorf("--guard-missing: %q is neither a share in percent, from 0 to 100, nor off", o.guardMissing)
	}
	return &share, nil
}

func (o *flags) registerIgnoreProtect(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.ignoreProtect, "ignore-protect", false, "delete and replace protected resources too; what is deleted does not come back")
}

func (o *flags) registerRunProgram(cmd *cobra.Command, what string) {
	cmd.Flags().BoolVar(&o.runProgram, "run-program", false, what+" (default: PULUMI_RUN_PROGRAM)")
}

func (o *flags) registerApplying(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVarP(&o.yes, "yes", "y", false, "do not ask before changing anything")
	short := "f"
	if f.ShorthandLookup(short) != nil {
		short = ""
	}
	f.BoolVarP(&o.skipPreview, "skip-preview", short, false, "do not show a preview first")
	f.StringVarP(&o.message, "message", "m", "", "a note for the update's history")
}

func (o *flags) registerProgram(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVarP(&o.config, "config", "c", nil, "set a configuration value (key=value) for this run and the stack")
	f.BoolVar(&o.configPath, "config-path", false, "keys of --config are paths")
	f.StringVarP(&o.refresh, "refresh", "r", "", "read the state of all resources first")
	f.Lookup("refresh").NoOptDefVal = "true"
	f.StringArrayVar(&o.replace, "replace", nil, "replace this URN; repeat it for more")
	f.StringArrayVar(&o.targetReplace, "target-replace", nil, "work on this URN only, and replace it")
	f.BoolVar(&o.expectNoChanges, "expect-no-changes", false, "fail with exit code 7 if anything would change or changed")
}

// refused names what the user asked for and this version cannot do yet.
func refused(cmd *cobra.Command) error {
	notYet := map[string]string{
		"policy-pack": "policy packs", "policy-pack-config": "policy packs", "attach-debugger": "attaching a debugger",
		"client": "inline programs of the Automation API", "neo": "Neo", "copilot": "Copilot", "remote": "remote deployments",
		"from": "converters", "generate-resources": "converters",
	}
	for name, what := range notYet {
		if fl := cmd.Flags().Lookup(name); fl != nil && fl.Changed && fl.Value.String() != "false" {
			return exit.With(exit.Failure, fmt.Errorf("--%s: %s: not available yet in this version", name, what))
		}
	}
	return nil
}

// options turns flags and environment into the engine's options.
func (o *flags) options(env factory.Environment) (engine.Options, error) {
	opts := engine.Options{
		Parallel: o.parallel, ContinueOnError: o.continueOnError || env.Truthy("PULUMI_CONTINUE_ON_ERROR"),
		Targets: append(append([]string(nil), o.targets...), o.targetReplace...), TargetDependents: o.targetDependents,
		Excludes: o.excludes, ExcludeDependents: o.excludeDependents, IgnoreProtect: o.ignoreProtect,
		Replace:     append(append([]string(nil), o.replace...), o.targetReplace...),
		ShowSecrets: o.showSecrets, ClearPendingCreates: o.clearPendingCreates, ByProgram: o.runsProgram(env),
	}
	if opts.Parallel <= 0 {
		opts.Parallel, _ = strconv.Atoi(env.Get("PULUMI_PARALLEL"))
	}
	if opts.Parallel <= 0 {
		opts.Parallel = 4 * runtime.GOMAXPROCS(0)
	}
	if o.refresh != "" {
		on, err := strconv.ParseBool(o.refresh)
		if err != nil {
			return opts, fmt.Errorf("--refresh: %q is neither true nor false", o.refresh)
		}
		opts.Refresh = on
	}
	if o.output != "text" && o.output != "json" {
		return opts, fmt.Errorf("--output: %q is neither text nor json", o.output)
	}
	var err error
	if opts.GuardMissing, err = o.guard(); err != nil {
		return opts, err
	}
	opts.AdoptPendingCreates, err = o.adopted()
	return opts, err
}

// adjust applies what the project says where flags say nothing. An import registers its own list and reads nothing else.
func (o *flags) adjust(opts *engine.Options, s spec, p *project.Project) {
	if s.kind == engine.Import {
		opts.ByProgram = false
		return
	}
	if p == nil {
		return
	}
	if p.RefreshAlways && o.refresh == "" && s.kind != engine.Refresh {
		opts.Refresh = true
	}
	if p.GuardMissing != nil && o.guardMissing == "" {
		opts.GuardMissing = p.GuardMissing
	}
}

// runsProgram says whether the program takes part where it usually does not.
func (o *flags) runsProgram(env factory.Environment) bool {
	return o.runProgram || env.Truthy("PULUMI_RUN_PROGRAM")
}

// adopted reads --import-pending-creates: URN,ID,URN,ID... in one or several values.
func (o *flags) adopted() (map[urn.URN]resource.ID, error) {
	var parts []string
	for _, v := range o.importPendingCreates {
		parts = append(parts, strings.Split(v, ",")...)
	}
	if len(parts)%2 != 0 {
		return nil, fmt.Errorf("--import-pending-creates takes pairs of URN and id: 'URN,ID'")
	}
	out := map[urn.URN]resource.ID{}
	for i := 0; i < len(parts); i += 2 {
		u, err := urn.Parse(parts[i])
		if err != nil {
			return nil, fmt.Errorf("--import-pending-creates: %w", err)
		}
		out[u] = resource.ID(parts[i+1])
	}
	return out, nil
}
