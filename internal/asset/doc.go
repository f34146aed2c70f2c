// Package asset reads assets and archives: the files that values only describe.
//
// Its main use is [Reader.ComputeHashes], which fills in the hashes that the rest of the program compares assets by.
// They are the ones that every Pulumi SDK computes, so that a stack made elsewhere shows no change here:
//
//   - An asset's hash is the hex sha256 of its bytes.
//   - An archive that is one file (.tar, .tgz, .tar.gz, .zip or .jar, by its name) is hashed as that file.
//   - Any other archive is hashed as the uncompressed tar of its members, in order, each with its name, its size and
//     mode 0600; a name that comes twice counts once, the first time. Times, owners and permissions never count, nor
//     does the place of the folder.
//
// A folder is walked in the order of names. Left out are empty folders, everything named ".pulumi", and links to
// folders, even when such a link is the archive's own path. A link to a file counts as that file. A link that leads
// nowhere, and a member that is no file (a socket, a pipe), is an error.
//
// Nothing is read for an asset whose hash is known: an old asset may have vanished from this machine.
//
// The package refuses to decide what an asset is for, and to reach the disk or network by itself: [Files] and a fetch
// function come in through [Reader].
package asset
