// Package git reads repositories with the machine's git executable: which versions there are, and the files of one.
//
// The executable rather than a library, so that private repositories work as they do in the user's shell: with their
// credential helpers, ssh agent, proxies and rewritten addresses. The package refuses to ask questions on the terminal,
// to fetch submodules, to run hooks of a repository, and to put tokens on command lines.
//
// Entry points: [Split] takes an address apart, [Client] does the work.
package git
