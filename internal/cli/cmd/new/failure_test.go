package newcmd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestErrors(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("ours/Pulumi.yaml", ours)
	w.write("node/Pulumi.yaml", "name: ${PROJECT}\nruntime: nodejs\n")
	w.write("broken/Pulumi.yaml", "name: ${PROJECT}\nruntime: yaml\nbackend: 7\n")
	w.write("empty/README.md", "")
	w.write("full/x", "")
	w.write("outside", "private")
	if err := os.Symlink(filepath.Join(w.root, "outside"), filepath.Join(w.root, "node/link")); err != nil {
		t.Fatal(err)
	}
	w.must("yaml", "--yes", "--dir", "../taken")
	long := strings.Repeat("x", 300)
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"yaml"}, []string{"non-interactive mode requires --yes flag"}},
		{[]string{"yaml", "--yes", "--name", "no/good"}, []string{"--name: 'no/good' is not a valid project name"}},
		{[]string{"yaml", "--yes", "--name", "Pulumi.x"}, []string{"must not be Pulumi"}},
		{[]string{"yaml", "--yes", "--name", "taken"}, []string{"already exists: taken", "--name"}},
		{[]string{"yaml", "--yes", "--name", "a", "--stack", "organization/b/dev"}, []string{"must be the same"}},
		{[]string{"yaml", "--yes", "--stack", "acme/a/dev"}, []string{"organization name must be 'organization'"}},
		{[]string{"yaml", "--yes", "--stack", "a b"}, []string{"invalid character"}},
		{[]string{"yaml", "--yes", "--description", long}, []string{"--description: a project description must be 256 characters or less"}},
		{[]string{"yaml", "--yes", "--dir", "../full"}, []string{"full is not empty", "--force", "--dir"}},
		{[]string{"yaml", "--yes", "--dir", "../outside"}, []string{"outside"}},
		{[]string{"yaml", "--yes", "--secrets-provider", "awskms://x"}, []string{`"awskms" is not available yet`}},
		{[]string{"yaml", "--yes", "-c", "=5"}, []string{"--config", "key=value"}},
		{[]string{"yaml", "--yes", "-c", "a:b:c:d=5"}, []string{"--config: could not parse a:b:c:d"}},
		{[]string{"yaml", "--yes", "--config-path", "-c", "list[=x"}, []string{"--config: invalid config key path"}},
		{[]string{"yam", "--yes"}, []string{"template 'yam' not found; did you mean 'yaml'?", "Templates at hand: command-yaml"}},
		{[]string{"../nosuch", "--yes"}, []string{"no such file"}},
		{[]string{"../outside", "--yes"}, []string{"is not a folder; a template is a folder with a Pulumi.yaml"}},
		{[]string{"../empty", "--yes"}, []string{"is no template"}},
		{[]string{"../broken", "--yes"}, []string{"broken/Pulumi.yaml:3:10: backend must be a mapping"}},
		{[]string{"../node", "--yes"}, []string{`runtime "nodejs", which is not available yet`, "--generate-only"}},
		{[]string{"../node", "--yes", "--generate-only"}, []string{"link", "escapes"}},
		{[]string{"yaml", "--yes", "--ai", "a shop"}, []string{"--ai", "not available yet"}},
		{[]string{"yaml", "--yes", "--remote-stack-config"}, []string{"--remote-stack-config", "not available yet"}},
		{[]string{"https://example.com/a/b.zip", "--yes"}, []string{".zip", "not available yet"}},
		{[]string{"https://example.com/a/b", "--yes", "--offline"}, []string{"--offline forbids the network", "pulumi new ./b"}},
	} {
		w.fails(c.args, c.want...)
	}
	offline := *w
	offline.env = append(offline.env, "PULUMI_OFFLINE=1")
	offline.fails([]string{"git@example.com:a/b", "--yes"}, "git@example.com:a/b cannot be used: PULUMI_OFFLINE")
	nobody := *w
	nobody.env = append(nobody.env, "PULUMI_BACKEND_URL=")
	nobody.fails([]string{"yaml", "--yes"}, "pulumi login --local")
	nobody.must("yaml", "--yes", "--generate-only", "--dir", "files")
}

// What goes wrong when files and stack are there already takes them back.
func TestNothingHalfMade(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("ours/Pulumi.yaml", ours)
	w.write("ours/deep/down/file", "new")
	locked := *w
	locked.env = append(locked.env[:3:3], locked.env[4:]...)
	locked.fails([]string{"../ours", "--yes", "--dir", "a/b/c"}, "passphrase must be set with PULUMI_CONFIG_PASSPHRASE")
	locked.env = append(locked.env, "PULUMI_CONFIG_PASSPHRASE_FILE=/nonexistent/file")
	locked.fails([]string{"../ours", "--yes", "--dir", "a/b/c"}, "/nonexistent/file")
	// A file of the project that was there is as before.
	w.write("work/Pulumi.yaml", "name: old\nruntime: yaml\n")
	w.write("work/deep/down/file", "old")
	w.write("work/Pulumi.dev.yaml", "encryptionsalt: v1:broken\n")
	w.fails([]string{"../ours", "--yes", "--force"}, "salt")
	// The configuration comes last: the stack goes again, too.
	w.write("work/Pulumi.dev.yaml", "config:\n  work:list: [1]\n")
	w.fails([]string{"../ours", "--yes", "--force", "--config-path", "-c", "list.a=1"}, "save the configuration: list.a")
}
