package document

import "strings"

// maxDistance is how many letters a near miss may be off.
const maxDistance = 2

// Closest finds the candidate that a mistyped key most likely means: at most two letters off, upper and lower case aside.
// It is empty when there is none. Of equally close ones the first counts.
func Closest(typed string, candidates []string) string {
	best, found := maxDistance+1, ""
	for _, candidate := range candidates {
		a, b := strings.ToLower(typed), strings.ToLower(candidate)
		// A short key is not "near" another one just because it is short.
		if d := distance([]rune(a), []rune(b)); d < best && d < len([]rune(b)) {
			best, found = d, candidate
		}
	}
	return found
}

// distance counts the letters to insert, delete or replace.
func distance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			next := min(row[j+1], row[j]) + 1
			if a[i] == b[j] {
				next = min(next, diagonal)
			} else {
				next = min(next, diagonal+1)
			}
			diagonal, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}
