// Package builtin lists the providers that are part of the program. Under the name pulumi-resource-<name> the program
// serves them as plugins; otherwise they run in process.
package builtin

import (
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/pluginhost"
	"github.com/cairn-iac/cairn/internal/utility/command"
	"github.com/cairn-iac/cairn/internal/utility/random"
)

// Providers are the built-in providers by package.
func Providers() map[string]pluginhost.Builtin {
	return map[string]pluginhost.Builtin{
		"random": {Version: random.Version(), New: func(l pluginhost.BuiltinLaunch) (plugin.Provider, error) {
			return random.New(l.Log), nil
		}},
		"command": {Version: command.Version, New: func(l pluginhost.BuiltinLaunch) (plugin.Provider, error) {
			return command.New(command.Options{Log: l.Log, Env: l.Environ, Dir: l.Dir}), nil
		}},
	}
}
