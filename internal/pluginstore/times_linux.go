package pluginstore

import (
	"io/fs"
	"syscall"
	"time"
)

// folderTimes are when a folder was last changed and last read.
func folderTimes(info fs.FileInfo) (changed, read time.Time) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return info.ModTime(), info.ModTime()
	}
	return time.Unix(s.Ctim.Unix()), time.Unix(s.Atim.Unix())
}
