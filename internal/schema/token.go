package schema

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cairn-iac/cairn/internal/urn"
)

// Kind says what a token was looked up as.
type Kind string

// The kinds of lookup.
const (
	KindResource Kind = "resource type"
	KindFunction Kind = "function"
)

// NotFoundError tells that a package declares no such resource or function.
type NotFoundError struct {
	Kind    Kind
	Token   string
	Package string
	// Suggestions are similar tokens that exist, best first.
	Suggestions []string
}

func (e *NotFoundError) Error() string {
	return fmt.Sprintf("unable to find %s %q in resource provider %q", e.Kind, e.Token, e.Package)
}

// ParseToken splits what a program may write as a type or function: <package>:<name> or <package>:<module>:<name>.
func ParseToken(text string) (pkg, module, name string, err error) {
	parts := strings.Split(text, ":")
	if slices.Contains(parts, "") || len(parts) < 2 || len(parts) > 3 {
		return "", "", "", fmt.Errorf("invalid type token %q: expected package:name or package:module:name", text)
	}
	if len(parts) == 2 {
		return parts[0], "", parts[1], nil
	}
	return parts[0], parts[1], parts[2], nil
}

// PackageOf gives the package whose schema describes a token: for pulumi:providers:aws that is aws.
func PackageOf(token string) string {
	if pkg := urn.Type(token).ProviderPackage(); pkg != "" {
		return pkg
	}
	return urn.Type(token).Package()
}

// ResolveResource finds the resource that a program means by token: the exact token, then package:Name as
// package:index:Name, then package:mod:Name as package:mod/name:Name, whatever the case. pulumi:providers:<package>
// is the provider itself. The error is a *NotFoundError.
func (p *Package) ResolveResource(token string) (canonical string, r Resource, err error) {
	if urn.Type(token).ProviderPackage() == p.Name && p.Name != "" {
		if p.Provider == nil {
			return token, Resource{}, nil
		}
		return token, *p.Provider, nil
	}
	canonical, err = resolve(p.Name, token, KindResource, p.Resources)
	return canonical, p.Resources[canonical], err
}

// ResolveFunction finds the function that a program means by token, by the same rules as ResolveResource.
func (p *Package) ResolveFunction(token string) (canonical string, f Function, err error) {
	canonical, err = resolve(p.Name, token, KindFunction, p.Functions)
	return canonical, p.Functions[canonical], err
}

func resolve[T any](pkg, token string, kind Kind, known map[string]T) (string, error) {
	owner, module, name, err := ParseToken(token)
	if err != nil {
		return "", err
	}
	if _, ok := known[token]; ok {
		return token, nil
	}
	if module == "" {
		module = "index"
	}
	candidates := []string{
		owner + ":" + module + ":" + name,
		owner + ":" + module + "/" + lowerFirst(name) + ":" + name,
	}
	for _, c := range candidates {
		if _, ok := known[c]; ok {
			return c, nil
		}
	}
	for _, c := range slices.Sorted(maps.Keys(known)) {
		if slices.ContainsFunc(candidates, func(want string) bool { return strings.EqualFold(want, c) }) {
			return c, nil
		}
	}
	return "", &NotFoundError{
		Kind: kind, Token: token, Package: pkg,
		Suggestions: suggestTokens(token, slices.Collect(maps.Keys(known))),
	}
}

// suggestTokens compares and offers the short form of tokens, which is what people write.
func suggestTokens(token string, known []string) []string {
	short := make([]string, 0, len(known))
	for _, k := range known {
		s := urn.Type(k).Short()
		short = append(short, strings.Replace(s, ":index:", ":", 1))
	}
	return Suggest(strings.Replace(urn.Type(token).Short(), ":index:", ":", 1), short)
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }
