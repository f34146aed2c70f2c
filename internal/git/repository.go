package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/blang/semver/v4"
)

// Latest is the newest version of a repository: its highest release tag, else its highest pre-release tag, else the
// commit of its default branch as 0.0.0-x<hash>.
func (c Client) Latest(ctx context.Context, repository string) (string, error) {
	out, err := c.run(ctx, command{remote: repository, args: []string{"ls-remote", "--", repository}})
	if err != nil {
		return "", err
	}
	var best *semver.Version
	head := ""
	for line := range strings.Lines(out) {
		hash, ref, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if ref == "HEAD" {
			head = hash
		}
		tag, isTag := strings.CutPrefix(ref, "refs/tags/")
		if !isTag || strings.HasSuffix(tag, "^{}") {
			continue
		}
		v, err := semver.ParseTolerant(tag)
		if err != nil {
			continue
		}
		if best == nil || later(v, *best) {
			best = &v
		}
	}
	switch {
	case best != nil && !best.EQ(semver.Version{}):
		return best.String(), nil
	case head != "":
		return CommitVersion(head), nil
	default:
		return "", fmt.Errorf("the repository %s has neither tags nor commits", Redact(repository))
	}
}

func later(a, b semver.Version) bool {
	if aPre, bPre := len(a.Pre) > 0, len(b.Pre) > 0; aPre != bPre {
		return bPre
	}
	return a.GT(b)
}

// CommitVersion is the semantic version that stands for a commit. The x is there because no part may start with 0.
func CommitVersion(hash string) string { return "0.0.0-x" + hash }

// CommitOf gives the commit that a version stands for.
func CommitOf(version string) (hash string, ok bool) {
	hash, ok = strings.CutPrefix(version, "0.0.0-x")
	return hash, ok && IsCommit(hash)
}

// IsCommit says whether text may be the hash of a commit, whole or cut.
func IsCommit(text string) bool { return regexp.MustCompile(`^[0-9a-fA-F]{4,64}$`).MatchString(text) }

// Checkout is what to get.
type Checkout struct {
	Repository string
	// Version is that of a tag, with or without "v", or of a commit (0.0.0-x<hash>); 0.0.0 is the default branch.
	Version string
	// Dir is an empty or absent folder, which gets the files without ".git".
	Dir string
}

// Get gets the files of a repository.
func (c Client) Get(ctx context.Context, o Checkout) error {
	var err error
	if hash, ok := CommitOf(o.Version); ok {
		err = c.commit(ctx, o, hash)
	} else {
		err = c.tag(ctx, o)
	}
	if err != nil {
		return err
	}
	return os.RemoveAll(filepath.Join(o.Dir, ".git"))
}

func (c Client) tag(ctx context.Context, o Checkout) error {
	clone := func(branch ...string) error {
		args := append([]string{"clone", "--quiet", "--depth=1"}, branch...)
		_, err := c.run(ctx, command{remote: o.Repository, args: append(args, "--", o.Repository, o.Dir)})
		return err
	}
	if o.Version == "0.0.0" {
		return clone()
	}
	if _, err := semver.Parse(o.Version); err != nil {
		return fmt.Errorf("version %q of a git repository is neither semantic nor a commit", o.Version)
	}
	err := clone("--branch=v" + o.Version)
	var failed *Error
	if errors.As(err, &failed) && strings.Contains(failed.Said, "not found in upstream") {
		if other := clone("--branch=" + o.Version); other != nil {
			return fmt.Errorf("there is no tag v%s or %s: %w", o.Version, o.Version, other)
		}
		return nil
	}
	return err
}

// commit gets a commit. Servers that hand out single commits by their whole hash spare us the history.
func (c Client) commit(ctx context.Context, o Checkout, hash string) error {
	if len(hash) == 40 || len(hash) == 64 {
		if err := c.single(ctx, o, hash); err == nil || ctx.Err() != nil {
			return err
		}
		if err := os.RemoveAll(o.Dir); err != nil {
			return err
		}
	}
	args := []string{"clone", "--quiet", "--no-checkout", "--", o.Repository, o.Dir}
	if _, err := c.run(ctx, command{remote: o.Repository, args: args}); err != nil {
		return err
	}
	_, err := c.run(ctx, command{dir: o.Dir, remote: o.Repository, args: []string{"checkout", "--quiet", "--detach", hash, "--"}})
	return err
}

func (c Client) single(ctx context.Context, o Checkout, hash string) error {
	format := map[bool]string{true: "sha256", false: "sha1"}[len(hash) == 64]
	if _, err := c.run(ctx, command{args: []string{"init", "--quiet", "--object-format=" + format, "--", o.Dir}}); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"fetch", "--quiet", "--depth=1", "--no-tags", "--", o.Repository, hash},
		{"checkout", "--quiet", "--detach", "FETCH_HEAD", "--"},
	} {
		if _, err := c.run(ctx, command{dir: o.Dir, remote: o.Repository, args: args}); err != nil {
			return err
		}
	}
	return nil
}
