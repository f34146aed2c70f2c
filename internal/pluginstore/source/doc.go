// Package source gets plugins from where they are published: GitHub and GitLab releases, web servers, file systems and git
// repositories.
//
//	""                                 github.com/pulumi/pulumi-<name>, then get.pulumi.com
//	github://HOST/ORG[/REPOSITORY]     a release's asset, by the API of HOST
//	gitlab://HOST/PROJECT              a release's asset
//	https://..., http://...            a folder of archives; ${NAME}, ${VERSION}, ${OS} and ${ARCH} are filled in
//	file:///...                        the same on this machine (ours)
//	git://HOST/OWNER/REPOSITORY[/DIR]  a folder of a repository, over https
//	git+https, git+ssh, git+file       the same over that transport, for mirrors (ours)
//
// PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES puts other addresses in the place of these. With PULUMI_OFFLINE nothing leaves the
// machine: whatever would is an *[OfflineError].
//
// What is got is whole, but not trusted: hashes are compared by the caller. A download that breaks off, or that the server
// is too busy for, is tried again; one that the server does not have is not.
//
// The package refuses to unpack anything. Entry point: [Client.Source].
package source
