package about

import (
	"cmp"

	"github.com/cairn-iac/cairn/internal/display/table"
)

// text is a report for people.
func (o *aboutOptions) text(r *report) string {
	a := table.About{
		CLI:         [][]string{{"Version", r.CLI.Version}, {"Go Version", r.CLI.Go}, {"Go Compiler", r.CLI.Compiler}},
		Environment: environment(o.f.Env),
		Logs:        "Pulumi locates its logs in " + cmp.Or(o.f.Env.Get("TMPDIR"), "/tmp") + " by default",
	}
	if r.Host != nil {
		a.Host = [][]string{{"OS", r.Host.OS}, {"Version", r.Host.Version}, {"Arch", r.Host.Arch}}
	}
	if language := r.Runtime["language"]; language != "" {
		a.Project = "This project is written in " + language
	}
	if b := r.Backend; b != nil {
		a.Backend = [][]string{{"Name", b.Name}, {"URL", b.URL}, {"User", b.User}, {"Organizations", ""}, {"Token type", "personal"}}
	}
	if s := r.Stack; s != nil {
		a.Stack = &table.AboutStack{Name: s.Name, FullName: s.FullName, Resources: pairs(s.Resources), Pending: pairs(s.Pending)}
	}
	for _, p := range r.Plugins {
		row := table.Plugin{Name: p.Name, Kind: p.Kind, Source: p.Source}
		if p.Version != nil {
			row.Version = *p.Version
		}
		a.Plugins = append(a.Plugins, row)
	}
	if r.Dependencies != nil {
		a.Dependencies = [][]string{}
		for _, d := range r.Dependencies {
			a.Dependencies = append(a.Dependencies, []string{d.Name, d.Version})
		}
	}
	return a.String()
}

func pairs(list []resourceAbout) [][]string {
	var out [][]string
	for _, r := range list {
		out = append(out, []string{r.Type, r.URN})
	}
	return out
}
