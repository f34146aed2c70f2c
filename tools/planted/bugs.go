package main

// bugs lists one bug in each of the rules that would hurt most.
func bugs() []bug {
	return []bug{
		{
			"alias rewriting", "a rename forgets the property dependencies of other resources", "internal/engine/alias.go",
			`if e.To == old.URN && (`, `if e.To == old.URN && e.Kind != resource.EdgeProperty && (`,
		},
		{
			"delete order", "a resource may go before what depends on it", "internal/engine/plan/deletes.go",
			`for _, e := range r.Edges() {
		for _, t := range`, `for _, e := range r.Edges() {
		if e.Kind == resource.EdgeDependency {
			continue
		}
		for _, t := range`,
		},
		{
			"targeted dependents", "only direct dependents count", "internal/engine/plan/deletes.go",
			`if roots[e.To] || out[e.To] {`, `if roots[e.To] {`,
		},
		{
			"pending operations", "a create whose outcome is unknown counts as failed", "internal/engine/exec/executor.go",
			`if errors.As(err, &uncertain) || ctx.Err() != nil {`, `if errors.As(err, &uncertain) && ctx.Err() != nil {`,
		},
		{
			"secretness", "what a provider sends back without marks comes into the open", "internal/engine/plan/marks.go",
			`if !marked.ContainsSecret() {
		return fresh
	}`, `if !marked.ContainsSecret() || fresh.Len() > 0 {
		return fresh
	}`,
		},
		{
			"protect", "what is protected is deleted", "internal/engine/exec/delete.go",
			`return s.Old.Protect && s.Op`, `return s.Old.Protect && s.Old.External && s.Op`,
		},
	}
}
