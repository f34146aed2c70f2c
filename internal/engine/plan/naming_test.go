package plan_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/cairn-iac/cairn/internal/engine/plan"
	"github.com/cairn-iac/cairn/internal/urn"
)

func scope() plan.NamingScope {
	return plan.NamingScope{
		Organization: "org", Project: "proj", Stack: "dev",
		Config: map[string]string{"proj:team": "blue", "aws:region": "eu", "proj:key": "hush"},
		Secret: func(key string) bool { return key == "proj:key" },
	}
}

func TestNaming(t *testing.T) {
	t.Parallel()
	const bucket, queue, other = "aws:s3/bucket:Bucket", "aws:sqs/queue:Queue", "fp:index:Thing"
	cases := map[string]struct {
		rules, of string
		want      string // mode and name; a regular expression
		fixed     bool
	}{
		"nothing said":          {`{}`, bucket, "", false},
		"default":               {`{"mode": "default"}`, bucket, "", false},
		"verbatim":              {`{"mode": "verbatim"}`, bucket, "enforce b", true},
		"disabled":              {`{"mode": "disabled"}`, bucket, "disable ", true},
		"pattern":               {`{"pattern": "${name}-${hex(6)}"}`, bucket, "propose b-[0-9a-f]{6}", false},
		"enforced":              {`{"pattern": "x${name}", "enforce": true}`, bucket, "enforce xb", true},
		"of the stack":          {`{"pattern": "${organization}.${project}.${stack}.${config.team}.${config.aws:region}"}`, bucket, "propose org.proj.dev.blue.eu", true},
		"no expression":         {`{"pattern": "$x-${name}-${"}`, bucket, `propose \$x-b-\$\{`, true},
		"made up":               {`{"pattern": "${alphanum(3)}|${string(4)}|${num(5)}|${uuid}"}`, bucket, `propose [a-z0-9]{3}\|[a-z]{4}\|\d{5}\|[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`, false},
		"of the package":        {`{"mode": "disabled", "providers": {"aws": {"mode": "verbatim"}}}`, bucket, "enforce b", true},
		"of another package":    {`{"mode": "disabled", "providers": {"aws": {"mode": "verbatim"}}}`, other, "disable ", true},
		"of the type":           {`{"providers": {"aws": {"mode": "verbatim", "resources": {"` + bucket + `": {"pattern": "p"}}}}}`, bucket, "propose p", true},
		"of another type":       {`{"providers": {"aws": {"mode": "verbatim", "resources": {"` + bucket + `": {"pattern": "p"}}}}}`, queue, "enforce b", true},
		"the type only":         {`{"mode": "verbatim", "providers": {"aws": {"resources": {"` + bucket + `": {"mode": "default"}}}}}`, bucket, "", false},
		"none of its package's": {`{"mode": "verbatim", "providers": {"aws": {"resources": {"` + bucket + `": {"mode": "default"}}}}}`, queue, "enforce b", true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rules, err := plan.ParseNaming(c.rules, scope())
			if err != nil {
				t.Fatal(err)
			}
			u := urn.New("dev", "proj", "", urn.Type(c.of), "b")
			got := rules.For(u, []byte("seed"))
			if got == nil {
				if c.want != "" {
					t.Errorf("no rule, want %s", c.want)
				}
				return
			}
			text := got.Mode + " " + got.ProposedName
			if !regexp.MustCompile("^"+c.want+"$").MatchString(text) || c.want == "" || got.Fixed != c.fixed {
				t.Errorf("%q, fixed %v; want %q, %v", text, got.Fixed, c.want, c.fixed)
			}
			if again := rules.For(u, []byte("seed")); *again != *got {
				t.Errorf("the same seed gives %+v and %+v", got, again)
			}
			if other := rules.For(u, []byte("another")); !got.Fixed && other.ProposedName == got.ProposedName {
				t.Errorf("another seed gives the same name %s", got.ProposedName)
			}
		})
	}
}

func TestNamingMistakes(t *testing.T) {
	t.Parallel()
	cases := map[string]string{
		`12`:                                   "must be an object",
		`{"modus": "verbatim"}`:                `unknown field "modus"`,
		`{"mode": "loud"}`:                     `pulumi:autonaming.mode: "loud" is none of`,
		`{"enforce": true}`:                    "pulumi:autonaming.enforce needs a pattern",
		`{"mode": "verbatim", "pattern": "x"}`: "has a mode and a pattern",
		`{"pattern": "${random(8)}"}`:          "${random(8)} is unknown",
		`{"pattern": "${hex(0)}"}`:             "from 1 to 255",
		`{"pattern": "${hex}"}`:                "${hex} is unknown",
		`{"pattern": "${hex(99999999)}"}`:      "from 1 to 255",
		`{"pattern": "${config.none}"}`:        `no configuration value "proj:none"`,
		`{"pattern": "${config.key}"}`:         "is secret",
		`{"providers": {"aws": {"resources": {"aws:s3/bucket:Bucket": {}}}}}`:                       "needs a mode or a pattern",
		`{"providers": {"aws": {"resources": {"gcp:storage/bucket:Bucket": {"mode": "default"}}}}}`: "no resource type of package aws",
	}
	for rules, want := range cases {
		if _, err := plan.ParseNaming(rules, scope()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", rules, err, want)
		} else if strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %v tells a secret", rules, err)
		}
	}
}
