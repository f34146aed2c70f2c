package upstreamtest

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Layout normalises a listing of a state folder, one "TYPE MODE PATH" a line, and sorts it.
func Layout(listing string) string {
	var lines []string
	for line := range strings.Lines(listing) {
		line = strings.TrimSuffix(line, "\n")
		if line != "" && !strings.HasSuffix(line, ".attrs") {
			lines = append(lines, line)
		}
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(pathOf(a), pathOf(b)) })
	nanoseconds := regexp.MustCompile(`\d{19}`)
	numbers := map[string]int{} // folder and time to its number
	next := map[string]int{}
	for i, line := range lines {
		folder, name := path.Split(line)
		name = nanoseconds.ReplaceAllStringFunc(name, func(time string) string {
			if numbers[folder+time] == 0 {
				next[folder]++
				numbers[folder+time] = next[folder]
			}
			return fmt.Sprintf("<time %d>", numbers[folder+time])
		})
		lines[i] = folder + name
	}
	return strings.Join(lines, "\n") + "\n"
}

func pathOf(line string) string {
	return line[strings.LastIndex(line, " ")+1:]
}
