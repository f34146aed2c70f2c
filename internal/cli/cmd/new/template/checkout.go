package template

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/cairn-iac/cairn/internal/git"
)

// checkout is what to get of a repository.
type checkout struct {
	location git.Location
	// dir is a folder that is not there yet.
	dir     string
	environ []string
}

// checkOut gets the files of a repository and gives the folder in it that was meant, "." for all of it. A path may start
// with tree/<branch, tag or commit>, as the web pages of repositories have it; the name of a branch may have slashes.
func checkOut(ctx context.Context, c checkout) (folder string, err error) {
	parts := strings.Split(c.location.Path, "/")
	if slices.Contains(parts, ".") || slices.Contains(parts, "..") {
		return "", errors.New("the address has a . or .. in its path; name the folder itself")
	}
	get := git.Checkout{Repository: c.location.URL, Version: "0.0.0", Dir: c.dir} // the default branch
	folder = c.location.Path
	if parts[0] == "tree" {
		var hash string
		if hash, folder, err = c.revision(ctx, parts[1:]); err != nil {
			return "", err
		}
		get.Version = git.CommitVersion(hash)
	}
	if folder == "" {
		folder = "."
	}
	return folder, git.Client{Environ: c.environ}.Get(ctx, get)
}

// revision finds the commit that the start of a path names, and the folder that the rest of it is.
func (c checkout) revision(ctx context.Context, parts []string) (hash, folder string, err error) {
	if len(parts) == 0 {
		return "", "", errors.New("the address ends with /tree; a branch, tag or commit must follow")
	}
	if regexp.MustCompile(`^[0-9a-fA-F]{40}$`).MatchString(parts[0]) {
		return strings.ToLower(parts[0]), strings.Join(parts[1:], "/"), nil
	}
	refs, err := c.refs(ctx)
	if err != nil {
		return "", "", err
	}
	for n := len(parts); n > 0; n-- {
		if hash := refs[strings.Join(parts[:n], "/")]; hash != "" {
			return hash, strings.Join(parts[n:], "/"), nil
		}
	}
	return "", "", fmt.Errorf("the repository has no branch or tag %s", parts[0])
}

// refs are the commits of branches and tags; of a branch and a tag of one name it is the branch's.
func (c checkout) refs(ctx context.Context) (map[string]string, error) {
	program, err := c.program()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, program, "-c", "protocol.ext.allow=never", "ls-remote", "--heads", "--tags", "--", c.location.URL)
	cmd.Env = append(slices.Clone(c.environ), "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
	var out, problem bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problem
	if err := cmd.Run(); err != nil {
		return nil, &git.Error{Repository: shownAddress(c.location.URL), Said: strings.TrimSpace(problem.String()), Err: err}
	}
	refs := map[string]string{}
	for _, kind := range []string{"refs/tags/", "refs/heads/"} {
		for line := range strings.Lines(out.String()) {
			hash, ref, _ := strings.Cut(strings.TrimSpace(line), "\t")
			// The second line of an annotated tag has its commit.
			if name, ok := strings.CutPrefix(strings.TrimSuffix(ref, "^{}"), kind); ok {
				refs[name] = hash
			}
		}
	}
	return refs, nil
}

// program finds git on the PATH of the environment that was handed in.
func (c checkout) program() (string, error) {
	for _, kv := range slices.Backward(c.environ) {
		list, ok := strings.CutPrefix(kv, "PATH=")
		if !ok {
			continue
		}
		for _, dir := range filepath.SplitList(list) {
			for _, name := range []string{"git", "git.exe"} {
				file := filepath.Join(dir, name)
				if info, err := os.Stat(file); filepath.IsAbs(dir) && err == nil && info.Mode().IsRegular() {
					return file, nil
				}
			}
		}
		break
	}
	return "", git.ErrNoGit
}
