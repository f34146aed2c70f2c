package workspace

import (
	"fmt"
	"net/url"
	"strings"
)

// Source says where the choice of a backend comes from.
type Source string

// The sources, strongest first.
const (
	FromEnvironment Source = "env"
	FromProject     Source = "project"
	FromCredentials Source = "credentials"
	// FromNowhere is the choice of nobody: the cloud is what a Pulumi CLI takes then.
	FromNowhere Source = ""
)

// Backend is the chosen backend.
type Backend struct {
	URL    string
	Source Source
}

// LocalURL is what `pulumi login --local` means.
const LocalURL = "file://~"

// BackendQuery is what decides about the backend.
type BackendQuery struct {
	Lookup Lookup
	// ProjectURL is `backend.url` of the project, if there is a project.
	ProjectURL string
	// Credentials reads the stored ones; it is called only when nothing stronger decides.
	Credentials func() (Credentials, error)
}

// ChooseBackend takes PULUMI_BACKEND_URL, the project's backend, the backend logged in to, or the cloud (PULUMI_API, else
// https://api.pulumi.com), in this order.
func ChooseBackend(q BackendQuery) (Backend, error) {
	if u := q.Lookup.get("PULUMI_BACKEND_URL"); u != "" {
		return Backend{URL: u, Source: FromEnvironment}, nil
	}
	if q.ProjectURL != "" {
		return Backend{URL: q.ProjectURL, Source: FromProject}, nil
	}
	credentials, err := q.Credentials()
	switch {
	case err != nil:
		return Backend{}, err
	case credentials.Current != "":
		return Backend{URL: credentials.Current, Source: FromCredentials}, nil
	}
	if u := q.Lookup.get("PULUMI_API"); u != "" {
		return Backend{URL: u, Source: FromNowhere}, nil
	}
	return Backend{URL: "https://api.pulumi.com", Source: FromNowhere}, nil
}

// Kind is the kind of backend that a URL names.
type Kind string

// The kinds.
const (
	FileKind    Kind = "file"
	CloudKind   Kind = "cloud"
	BucketKind  Kind = "bucket"
	UnknownKind Kind = ""
)

// KindOf tells a backend's kind by its URL's scheme.
func KindOf(backendURL string) Kind {
	scheme, _, _ := strings.Cut(backendURL, "://")
	switch strings.ToLower(scheme) {
	case "file":
		return FileKind
	case "http", "https":
		return CloudKind
	case "s3", "gs", "azblob", "postgres":
		return BucketKind
	default:
		return UnknownKind
	}
}

// UnavailableError says that a backend is not available yet, and which one is.
type UnavailableError struct {
	Backend Backend
	Kind    Kind
}

func (e *UnavailableError) Error() string {
	shown := redact(e.Backend.URL)
	if e.Backend.Source == FromNowhere {
		return fmt.Sprintf("no backend is chosen, and the default one, the cloud at %s, is not available yet: "+
			"run `pulumi login --local` to keep state in your home folder, or `pulumi login file://<folder>`", shown)
	}
	what := ""
	switch e.Kind {
	case CloudKind:
		what = "the cloud backend " + shown + " is not available yet"
	case BucketKind:
		what = "the backend " + shown + " is not available yet"
	case UnknownKind, FileKind:
		what = shown + " is not the URL of a backend (want file://<folder>)"
	}
	return what + ": " + wayOut(e.Backend.Source)
}

func wayOut(source Source) string {
	switch source {
	case FromEnvironment:
		return "set PULUMI_BACKEND_URL to file://~ or file://<folder>, or unset it"
	case FromProject:
		return "set `backend.url` of the project file to file://~ or file://<folder>, or override it with PULUMI_BACKEND_URL"
	case FromCredentials, FromNowhere:
		return "use a local one with `pulumi login --local` or `pulumi login file://<folder>`"
	default:
		return "use a local one with `pulumi login --local` or `pulumi login file://<folder>`"
	}
}

// redact takes passwords out of a URL: its own, and every value of its query.
func redact(backendURL string) string {
	u, err := url.Parse(backendURL)
	if err != nil {
		return "(a URL that cannot be read)"
	}
	if u.RawQuery != "" {
		u.RawQuery = "..."
	}
	return u.Redacted()
}

// Available is an [UnavailableError] for every backend but a local one.
func (b Backend) Available() error {
	if kind := KindOf(b.URL); kind != FileKind {
		return &UnavailableError{Backend: b, Kind: kind}
	}
	return nil
}
