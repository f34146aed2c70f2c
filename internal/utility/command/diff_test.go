package command_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/event"
)

func TestDiff(t *testing.T) {
	t.Parallel()
	type kinds map[string]event.DiffKind
	for name, c := range map[string]struct {
		olds, news string
		ignore     []string
		want       kinds
		replaces   []string
		changed    []string
	}{
		"same":                {olds: `{"create":"a"}`, news: `{"create":"a"}`},
		"create":              {olds: `{"create":"a"}`, news: `{"create":"b"}`, want: kinds{"create": event.DiffUpdate}, changed: []string{"create"}},
		"update is new":       {olds: `{"create":"a"}`, news: `{"create":"a","update":"b"}`, want: kinds{"update": event.DiffAdd}, changed: []string{"update"}},
		"delete goes":         {olds: `{"delete":"a"}`, news: `{}`, want: kinds{"delete": event.DiffDelete}, changed: []string{"delete"}},
		"within triggers":     {olds: `{"triggers":[1,2,{"a":1}]}`, news: `{"triggers":[1,3,{"a":2},4]}`, want: kinds{"triggers[1]": event.DiffUpdate, "triggers[2].a": event.DiffUpdate, "triggers[3]": event.DiffAdd}, changed: []string{"triggers"}},
		"fewer triggers":      {olds: `{"triggers":[1,2]}`, news: `{"triggers":[1]}`, want: kinds{"triggers[1]": event.DiffDelete}, changed: []string{"triggers"}},
		"triggers come":       {olds: `{}`, news: `{"triggers":[1]}`, want: kinds{"triggers": event.DiffAddReplace}, replaces: []string{"triggers"}, changed: []string{"triggers"}},
		"triggers go":         {olds: `{"triggers":[1]}`, news: `{}`, want: kinds{"triggers": event.DiffDeleteReplace}, replaces: []string{"triggers"}, changed: []string{"triggers"}},
		"unknown triggers":    {olds: `{"triggers":[1]}`, news: `{"triggers":"<unknown>"}`, want: kinds{"triggers": event.DiffUpdateReplace}, replaces: []string{"triggers"}, changed: []string{"triggers"}},
		"an unknown trigger":  {olds: `{"triggers":[1]}`, news: `{"triggers":["<unknown>"]}`, want: kinds{"triggers[0]": event.DiffUpdate}, changed: []string{"triggers"}},
		"variable":            {olds: `{"environment":{"A":"1","B":"1"}}`, news: `{"environment":{"B":"2","a.b":"3"}}`, want: kinds{"environment.A": event.DiffDelete, "environment.B": event.DiffUpdate, `environment["a.b"]`: event.DiffAdd}, changed: []string{"environment"}},
		"same secret":         {olds: `{"create":` + secret("x") + `}`, news: `{"create":` + secret("x") + `}`},
		"other secret":        {olds: `{"create":` + secret("x") + `}`, news: `{"create":` + secret("y") + `}`, want: kinds{"create": event.DiffUpdate}, changed: []string{"create"}},
		"becomes secret":      {olds: `{"environment":{"A":"1"}}`, news: `{"environment":{"A":` + secret("1") + `}}`, want: kinds{"environment.A": event.DiffUpdate}, changed: []string{"environment"}},
		"internal":            {olds: `{"create":"a"}`, news: `{"create":"a","version":"1","__x":1}`},
		"ignored":             {olds: `{"create":"a","dir":"x"}`, news: `{"create":"b","dir":"y"}`, ignore: []string{"create", "stdout", "update"}, want: kinds{"dir": event.DiffUpdate}, changed: []string{"dir"}},
		"null is no change":   {olds: `{"create":"a","update":null}`, news: `{"create":"a"}`},
		"several are ordered": {olds: `{}`, news: `{"update":"a","create":"b","dir":"c"}`, want: kinds{"update": event.DiffAdd, "create": event.DiffAdd, "dir": event.DiffAdd}, changed: []string{"create", "dir", "update"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, _ := start(t, nil)
			got, err := p.Diff(t.Context(), plugin.DiffRequest{
				URN: testURN, ID: "res12345678", OldInputs: props(t, c.olds), News: props(t, c.news),
				IgnoreChanges: c.ignore, Preview: true,
			})
			if err != nil {
				t.Fatal(err)
			}
			want := plugin.DiffResponse{
				Changes: plugin.ChangesNone, ReplaceKeys: c.replaces, ChangedKeys: c.changed,
				DetailedDiff: map[string]event.PropertyDiff{},
			}
			for path, kind := range c.want {
				want.Changes = plugin.ChangesSome
				want.DetailedDiff[path] = event.PropertyDiff{Kind: kind}
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}
