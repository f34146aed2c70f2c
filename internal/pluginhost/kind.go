package pluginhost

import "github.com/cairn-iac/cairn/internal/pluginstore"

// Kind is a kind of plugin, as its name and cache folder say it.
type Kind = pluginstore.Kind

// The kinds.
const (
	KindResource  = pluginstore.KindResource
	KindLanguage  = pluginstore.KindLanguage
	KindAnalyzer  = pluginstore.KindAnalyzer
	KindConverter = pluginstore.KindConverter
	KindTool      = pluginstore.KindTool
)

// Bundled says whether a plugin ships next to the Pulumi CLI.
func Bundled(k Kind, name string) bool {
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
