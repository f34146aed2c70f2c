// Package bundle is one file with all plugins of a project, for machines without a network: a tar archive of
//
//	bundle.json       what is in it, with hashes
//	Pulumi.lock       the project's lock file
//	plugins/*.tar.gz  a plugin each, for one platform
//
// Equal plugins give equal bundles. A reader takes out of one only what its index names, and only with the size and hash
// that the index says; whether the plugin is the right one is for the project's own lock file to say.
//
// The package refuses to install anything. Entry points: [Write], [Open].
package bundle
