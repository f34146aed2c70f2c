package newcmd_test

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestGit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo := filepath.Join(w.root, "origin")
	w.git("init", "--quiet", "--initial-branch=trunk", repo)
	w.write("origin/Pulumi.yaml", "name: ${PROJECT}\nruntime: yaml\ndescription: whole\n")
	w.write("origin/sub/folder/Pulumi.yaml", "name: ${PROJECT}\nruntime: yaml\ndescription: part\n")
	w.git("-C", repo, "add", ".")
	w.git("-C", repo, "commit", "--quiet", "-m", "first")
	first := w.git("-C", repo, "rev-parse", "HEAD")
	w.git("-C", repo, "tag", "-a", "v1", "-m", "v1")
	w.git("-C", repo, "checkout", "--quiet", "-b", "feature/x")
	w.write("origin/sub/folder/Pulumi.yaml", "name: ${PROJECT}\nruntime: yaml\ndescription: branch\n")
	w.git("-C", repo, "commit", "--quiet", "-am", "second")
	w.git("-C", repo, "checkout", "--quiet", "trunk")
	// The address of a server, which git is told to look for on this machine.
	w.env = append(w.env, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url.file://"+repo+".insteadOf",
		"GIT_CONFIG_VALUE_0=https://git.example.com/owner/repo.git")
	const base = "https://git.example.com/owner/repo"
	for i, c := range []struct{ address, want string }{
		{base, "whole"}, {base + ".git", "whole"}, {base + "/sub/folder", "part"}, {base + ".git/sub/folder/", "part"},
		{base + "/tree/trunk", "whole"}, {base + "/tree/trunk/sub/folder", "part"}, {base + "/tree/v1/sub/folder", "part"},
		{base + "/tree/feature/x/sub/folder", "branch"}, {base + "/tree/" + first + "/sub/folder", "part"},
		{"file://" + repo, "whole"},
	} {
		dir := string(rune('a' + i))
		w.must(c.address, "--yes", "--dir", dir, "--generate-only")
		if got := w.read("work/" + dir + "/Pulumi.yaml"); !strings.Contains(got, "description: "+c.want+"\n") {
			t.Errorf("%s: got\n%s", c.address, got)
		}
	}
	w.fails([]string{base + "/tree/nosuch/sub", "--yes", "--dir", "z"}, "the repository has no branch or tag nosuch")
	w.fails([]string{base + "/tree", "--yes", "--dir", "z"}, "a branch, tag or commit must follow")
	w.fails([]string{base + "/nosuch", "--yes", "--dir", "z"}, "the repository "+base+".git has no folder nosuch")
	w.fails([]string{base + "/sub/../..", "--yes", "--dir", "z"}, "..")
	w.fails([]string{"https://user:canary@git.example.com:1/x", "--yes", "--dir", "z"}, "does not name a repository")
	w.env = append(w.env, "PULUMI_TEMPLATE_GIT_REPOSITORY="+base, "PULUMI_TEMPLATE_BRANCH=trunk")
	w.fails([]string{"nosuch", "--yes", "--dir", "z"}, "template 'nosuch' not found")
	w.must("sub", "--yes", "--dir", "named", "--generate-only")
	without := *w
	without.env = append(without.env, "PATH=/nonexistent")
	without.fails([]string{base, "--yes", "--dir", "z"}, "git was not found")
	without.fails([]string{base + "/tree/trunk", "--yes", "--dir", "z"}, "git was not found")
}
