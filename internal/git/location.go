package git

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// Location is a repository and a folder in it.
type Location struct {
	// URL is what git clones.
	URL string
	// Path is the folder, with slashes; "" is the whole repository.
	Path string
}

// Split finds out where the repository ends in an address like https://host/owner/repository/folder: after ".git", or
// after two names when there is none. Addresses that git itself knows as ssh are understood too (user@host:owner/name).
func Split(address string) (Location, error) {
	u, err := parse(address)
	if err != nil {
		return Location{}, err
	}
	switch {
	case u.Scheme == "file":
		return cut(u, "/"+strings.Trim(u.Path, "/")), nil
	case u.Hostname() == "gist.github.com":
		owner, id, ok := strings.Cut(strings.Trim(u.Path, "/"), "/")
		if !ok || owner == "" || id == "" || strings.Contains(id, "/") {
			return Location{}, errors.New("a gist's address has the form https://gist.github.com/<owner>/<id>")
		}
		return Location{URL: base(u) + "/" + suffixed(id)}, nil
	case u.Hostname() == "dev.azure.com":
		// There a repository has more than two names, and no folder can be told apart from them.
		return Location{URL: address}, nil
	}
	path := strings.Trim(u.Path, "/")
	if strings.HasSuffix(path, ".git") || strings.Contains(path, ".git/") {
		return cut(u, "/"+path), nil
	}
	parts := strings.Split(path, "/")
	if len(parts) < 2 || parts[0] == "" || parts[1] == "" {
		return Location{}, fmt.Errorf("%s does not name a repository: expected <host>/<owner>/<repository>", Redact(address))
	}
	return Location{
		URL: base(u) + "/" + parts[0] + "/" + suffixed(parts[1]), Path: strings.Trim(strings.Join(parts[2:], "/"), "/"),
	}, nil
}

func parse(address string) (*url.URL, error) {
	if host, path, ok := strings.Cut(address, ":"); ok && !strings.Contains(address, "://") && !strings.Contains(host, "/") {
		address = "ssh://" + host + "/" + path
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("the repository's address is not a URL")
	}
	switch u.Scheme {
	case "https", "http", "ssh", "file":
		return u, nil
	default:
		return nil, fmt.Errorf("%s: git repositories are read over https, http, ssh or file, not %q", Redact(address), u.Scheme)
	}
}

// cut splits a path after its last name that ends in ".git"; without one all of it is the repository.
func cut(u *url.URL, path string) Location {
	at := strings.LastIndex(path+"/", ".git/")
	if at < 0 {
		return Location{URL: base(u) + path}
	}
	at += len(".git")
	return Location{URL: base(u) + path[:at], Path: strings.Trim(path[at:], "/")}
}

// base is scheme, user and host.
func base(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, User: u.User, Host: u.Host}).String() + map[bool]string{true: "//"}[u.Scheme == "file"]
}

func suffixed(name string) string {
	if strings.HasSuffix(name, ".git") {
		return name
	}
	return name + ".git"
}

// Redact takes user, password and query out of an address, for messages and files.
func Redact(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "(an address that cannot be read)"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}
