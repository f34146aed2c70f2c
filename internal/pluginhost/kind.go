package pluginhost

// Kind is a kind of plugin, as its name and cache folder say it.
type Kind string

// The kinds.
const (
	KindResource  Kind = "resource"
	KindLanguage  Kind = "language"
	KindAnalyzer  Kind = "analyzer"
	KindConverter Kind = "converter"
	KindTool      Kind = "tool"
)

func (k Kind) valid() bool {
	switch k {
	case KindResource, KindLanguage, KindAnalyzer, KindConverter, KindTool:
		return true
	default:
		return false
	}
}

// binary is the name of the executable of a plugin, without extension.
func (k Kind) binary(name string) string { return "pulumi-" + string(k) + "-" + name }

// bundled says whether a plugin ships next to the Pulumi CLI.
func (k Kind) bundled(name string) bool {
	switch k {
	case KindLanguage:
		switch name {
		case "nodejs", "bun", "go", "python", "dotnet", "yaml", "java", "pcl":
			return true
		}
	case KindResource:
		return isDynamic(name)
	case KindAnalyzer, KindConverter, KindTool:
	}
	return false
}

// isDynamic says whether the package is one of the dynamic providers, which run code of the program and whose output
// is therefore shown.
func isDynamic(pkg string) bool { return pkg == "pulumi-nodejs" || pkg == "pulumi-python" }
