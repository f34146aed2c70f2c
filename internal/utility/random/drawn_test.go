package random_test

import (
	"context"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/schema"
	"github.com/cairn-iac/cairn/internal/urn"
	"github.com/cairn-iac/cairn/internal/utility/random"
)

// create checks inputs and creates the resource; ok is false when the inputs are refused.
func create(t *rapid.T, kind string, in property.Map) (outputs property.Map, ok bool) {
	p := random.New(nil)
	checked, err := p.Check(context.Background(), plugin.CheckRequest{URN: urnOf(kind), News: in})
	if err != nil {
		t.Fatalf("Check: %v", err)
	}
	if len(checked.Failures) > 0 || checked.Inputs.ContainsUnknown() {
		return property.Map{}, false
	}
	made, err := p.Create(context.Background(), plugin.CreateRequest{URN: urnOf(kind), Inputs: checked.Inputs})
	if err != nil {
		t.Fatalf("Create %s %v: %v", kind, notationOf(in), err)
	}
	again, err := p.Diff(context.Background(), plugin.DiffRequest{URN: urnOf(kind), OldOutputs: made.Outputs, News: checked.Inputs})
	if err != nil || again.Changes != plugin.ChangesNone {
		t.Fatalf("the same inputs again: %v %v", again, err)
	}
	return made.Outputs, true
}

func TestTextKeepsItsPromises(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := map[string]property.Value{}
		count := func(name string, from, to int) float64 {
			n := float64(rapid.IntRange(from, to).Draw(t, name))
			in[name] = property.Number(n)
			return n
		}
		mins := map[string]float64{}
		for _, name := range []string{"minUpper", "minLower", "minNumeric", "minSpecial"} {
			mins[name] = count(name, 0, 4)
		}
		length := count("length", 1, 30)
		classes := map[string]bool{}
		for _, name := range []string{"upper", "lower", "numeric", "special"} {
			classes[name] = rapid.Bool().Draw(t, name)
			in[name] = property.Bool(classes[name])
		}
		specials := rapid.SampledFrom([]string{"", "/@", "°ß"}).Draw(t, "overrideSpecial")
		in["overrideSpecial"] = property.String(specials)
		if specials == "" {
			specials = "!@#$%&*()-_=+[]{}<>:?"
		}

		out, ok := create(t, "RandomString", property.MapOf(in))
		none := !classes["upper"] && !classes["lower"] && !classes["numeric"] && !classes["special"]
		sum := mins["minUpper"] + mins["minLower"] + mins["minNumeric"] + mins["minSpecial"]
		if ok != (!none && sum <= length) {
			t.Fatalf("accepted: %v", ok)
		}
		if !ok {
			return
		}
		text, _ := out.Get("result").AsString()
		if utf8.RuneCountInString(text) != int(length) {
			t.Errorf("%q has %d characters, want %v", text, utf8.RuneCountInString(text), length)
		}
		within := func(set string) (n float64) {
			for _, r := range text {
				if strings.ContainsRune(set, r) {
					n++
				}
			}
			return n
		}
		total := 0.0
		for _, c := range []struct{ class, min, set string }{
			{"upper", "minUpper", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}, {"lower", "minLower", "abcdefghijklmnopqrstuvwxyz"},
			{"numeric", "minNumeric", "0123456789"}, {"special", "minSpecial", specials},
		} {
			n := within(c.set)
			total += n
			if n < mins[c.min] || !classes[c.class] && n > mins[c.min] {
				t.Errorf("%q has %v of %s, minimum %v, in use: %v", text, n, c.set, mins[c.min], classes[c.class])
			}
		}
		if total != length {
			t.Errorf("%q has characters of no class", text)
		}
	})
}

