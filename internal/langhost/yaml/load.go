package yaml

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/langhost"
	"github.com/cairn-iac/cairn/internal/langhost/yaml/template"
)

// pluginManifest is the file that makes a folder a plugin.
const pluginManifest = "PulumiPlugin.yaml"

// load reads the program in a folder: Main.json, Main.yaml or Pulumi.yaml, the first that is there, or what the
// compiler named by the project's options prints. The program is nil when it cannot be read.
func load(ctx context.Context, p langhost.Program, facts []string) (*template.Program, diag.Diagnostics, error) {
	compiler, ok := p.Options["compiler"]
	if !ok {
		return loadFolder(p.Directory)
	}
	command, ok := compiler.(string)
	if !ok {
		return nil, nil, fmt.Errorf("the runtime option compiler must be a string, not %T", compiler)
	}
	text, err := compile(ctx, command, p.Directory, append(slices.Clone(p.Environment), facts...))
	if err != nil {
		return nil, nil, err
	}
	program, ds := template.Parse(fmt.Sprintf("<stdout from compiler %s>", command), text)
	return program, ds, nil
}

func loadFolder(dir string) (*template.Program, diag.Diagnostics, error) {
	for _, name := range []string{"Main.json", "Main.yaml", "Pulumi.yaml"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("read the program: %w", err)
		}
		program, ds := template.Parse(name, text)
		return program, ds, nil
	}
	return nil, nil, fmt.Errorf("there is no program in %s: expected Main.json, Main.yaml or Pulumi.yaml", dir)
}

// compilerFacts are the variables that a compiler gets in addition to the environment.
func compilerFacts(r langhost.RunRequest) ([]string, error) {
	config, err := json.Marshal(r.Config)
	if err != nil {
		return nil, fmt.Errorf("encode the configuration for the compiler: %w", err)
	}
	return []string{
		"PULUMI_STACK=" + r.Stack, "PULUMI_ORGANIZATION=" + r.Organization, "PULUMI_PROJECT=" + r.Project,
		"PULUMI_CONFIG=" + string(config), "PULUMI_ROOT_DIRECTORY=" + r.Root,
	}, nil
}

func compile(ctx context.Context, command, dir string, env []string) ([]byte, error) {
	args, err := splitCommand(command)
	if err != nil {
		return nil, fmt.Errorf("the runtime option compiler: %w", err)
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, env, &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("error running compiler %s: %w, stderr follows: %s", args[0], err, stderr.String())
	}
	return stdout.Bytes(), nil
}

// splitCommand splits a command line at spaces, with quotes and backslashes as in a shell.
func splitCommand(line string) ([]string, error) {
	var args []string
	var word strings.Builder
	inWord, quote := false, rune(0)
	escaped := false
	for _, r := range line {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, inWord = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, inWord = r, true
		case r == ' ' || r == '\t':
			if inWord {
				args = append(args, word.String())
			}
			inWord = false
			word.Reset()
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if quote != 0 || escaped {
		return nil, fmt.Errorf("%q has an open quote or escape", line)
	}
	if inWord {
		args = append(args, word.String())
	}
	if len(args) == 0 {
		return nil, fmt.Errorf("the command is empty")
	}
	return args, nil
}

// loadPlugin reads the component plugin in a folder: all its YAML files together.
func loadPlugin(dir string) (*template.Program, diag.Diagnostics, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("read the plugin: %w", err)
	}
	var files []template.File
	found := false
	for _, e := range entries {
		if e.IsDir() || filepath.Ext(e.Name()) != ".yaml" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, nil, fmt.Errorf("read the plugin: %w", err)
		}
		if bytes.Contains(text, []byte(declarationMark)) {
			continue
		}
		found = found || e.Name() == pluginManifest
		files = append(files, template.File{Name: e.Name(), Text: text})
	}
	if !found {
		return nil, nil, fmt.Errorf("there is no %s in %s", pluginManifest, dir)
	}
	program, ds := template.ParsePlugin(files)
	return program, ds, nil
}
