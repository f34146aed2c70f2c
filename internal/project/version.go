package project

import (
	"fmt"

	"github.com/blang/semver/v4"
)

// CheckVersion checks the version that is running against a project's requiredPulumiVersion: comparisons that must all hold
// (`>=3.0.0 !3.1.2`), alternatives between `||`. An empty range takes any version.
func CheckVersion(required, running string) error {
	if required == "" {
		return nil
	}
	inRange, err := semver.ParseRange(required)
	if err != nil {
		return fmt.Errorf("parsing CLI version range %q: %w", required, err)
	}
	version, err := semver.ParseTolerant(running)
	if err != nil {
		return fmt.Errorf("parsing CLI version %q: %w", running, err)
	}
	if !inRange(version) {
		return fmt.Errorf("Pulumi CLI version %s does not satisfy the version range %q", version, required)
	}
	return nil
}
