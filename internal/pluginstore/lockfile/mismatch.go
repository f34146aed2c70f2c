package lockfile

import (
	"fmt"
	"strings"

	"github.com/cairn-iac/cairn/internal/pluginstore"
)

// Part is what a hash is of.
type Part string

// The parts.
const (
	Archive Part = "archive"
	Files   Part = "files"
)

// MismatchError tells that a plugin is not what it was when its hash was recorded.
type MismatchError struct {
	Plugin pluginstore.Plugin
	Part   Part
	// Where is the archive or folder that was looked at.
	Where string
	// Says is who says what the hash should be: the lock file's path, or "--checksum".
	Says      string
	Has, Want pluginstore.Hash
	// Changed are the files that differ, as far as that is known.
	Changed []string
	// Mend says what to do; "" for the usual.
	Mend string
}

func (e *MismatchError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the %s plugin %s is refused: the hash of its %s is not what it should be\n", e.Plugin.Kind, e.Plugin, e.Part)
	fmt.Fprintf(&b, "  has:    %s (%s)\n  should: %s (%s)\n", e.Has, e.Where, e.Want, e.Says)
	const most = 10
	for i, c := range e.Changed {
		if i == most {
			fmt.Fprintf(&b, "  and %d more\n", len(e.Changed)-most)
			break
		}
		fmt.Fprintf(&b, "  %s\n", c)
	}
	switch {
	case e.Mend != "":
		b.WriteString(e.Mend)
	case e.Part == Files:
		fmt.Fprintf(&b, "Somebody changed the plugin after it was recorded. `pulumi plugin install %s %s %s --reinstall` gets it anew.",
			e.Plugin.Kind, e.Plugin.Name, e.Plugin.Version)
	case e.Part == Archive:
		b.WriteString("Somebody published other bytes under this version, or changed them on the way. If you trust them, correct the hash.")
	}
	return b.String()
}

// Compare gives a *MismatchError unless a hash is what the entry says, or one of the two is not known.
func (h Hashes) Compare(has Hashes, e MismatchError) error {
	if h.Archive != "" && has.Archive != "" && h.Archive != has.Archive {
		e.Part, e.Has, e.Want = Archive, has.Archive, h.Archive
		return &e
	}
	if h.Files != "" && has.Files != "" && h.Files != has.Files {
		e.Part, e.Has, e.Want = Files, has.Files, h.Files
		return &e
	}
	return nil
}
