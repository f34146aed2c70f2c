// Package pluginstore is the folder where installed plugins are ($PULUMI_HOME/plugins): what is in it, how something gets
// in, and how it gets out again. The layout and the protocol are those of the Pulumi CLI, and both may use one folder at
// the same time:
//
//	resource-fp-v1.0.0/            the plugin: an executable pulumi-resource-fp, or a folder with PulumiPlugin.yaml
//	resource-fp-v1.0.0.lock        held by whoever installs or removes it
//	resource-fp-v1.0.0.partial     there while the plugin is not complete: it does not count
//	resource-fp-v1.0.0.lastused    when it ran last
//	resource-fp-v1.0.0.files       ours: the hashes of the files as they were installed
//	resource-fp-v1.0.0.note        ours: the hash of the archive that it came in
//	.resource-fp-v1.0.0.new/       ours: where a plugin is put together before it is moved into its place
//	.resource-fp-v1.0.0.scratch/   ours: where its archive is meanwhile
//
// A plugin is put together and checked outside of its place, so that a failed install, or a kill at any instant, leaves
// what was there before, and nothing half-installed ever counts.
//
// The packages below it: archive packs and unpacks without trusting what it reads, source downloads, lockfile is the
// project's record of hashes, bundle is one archive for machines without a network, and acquire puts all of them together.
//
// The package refuses to talk to a network, to choose versions and to start plugins. Entry point: [Store].
package pluginstore
