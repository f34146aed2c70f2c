package workspace

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"

	"github.com/cairn-iac/cairn/internal/project"
)

// Lookup reads a variable of the environment.
type Lookup func(name string) (value string, ok bool)

func (l Lookup) get(name string) string {
	value, _ := l(name)
	return value
}

// Home is the folder where a user's Pulumi files are.
type Home struct {
	// Dir holds plugins, workspaces, templates.
	Dir string
	// CredentialsDir holds credentials.json and config.json; it is Dir unless PULUMI_CREDENTIALS_PATH says otherwise.
	CredentialsDir string
}

// Locate finds the home folder: PULUMI_HOME, or `.pulumi` in the user's own folder. It creates nothing.
func Locate(lookup Lookup) (Home, error) {
	dir := lookup.get("PULUMI_HOME")
	if dir == "" {
		own, err := userDir(lookup)
		if err != nil {
			return Home{}, err
		}
		dir = filepath.Join(own, ".pulumi")
	}
	home := Home{Dir: dir, CredentialsDir: dir}
	if credentials := lookup.get("PULUMI_CREDENTIALS_PATH"); credentials != "" {
		home.CredentialsDir = credentials
	}
	return home, nil
}

func userDir(lookup Lookup) (string, error) {
	for _, name := range []string{"HOME", "USERPROFILE"} {
		if dir := lookup.get(name); dir != "" {
			return dir, nil
		}
	}
	u, err := user.Current()
	if err != nil {
		return "", fmt.Errorf("find the user's home folder (PULUMI_HOME names another one): %w", err)
	}
	if u.HomeDir == "" {
		return "", errors.New("could not find user home directory, set PULUMI_HOME")
	}
	return u.HomeDir, nil
}

// Path names a file below the home folder.
func (h Home) Path(elements ...string) string {
	return filepath.Join(append([]string{h.Dir}, elements...)...)
}

// Disk is the machine's own file system, for the project package.
func Disk() project.Files { return project.Files{Stat: os.Stat, ReadFile: os.ReadFile} }
