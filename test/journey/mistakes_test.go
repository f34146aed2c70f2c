package journey_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-iac/cairn/internal/clitest"
)

// mistake is something that goes wrong on the way.
type mistake struct {
	name string
	// program is the program of the project, "" for a good one; before are commands that work.
	program string
	before  []string
	// with changes the world after those.
	with func(w *clitest.World)
	run  string
	code int
	// told says what happened, next what to do about it. Without next the message is, word for word, the one that scripts
	// know from the Pulumi CLI.
	told, next string
}

const good = `name: pets
runtime: yaml
config:
  words: {type: integer}
resources:
  pet:
    type: random:RandomPet
    properties: {length: "${words}"}
outputs:
  name: ${pet.id}
`

// TestMistakes makes the mistakes of a newcomer.
func TestMistakes(t *testing.T) {
	t.Parallel()
	for _, m := range mistakes() {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			w := clitest.New(t)
			program := m.program
			if program == "" {
				program = good
			}
			w.Write("Pulumi.yaml", program)
			for _, line := range m.before {
				w.Must(strings.Fields(line)...)
			}
			if m.with != nil {
				m.with(w)
			}
			r := w.Run(strings.Fields(m.run)...)
			if r.Code != m.code {
				t.Errorf("exit code %d, want %d", r.Code, m.code)
			}
			for _, part := range []string{m.told, m.next} {
				if !strings.Contains(r.Stdout+r.Stderr, part) {
					t.Errorf("%q is not in\n%s%s", part, r.Stdout, r.Stderr)
				}
			}
		})
	}
}

// env changes a variable.
func env(name, value string) func(*clitest.World) {
	return func(w *clitest.World) { w.Env = append(w.Env, name+"="+value) }
}

// elsewhere goes to a folder without a project.
func elsewhere(w *clitest.World) { w.Project = w.State }

