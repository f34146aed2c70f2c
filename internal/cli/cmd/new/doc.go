// Package newcmd is `pulumi new`: a project and a stack from a template. It refuses to leave anything half made: whatever
// goes wrong, files, stack and configuration are as they were. Entry point: [NewCmd].
package newcmd
