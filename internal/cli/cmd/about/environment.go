package about

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/cairn-iac/cairn/internal/cli/factory"
)

// environment lists the variables that are ours. Secret ones only show that they are set.
func environment(env factory.Environment) [][]string {
	var rows [][]string
	for _, name := range env.Names("PULUMI_") {
		rows = append(rows, []string{name, shown(name, env.Get(name))})
	}
	return rows
}

func shown(name, value string) string {
	for _, word := range []string{"TOKEN", "PASSPHRASE", "PASSWORD", "SECRET", "KEY"} {
		if strings.Contains(name, word) && !strings.HasSuffix(name, "_FILE") {
			return "[secret]"
		}
	}
	if u, err := url.Parse(value); err == nil && u.User != nil {
		value = u.Redacted()
	}
	if _, err := strconv.ParseBool(value); err == nil {
		return value
	}
	if _, err := strconv.Atoi(value); err == nil {
		return value
	}
	return strconv.Quote(value)
}