func mistakes() []mistake {
	const withPet = "name: pets\nruntime: yaml\nresources:\n  pet:\n    type: random:RandomPet\n"
	stack := []string{"stack init dev"}
	deployed := []string{"stack init dev", "config set words 2", "up --yes --skip-preview"}
	return []mistake{
		// Before there is anything.
		{name: "nobody logged in", with: env("PULUMI_BACKEND_URL", ""), run: "stack ls", code: 1,
			told: "no backend is chosen", next: "pulumi login --local"},
		{name: "the cloud", with: env("PULUMI_BACKEND_URL", ""), run: "login https://api.pulumi.com", code: 1,
			told: "the cloud backend https://api.pulumi.com is not available yet", next: "pulumi login file://<folder>"},
		{name: "no such folder for state", with: env("PULUMI_BACKEND_URL", "file:///nonexistent/x"), run: "stack ls", code: 1,
			told: "/nonexistent/x", next: "mkdir -p /nonexistent/x"},
		{name: "up without a project", with: elsewhere, run: "up --yes", code: 6,
			told: "no Pulumi.yaml project file found", next: "pulumi new"},
		{name: "a stack without a project", with: elsewhere, run: "stack init dev", code: 1,
			told: "no Pulumi.yaml project file found", next: "pulumi new"},
		{name: "settings without a project", with: elsewhere, run: "config", code: 1,
			told: "no Pulumi.yaml project file found", next: "pulumi new"},
		{name: "a folder that is not empty", run: "new yaml --yes", code: 1, told: "is not empty", next: "--dir"},
		{name: "no such template", run: "new random-yml --yes --dir pets", code: 1,
			told: "template 'random-yml' not found", next: "did you mean 'random-yaml'?"},
		{name: "new without answers", run: "new yaml --dir pets", code: 1, told: "non-interactive mode requires --yes flag", next: "--name"},
		{name: "new without a login", with: env("PULUMI_BACKEND_URL", ""), run: "new yaml --yes --dir pets", code: 1,
			told: "no backend is chosen", next: "pulumi login --local"},
		// Commands.
		{name: "a typo in a command", run: "upp", code: 1, told: `unknown command "upp"`, next: "Did you mean this?\n\tup"},
		{name: "a typo in a flag", run: "up --stak dev", code: 1, told: "unknown flag: --stak"},
		{name: "another folder", run: "--cwd nosuch up", code: 1, told: "--cwd: nosuch is not a folder"},
		// Stacks and secrets.
		{name: "no stack", run: "up --yes", code: 6, told: "no stack selected", next: "pulumi stack init"},
		{name: "no such stack", before: stack, run: "up --yes --stack prod", code: 6, told: "no stack named 'prod' found"},
		{name: "a stack that exists", before: stack, run: "stack init dev", code: 1,
			told: "stack 'organization/pets/dev' already exists", next: "pulumi stack select dev"},
		{name: "a name that is none", run: "stack init a/b/c/d", code: 1, told: "too many parts", next: "organization/project/stack"},
		{name: "no passphrase", with: func(w *clitest.World) { w.Env = append(w.Env[:3:3], w.Env[4:]...) }, run: "stack init dev", code: 1,
			told: "passphrase must be set", next: "PULUMI_CONFIG_PASSPHRASE"},
		{name: "a wrong passphrase", before: deployed, with: env("PULUMI_CONFIG_PASSPHRASE", "other"), run: "up --yes", code: 1,
			told: "incorrect passphrase"},
		{name: "nobody to ask", before: deployed, run: "up", code: 2, told: "non-interactive mode", next: "pass --yes"},
		{name: "removing what is in use", before: deployed, run: "stack rm --yes dev", code: 1,
			told: "still has resources", next: "Run `pulumi destroy`"},
		// Settings.
		{name: "a value that is missing", before: stack, run: "up --yes", code: 1,
			told: "missing configuration value 'words'", next: "pulumi config set words <value>"},
		{name: "a value of another type", before: []string{"stack init dev", "config set words many"}, run: "up --yes", code: 1,
			told: "must be of type 'integer'", next: "Pulumi.dev.yaml:3:"},
		{name: "a secret in plain text", program: withPet + "config:\n  token: {type: string, secret: true}\n",
			before: []string{"stack init dev", "config set token x"}, run: "up --yes", code: 1,
			told: "must be encrypted", next: "pulumi config set --secret token"},
		// Programs.
		{name: "no YAML", program: "name: pets\nruntime: yaml\nresources:\n  pet: [\n", run: "up --yes", code: 1,
			told: "the file is not valid YAML", next: "Pulumi.yaml:5"},
		{name: "a tab", program: "name: pets\nruntime: yaml\nresources:\n\tpet: {}\n", run: "up --yes", code: 1,
			told: "the file is not valid YAML", next: "Pulumi.yaml:4"},
		{name: "another language", program: "name: pets\nruntime: nodejs\n", before: stack, run: "up --yes", code: 1,
			told: `the runtime "nodejs" is not available yet`, next: "only yaml is"},
		{name: "a typo in a type", program: strings.Replace(withPet, "Pet\n", "Pett\n", 1), before: stack, run: "preview", code: 1,
			told: "Pulumi.yaml:5:11", next: "Did you mean random:RandomPet"},
		{name: "a typo in a property", program: withPet + "    properties: {lenght: 2}\n", before: stack, run: "preview", code: 1,
			told: "Property lenght does not exist", next: "Did you mean length?"},
		{name: "a typo in a name", program: withPet + "outputs:\n  name: ${pett.id}\n", before: stack, run: "preview", code: 1,
			told: `"pett" not found`, next: "Did you mean pet?"},
		{name: "a typo in a function", program: withPet + "outputs:\n  name: {fn::jion: [a, []]}\n", before: stack, run: "preview", code: 1,
			told: `there is no function "fn::jion"`, next: "fn::join"},
		{name: "a typo in an option", program: withPet + "    options: {protekt: true}\n", before: stack, run: "preview", code: 1,
			told: `resource options has no key "protekt"`, next: "protect"},
		{name: "an option at the wrong place", program: withPet + "    protect: true\n", before: stack, run: "preview", code: 1,
			told: `resource pet has no key "protect"`, next: "put it under options"},
		{name: "a circle", program: withPet + "    properties: {prefix: \"${dog.id}\"}\n  dog:\n    type: random:RandomPet\n    properties: {prefix: \"${pet.id}\"}\n",
			before: stack, run: "preview", code: 1, told: "circular", next: "pet"},
		{name: "a package that is not here", program: "name: pets\nruntime: yaml\nresources:\n  b: {type: \"nosuch:index:Thing\"}\n", before: stack,
			with: env("PULUMI_OFFLINE", "1"), run: "preview", code: 1, told: "nosuch", next: "pulumi-resource-nosuch"},
		{name: "a command that fails", program: "name: pets\nruntime: yaml\nresources:\n  c:\n    type: command:local:Command\n    properties: {create: echo reason >&2; exit 3}\n",
			before: stack, run: "up --yes", code: 1, told: "exit", next: "reason"},
		{name: "an output that is not there", before: deployed, run: "stack output nosuch", code: 1, told: "does not have output property 'nosuch'"},
	}
}

// A state that is held by someone else tells who it is, and two ways on.
func TestLocked(t *testing.T) {
	t.Parallel()
	w := clitest.New(t)
	w.Write("Pulumi.yaml", good)
	w.Must("stack", "init", "dev")
	w.Must("config", "set", "words", "2")
	lock := filepath.Join(w.State, ".pulumi", "locks", "organization", "pets", "dev")
	if err := os.MkdirAll(lock, 0o755); err != nil {
		t.Fatal(err)
	}
	const holder = `{"pid":1,"username":"someone","hostname":"elsewhere","timestamp":"2026-01-02T03:04:05Z"}`
	if err := os.WriteFile(filepath.Join(lock, "0d7e7d5e-0000-4000-8000-000000000000.json"), []byte(holder), 0o644); err != nil {
		t.Fatal(err)
	}
	r := w.Run("up", "--yes")
	for _, part := range []string{"the stack is currently locked by", "someone@elsewhere", "pulumi cancel"} {
		if r.Code == 0 || !strings.Contains(r.Stdout+r.Stderr, part) {
			t.Errorf("%q is not in (%d)\n%s%s", part, r.Code, r.Stdout, r.Stderr)
		}
	}
}
