// Package lockfile is Pulumi.lock, the file next to Pulumi.yaml that says which plugins a project uses and which hashes
// they must have. It is made to be committed, read in reviews, and merged.
//
//	version: 1
//	plugins:
//	  - kind: resource
//	    name: fp
//	    version: 1.0.0
//	    source: github://api.github.com/pulumi/pulumi-fp
//	    hashes:
//	      linux-amd64:
//	        archive: sha256:...   # what was downloaded
//	        files: sha256:...     # what was unpacked: paths and contents
//
// Both hashes are recorded by the first install on a platform, and must be the same ever after. A plugin that was
// installed from a folder or a git repository has no archive.
//
// The package refuses to compute hashes and to decide what follows from a difference. Entry points: [Load], [Update].
package lockfile
