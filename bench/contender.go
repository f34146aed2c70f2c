package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// phase is one run in the life of a stack.
type phase string

// The phases in their order. change replaces every tenth resource.
const (
	up      phase = "up"
	noop    phase = "noop"
	change  phase = "change"
	destroy phase = "destroy"
	// initialize is not measured.
	initialize phase = "initialize"
)

func phases() []phase { return []phase{up, noop, change, destroy} }

// contender is a tool that manages stacks.
type contender interface {
	name() string
	// prepare makes an empty stack in a new folder.
	prepare(dir string, size int) error
	// program writes what the phase deploys.
	program(dir string, size int, p phase) error
	command(dir string, p phase) *exec.Cmd
	version(dir string) *exec.Cmd
	// state is the folder that the tool keeps state in, and the state file within.
	state(dir string) (folder, file string)
}

// cairn is this project's program, with the providers in the box.
type cairn struct{ binary string }

func (cairn) name() string { return "cairn" }

func (c cairn) prepare(dir string, _ int) error {
	return preparePulumi(c.command(dir, initialize), dir)
}

func (cairn) program(dir string, size int, p phase) error { return writePets(dir, size, p) }

func (c cairn) command(dir string, p phase) *exec.Cmd {
	return pulumi(c.binary, dir, "/usr/bin:/bin", p)
}

func (c cairn) version(dir string) *exec.Cmd {
	command := c.command(dir, "")
	command.Args = []string{c.binary, "version"}
	return command
}

func (cairn) state(dir string) (folder, file string) { return pulumiState(dir) }

// upstream is the Pulumi CLI; its random provider is this project's program under the plugin's name.
type upstream struct{ folder, provider string }

func (upstream) name() string { return "upstream" }

func (u upstream) prepare(dir string, _ int) error {
	plugins := filepath.Join(dir, "bin")
	if err := os.MkdirAll(plugins, 0o755); err != nil {
		return err
	}
	if err := os.Symlink(u.provider, filepath.Join(plugins, "pulumi-resource-random")); err != nil {
		return err
	}
	return preparePulumi(u.command(dir, initialize), dir)
}

func (upstream) program(dir string, size int, p phase) error { return writePets(dir, size, p) }

func (u upstream) command(dir string, p phase) *exec.Cmd {
	path := filepath.Join(dir, "bin") + ":" + u.folder + ":/usr/bin:/bin"
	return pulumi(filepath.Join(u.folder, "pulumi"), dir, path, p)
}

func (u upstream) version(dir string) *exec.Cmd {
	command := u.command(dir, "")
	command.Args = []string{command.Path, "version"}
	return command
}

func (upstream) state(dir string) (folder, file string) { return pulumiState(dir) }

const stackName = "dev"

// pulumi is the command line that both programs understand.
func pulumi(binary, dir, path string, p phase) *exec.Cmd {
	args := []string{"up", "--yes", "--skip-preview", "--non-interactive", "--stack", stackName}
	switch p {
	case destroy:
		args[0] = "destroy"
	case initialize:
		args = []string{"stack", "init", stackName}
	case up, noop, change:
	}
	command := exec.Command(binary, args...)
	command.Dir = filepath.Join(dir, "project")
	command.Env = []string{
		"PATH=" + path,
		"HOME=" + filepath.Join(dir, "home"),
		"PULUMI_HOME=" + filepath.Join(dir, "home", ".pulumi"),
		"PULUMI_BACKEND_URL=file://" + filepath.Join(dir, "state"),
		"PULUMI_CONFIG_PASSPHRASE=bench",
		"PULUMI_SKIP_UPDATE_CHECK=true",
		"PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION=true",
	}
	return command
}

func preparePulumi(stackInit *exec.Cmd, dir string) error {
	for _, sub := range []string{"project", "home", "state"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			return err
		}
	}
	if err := writePets(dir, 1, up); err != nil {
		return err
	}
	if output, err := stackInit.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s", stackInit.Args, err, output)
	}
	return nil
}

func pulumiState(dir string) (folder, file string) {
	folder = filepath.Join(dir, "state")
	return folder, filepath.Join(folder, ".pulumi", "stacks", "bench", stackName+".json")
}

// terraform manages terraform_data resources, which need no provider process.
type terraform struct{ binary string }

func (terraform) name() string { return "terraform" }

func (t terraform) prepare(dir string, _ int) error {
	if err := os.MkdirAll(filepath.Join(dir, "project"), 0o755); err != nil {
		return err
	}
	if err := writeData(dir, 1, up); err != nil {
		return err
	}
	moduleInit := t.in(dir, "init", "-input=false")
	if output, err := moduleInit.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s", moduleInit.Args, err, output)
	}
	return nil
}

func (terraform) program(dir string, size int, p phase) error { return writeData(dir, size, p) }

func (t terraform) command(dir string, p phase) *exec.Cmd {
	verb := "apply"
	if p == destroy {
		verb = "destroy"
	}
	return t.in(dir, verb, "-auto-approve", "-input=false", "-no-color")
}

func (t terraform) version(dir string) *exec.Cmd { return t.in(dir, "version") }

func (t terraform) in(dir string, args ...string) *exec.Cmd {
	command := exec.Command(t.binary, args...)
	command.Dir = filepath.Join(dir, "project")
	command.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + dir, "CHECKPOINT_DISABLE=1"}
	return command
}

func (terraform) state(dir string) (folder, file string) {
	folder = filepath.Join(dir, "project")
	return folder, filepath.Join(folder, "terraform.tfstate")
}