func TestIntegerStaysInRange(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		low, high := rapid.Int64().Draw(t, "min"), rapid.Int64().Draw(t, "max")
		if low > high {
			low, high = high, low
		}
		in := map[string]property.Value{"min": quoted(low), "max": quoted(high)}
		if seed := rapid.String().Draw(t, "seed"); seed != "" {
			in["seed"] = property.String(seed)
		}
		out, ok := create(t, "RandomInteger", property.MapOf(in))
		if !ok {
			t.Fatal("refused")
		}
		id, _ := out.Get("id").AsString()
		n, err := strconv.ParseInt(id, 10, 64)
		if err != nil || n < low || n > high {
			t.Fatalf("%q is not from %d to %d", id, low, high)
		}
		if f, isNumber := out.Get("result").AsNumber(); isNumber != (float64(n) < 1<<63 && int64(float64(n)) == n) {
			t.Errorf("result of %d is the number %v: %v", n, f, isNumber)
		}
	})
}

func quoted(n int64) property.Value { return property.String(strconv.FormatInt(n, 10)) }

func TestShuffleRepeatsOnlyWhenItMust(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n, count := rapid.IntRange(0, 8).Draw(t, "inputs"), rapid.IntRange(0, 30).Draw(t, "resultCount")
		given := make([]property.Value, n)
		for i := range given {
			given[i] = property.String(strconv.Itoa(i))
		}
		out, _ := create(t, "RandomShuffle", property.MapOf(map[string]property.Value{
			"inputs": property.NewList(given...), "resultCount": property.Number(float64(count)),
		}))
		results, _ := out.Get("results").AsList()
		if n == 0 {
			count = 0
		}
		if results.Len() != count {
			t.Fatalf("%d results, want %d", results.Len(), count)
		}
		times := map[string]int{}
		for _, v := range results.All() {
			s, _ := v.AsString()
			times[s]++
		}
		for s, k := range times {
			if k < count/n || k > (count+n-1)/n {
				t.Errorf("%s comes %d times among %d of %d", s, k, count, n)
			}
		}
	})
}

// TestAnyInputIsAnsweredWithoutPanic puts values of any type where the provider wants others.
func TestAnyInputIsAnsweredWithoutPanic(t *testing.T) {
	t.Parallel()
	text, err := random.New(nil).Schema(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := schema.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	tokens := slices.Sorted(maps.Keys(pkg.Resources))
	rapid.Check(t, func(t *rapid.T) {
		token := urn.Type(rapid.SampledFrom(tokens).Draw(t, "type"))
		in := map[string]property.Value{}
		for _, name := range pkg.Resources[string(token)].InputNames() {
			if v := anyValue(t, name); !v.IsNull() {
				in[name] = v
			}
		}
		given := property.MapOf(in)
		create(t, token.Name(), given)
		// State and inputs that passed no check are errors at worst.
		p, ctx, u := random.New(nil), context.Background(), urnOf(token.Name())
		_, _ = p.Create(ctx, plugin.CreateRequest{URN: u, Inputs: given})
		_, _ = p.Diff(ctx, plugin.DiffRequest{URN: u, OldOutputs: given, News: given})
		_, _ = p.Read(ctx, plugin.ReadRequest{URN: u, State: given, Inputs: given})
		_, _ = p.Update(ctx, plugin.UpdateRequest{URN: u, OldOutputs: given, News: given})
	})
}

func anyValue(t *rapid.T, name string) property.Value {
	numbers := []float64{0, 1, -1, 2.5, 20, 1e9, 1e16, 1e300, math.Inf(1), math.NaN(), -1e18}
	texts := []string{"", "a", "5", "-3", "1e3", "1e400", "0x10", "9223372036854775807", "\xff"}
	switch rapid.IntRange(0, 12).Draw(t, "kind of "+name) {
	case 0, 1:
		return property.Number(rapid.SampledFrom(numbers).Draw(t, name))
	case 2:
		return property.String(rapid.SampledFrom(texts).Draw(t, name))
	case 3:
		return property.NewList(property.String("a"), property.Null(), property.Bool(true))
	case 4:
		return property.NewMap(map[string]property.Value{"a": property.Number(1), "b": property.Null()})
	case 5:
		return property.NewMap(map[string]property.Value{"a": property.NewList()})
	case 6:
		return property.Bool(true).MakeSecret()
	case 7:
		return property.Sealed("v1:x:y")
	case 8:
		return property.FromAsset(property.Asset{Source: property.SourceText, Location: "x"})
	case 9:
		return property.Unknown()
	default:
		return property.Null()
	}
}
