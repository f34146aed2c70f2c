package schema

import (
	"slices"
	"strings"
)

const maxSuggestions = 3

// Suggest picks the names a person may have meant by name: at most three, most similar first.
func Suggest(name string, known []string) []string {
	type candidate struct {
		name     string
		distance int
	}
	limit := max(2, len(name)/3)
	var found []candidate
	for _, k := range known {
		if diff := len(k) - len(name); diff > limit || -diff > limit {
			continue
		}
		if d := distance(strings.ToLower(name), strings.ToLower(k)); d <= limit && d < len(name) {
			found = append(found, candidate{k, d})
		}
	}
	slices.SortFunc(found, func(a, b candidate) int {
		if a.distance != b.distance {
			return a.distance - b.distance
		}
		return strings.Compare(a.name, b.name)
	})
	var out []string
	for _, c := range found[:min(len(found), maxSuggestions)] {
		out = append(out, c.name)
	}
	return out
}

// distance counts the insertions, deletions, replacements and swaps of neighbours that lead from a to b.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(x)][len(y)]
}
