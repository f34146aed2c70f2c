// Package template is what new projects are made of: folders with a Pulumi.yaml, found in the program itself, on disk or
// in a git repository, and turned into files with the new project's name in them.
//
// It refuses to ask and to print, to follow a link out of a template or a project's folder, and to replace files unless
// it is told to. What it wrote it can take back. Entry points: [Find], [Template.Render], [Place].
package template
