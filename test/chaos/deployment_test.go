//go:build linux

package chaos_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// document is what `stack export` prints. It is read with a decoder that refuses unknown keys, and checked by rules that
// are written down here once more, so that the program's own idea of them is tested too.
type document struct {
	Version    int         `json:"version"`
	Features   []string    `json:"features"`
	Deployment *deployment `json:"deployment"`
}

type deployment struct {
	Manifest struct {
		Time    time.Time `json:"time"`
		Magic   string    `json:"magic"`
		Version string    `json:"version"`
	} `json:"manifest"`
	SecretsProviders  json.RawMessage `json:"secrets_providers"`
	Resources         []entry         `json:"resources"`
	PendingOperations []pending       `json:"pending_operations"`
	Metadata          json.RawMessage `json:"metadata"`
}

type pending struct {
	Resource entry  `json:"resource"`
	Type     string `json:"type"`
}

type entry struct {
	URN                     string              `json:"urn"`
	Custom                  bool                `json:"custom"`
	Delete                  bool                `json:"delete"`
	ID                      string              `json:"id"`
	Type                    string              `json:"type"`
	Inputs                  map[string]any      `json:"inputs"`
	Outputs                 map[string]any      `json:"outputs"`
	Parent                  string              `json:"parent"`
	Dependencies            []string            `json:"dependencies"`
	PropertyDependencies    map[string][]string `json:"propertyDependencies"`
	Provider                string              `json:"provider"`
	PendingReplacement      bool                `json:"pendingReplacement"`
	AdditionalSecretOutputs []string            `json:"additionalSecretOutputs"`
	Created                 time.Time           `json:"created"`
	Modified                time.Time           `json:"modified"`
	SourcePosition          string              `json:"sourcePosition"`
	StackTrace              json.RawMessage     `json:"stackTrace"`
}

func (e entry) isThing() bool { return e.Type == "fp:index:Thing" }

func (e entry) name() string { return e.URN[strings.LastIndex(e.URN, "::")+2:] }

func readDocument(text []byte) (*deployment, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var d document
	if err := decoder.Decode(&d); err != nil {
		return nil, err
	}
	if d.Version != 3 || d.Features != nil || d.Deployment == nil {
		return nil, fmt.Errorf("version %d, features %v, deployment %v", d.Version, d.Features, d.Deployment != nil)
	}
	return d.Deployment, nil
}

// integrity collects what is wrong with a deployment.
type integrity struct {
	problems  []string
	seen      map[string]bool // URNs so far
	live      map[string]bool
	providers map[string]bool // references to providers so far
	ids       map[string]bool
}

// problems lists every violation of the rules that a state must obey.
func (d *deployment) problems() []string {
	c := integrity{seen: map[string]bool{}, live: map[string]bool{}, providers: map[string]bool{}, ids: map[string]bool{}}
	sum := sha256.Sum256([]byte(d.Manifest.Version))
	if d.Manifest.Version != "" && d.Manifest.Magic != hex.EncodeToString(sum[:]) {
		c.add("the manifest's magic does not belong to %q", d.Manifest.Version)
	}
	for _, e := range d.Resources {
		c.identity(e)
		c.references(e)
		c.seen[e.URN] = true
		if strings.HasPrefix(e.Type, "pulumi:providers:") {
			c.providers[e.URN+"::"+e.ID] = true
		}
	}
	c.pending(d.PendingOperations)
	return c.problems
}

func (c *integrity) add(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

func (c *integrity) identity(e entry) {
	parts := strings.SplitN(e.URN, "::", 4)
	switch {
	case len(parts) != 4 || parts[0] != "urn:pulumi:"+stackName || parts[1] != projectName:
		c.add("%q is no URN of this stack", e.URN)
	case e.Type == "" || parts[2] != e.Type && !strings.HasSuffix(parts[2], "$"+e.Type):
		c.add("%s has the type %q", e.URN, e.Type)
	case e.Custom == (e.ID == ""):
		c.add("%s: custom is %v and its id is %q", e.URN, e.Custom, e.ID)
	case e.Custom && c.ids[e.ID]:
		c.add("%s: the id %q is there twice", e.URN, e.ID)
	case !e.Delete && c.live[e.URN]:
		c.add("%s is there twice", e.URN)
	case e.Created.IsZero() || e.Modified.Before(e.Created):
		c.add("%s: created %s, modified %s", e.URN, e.Created, e.Modified)
	}
	c.ids[e.ID] = true
	if !e.Delete {
		c.live[e.URN] = true
	}
	if text, err := json.Marshal(e); err != nil || bytes.Contains(text, []byte("04da6b54-80e4-46f7-96ec-b56ff0331ba9")) {
		c.add("%s holds an unknown value (%v)", e.URN, err)
	}
}

func (c *integrity) references(e entry) {
	refer := func(kind, to string) {
		if !c.seen[to] {
			c.add("%s: its %s %q is missing or comes later", e.URN, kind, to)
		}
	}
	switch {
	case e.Parent != "":
		refer("parent", e.Parent)
	case e.Type != "pulumi:pulumi:Stack" && !strings.HasSuffix(e.URN, "pulumi:providers:fp::default"):
		c.add("%s has no parent", e.URN)
	}
	for _, to := range e.Dependencies {
		refer("dependency", to)
	}
	for property, all := range e.PropertyDependencies {
		for _, to := range all {
			refer("dependency of "+property, to)
		}
	}
	if e.isThing() && !c.providers[e.Provider] {
		c.add("%s: its provider %q is missing or comes later", e.URN, e.Provider)
	}
}

func (c *integrity) pending(operations []pending) {
	told := map[string]bool{}
	for _, p := range operations {
		switch p.Type {
		case "creating", "updating", "deleting", "reading", "importing":
		default:
			c.add("the pending operation %q of %s is none", p.Type, p.Resource.URN)
		}
		if key := p.Type + " " + p.Resource.URN; told[key] || p.Resource.URN == "" {
			c.add("the pending operation %q is there twice or names nothing", key)
		} else {
			told[key] = true
		}
	}
}
