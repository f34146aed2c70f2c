// Package acquire gets plugins: it finds out which version is meant, downloads it, compares it with the project's lock
// file, puts it into the store, and records what it got.
//
// # Versions
//
// A plugin that is asked for in no version has the one of the lock file, if that names one; else the newest that its
// source knows.
//
// # Trust
//
// The first install of a plugin in a project records its hashes. From then on an archive, and the files of the plugin
// whenever it is about to run, must have these hashes, on every machine; a plugin that has not is refused. Automatic
// installs record only in a file that is there; [Options.Locked] lets nothing in that the file does not name.
//
// The package refuses to start plugins and to decide when one is needed. Entry point: [New].
package acquire
