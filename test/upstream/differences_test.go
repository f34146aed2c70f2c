package upstream_test

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// difference is one deliberate difference from the Pulumi CLI, and how to take it out of normalised output so that
// everything else can still be compared.
type difference struct {
	what string
	// steps are patterns of recordings, as path.Match reads them.
	steps []string
	// recorded and ours change one side each; nil changes nothing.
	recorded, ours func(any) any
}

func (d difference) takeOut(recorded, ours any) (any, any) {
	if d.recorded != nil {
		recorded = d.recorded(recorded)
	}
	if d.ours != nil {
		ours = d.ours(ours)
	}
	return recorded, ours
}

func (d difference) concerns(recording string) bool {
	return slices.ContainsFunc(d.steps, func(pattern string) bool {
		matches, err := path.Match(pattern, recording)
		return err == nil && matches
	})
}

// differences is the one place that names them; docs/differences.md explains those that users see.
func differences() []difference {
	return []difference{
		{
			what:  "a history entry also says which user acted",
			steps: []string{"*/*-stack-history*.stdout"},
			ours:  both(withoutLines(`^    cairn\.user: root$`), withoutMembers("cairn.user")),
		},
		{
			what:  "a replacement says why",
			steps: []string{"*/*-preview*.stdout", "*/11-events.jsonl", "*/12-up-json.stdout"},
			ours:  both(withoutLines(`^ +\[reason=the provider cannot change [\w., ]+ in place\]$`), withoutMembers("why")),
		},
		{
			what:     "states are in canonical order, not in that of completion",
			steps:    []string{"quick/09-stack.stdout", "quick/09-stack-urns.stdout"},
			recorded: sortedTree, ours: sortedTree,
		},
		{
			what:     "states are in canonical order, not in that of completion",
			steps:    []string{"quick/09-about.stdout"},
			recorded: sortedRows(`^\S+ +urn:`), ours: sortedRows(`^\S+ +urn:`),
		},
		{
			what:     "random and command are in the box, and about says where plugins come from and which versions they have",
			steps:    []string{"quick/09-about.stdout"},
			recorded: both(replaced(`^(KIND +NAME) .*$`, "$1"), replaced(`^(resource|language)( +\S+) .*`, "$1$2")),
			ours:     both(replaced(`^(KIND +NAME) .*$`, "$1"), replaced(`^(resource|language)( +\S+) .*`, "$1$2")),
		},
		{
			what:  "about says that there is a passphrase",
			steps: []string{"quick/09-about.stdout"},
			ours:  withoutLines(`^PULUMI_CONFIG_PASSPHRASE +\[secret\]$`),
		},
		{
			what:     "random and command are in the box: they have no size, and no times",
			steps:    []string{"quick/09-plugin-ls.stdout"},
			recorded: both(replaced(` +`, " "), replaced(`^(\S+ \S+ \S+) .*`, "$1"), withoutLines(`^TOTAL`)),
			ours:     both(replaced(` +`, " "), replaced(`^(\S+ \S+ \S+) .*`, "$1"), withoutLines(`^TOTAL`)),
		},
		{
			what: "after a refresh the Pulumi CLI forgets that properties have no dependencies",
			// The next update brings them back, which is why exports show them.
			steps:    []string{"quick/11-preview-replace-json.stdout"},
			recorded: withoutEmptyDependencies, ours: withoutEmptyDependencies,
		},
		{
			what:     "a new stack is written once, so that there is no older copy of it yet",
			steps:    []string{"quick/04.layout"},
			recorded: withoutLines(`/dev\.json\.bak$`),
		},
		{
			what: "the library version that the command provider keeps in its state is that of the published plugin",
			// The recorded one came from a build of a source tree.
			steps:    []string{"*/*-export*.stdout", "quick/11-events.jsonl", "quick/12-up-json.stdout"},
			recorded: withoutMembers("__pulumi-go-provider-version"), ours: withoutMembers("__pulumi-go-provider-version"),
		},
		{
			what:  "an asset can be a stack output; the Pulumi CLI makes it an empty object",
			steps: []string{"commands/*.stdout"},
			ours: both(withoutLines(`^  [ +] asset : asset\(file:8b911a8\) \{ /project/commands/made\.txt \}$`),
				emptyStackAsset),
		},
		{
			what:     "which of a command's streams is read first is chance",
			steps:    []string{"commands/*-up.stdout"},
			recorded: commandRows, ours: commandRows,
		},
		{
			what:     "whether the stack's last row comes before or after its deletion is chance",
			steps:    []string{"*/*destroy.stdout"},
			recorded: sortedRows(`^ [ -]  pulumi:pulumi:Stack \S+ (deleted \(Ns\))? $`), ours: sortedRows(`^ [ -]  pulumi:pulumi:Stack \S+ (deleted \(Ns\))? $`),
		},
		{
			what:     "all faults of a program are told at once, each with its line, its column and a proposal",
			steps:    []string{"quick/13-err-program.stdout"},
			recorded: programErrors, ours: programErrors,
		},
	}
}

