package upstreamtest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/upstreamtest"
)

func TestText(t *testing.T) {
	t.Parallel()
	var names upstreamtest.Names
	if err := names.Collect(upstreamtest.Read(t, "quick/06-export-secrets.stdout")); err != nil {
		t.Fatal(err)
	}
	names.Set("/tmp/elsewhere", "/project")
	for name, test := range map[string]struct{ text, want string }{
		"progress rows": {
			`Updating (dev):

 +  t:m:B b creating (0s) 
 +  t:m:A a creating (0s) 
@ updating.....
 +  t:m:A a created (0.02s) 
 ++ t:m:B b created replacement (12s) [diff: ~length]
Outputs:
    z: "amazingly-closing-manatee-expert-phoenix"
    a: "x"

Duration: 6s
`, `Updating (dev):

 +  t:m:A a creating (Ns) 
 +  t:m:A a created (Ns) 
 +  t:m:B b creating (Ns) 
 ++ t:m:B b created replacement (Ns) [diff: ~length]
Outputs:
    z: "<random:index/randomPet:RandomPet::second id>"
    a: "x"

Duration: Ns
`,
		},
		"diff blocks": {
			`  pulumi:pulumi:Stack: (same)
    [urn=urn:z]
    + t:m:B: (create)
        [urn=urn:b]
        length: 3
        + t:m:A: (create)
            [urn=urn:a]
            z: 1
    --outputs:--
    b: 1
    a: 2
`, `        + t:m:A: (create)
            [urn=urn:a]
            z: 1
    + t:m:B: (create)
        [urn=urn:b]
        length: 3
  pulumi:pulumi:Stack: (same)
    [urn=urn:z]
    --outputs:--
    b: 1
    a: 2
`,
		},
		"table": {
			"NAME  LAST UPDATE  RESOURCE COUNT\ndev*  now          10\n",
			"NAME  LAST UPDATE  RESOURCE COUNT\ndev*  <ago>  10\n",
		},
		"wider table": {
			"NAME  LAST UPDATE     RESOURCE COUNT\ndev*  12 seconds ago  10\n",
			"NAME  LAST UPDATE  RESOURCE COUNT\ndev*  <ago>  10\n",
		},
		"stack": {
			"    Last updated: now (2026-11-30 21:16:54.854166027 +0000 UTC)\n    Pulumi version used: v3.274.1\n",
			"    Last updated: <ago> (<time>)\n    Pulumi version used: <version>\n",
		},
		"lock": {
			"  file:///tmp/elsewhere/00000000-0000-4000-8000-000000000000.json: created by root@other (pid 1) at 2026-11-30T19:00:00Z\n",
			"  file:///project/<uuid>.json: created by <holder> at <time>\n",
		},
		"colours":        {"\x1b[31mError\x1b[0m: no", "Error: no"},
		"ciphertexts":    {"salt: v1:kEdiOV7tK08=:v1:v6:lU+RU7==\nsecure: v1:l8:js3K\n", "salt: <salt>\nsecure: <ciphertext>\n"},
		"quoted seconds": {"    said: \"waited 5 hours\"\n", "    said: \"waited 5 hours\"\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, upstreamtest.Rules{Names: &names}.Text(test.text)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Rows in another order, other seconds and more heartbeats are the same text; another row is not.
func TestTextOfAnotherRunIsEqual(t *testing.T) {
	t.Parallel()
	recorded := upstreamtest.ReadStep(t, "quick/15-destroy")
	if recorded.Code != 0 || !strings.HasPrefix(recorded.Command, "pulumi destroy") || recorded.Stderr != "" {
		t.Errorf("recorded step: %+v", recorded)
	}
	text := recorded.Stdout
	swapped := strings.Replace(text,
		" -  pair:index:Pair group deleting (0s) \n -  random:index:RandomPassword password deleting (0s) \n",
		" -  random:index:RandomPassword password deleting (3s) \n@ destroying....\n -  pair:index:Pair group deleting (0s) \n", 1)
	if swapped == text {
		t.Fatal("the rows are not in the recording")
	}
	rules := upstreamtest.Rules{}
	if diff := cmp.Diff(rules.Text(text), rules.Text(swapped)); diff != "" {
		t.Error(diff)
	}
	if rules.Text(text) == rules.Text(strings.Replace(text, "group deleting", "group deleted", 1)) {
		t.Error("another row is taken as equal")
	}
}

func TestLayout(t *testing.T) {
	t.Parallel()
	recorded := string(upstreamtest.Read(t, "quick/06.layout"))
	got := upstreamtest.Layout(recorded)
	for _, line := range []string{
		"f 644 ./.pulumi/backups/quick/dev/dev.<time 1>.json\n",
		"f 644 ./.pulumi/history/quick/dev/dev-<time 1>.checkpoint.json\n",
		"f 644 ./.pulumi/history/quick/dev/dev-<time 1>.history.json\n",
	} {
		if !strings.Contains(got, line) {
			t.Errorf("%q is missing in:\n%s", line, got)
		}
	}
	if strings.Contains(got, ".attrs") {
		t.Errorf("sidecars are left:\n%s", got)
	}
	other := strings.ReplaceAll(strings.ReplaceAll(recorded, "1796073361528255152", "1896073361528255152"), "f 644 ./.pulumi/meta.yaml.attrs\n", "")
	if diff := cmp.Diff(got, upstreamtest.Layout(other)); diff != "" {
		t.Error(diff)
	}
	if strings.Count(upstreamtest.Layout(string(upstreamtest.Read(t, "quick/15.layout"))), "<time 9>") != 3 {
		t.Error("nine updates are not numbered")
	}
}
