// Package provenance says who acted and where from: the environment that the history records with every update. Names
// and values are those the Pulumi CLI writes; agents and users are told apart in addition.
//
// It refuses to record values that could be secret: of variables and flags only that they are set, or whether a switch
// is on. Entry point: [Collect].
package provenance

import (
	"context"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/cairn-iac/cairn/internal/release"
)

// Request is what is looked at.
type Request struct {
	// Lookup reads a variable; Names lists those that are set and start with a prefix.
	Lookup func(name string) (string, bool)
	Names  func(prefix string) []string
	// Dir is the project's folder, in whose repository the commit is looked up.
	Dir string
	// Flags maps the flags that were given to "true", "false" or "set".
	Flags map[string]string
	// Runtime is the project's language.
	Runtime  string
	ExecKind string
	// ExecAgent overrules the agent that the environment tells of.
	ExecAgent string
	Username  string
	// Planned says that the update is held to a plan.
	Planned bool
}

// Collect makes the history's environment. What cannot be found out is left out.
func Collect(ctx context.Context, r Request) map[string]string {
	env := map[string]string{
		"pulumi.version": release.Tag, "pulumi.os": runtime.GOOS, "pulumi.arch": runtime.GOARCH,
		"exec.kind": execKind(r.ExecKind), "updatePlan": strconv.FormatBool(r.Planned), "stack.environments": "[]",
	}
	if r.Runtime != "" {
		env["runtime.name"] = r.Runtime
	}
	for _, name := range r.Names("PULUMI_") {
		env["pulumi.env."+name] = variable(name, r.get(name))
	}
	for name, value := range r.Flags {
		env["pulumi.flag."+name] = value
	}
	r.repository(ctx, env)
	r.system(env)
	set(env, "exec.agent", r.agent())
	set(env, "cairn.user", r.Username)
	return env
}

func (r Request) get(name string) string {
	v, _ := r.Lookup(name)
	return v
}

func set(env map[string]string, key, value string) {
	if value != "" {
		env[key] = value
	}
}

func execKind(kind string) string {
	if kind == "auto.local" || kind == "auto.inline" {
		return kind
	}
	return "cli"
}

// variable tells of a switch whether it is on, of other variables only that they are set.
func variable(name, value string) string {
	if !isSwitch(strings.TrimPrefix(name, "PULUMI_")) {
		return "set"
	}
	return strconv.FormatBool(value == "1" || strings.EqualFold(value, "true"))
}

func isSwitch(name string) bool {
	for _, prefix := range []string{"DISABLE_", "SKIP_", "ENABLE_", "IGNORE_", "SUPPRESS_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	switch name {
	case "EXPERIMENTAL", "DEBUG_COMMANDS", "DEV", "AUTOMATION_API", "CONTINUE_ON_ERROR", "RUN_PROGRAM", "OFFLINE":
		return true
	}
	return false
}

// agent names the coding agent that the environment tells of.
func (r Request) agent() string {
	if r.ExecAgent != "" {
		return r.ExecAgent
	}
	if name := strings.ToLower(strings.TrimSpace(r.get("AI_AGENT"))); name != "" {
		return name
	}
	// Special forms come before the tools they are made of.
	known := []struct {
		name string
		vars []string
	}{
		{"cursor", []string{"CURSOR_TRACE_ID"}},
		{"cursor-cli", []string{"CURSOR_AGENT"}},
		{"gemini", []string{"GEMINI_CLI"}},
		{"codex", []string{"CODEX_SANDBOX", "CODEX_CI", "CODEX_THREAD_ID"}},
		{"antigravity", []string{"ANTIGRAVITY_AGENT"}},
		{"augment-cli", []string{"AUGMENT_AGENT"}},
		{"opencode", []string{"OPENCODE", "OPENCODE_CALLER", "OPENCODE_CLIENT"}},
		{"cowork", []string{"CLAUDE_CODE_IS_COWORK"}},
		{"claude", []string{"CLAUDECODE", "CLAUDE_CODE"}},
		{"replit", []string{"REPL_ID"}},
		{"github-copilot", []string{"COPILOT_MODEL", "COPILOT_ALLOW_ALL", "COPILOT_GITHUB_TOKEN"}},
		{"goose", []string{"GOOSE_PROVIDER"}},
	}
	for _, k := range known {
		for _, v := range k.vars {
			if r.get(v) != "" {
				return k.name
			}
		}
	}
	return ""
}

// repository records the commit of the project's git repository.
func (r Request) repository(ctx context.Context, env map[string]string) {
	git := func(args ...string) string {
		out, err := exec.CommandContext(ctx, "git", append([]string{"-C", r.Dir}, args...)...).Output()
		if err != nil {
			return "" // no git, or no repository
		}
		return strings.TrimSpace(string(out))
	}
	head := strings.Split(git("log", "-1", "--format=%H%n%cn%n%ce%n%an%n%ae"), "\n")
	if r.Dir == "" || len(head) != 5 {
		return
	}
	for i, key := range []string{"git.head", "git.committer", "git.committer.email", "git.author", "git.author.email"} {
		set(env, key, head[i])
	}
	set(env, "git.headName", git("symbolic-ref", "-q", "HEAD"))
	env["git.dirty"] = strconv.FormatBool(git("status", "--porcelain") != "")
	if top := git("rev-parse", "--show-toplevel"); top != "" {
		if rel, err := filepath.Rel(top, r.Dir); err == nil {
			set(env, "vcs.root", filepath.ToSlash(rel))
		}
	}
	remote(env, git("config", "--get", "remote.origin.url"))
}

// remote records owner, name and host of a repository by its URL, which may carry credentials that are left out.
func remote(env map[string]string, url string) {
	rest := strings.TrimSuffix(url, ".git")
	if _, after, ok := strings.Cut(rest, "://"); ok {
		rest = after
	} else {
		rest = strings.Replace(rest, ":", "/", 1)
	}
	if at := strings.LastIndex(rest, "@"); at >= 0 {
		rest = rest[at+1:]
	}
	parts := strings.Split(rest, "/")
	if len(parts) < 3 {
		return
	}
	set(env, "vcs.kind", parts[0])
	set(env, "vcs.owner", strings.Join(parts[1:len(parts)-1], "/"))
	set(env, "vcs.repo", parts[len(parts)-1])
}
