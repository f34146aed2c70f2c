// Package project reads what a person wrote about a project: `Pulumi.yaml` (or .yml, .json) and `PulumiPlugin.yaml`, the
// configuration that it declares, and the rules for project and stack names.
//
// A file is checked as a whole and every problem is told with its line, with the key that was most likely meant. The
// document stays at hand for the YAML runtime, whose program stands in the same file. The package reads files only through
// [Files] and never runs anything. Entry points: [Find], [Load], [Project.EffectiveConfig] and [Project.CheckConfig].
package project