func both(changes ...func(any) any) func(any) any {
	return func(tree any) any {
		for _, change := range changes {
			tree = change(tree)
		}
		return tree
	}
}

// withoutLines takes lines out of a text.
func withoutLines(form string) func(any) any {
	matches := regexp.MustCompile(form)
	return func(tree any) any {
		if lines, ok := tree.([]string); ok {
			return slices.DeleteFunc(lines, matches.MatchString)
		}
		return tree
	}
}

func replaced(form, with string) func(any) any {
	matches := regexp.MustCompile(form)
	return func(tree any) any {
		lines, _ := tree.([]string)
		for i := range lines {
			lines[i] = matches.ReplaceAllString(lines[i], with)
		}
		return tree
	}
}

// sortedRows sorts the lines of a form among themselves.
func sortedRows(form string) func(any) any {
	matches := regexp.MustCompile(form)
	return func(tree any) any {
		lines, _ := tree.([]string)
		var rows []string
		for _, line := range lines {
			if matches.MatchString(line) {
				rows = append(rows, line)
			}
		}
		slices.Sort(rows)
		for i, line := range lines {
			if matches.MatchString(line) {
				lines[i], rows = rows[0], rows[1:]
			}
		}
		return tree
	}
}

// withoutMembers takes a member out of every object of a document.
func withoutMembers(name string) func(any) any {
	return func(tree any) any {
		walk(tree, func(object map[string]any) { delete(object, name) })
		return tree
	}
}

func walk(tree any, visit func(map[string]any)) {
	switch v := tree.(type) {
	case []any:
		for _, element := range v {
			walk(element, visit)
		}
	case map[string]any:
		visit(v)
		for _, member := range v {
			walk(member, visit)
		}
	}
}

func withoutEmptyDependencies(tree any) any {
	walk(tree, func(object map[string]any) {
		state, _ := object["oldState"].(map[string]any)
		byProperty, _ := state["propertyDependencies"].(map[string]any)
		for property, urns := range byProperty {
			if list, ok := urns.([]any); ok && len(list) == 0 {
				delete(byProperty, property)
			}
		}
		if len(byProperty) == 0 {
			delete(state, "propertyDependencies")
		}
	})
	return tree
}

func emptyStackAsset(tree any) any {
	walk(tree, func(object map[string]any) {
		outputs, _ := object["outputs"].(map[string]any)
		if asset, ok := outputs["asset"].(map[string]any); ok && object["type"] == "pulumi:pulumi:Stack" {
			clear(asset)
		}
	})
	return tree
}

// commandRows takes out what the command with output on both streams printed.
func commandRows(tree any) any {
	lines := replaced(`^( [+~]  command:local:Command full \w+ \(Ns\)( \[diff: [^]]*\])?).*`, "$1")(tree)
	return slices.Compact(lines.([]string))
}

// sortedTree writes every resource of a tree, with the lines that belong to it, as its path, and sorts them.
func sortedTree(tree any) any {
	lines, _ := tree.([]string)
	node := regexp.MustCompile(`^    ([│ ]  )*[├└]─ `)
	glyphs := strings.NewReplacer("│", " ", "├", " ", "└", " ", "─", " ")
	var path, rows, out []string
	flush := func() {
		slices.Sort(rows)
		out = append(out, rows...)
		rows = nil
	}
	for _, line := range lines {
		match := node.FindString(line)
		plain := strings.Join(strings.Fields(glyphs.Replace(line)), " ")
		switch {
		case match != "":
			depth := len([]rune(match))/3 - 2
			path = append(path[:min(depth, len(path))], plain)
			rows = append(rows, strings.Join(path, " > "))
		case len(rows) > 0 && strings.TrimSpace(line) != "":
			rows[len(rows)-1] += "\n" + plain
		default:
			flush()
			out = append(out, line)
		}
	}
	flush()
	return out
}

// programErrors keeps what is wrong and where, which both programs tell in their own way, once.
func programErrors(tree any) any {
	lines, _ := tree.([]string)
	what := regexp.MustCompile(`(?:^    |running )(?:Error|error: Pulumi\.yaml:39:30): (.*)$`)
	source := regexp.MustCompile(`39: +create: .*$`)
	var out []string
	inDiagnostics := false
	for _, line := range lines {
		switch {
		case line == "Diagnostics:":
			inDiagnostics = true
		case line == "Resources:":
			inDiagnostics = false
		}
		switch {
		case what.MatchString(line):
			out = append(out, what.FindStringSubmatch(line)[1])
		case inDiagnostics && source.MatchString(line):
			out = append(out, strings.Join(strings.Fields(source.FindString(line)), " "))
		case strings.HasPrefix(line, "    pulumi:pulumi:Stack"), strings.HasPrefix(line, "    ") && inDiagnostics, line == "    1 errored":
		default:
			out = append(out, line)
		}
	}
	return out
}
