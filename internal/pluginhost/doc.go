// Package pluginhost finds plugins, starts them, and sees to it that none outlives us.
//
// [Host] is the engine's [plugin.Host]; [Host.List] and [Host.Describe] answer "plugin ls" and "about". What speaks the
// provider protocol comes in as [Options.Connect] (package provider), so that this package knows processes, ports and
// connections only. It refuses to download plugins, to read the process's own environment, and to decide what the engine
// asks a provider; [Host.Schema] is the one question it asks itself, for commands that start a provider just for that.
//
// # Which plugin runs
//
// The first of these that has the plugin wins:
//  1. a running provider named in PULUMI_DEBUG_PROVIDERS (name:port), which is attached to, not started;
//  2. the project's own plugins and local packages ([Project.Plugins]);
//  3. the executable pulumi-<kind>-<name> on $PATH, unless PULUMI_IGNORE_AMBIENT_PLUGINS is true;
//  4. that executable next to ours, for the few plugins that ship with the Pulumi CLI;
//  5. an installed plugin ($PULUMI_HOME/plugins) or a built-in one.
//
// Our own executable under a plugin's name (a link on $PATH, as a multi-call binary has them) is never a candidate in
// 3 and 4: it would be the built-in provider in disguise, winning over an installed official one.
//
// Between installed and built-in:
//   - Wanted in a version: the installed plugin of exactly that version wins. Else the built-in one serves if it has
//     the same major version and is not older than what is wanted; a later version only adds to an earlier one. Else
//     the plugin is missing.
//   - Wanted in any version: the one that the project has settled on, if it has ([Options.Pinned]), as if it were wanted.
//     Else the newest installed one (a release before a pre-release) wins if it is at least as new as the built-in one,
//     else the built-in one does.
//
// A plugin that is missing when it is about to run is installed by [Options.Install], unless the environment forbids it
// (PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION, PULUMI_OFFLINE); then the error says how to get it. One that was found is
// shown to [Options.Verify] before it is started.
//
// # Folders
//
// A plugin may be a folder with a PulumiPlugin.yaml and no executable. If its runtime is one of [Options.Runtimes] it
// runs in this process, else the runtime's language host (a plugin of kind language) is started and asked to run it.
//
// # The end
//
// A plugin is asked to cancel, then interrupted with its whole process group, then killed with it, 5 seconds apart.
// [Host.Close] does that for all of them at once, and [Host.Kill] kills at once. Should we be killed ourselves, Linux
// kills the plugins; elsewhere they end when they notice that the engine's address no longer answers.
package pluginhost
