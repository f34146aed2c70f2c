package source

import (
	"slices"

	"github.com/cairn-iac/cairn/internal/pluginstore"
)

// Known completes a plugin that the Pulumi CLI knows where to find: providers of the Pulumiverse organization, and the
// versions of language hosts that are published by themselves.
func Known(p pluginstore.Plugin) pluginstore.Plugin {
	if p.DownloadURL != "" {
		return p
	}
	switch p.Kind {
	case pluginstore.KindResource:
		if slices.Contains(pulumiverse(), p.Name) {
			p.DownloadURL = "github://api.github.com/pulumiverse"
		}
	case pluginstore.KindLanguage:
		version, url := "", ""
		switch p.Name {
		case "hcl":
			version = "0.19.1"
		case "java":
			version = "1.39.0"
		case "opa":
			version, url = "1.1.3", "github://api.github.com/pulumi/pulumi-policy-opa"
		}
		p.DownloadURL = url
		if p.Version == "" {
			p.Version = version
		}
	case pluginstore.KindAnalyzer, pluginstore.KindConverter, pluginstore.KindTool:
	}
	return p
}

func pulumiverse() []string {
	return []string{
		"acme", "aquasec", "astra", "aws-eksa", "buildkite", "clickhouse", "cockroach", "concourse", "configcat", "cpln",
		"doppler", "dynatrace", "esxi-native", "exoscale", "fortios", "gandi", "github-credentials", "googleworkspace",
		"grafana", "harbor", "hcp", "heroku", "ibm", "matchbox", "mssql", "ngrok", "purrl", "redpanda", "scaleway", "sentry",
		"statuscake", "talos", "time", "unifi", "vercel", "vra", "zitadel",
	}
}
