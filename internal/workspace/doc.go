// Package workspace is what a machine remembers between commands: the home folder with the credentials and the backend that is
// current, which stack is selected in which project, and the stacks' files next to the project's.
//
// The files are those of every Pulumi CLI and are shared with it; what this version does not know in them survives. The
// environment comes in as a [Lookup]. Every write is atomic, and a file that cannot be understood is never replaced. The
// package chooses a backend's URL and opens none. Entry points: [Locate], [ChooseBackend], [CurrentStack].
package workspace
