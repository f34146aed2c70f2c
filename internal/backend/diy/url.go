package diy

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// Scheme is the prefix of the addresses this package serves.
const Scheme = "file://"

// address is a parsed file:// URL.
type address struct {
	original string
	root     string
	query    url.Values
}

// parseAddress resolves a file:// URL as the Pulumi CLI does: "~" is home, a relative path starts at workDir.
func parseAddress(raw, home, workDir string) (address, error) {
	rest, ok := strings.CutPrefix(raw, Scheme)
	if !ok {
		return address{}, fmt.Errorf("%q is not the address of a folder: expected %s<path>", raw, Scheme)
	}
	rest, rawQuery, _ := strings.Cut(rest, "?")
	if strings.Contains(rest, "#") {
		return address{}, fmt.Errorf("%q: write # in a path as %%23", raw)
	}
	location, err := url.PathUnescape(rest)
	if err != nil {
		return address{}, fmt.Errorf("%q: %w (write %% in a path as %%25)", raw, err)
	}
	query, err := parseQuery(raw, rawQuery)
	if err != nil {
		return address{}, err
	}
	root, err := resolve(location, home, workDir)
	if err != nil {
		return address{}, fmt.Errorf("%q: %w", raw, err)
	}
	return address{original: raw, root: root, query: query}, nil
}

func resolve(location, home, workDir string) (string, error) {
	tail, isHome := strings.CutPrefix(location, "~")
	switch {
	case isHome && tail != "" && tail[0] != '/':
		return "", errors.New("only your own home folder can be written as ~")
	case isHome && home == "":
		return "", errors.New("the home folder is not known: set HOME, or write the whole path")
	case isHome:
		location = filepath.Join(home, tail)
	case !filepath.IsAbs(location) && workDir == "":
		return "", errors.New("a relative path needs a current folder")
	case !filepath.IsAbs(location):
		location = filepath.Join(workDir, location)
	}
	return filepath.Clean(location), nil
}

// parseQuery checks the parameters of the blob library that make sense for a folder. Signed URLs do not.
func parseQuery(raw, rawQuery string) (url.Values, error) {
	query, err := url.ParseQuery(rawQuery)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", raw, err)
	}
	for name := range query {
		switch name {
		case "no_tmp_dir", "create_dir", "metadata":
		default:
			return nil, fmt.Errorf("%q: parameter %q is not supported for a folder; "+
				"known are create_dir, metadata and no_tmp_dir", raw, name)
		}
	}
	if m := query.Get("metadata"); m != "" && m != "skip" {
		return nil, fmt.Errorf("%q: parameter metadata must be empty or \"skip\", not %s", raw, strconv.Quote(m))
	}
	switch query.Get("no_tmp_dir") {
	case "":
		query.Set("no_tmp_dir", "true")
	case "false":
		query.Del("no_tmp_dir")
	}
	return query, nil
}

// urlOf is the address of a stored file, given as a slash path below the root, as error texts show it.
func (a address) urlOf(key string) string {
	u := url.URL{Scheme: "file", Path: path.Join(filepath.ToSlash(a.root), key), RawQuery: a.query.Encode()}
	return u.String()
}
