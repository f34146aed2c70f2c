package eval

import (
	"context"
	// SHA-1 is what the function promises; it protects nothing.
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"github.com/cairn-iac/cairn/internal/langhost/yaml/template"
	"github.com/cairn-iac/cairn/internal/property"
)

// call evaluates a function. Most need known arguments and are unknown until then; the result is secret when an
// argument is, and depends on what the arguments depend on.
func (e *evaluator) call(ctx context.Context, x *template.Call) (property.Value, error) {
	if x.Func == template.FuncStackReference {
		return e.stackReference(ctx, x)
	}
	args, err := e.all(ctx, x.Args)
	if err != nil {
		return property.Value{}, err
	}
	switch x.Func {
	case template.FuncSecret:
		return args[0].MakeSecret(), nil
	case template.FuncUnsecret:
		return args[0].Transform(func(v property.Value) property.Value { return v.WithSecret(false) }), nil
	case template.FuncSelect:
		return selectItem(x, args[0], args[1])
	case template.FuncLength:
		return length(x, args[0])
	case template.FuncSingleOrNone:
		return singleOrNone(x, args[0])
	case template.FuncAssetArchive:
		return assetArchive(x, args[0])
	default:
	}
	for _, a := range args {
		if a.ContainsUnknown() {
			return markDeep(property.Unknown(), args...), nil
		}
	}
	v, err := e.pure(x, args)
	return markDeep(v, args...), err
}

// pure evaluates the functions that look at all of their arguments.
func (e *evaluator) pure(x *template.Call, args []property.Value) (property.Value, error) {
	switch x.Func {
	case template.FuncJoin:
		return join(x, args[0], args[1])
	case template.FuncToJSON:
		return toJSON(x, args[0])
	case template.FuncResourceName, template.FuncResourceType:
		r, ok := args[0].AsReference()
		if !ok {
			return property.Value{}, wrongArgument(x, 0, "a resource", args[0])
		}
		if x.Func == template.FuncResourceName {
			return property.String(r.URN.Name()), nil
		}
		return property.String(string(r.URN.Type())), nil
	default:
	}
	// The others take strings.
	texts := make([]string, len(args))
	for i, a := range args {
		s, ok := a.AsString()
		if !ok {
			return property.Value{}, wrongArgument(x, i, "a string", a)
		}
		texts[i] = s
	}
	switch x.Func {
	case template.FuncSplit:
		return split(texts[0], texts[1]), nil
	case template.FuncToBase64:
		return property.String(base64.StdEncoding.EncodeToString([]byte(texts[0]))), nil
	case template.FuncFromBase64:
		return fromBase64(x, texts[0])
	case template.FuncSha1:
		sum := sha1.Sum([]byte(texts[0]))
		return property.String(hex.EncodeToString(sum[:])), nil
	case template.FuncReadFile, template.FuncFileBase64, template.FuncFileBase64Sha256:
		return e.readFile(x, texts[0])
	default:
		return asset(x.Func, texts[0]), nil
	}
}

func wrongArgument(x *template.Call, i int, want string, got property.Value) error {
	return problemAt(x.Args[i].Pos(), "%s needs %s, not %s", x.Func.Name(), want, kindName(got))
}

func join(x *template.Call, delimiter, list property.Value) (property.Value, error) {
	between, ok := delimiter.AsString()
	if !ok && !delimiter.IsNull() {
		return property.Value{}, wrongArgument(x, 0, "a string as delimiter", delimiter)
	}
	items, ok := list.AsList()
	if !ok {
		return property.Value{}, wrongArgument(x, 1, "a list", list)
	}
	texts := make([]string, items.Len())
	for i, item := range items.All() {
		if texts[i], ok = asText(item); !ok {
			return property.Value{}, problemAt(x.Args[1].Pos(),
				"the second argument to fn::join must be a list of strings, found %s at index %d", kindName(item), i)
		}
	}
	return property.String(strings.Join(texts, between)), nil
}

func split(delimiter, text string) property.Value {
	parts := strings.Split(text, delimiter)
	items := make([]property.Value, len(parts))
	for i, p := range parts {
		items[i] = property.String(p)
	}
	return property.NewList(items...)
}

