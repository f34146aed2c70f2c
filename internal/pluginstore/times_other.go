//go:build !linux

package pluginstore

import (
	"io/fs"
	"time"
)

// folderTimes are when a folder was last changed and last read, as well as it is known.
func folderTimes(info fs.FileInfo) (changed, read time.Time) {
	return info.ModTime(), info.ModTime()
}
