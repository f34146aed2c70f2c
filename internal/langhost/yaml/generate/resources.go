package generate

import (
	"bytes"
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/cairn-iac/cairn/internal/langhost/yaml/template"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// Resource is a recorded resource as a program declares it.
type Resource struct {
	// Key is the resource's key in the program; its name follows from that unless they differ.
	Key   string
	State *resource.State
	// Parent and Provider are keys, "" for the stack and the default provider.
	Parent, Provider string
	Version          string
}

// Options of Resources.
type Options struct {
	// Secrets writes secret inputs in plain text, within fn::secret. Otherwise a place is left for them.
	Secrets bool
}

// Resources writes the `resources` section of a program.
func Resources(list []Resource, o Options) (string, error) {
	all := mapping()
	for _, r := range list {
		add(all, r.Key, writer{o}.resource(r))
	}
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	doc := mapping()
	add(doc, "resources", all)
	if err := e.Encode(doc); err != nil {
		return "", fmt.Errorf("write the program: %w", err)
	}
	return b.String(), nil
}

type writer struct{ Options }

func (w writer) resource(r Resource) *yaml.Node {
	n := mapping()
	s := r.State
	add(n, "type", scalar(shortType(s.Type)))
	if name := s.URN.Name(); name != r.Key {
		add(n, "name", scalar(name))
	}
	inputs := s.Inputs.Without("__internal") // of providers: what follows from version and address
	if s.IsProvider() {
		inputs = inputs.Without("version")
	}
	if inputs.Len() > 0 {
		add(n, "properties", w.object(inputs))
	}
	options := mapping()
	option := func(key string, value *yaml.Node, set bool) {
		if set {
			add(options, key, value)
		}
	}
	option("parent", use(r.Parent), r.Parent != "")
	option("protect", &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "true"}, s.Protect)
	option("provider", use(r.Provider), r.Provider != "")
	option("version", scalar(r.Version), r.Version != "")
	if len(options.Content) > 0 {
		add(n, "options", options)
	}
	return n
}

// shortType is a type as people write it: without the module "index", and without the part that repeats the name.
func shortType(t urn.Type) string { return strings.Replace(t.Short(), ":index:", ":", 1) }

func mapping() *yaml.Node { return &yaml.Node{Kind: yaml.MappingNode} }

func add(m *yaml.Node, key string, value *yaml.Node) {
	k := &yaml.Node{}
	k.SetString(key)
	m.Content = append(m.Content, k, value)
}

// scalar is a string that is not evaluated.
func scalar(text string) *yaml.Node {
	n := &yaml.Node{}
	n.SetString(strings.ReplaceAll(text, "${", "$${"))
	return n
}

func use(key string) *yaml.Node {
	n := &yaml.Node{}
	n.SetString("${" + key + "}")
	return n
}

func (w writer) object(m property.Map) *yaml.Node {
	n := mapping()
	for k, v := range m.All() {
		n.Content = append(n.Content, scalar(k), w.value(v))
	}
	return n
}

func function(name string, argument *yaml.Node) *yaml.Node {
	n := mapping()
	add(n, "fn::"+name, argument)
	return n
}

func (w writer) value(v property.Value) *yaml.Node {
	if v.Secret() && !w.Secrets {
		place := scalar(property.Mask)
		place.LineComment = "not shown: fill it in from the configuration, or use --show-secrets"
		return function("secret", place)
	}
	if v.Secret() {
		return function("secret", w.value(v.WithSecret(false)))
	}
	if b, ok := v.AsBool(); ok {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: fmt.Sprint(b)}
	}
	if f, ok := v.AsNumber(); ok {
		return &yaml.Node{Kind: yaml.ScalarNode, Value: template.FormatNumber(f)}
	}
	if s, ok := v.AsString(); ok {
		return scalar(s)
	}
	if l, ok := v.AsList(); ok {
		n := &yaml.Node{Kind: yaml.SequenceNode}
		for _, item := range l.All() {
			n.Content = append(n.Content, w.value(item))
		}
		return n
	}
	if m, ok := v.AsMap(); ok {
		return w.object(m)
	}
	return w.special(v)
}

// special writes what only functions can make.
func (w writer) special(v property.Value) *yaml.Node {
	names := map[property.Source][2]string{
		property.SourceText: {"stringAsset"}, property.SourcePath: {"fileAsset", "fileArchive"},
		property.SourceURI: {"remoteAsset", "remoteArchive"},
	}
	if a, ok := v.AsAsset(); ok && names[a.Source][0] != "" {
		return function(names[a.Source][0], scalar(a.Location))
	}
	if a, ok := v.AsArchive(); ok {
		if a.Source == property.SourceAssets {
			return function("assetArchive", w.object(a.Assets))
		}
		if name := names[a.Source][1]; name != "" {
			return function(name, scalar(a.Location))
		}
	}
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
	if r, ok := v.AsReference(); ok {
		n.LineComment = "the resource " + string(r.URN)
	}
	return n
}
