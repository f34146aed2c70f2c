package git

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// Client runs git.
type Client struct {
	// Environ is the environment as NAME=value; tokens for hosts are found in it.
	Environ []string
}

// ErrNoGit tells that there is no git executable.
var ErrNoGit = errors.New("git was not found on $PATH; install it, or get what you need as an archive")

// command is one run of git.
type command struct {
	// dir is where it runs, "" for a place without a repository.
	dir string
	// remote is the repository it talks to; it decides about tokens.
	remote string
	args   []string
}

// run runs git and gives what it printed. A repository that refuses our token is asked again without it.
func (c Client) run(ctx context.Context, cmd command) (string, error) {
	exe, err := c.find()
	if err != nil {
		return "", err
	}
	auth := c.authorization(cmd.remote)
	out, err := c.start(ctx, exe, cmd, auth)
	if err != nil && auth != "" && ctx.Err() == nil {
		out, err = c.start(ctx, exe, cmd, "")
	}
	return out, err
}

func (c Client) start(ctx context.Context, exe string, cmd command, auth string) (string, error) {
	// No repository's hooks, no transports that run commands, no questions.
	args := append([]string{"-c", "core.hooksPath=" + os.DevNull, "-c", "protocol.ext.allow=never", "-c", "advice.detachedHead=false"}, cmd.args...)
	x := exec.CommandContext(ctx, exe, args...)
	x.Dir = cmd.dir
	x.Env = c.environ(cmd.remote, auth)
	var out, errs bytes.Buffer
	x.Stdout, x.Stderr = &out, &errs
	if err := x.Run(); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		said := strings.TrimSpace(errs.String())
		if u, perr := url.Parse(cmd.remote); perr == nil && u.User != nil {
			said = strings.ReplaceAll(said, u.User.String()+"@", "")
		}
		return "", &Error{Repository: Redact(cmd.remote), Said: said, Err: err}
	}
	return out.String(), nil
}

// Error is a failure of git.
type Error struct {
	Repository string
	// Said is what git printed.
	Said string
	Err  error
}

func (e *Error) Error() string {
	if e.Said == "" {
		return fmt.Sprintf("git failed for %s: %v", e.Repository, e.Err)
	}
	return fmt.Sprintf("git failed for %s: %s", e.Repository, e.Said)
}

func (e *Error) Unwrap() error { return e.Err }

func (c Client) find() (string, error) {
	name := "git"
	if runtime.GOOS == "windows" {
		name = "git.exe"
	}
	for _, dir := range filepath.SplitList(c.get("PATH")) {
		file := filepath.Join(dir, name)
		info, err := os.Stat(file)
		if filepath.IsAbs(dir) && err == nil && !info.IsDir() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0) {
			return file, nil
		}
	}
	return "", ErrNoGit
}

func (c Client) get(name string) string {
	value := ""
	for _, kv := range c.Environ {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			value = v
		}
	}
	return value
}

// environ is ours without what would point git to another repository. A header with a token goes this way, too: unlike
// arguments, other users cannot see it.
func (c Client) environ(remote, auth string) []string {
	var env []string
	for _, kv := range c.Environ {
		switch name, _, _ := strings.Cut(kv, "="); name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_NAMESPACE":
		default:
			env = append(env, kv)
		}
	}
	env = append(env, "GIT_TERMINAL_PROMPT=0", "GCM_INTERACTIVE=never", "LC_ALL=C")
	if auth == "" {
		return env
	}
	n, _ := strconv.Atoi(c.get("GIT_CONFIG_COUNT")) // not a number is none
	u, err := url.Parse(remote)
	if err != nil {
		return env
	}
	return append(env,
		fmt.Sprintf("GIT_CONFIG_KEY_%d=http.%s://%s/.extraHeader", n, u.Scheme, u.Host),
		fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", n, auth),
		fmt.Sprintf("GIT_CONFIG_COUNT=%d", n+1))
}

// authorization is the header for a host that the environment has a token for, as the Pulumi CLI finds them; "" when
// there is none or the address brings its own user.
func (c Client) authorization(remote string) string {
	u, err := url.Parse(remote)
	if err != nil || u.User != nil || u.Scheme != "https" && u.Scheme != "http" {
		return ""
	}
	user, password := "", ""
	for _, known := range []struct{ host, user, variable string }{
		{"github", "x-access-token", "GITHUB_TOKEN"},
		{"gitlab", "oauth2", "GITLAB_TOKEN"},
		{"dev.azure.com", "x-access-token", "AZURE_DEV_OPS_TOKEN"},
		{"visualstudio.com", "x-access-token", "AZURE_DEV_OPS_TOKEN"},
		{"bitbucket", "x-token-auth", "BITBUCKET_TOKEN"},
		{"", "x-access-token", "GENERIC_VCS_TOKEN"},
	} {
		if token := c.get(known.variable); password == "" && token != "" && strings.Contains(u.Host, known.host) {
			user, password = known.user, token
		}
	}
	if password == "" {
		user, password = c.get("GIT_USERNAME"), c.get("GIT_PASSWORD")
	}
	if user == "" && password == "" {
		return ""
	}
	return "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}
