package newcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/cli/cmd/new/template"
	"github.com/cairn-iac/cairn/internal/workspace"
)

// first is the template that is suggested.
const first = "yaml"

// query is what the user and the environment say about where templates are.
func (o *options) query() template.Query {
	env := o.f.Env
	q := template.Query{
		Text: o.text, Dir: o.f.Dir, Installed: env.Get("PULUMI_TEMPLATE_PATH"), Environ: env,
		Repository: env.Get("PULUMI_TEMPLATE_GIT_REPOSITORY"), Branch: env.Get("PULUMI_TEMPLATE_BRANCH"),
	}
	if q.Installed == "" {
		if home, err := workspace.Locate(env.Lookup); err == nil {
			q.Installed = home.Path("templates")
		}
	}
	switch {
	case o.offline:
		q.Offline = "--offline forbids the network"
	case env.Truthy("PULUMI_OFFLINE"):
		q.Offline = "PULUMI_OFFLINE forbids the network"
	}
	return q
}

// choose takes the only template, or asks.
func (o *options) choose(ctx context.Context, ask *asker, found *template.Found) (*template.Template, error) {
	if o.text != "" && len(found.Templates) == 1 {
		t := found.Templates[0]
		if !isUsable(t) && !o.generateOnly {
			return nil, fmt.Errorf("the template %s is for the runtime %q, which is not available yet in this version; only yaml is. "+
				"To get its files anyway, pass --generate-only", t.Name, cmp.Or(t.Runtime, "(none)"))
		}
		return t, nil
	}
	usable := slices.DeleteFunc(slices.Clone(found.Templates), func(t *template.Template) bool { return !isUsable(t) })
	byName := map[string]*template.Template{}
	for _, t := range usable {
		byName[t.Name] = t
	}
	switch {
	case len(usable) == 0:
		return nil, errors.Join(fmt.Errorf("%s has no template for the yaml runtime, the only one that is available yet", o.text), found.Broken)
	case o.yes && o.text != "":
		return nil, fmt.Errorf("%s has several templates (%s); name the folder of one", o.text, strings.Join(names(usable), ", "))
	case o.yes:
		return byName[first], nil
	}
	o.f.Streams.Printf("Templates:\n")
	for i, row := range rows(usable) {
		o.f.Streams.Printf("  %2d. %s\n", i+1, row)
	}
	suggested := ""
	if byName[first] != nil {
		suggested = first
	}
	answer, err := ask.value(ctx, question{label: "Template", suggested: suggested, check: func(text string) error {
		if pick(usable, text) == nil {
			return errors.New("give its name or its number")
		}
		return nil
	}})
	if err != nil {
		return nil, err
	}
	return pick(usable, answer), nil
}

// pick finds a template by name or number.
func pick(from []*template.Template, answer string) *template.Template {
	for i, t := range from {
		if t.Name == answer || strconv.Itoa(i+1) == answer {
			return t
		}
	}
	return nil
}

func names(templates []*template.Template) []string {
	var out []string
	for _, t := range templates {
		out = append(out, t.Name)
	}
	return out
}

// rows are templates with their descriptions in a column.
func rows(templates []*template.Template) []string {
	width := 0
	for _, t := range templates {
		width = max(width, len(t.Name))
	}
	var out []string
	for _, t := range templates {
		out = append(out, strings.TrimRight(fmt.Sprintf("%-*s    %s", width, t.Name, t.Description), " "))
	}
	return out
}

// list prints the templates at hand.
func (o *options) list(ctx context.Context) error {
	q := o.query()
	if q.Text == "" {
		q.Repository = ""
	}
	found, err := template.Find(ctx, q)
	if err != nil {
		return err
	}
	o.f.Streams.Printf("Templates:\n")
	for _, row := range rows(found.Templates) {
		o.f.Streams.Printf("  %s\n", row)
	}
	if found.Broken != nil {
		o.f.Streams.Errorf("warning: some templates cannot be used:\n%s\n", found.Broken)
	}
	return found.Close()
}

// complete offers the names of templates to a shell, and leaves folders to it.
func (o *options) complete(ctx context.Context, typed string) ([]string, cobra.ShellCompDirective) {
	q := o.query()
	q.Text, q.Repository = "", ""
	found, err := template.Find(ctx, q)
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var out []string
	for _, t := range found.Templates {
		if strings.HasPrefix(t.Name, typed) {
			out = append(out, cobra.CompletionWithDesc(t.Name, t.Description))
		}
	}
	if found.Close() != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return out, cobra.ShellCompDirectiveDefault
}
