package template

import "strings"

// Func is a function that programs call as fn::name.
type Func int

// The functions. FuncNone is none.
const (
	FuncNone Func = iota
	FuncJoin
	FuncSplit
	FuncSelect
	FuncToJSON
	FuncToBase64
	FuncFromBase64
	FuncStackReference
	FuncSecret
	FuncUnsecret
	FuncReadFile
	FuncFileBase64
	FuncFileBase64Sha256
	FuncSha1
	FuncLength
	FuncSingleOrNone
	FuncResourceName
	FuncResourceType
	FuncStringAsset
	FuncFileAsset
	FuncRemoteAsset
	FuncFileArchive
	FuncRemoteArchive
	FuncAssetArchive
)

const (
	functionPrefix = "fn::"
	invokeName     = "invoke"
)

// signature tells how a function is called.
type signature struct {
	name string
	// also is another spelling that is as good.
	also string
	// args is 1 for a single argument, or the length of the list of arguments.
	args int
	// shape says the argument in words.
	shape string
}

func (f Func) signature() signature {
	switch f {
	case FuncJoin:
		return signature{name: "join", args: 2, shape: "[delimiter, list]"}
	case FuncSplit:
		return signature{name: "split", args: 2, shape: "[delimiter, string]"}
	case FuncSelect:
		return signature{name: "select", args: 2, shape: "[index, list]"}
	case FuncStackReference:
		return signature{name: "stackReference", args: 2, shape: "[stack, output]"}
	case FuncToJSON:
		return signature{name: "toJSON", args: 1, shape: "a value"}
	case FuncToBase64:
		return signature{name: "toBase64", args: 1, shape: "a string"}
	case FuncFromBase64:
		return signature{name: "fromBase64", args: 1, shape: "a string"}
	case FuncSecret:
		return signature{name: "secret", args: 1, shape: "a value"}
	case FuncUnsecret:
		return signature{name: "unsecret", args: 1, shape: "a value"}
	case FuncReadFile:
		return signature{name: "readFile", args: 1, shape: "a path"}
	case FuncFileBase64:
		return signature{name: "fileBase64", also: "filebase64", args: 1, shape: "a path"}
	case FuncFileBase64Sha256:
		return signature{name: "fileBase64Sha256", also: "filebase64sha256", args: 1, shape: "a path"}
	case FuncSha1:
		return signature{name: "sha1", args: 1, shape: "a string"}
	case FuncLength:
		return signature{name: "length", args: 1, shape: "a list, an object or a string"}
	case FuncSingleOrNone:
		return signature{name: "singleOrNone", args: 1, shape: "a list"}
	case FuncResourceName:
		return signature{name: "pulumiResourceName", args: 1, shape: "a resource"}
	case FuncResourceType:
		return signature{name: "pulumiResourceType", args: 1, shape: "a resource"}
	case FuncStringAsset:
		return signature{name: "stringAsset", args: 1, shape: "a string"}
	case FuncFileAsset:
		return signature{name: "fileAsset", args: 1, shape: "a path"}
	case FuncRemoteAsset:
		return signature{name: "remoteAsset", args: 1, shape: "a URL"}
	case FuncFileArchive:
		return signature{name: "fileArchive", args: 1, shape: "a path"}
	case FuncRemoteArchive:
		return signature{name: "remoteArchive", args: 1, shape: "a URL"}
	case FuncAssetArchive:
		return signature{name: "assetArchive", args: 1, shape: "an object of assets and archives"}
	default:
		return signature{}
	}
}

// Name is the function as programs write it: fn::toJSON.
func (f Func) Name() string { return functionPrefix + f.signature().name }

// FunctionNames lists the functions as programs write them, fn::invoke among them.
func FunctionNames() []string {
	out := functionNames()
	for i := range out {
		out[i] = functionPrefix + out[i]
	}
	return out
}

// functions lists all functions.
func functions() []Func {
	var out []Func
	for f := FuncJoin; f <= FuncAssetArchive; f++ {
		out = append(out, f)
	}
	return out
}

// functionNamed finds a function by its name without fn::, whatever the case.
func functionNamed(name string) Func {
	for _, f := range functions() {
		if strings.EqualFold(f.signature().name, name) {
			return f
		}
	}
	return FuncNone
}

// functionKey says whether an object's key is reserved for functions, and gives the name behind fn::.
func functionKey(key string) (name string, ok bool) {
	if len(key) < len(functionPrefix) || !strings.EqualFold(key[:len(functionPrefix)], functionPrefix) {
		return "", false
	}
	return key[len(functionPrefix):], true
}
