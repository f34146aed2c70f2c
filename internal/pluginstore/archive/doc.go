// Package archive unpacks and packs plugins: gzipped tar archives and folders.
//
// What it unpacks may come from anybody. Nothing is written outside of the target folder, whatever names and links an
// archive holds; links that lead out of it, files that are neither files, folders nor links, names that come twice, and
// archives that unpack to much more than they are, are refused. An archive counts when it was read to its very end, with
// its checksum. The caller throws the folder away after an error.
//
// Entry points: [Unpack], [Copy] and [Pack].
package archive
