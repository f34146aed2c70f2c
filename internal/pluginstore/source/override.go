package source

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

const overridesVariable = "PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES"

// override puts an address in the place of those that match.
type override struct {
	match *regexp.Regexp
	url   string
}

// parseOverrides reads regexp1=URL1,regexp2=URL2.
func parseOverrides(text string) ([]override, error) {
	if text == "" {
		return nil, nil
	}
	var out []override
	for pair := range strings.SplitSeq(text, ",") {
		pattern, to, ok := strings.Cut(pair, "=")
		if !ok || pattern == "" || to == "" {
			return nil, fmt.Errorf("%s: expected regexp1=URL1,regexp2=URL2, found %q", overridesVariable, pair)
		}
		match, err := regexp.Compile(pattern)
		if err != nil {
			return nil, fmt.Errorf("%s: %q is not a regular expression: %w", overridesVariable, pattern, err)
		}
		out = append(out, override{match, to})
	}
	return out, nil
}

// replaced is the address that the first override that matches gives; ok is false when none does. $0, $1, ... and ${name}
// stand for what the expression and its groups matched.
func (c *Client) replaced(address string) (_ string, ok bool) {
	for _, o := range c.overrides {
		groups := o.match.FindStringSubmatch(address)
		if groups == nil {
			continue
		}
		out := o.url
		names := o.match.SubexpNames()
		for i := len(groups) - 1; i >= 0; i-- {
			out = strings.ReplaceAll(out, "$"+strconv.Itoa(i), groups[i])
			if names[i] != "" {
				out = strings.ReplaceAll(out, "${"+names[i]+"}", groups[i])
			}
		}
		return out, true
	}
	return "", false
}
