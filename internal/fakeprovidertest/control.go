package fakeprovidertest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"

	"google.golang.org/grpc/codes"
)

// Control says how the provider misbehaves. The zero value is a provider without faults. It is read anew for every
// call, so that a test may change it while the provider runs.
type Control struct {
	// At start, before the port: print a line that is no port; print nothing and stay; print this text on stderr
	// and exit with code 1.
	GarbagePort bool   `json:"garbagePort,omitempty"`
	Hang        bool   `json:"hang,omitempty"`
	DieAtStart  string `json:"dieAtStart,omitempty"`

	// IgnoreInterrupt keeps the process alive on SIGINT and SIGTERM, which the log of calls then has as "Interrupt".
	IgnoreInterrupt bool `json:"ignoreInterrupt,omitempty"`
	// ExitWithParent ends the process when its parent is gone. Left off, an orphan stays: the engine must see to it.
	ExitWithParent bool `json:"exitWithParent,omitempty"`

	// ErrorAll fails every call, the handshake included, with this code.
	ErrorAll codes.Code `json:"errorAll,omitempty"`
	// SecretsBlind makes the provider refuse secret values in its handshake and Configure.
	SecretsBlind bool `json:"secretsBlind,omitempty"`
	// NoPreview makes the provider disclaim previews; it has no handshake then.
	NoPreview bool `json:"noPreview,omitempty"`
	// AcceptTokens are the values of the provider's token that Configure accepts; none means any, or no token.
	AcceptTokens []string `json:"acceptTokens,omitempty"`
	// Version overrides the version that the provider reports.
	Version string `json:"version,omitempty"`

	// Rules are faults of single calls. The first that matches a call decides alone.
	Rules []Rule `json:"rules,omitempty"`
}

// Moment is before or after a call's effect on the cloud.
type Moment string

// The moments of a fault; empty means no fault.
const (
	Before Moment = "before"
	After  Moment = "after"
)

// Rule is what happens to the calls that it matches.
type Rule struct {
	// Method is the short name of the RPC (Create, Diff); empty matches every one.
	Method string `json:"method,omitempty"`
	// Name is a pattern as in path.Match for the resource's name, or an Invoke's token; empty matches all.
	Name string `json:"name,omitempty"`
	// Calls are the numbers of the calls that match, counted from 1 over the whole ledger for each method and
	// name; empty matches all.
	Calls []int `json:"calls,omitempty"`
	// Preview makes the rule one for preview calls, which it otherwise leaves alone.
	Preview bool `json:"preview,omitempty"`

	// Sleep and SleepAfter are milliseconds before and after the effect. Cancel ends both at once; the call is
	// then refused as canceled when its effect was still to come. With IgnoreCancel they go on.
	Sleep        int  `json:"sleep,omitempty"`
	SleepAfter   int  `json:"sleepAfter,omitempty"`
	IgnoreCancel bool `json:"ignoreCancel,omitempty"`

	// Fail answers with an error of Code (Unknown when not set) and Message.
	Fail    Moment     `json:"fail,omitempty"`
	Code    codes.Code `json:"code,omitempty"`
	Message string     `json:"message,omitempty"`
	// Crash ends the process.
	Crash Moment `json:"crash,omitempty"`
	// InitError lets Create, Update and Read take effect and answer that initialisation failed for these reasons.
	InitError []string `json:"initError,omitempty"`

	// Missing makes Read answer that the thing is gone.
	Missing bool `json:"missing,omitempty"`
	// CheckFailures are property to reason, for Check and CheckConfig.
	CheckFailures map[string]string `json:"checkFailures,omitempty"`
	// ReplaceOn are further properties whose change means replacement, for Diff.
	ReplaceOn []string `json:"replaceOn,omitempty"`
	// DeleteBeforeReplace sets the flag of that name in Diff.
	DeleteBeforeReplace bool `json:"deleteBeforeReplace,omitempty"`
	// DiffUnknown makes Diff answer that it cannot tell.
	DiffUnknown bool `json:"diffUnknown,omitempty"`
	// AutoID makes Create choose an id without the resource's name; Read finds the thing by its fixed name.
	AutoID bool `json:"autoId,omitempty"`
}

// WriteFile replaces the control file at once; a provider that reads it sees the old one or the new one.
func (c Control) WriteFile(file string) error {
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	temporary, err := os.CreateTemp(filepath.Dir(file), ".control-*")
	if err != nil {
		return err
	}
	_, err = temporary.Write(text)
	if closeErr := temporary.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return os.Rename(temporary.Name(), file)
}

// readControl loads a control file. No path means no faults; a path must lead to a file without unknown keys, or a
// misspelt fault would never happen and its test would pass.
func readControl(file string) (Control, error) {
	var c Control
	if file == "" {
		return c, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return c, fmt.Errorf("read control file: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&c); err != nil {
		return c, fmt.Errorf("control file %s: %w", file, err)
	}
	for i, r := range c.Rules {
		if err := r.validate(); err != nil {
			return c, fmt.Errorf("control file %s: rules[%d]: %w", file, i, err)
		}
	}
	return c, nil
}

func (r Rule) validate() error {
	for _, m := range []Moment{r.Fail, r.Crash} {
		if m != "" && m != Before && m != After {
			return fmt.Errorf("%q is neither %q nor %q", m, Before, After)
		}
	}
	if _, err := path.Match(r.Name, ""); err != nil {
		return fmt.Errorf("name %q: %w", r.Name, err)
	}
	return nil
}

// ruleFor is the first rule that matches the call, or one without faults.
func (c Control) ruleFor(call Call) Rule {
	for _, r := range c.Rules {
		if r.matches(call) {
			return r
		}
	}
	return Rule{}
}

func (r Rule) matches(call Call) bool {
	if r.Method != "" && r.Method != call.Method {
		return false
	}
	if r.Name != "" {
		if ok, err := path.Match(r.Name, call.Name); err != nil || !ok {
			return false
		}
	}
	if len(r.Calls) > 0 && !slices.Contains(r.Calls, call.Number) {
		return false
	}
	return r.Preview == call.Preview
}
