package config

import (
	"fmt"
	"maps"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/cairn-iac/cairn/internal/config/document"
	"github.com/cairn-iac/cairn/internal/diag"
)

// The keys of a stack's file.
const (
	keySecretsProvider = "secretsprovider"
	keyEncryptedKey    = "encryptedkey"
	keyEncryptionSalt  = "encryptionsalt"
	keyConfig          = "config"
	keyEnvironment     = "environment"
)

// Encryption is what a stack's file says about its secrets provider.
type Encryption struct {
	// SecretsProvider is the URL of a key-management service, or empty.
	SecretsProvider string
	// EncryptedKey is the data key, encrypted by that service.
	EncryptedKey string
	// EncryptionSalt is the passphrase provider's salt.
	EncryptionSalt string
}

// Provider says which secrets provider is meant: "passphrase", "cloud" (a key-management service), or "" when the file leaves
// it to the stack's state and the backend.
func (e Encryption) Provider() string {
	switch {
	case e.SecretsProvider != "" && e.SecretsProvider != "passphrase" && e.SecretsProvider != "default":
		return "cloud"
	case e.EncryptionSalt != "":
		return "passphrase"
	default:
		return ""
	}
}

// File is a stack's file, `Pulumi.<stack>.yaml` or `.json`. It is not safe for concurrent use.
type File struct {
	doc        *document.Document
	project    string
	config     Map
	names      map[Key]string // how the file spells a key
	encryption Encryption
	warnings   diag.Diagnostics
}

// Source is a stack's file to parse.
type Source struct {
	// Path names the file in messages; its extension says whether it is YAML or JSON.
	Path string
	// Project is the namespace of keys without one.
	Project string
	// Data is what the file holds; a file that does not exist yet holds nothing.
	Data []byte
}

// Parse reads a stack's file. Its error is [diag.Diagnostics] that name lines.
func Parse(src Source) (*File, error) {
	doc, err := document.Parse(src.Path, src.Data)
	if err != nil {
		return nil, err
	}
	f := &File{doc: doc, project: src.Project, config: Map{}, names: map[Key]string{}}
	if doc.Root == nil {
		return f, nil
	}
	root, err := doc.Mapping()
	if err != nil {
		return nil, err
	}
	problems := f.read(root)
	if problems.HasErrors() {
		return nil, problems
	}
	f.warnings = problems
	return f, nil
}

func (f *File) read(root *yaml.Node) diag.Diagnostics {
	var problems diag.Diagnostics
	for _, p := range document.Pairs(root) {
		var target *string
		switch p.Name {
		case keySecretsProvider:
			target = &f.encryption.SecretsProvider
		case keyEncryptedKey:
			target = &f.encryption.EncryptedKey
		case keyEncryptionSalt:
			target = &f.encryption.EncryptionSalt
		case keyConfig:
			problems = append(problems, f.readConfig(p.Value)...)
			continue
		case keyEnvironment:
			continue
		default:
			known := []string{keySecretsProvider, keyEncryptedKey, keyEncryptionSalt, keyConfig, keyEnvironment}
			if meant := document.Closest(p.Name, known); meant != "" {
				problems = append(problems, f.warn(p.Key, "the key %q means nothing; did you mean %q?", p.Name, meant))
			}
			continue
		}
		if n := document.Resolve(p.Value); n.Kind == yaml.ScalarNode {
			*target = FromNode(f.doc, n).ProgramText()
		} else {
			problems = append(problems, f.doc.Problem(p.Value, "%s must be a text, not %s", p.Name, document.Describe(n)))
		}
	}
	return problems
}

func (f *File) readConfig(n *yaml.Node) diag.Diagnostics {
	var problems diag.Diagnostics
	switch r := document.Resolve(n); {
	case r.Kind == yaml.MappingNode:
	case r.Kind == yaml.ScalarNode && r.ShortTag() == "!!null":
		return nil
	default:
		return diag.Diagnostics{f.doc.Problem(n, "config must hold keys and values, not %s", document.Describe(n))}
	}
	for _, p := range document.Pairs(n) {
		key, err := ParseKeyIn(f.project, p.Name)
		if err != nil {
			problems = append(problems, f.doc.Problem(p.Key, "%v", err))
			continue
		}
		if other, twice := f.names[key]; twice {
			problems = append(problems, f.doc.Problem(p.Key, "%q and %q are the same configuration key; keep one", other, p.Name))
			continue
		}
		f.names[key] = p.Name
		f.config[key] = FromNode(f.doc, p.Value)
		if f.config[key].Kind() == Null {
			problems = append(problems, f.warn(p.Key, "No value for configuration key %q. It is treated as an empty text; "+
				"set the value to \"\" to say so", p.Name))
		}
	}
	return problems
}

func (f *File) warn(n *yaml.Node, format string, args ...any) diag.Diagnostic {
	d := f.doc.Problem(n, format, args...)
	d.Severity = diag.Warning
	return d
}

// Path is the file's name as it was given.
func (f *File) Path() string { return f.doc.Path }

// Warnings are what is odd about the file and no error.
func (f *File) Warnings() diag.Diagnostics { return f.warnings }

// Config is a copy of the configuration.
func (f *File) Config() Map { return maps.Clone(f.config) }

// Encryption is what the file says about its secrets provider.
func (f *File) Encryption() Encryption { return f.encryption }

