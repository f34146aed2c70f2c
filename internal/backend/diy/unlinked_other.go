//go:build !unix

package diy

import "io/fs"

// isUnlinked cannot tell here.
func isUnlinked(fs.FileInfo) bool { return false }
