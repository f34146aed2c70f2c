package random_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/crypto/bcrypt"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/utility/random"
)

// TestPasswordHashAfterUpgrade: version 0 recorded no hash, version 1 a good one, version 2 perhaps that of another text.
func TestPasswordHashAfterUpgrade(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100)
	good := func(text string) string {
		h, err := bcrypt.GenerateFromPassword([]byte(text)[:min(len(text), 72)], bcrypt.MinCost)
		if err != nil {
			t.Fatal(err)
		}
		return string(h)
	}
	cases := map[string]struct {
		version    int
		text, hash string
		kept       bool
	}{
		"version 0":                    {0, "abc", "", false},
		"version 1":                    {1, "abc", good("abc"), true},
		"version 2, good hash":         {2, "abc", good("abc"), true},
		"version 2, other text's hash": {2, "abc", good("abd"), false},
		"version 2, no hash":           {2, "abc", "", false},
		"version 2, long text":         {2, long, good(long), true},
		"version 3":                    {3, "abc", good("abd"), true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			state := map[string]property.Value{
				"id": property.String("none"), "result": property.String(c.text).MakeSecret(),
				"__meta": property.String(fmt.Sprintf(`{"schema_version":"%d"}`, c.version)),
			}
			if c.hash != "" {
				state["bcryptHash"] = property.String(c.hash).MakeSecret()
			}
			got, err := random.New(nil).Read(context.Background(), plugin.ReadRequest{
				URN: urnOf("RandomPassword"), ID: "none", State: property.MapOf(state),
			})
			if err != nil {
				t.Fatal(err)
			}
			hash, _ := got.Outputs.Get("bcryptHash").AsString()
			if (hash == c.hash) != c.kept {
				t.Errorf("hash kept: %v, want %v", hash == c.hash, c.kept)
			}
			if c.version < 3 && bcrypt.CompareHashAndPassword([]byte(hash), []byte(c.text)[:min(len(c.text), 72)]) != nil {
				t.Error("the hash is not that of the text")
			}
		})
	}
}

func TestStateThatCannotBeRead(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ state, want string }{
		"newer version":    {`{"__meta": "{\"schema_version\":\"1\"}"}`, "recorded by a newer provider (schema version 1, this one knows 0)"},
		"no version":       {`{"__meta": "{\"schema_version\":\"one\"}"}`, `schema_version "one" is not a version number`},
		"no JSON":          {`{"__meta": "{"}`, "output __meta"},
		"wrong type":       {`{"id": "a", "length": [2]}`, "output length: expected a whole number, got a value of type list"},
		"too large number": {`{"id": "a", "length": 1e300}`, "output length: does not fit 64 bits"},
		"unknown":          {`{"id": "a", "length": {"$unknown": true}}`, "output length is unknown"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := random.New(nil).Diff(context.Background(), plugin.DiffRequest{
				URN: urnOf("RandomPet"), OldOutputs: inputs(t, c.state),
			})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
		})
	}
}

func TestImportErrorsNameTheForm(t *testing.T) {
	t.Parallel()
	cases := []struct{ kind, id, want string }{
		{"RandomPet", "a-b", "does not support import"},
		{"RandomShuffle", "-", "does not support import"},
		{"RandomId", "kQ8yoA==", "B64URL or PREFIX,B64URL"},
		{"RandomId", "", "B64URL or PREFIX,B64URL"},
		{"RandomInteger", "1,2", "RESULT,MIN,MAX or RESULT,MIN,MAX,SEED"},
		{"RandomInteger", "1,2,c", "max is not a whole number"},
		{"RandomBytes", "!", "base64"},
		{"RandomUuid", "aa", "not a UUID"},
		{"RandomUuid", "aabbccdd-eeff-0011-2233-44556677889g", "not a UUID"},
		{"RandomUuid", "aabbccddeeff00112233445566778899", "not a UUID"},
		{"RandomUuid4", "aa", "not a UUID"},
		{"RandomUuid7", "aa", "not a UUID"},
	}
	for _, c := range cases {
		t.Run(c.kind+" "+c.id, func(t *testing.T) {
			t.Parallel()
			_, err := random.New(nil).Read(context.Background(), plugin.ReadRequest{URN: urnOf(c.kind), ID: resource.ID(c.id)})
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), `import `+c.kind) {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
		})
	}
}

// TestLargeNumbersKeepTheirDigits follows numbers that a float64 cannot hold, or not for sure, from the program to state
// and back.
func TestLargeNumbersKeepTheirDigits(t *testing.T) {
	t.Parallel()
	cases := []struct{ max, recorded string }{
		{`"9007199254740993"`, `"9007199254740993"`},
		{`"9223372036854775807"`, `"9223372036854775807"`},
		{`"10000000000000000"`, `10000000000000000`},
	}
	for _, c := range cases {
		t.Run(c.max, func(t *testing.T) {
			t.Parallel()
			p, u, ctx := random.New(nil), urnOf("RandomInteger"), context.Background()
			in := inputs(t, `{"min": 0, "max": `+c.max+`}`)
			made, err := p.Create(ctx, plugin.CreateRequest{URN: u, Inputs: in})
			if err != nil {
				t.Fatal(err)
			}
			if want := inputs(t, `{"max": `+c.recorded+`}`).Get("max"); !made.Outputs.Get("max").Equal(want) {
				t.Errorf("recorded %v, want %v", toNotation(made.Outputs.Get("max")), c.recorded)
			}
			read, err := p.Read(ctx, plugin.ReadRequest{URN: u, ID: made.ID, Inputs: in, State: made.Outputs})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(notationOf(in), notationOf(*read.Inputs)); diff != "" {
				t.Errorf("inputs after a refresh (-want +got):\n%s", diff)
			}
			imported, err := p.Read(ctx, plugin.ReadRequest{URN: u, ID: resource.ID("5,0," + strings.Trim(c.max, `"`))})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(notationOf(in), notationOf(*imported.Inputs)); diff != "" {
				t.Errorf("imported inputs (-want +got):\n%s", diff)
			}
			for name, state := range map[string]property.Map{"made": made.Outputs, "imported": imported.Outputs} {
				d, err := p.Diff(ctx, plugin.DiffRequest{URN: u, OldOutputs: state, News: in})
				if err != nil || d.Changes != plugin.ChangesNone {
					t.Errorf("%s state: %+v %v", name, d, err)
				}
			}
		})
	}
}