// Environment says whether the file asks for environments, and where: a non-empty list of names, or a definition.
func (f *File) Environment() (diag.Position, bool) {
	p, ok := document.Lookup(f.doc.Root, keyEnvironment)
	if !ok {
		return diag.Position{}, false
	}
	n := document.Resolve(p.Value)
	if n.Kind == yaml.SequenceNode && len(n.Content) == 0 || n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
		return diag.Position{}, false
	}
	return f.doc.Position(p.Key), true
}

// Get finds a value.
func (f *File) Get(a Address) (Value, bool) { return f.config.Get(a) }

// Set puts a value in, as [Map.Set] does.
func (f *File) Set(a Address, v Value) error {
	next := f.Config()
	if err := next.Set(a, v); err != nil {
		return err
	}
	return f.replace(a.Key, next)
}

// Remove takes a value out, as [Map.Remove] does.
func (f *File) Remove(a Address) error {
	next := f.Config()
	if err := next.Remove(a); err != nil {
		return err
	}
	return f.replace(a.Key, next)
}

// replace brings one key of the file to what next has.
func (f *File) replace(key Key, next Map) error {
	v, keep := next[key]
	old, had := f.config[key]
	switch {
	case v.plaintextSecret():
		return fmt.Errorf("the configuration value %s is a decrypted secret; encrypt it first", key)
	case !keep && !had, keep && had && v.Equal(old):
		return nil
	}
	mapping, err := f.configNode()
	if err != nil {
		return err
	}
	name, spelled := f.names[key]
	if !spelled {
		name = key.String()
	}
	pair, there := document.Lookup(mapping, name)
	if there && pair.Inherited {
		document.Unmerge(mapping)
		pair, _ = document.Lookup(mapping, name)
	}
	switch {
	case !keep:
		document.Delete(mapping, name)
		delete(f.names, key)
		if len(mapping.Content) == 0 {
			f.dropConfig(mapping)
		}
	case there:
		put(mapping, pair, reconcile(f.doc, pair.Value, v))
	default:
		document.Put(mapping, name, toNode(v))
		f.names[key] = name
	}
	f.config = next
	return nil
}

// configNode is the mapping below `config`, made when it is not there.
func (f *File) configNode() (*yaml.Node, error) {
	root, err := f.doc.Mapping()
	if err != nil {
		return nil, err
	}
	p, ok := document.Lookup(root, keyConfig)
	if ok && document.Resolve(p.Value).Kind == yaml.MappingNode {
		if p.Value.Kind == yaml.AliasNode {
			document.Put(root, keyConfig, document.Copy(p.Value))
			p, _ = document.Lookup(root, keyConfig)
		}
		return p.Value, nil
	}
	mapping := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	document.Put(root, keyConfig, mapping)
	return mapping, nil
}

// dropConfig takes an empty `config` away, as the Pulumi CLI does, unless a comment holds on to it.
func (f *File) dropConfig(mapping *yaml.Node) {
	p, _ := document.Lookup(f.doc.Root, keyConfig)
	for _, n := range []*yaml.Node{p.Key, mapping} {
		if n == nil || strings.TrimSpace(n.HeadComment+n.LineComment+n.FootComment) != "" {
			mapping.Style |= yaml.FlowStyle
			return
		}
	}
	deleteTop(document.Resolve(f.doc.Root), keyConfig)
}

// deleteTop takes a key of the file away. A comment above the first key is most likely about the file: it stays.
func deleteTop(root *yaml.Node, name string) {
	p, ok := document.Lookup(root, name)
	if ok && len(root.Content) > 2 && p.Key == root.Content[0] && p.Key.HeadComment != "" {
		next := root.Content[2]
		next.HeadComment = strings.TrimSuffix(p.Key.HeadComment+"\n"+next.HeadComment, "\n")
	}
	document.Delete(root, name)
}

// SetEncryption writes what the file says about its secrets provider; empty fields go.
func (f *File) SetEncryption(e Encryption) error {
	root, err := f.doc.Mapping()
	if err != nil {
		return err
	}
	for _, field := range []struct{ name, old, value string }{
		{keySecretsProvider, f.encryption.SecretsProvider, e.SecretsProvider},
		{keyEncryptedKey, f.encryption.EncryptedKey, e.EncryptedKey},
		{keyEncryptionSalt, f.encryption.EncryptionSalt, e.EncryptionSalt},
	} {
		p, there := document.Lookup(root, field.name)
		switch {
		case field.old == field.value && there == (field.value != ""):
		case field.value == "":
			deleteTop(root, field.name)
		case there:
			put(root, p, restyle(document.Text(field.value), document.Resolve(p.Value)))
		default:
			document.Put(root, field.name, document.Text(field.value))
		}
	}
	f.encryption = e
	return nil
}

// Bytes is the file's text with all edits. It reads the text back before it gives it out: a text that would lose or change a
// value is an error, never a file.
func (f *File) Bytes() ([]byte, error) {
	data, err := f.doc.Encode()
	if err != nil {
		return nil, err
	}
	back, err := Parse(Source{Path: f.Path(), Project: f.project, Data: data})
	if err != nil {
		return nil, fmt.Errorf("%s cannot be written so that it reads back: %w", f.Path(), err)
	}
	if !maps.EqualFunc(f.config, back.config, Value.Equal) || f.encryption != back.encryption {
		return nil, fmt.Errorf("%s cannot be written so that every value reads back", f.Path())
	}
	return data, nil
}
