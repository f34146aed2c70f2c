// Package about holds the commands that describe the program and its surroundings: about and version.
//
// They never fail for want of something to describe: what could not be found out is a warning. Entry point: [Commands].
package about
