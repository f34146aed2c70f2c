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
	// args is 1 for a single argument, or the length of the list of arguments.
	args int
	// shape says the argument in words.
	shape string
}

func (f Func) signature() signature {
	switch f {
	case FuncJoin:
		return signature{"join", 2, "[delimiter, list]"}
	case FuncSplit:
		return signature{"split", 2, "[delimiter, string]"}
	case FuncSelect:
		return signature{"select", 2, "[index, list]"}
	case FuncStackReference:
		return signature{"stackReference", 2, "[stack, output]"}
	case FuncToJSON:
		return signature{"toJSON", 1, "a value"}
	case FuncToBase64:
		return signature{"toBase64", 1, "a string"}
	case FuncFromBase64:
		return signature{"fromBase64", 1, "a string"}
	case FuncSecret:
		return signature{"secret", 1, "a value"}
	case FuncUnsecret:
		return signature{"unsecret", 1, "a value"}
	case FuncReadFile:
		return signature{"readFile", 1, "a path"}
	case FuncFileBase64:
		return signature{"fileBase64", 1, "a path"}
	case FuncFileBase64Sha256:
		return signature{"fileBase64Sha256", 1, "a path"}
	case FuncSha1:
		return signature{"sha1", 1, "a string"}
	case FuncLength:
		return signature{"length", 1, "a list, an object or a string"}
	case FuncSingleOrNone:
		return signature{"singleOrNone", 1, "a list"}
	case FuncResourceName:
		return signature{"pulumiResourceName", 1, "a resource"}
	case FuncResourceType:
		return signature{"pulumiResourceType", 1, "a resource"}
	case FuncStringAsset:
		return signature{"stringAsset", 1, "a string"}
	case FuncFileAsset:
		return signature{"fileAsset", 1, "a path"}
	case FuncRemoteAsset:
		return signature{"remoteAsset", 1, "a URL"}
	case FuncFileArchive:
		return signature{"fileArchive", 1, "a path"}
	case FuncRemoteArchive:
		return signature{"remoteArchive", 1, "a URL"}
	case FuncAssetArchive:
		return signature{"assetArchive", 1, "an object of assets and archives"}
	default:
		return signature{}
	}
}

// Name is the function as programs write it: fn::toJSON.
func (f Func) Name() string { return functionPrefix + f.signature().name }

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
