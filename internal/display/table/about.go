package table

import "strings"

// About is what `about` shows. Sections that are nil are left out.
type About struct {
	CLI     [][]string
	Plugins []Plugin
	Host    [][]string
	// Project is a sentence about the project's language.
	Project string
	Stack   *AboutStack
	Backend [][]string
	// Environment lists variables and their values.
	Environment [][]string
	// Dependencies lists the program's packages and their versions; nil when they could not be asked for.
	Dependencies [][]string
	// Logs is a sentence about where logs are.
	Logs string
}

// AboutStack lists the resources and pending operations of a stack: types and URNs.
type AboutStack struct {
	// Name is the stack's short name, FullName the one with organization and project.
	Name, FullName     string
	Resources, Pending [][]string
}

func (a About) String() string {
	var b strings.Builder
	section := func(text string) {
		if text != "" {
			b.WriteString(text + "\n")
		}
	}
	section(pairs("CLI", a.CLI))
	if a.Plugins != nil {
		section(a.pluginTable())
	}
	section(pairs("Host", a.Host))
	if a.Project != "" {
		section(a.Project + "\n")
	}
	if a.Stack != nil {
		section(a.Stack.text())
	}
	section(pairs("Backend", a.Backend))
	if len(a.Environment) > 0 {
		section("Environment Variables:\n" + grid([]string{"Name", "Value"}, a.Environment))
	}
	switch {
	case a.Dependencies == nil:
	case len(a.Dependencies) == 0:
		section("No dependencies found\n")
	default:
		section("Dependencies:\n" + grid([]string{"NAME", "VERSION"}, a.Dependencies))
	}
	section(a.Logs)
	return b.String()
}

// pairs is a table of names and values under a title; "" without any.
func pairs(title string, rows [][]string) string {
	if len(rows) == 0 {
		return ""
	}
	return grid([]string{title, ""}, rows)
}

func grid(headers []string, rows [][]string) string {
	return Table{Headers: headers, Rows: Rows(rows)}.String()
}

func (a About) pluginTable() string {
	headers, sources := []string{"KIND", "NAME", "VERSION"}, false
	for _, p := range a.Plugins {
		sources = sources || p.Source != ""
	}
	if sources {
		headers = append(headers, "SOURCE")
	}
	var rows [][]string
	for _, p := range a.Plugins {
		version := p.Version
		if version == "" {
			version = "unknown"
		}
		cells := []string{p.Kind, p.Name, version}
		if sources {
			cells = append(cells, p.Source)
		}
		rows = append(rows, cells)
	}
	return "Plugins\n" + grid(headers, rows)
}

func (s AboutStack) text() string {
	resources := "Found no resources associated with " + s.Name + "\n"
	if len(s.Resources) > 0 {
		resources = grid([]string{"TYPE", "URN"}, s.Resources) + "\n"
	}
	pending := "Found no pending operations associated with " + s.Name + "\n"
	if len(s.Pending) > 0 {
		pending = grid([]string{"OPP TYPE", "URN"}, s.Pending) + "\n"
	}
	name := s.FullName
	if name == "" {
		name = s.Name
	}
	return "Current Stack: " + name + "\n\n" + resources + "\n" + pending
}