// selectItem keeps the marks of the chosen element: the others do not matter.
func selectItem(x *template.Call, index, list property.Value) (property.Value, error) {
	if index.IsUnknown() || list.IsUnknown() {
		return mark(property.Unknown(), index, list), nil
	}
	n, ok := index.AsNumber()
	if !ok {
		return property.Value{}, wrongArgument(x, 0, "a number as index", index)
	}
	items, ok := list.AsList()
	switch {
	case !ok:
		return property.Value{}, wrongArgument(x, 1, "a list", list)
	case n < 0 || n != float64(int64(n)):
		return property.Value{}, problemAt(x.Args[0].Pos(), "index must be a positive integral, not %s", template.FormatNumber(n))
	case int64(n) >= int64(items.Len()):
		return property.Value{}, problemAt(x.Args[0].Pos(),
			"list index %s out-of-bounds for list of length %d", template.FormatNumber(n), items.Len())
	}
	return mark(items.At(int(n)), index, list), nil
}

// length counts elements, entries, or what people see as characters.
func length(x *template.Call, v property.Value) (property.Value, error) {
	n := 0
	if l, ok := v.AsList(); ok {
		n = l.Len()
	} else if m, ok := v.AsMap(); ok {
		n = m.Len()
	} else if s, ok := v.AsString(); ok {
		n = uniseg.GraphemeClusterCount(s)
	} else if v.IsUnknown() {
		return v, nil
	} else {
		return property.Value{}, wrongArgument(x, 0, "a list, an object or a string", v)
	}
	return mark(property.Number(float64(n)), v), nil
}

func singleOrNone(x *template.Call, v property.Value) (property.Value, error) {
	if v.IsUnknown() {
		return v, nil
	}
	l, ok := v.AsList()
	switch {
	case !ok:
		return property.Value{}, wrongArgument(x, 0, "a list", v)
	case l.Len() == 0:
		return mark(property.Null(), v), nil
	case l.Len() == 1:
		return mark(l.At(0), v), nil
	default:
		return property.Value{}, problemAt(x.Args[0].Pos(), "fn::singleOrNone needs a list of at most one element, not of %d", l.Len())
	}
}

func fromBase64(x *template.Call, text string) (property.Value, error) {
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return property.Value{}, problemAt(x.Args[0].Pos(), "fn::fromBase64 unable to decode: the text is not base64")
	}
	if !utf8.Valid(b) {
		return property.Value{}, problemAt(x.Args[0].Pos(), "fn::fromBase64 output is not a valid UTF-8 string")
	}
	return property.String(string(b)), nil
}

func (e *evaluator) readFile(x *template.Call, path string) (property.Value, error) {
	full := path
	if !filepath.IsAbs(path) {
		full = filepath.Join(e.Directory, path)
	}
	data, err := os.ReadFile(full)
	if err != nil {
		return property.Value{}, problemAt(x.Args[0].Pos(), "Error reading file at path %s: %v", path, underlying(err))
	}
	switch x.Func {
	case template.FuncFileBase64:
		return property.String(base64.StdEncoding.EncodeToString(data)), nil
	case template.FuncFileBase64Sha256:
		sum := sha256.Sum256(data)
		return property.String(base64.StdEncoding.EncodeToString(sum[:])), nil
	default:
	}
	if !utf8.Valid(data) {
		d := problemAt(x.Args[0].Pos(), "the file %s is not UTF-8 text", path)
		d.Detail = "Use fn::fileBase64, or fn::fileAsset where an asset is wanted."
		return property.Value{}, d
	}
	return property.String(string(data)), nil
}

func asset(f template.Func, location string) property.Value {
	switch f {
	case template.FuncFileArchive:
		return property.FromArchive(property.Archive{Source: property.SourcePath, Location: location})
	case template.FuncRemoteArchive:
		return property.FromArchive(property.Archive{Source: property.SourceURI, Location: location})
	case template.FuncFileAsset:
		return property.FromAsset(property.Asset{Source: property.SourcePath, Location: location})
	case template.FuncRemoteAsset:
		return property.FromAsset(property.Asset{Source: property.SourceURI, Location: location})
	default:
		return property.FromAsset(property.Asset{Source: property.SourceText, Location: location})
	}
}

func assetArchive(x *template.Call, v property.Value) (property.Value, error) {
	m, ok := v.AsMap()
	if !ok {
		return property.Value{}, wrongArgument(x, 0, "an object of assets and archives", v)
	}
	unknown := false
	for k, entry := range m.All() {
		switch entry.Kind() {
		case property.KindAsset, property.KindArchive:
		case property.KindUnknown:
			unknown = true
		default:
			return property.Value{}, problemAt(x.Args[0].Pos(),
				"the entry %q of fn::assetArchive must be an asset or an archive, not %s", k, kindName(entry))
		}
	}
	if unknown {
		return markDeep(property.Unknown(), v), nil
	}
	return markDeep(property.FromArchive(property.Archive{Source: property.SourceAssets, Assets: m}), v), nil
}
