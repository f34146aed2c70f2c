package pluginhost

import (
	"fmt"
	"strings"

	"github.com/blang/semver/v4"
)

// parseWanted reads a version that somebody asks for; "" is none.
func parseWanted(text string) (*semver.Version, error) {
	if text == "" {
		return nil, nil
	}
	v, err := semver.ParseTolerant(strings.TrimPrefix(text, "v"))
	if err != nil {
		return nil, fmt.Errorf("plugin version %q is not a semantic version: %w", text, err)
	}
	return &v, nil
}

// selectInstalled picks from the installed plugins of one kind and name, as the Pulumi CLI does: for any version the
// newest release, else the newest pre-release; for a version exactly that one (build metadata does not count). With
// atLeast a wanted release may also be a later one.
func selectInstalled(plugins []candidate, wanted *semver.Version, atLeast bool) (candidate, bool) {
	var best candidate
	var found bool
	for _, p := range plugins {
		if wanted != nil && !p.version.EQ(*wanted) && !(atLeast && p.version.GT(*wanted)) {
			continue
		}
		if !found || better(p.version, best.version) {
			best, found = p, true
		}
	}
	return best, found
}

// better orders by release before pre-release, then by version, then by text, which tells build metadata apart.
func better(a, b semver.Version) bool {
	if aPre, bPre := len(a.Pre) > 0, len(b.Pre) > 0; aPre != bPre {
		return bPre
	}
	if c := a.Compare(b); c != 0 {
		return c > 0
	}
	return a.String() > b.String()
}

// serves says whether a built-in provider of version have can stand in for a wanted one.
func serves(have semver.Version, wanted *semver.Version) bool {
	return wanted == nil || have.Major == wanted.Major && have.GTE(*wanted) && len(wanted.Pre) == 0 || have.EQ(*wanted)
}

// checkRequired tells whether this program satisfies the requiredPulumiVersion of a plugin.
func checkRequired(ours, wantedRange string) error {
	if wantedRange == "" || ours == "" {
		return nil
	}
	in, err := semver.ParseRange(wantedRange)
	if err != nil {
		return fmt.Errorf("requiredPulumiVersion %q: %w", wantedRange, err)
	}
	v, err := semver.ParseTolerant(ours)
	if err != nil {
		return fmt.Errorf("our own version %q: %w", ours, err)
	}
	if !in(v) {
		return fmt.Errorf("Pulumi CLI version %s does not satisfy the version range %q", v, wantedRange)
	}
	return nil
}
