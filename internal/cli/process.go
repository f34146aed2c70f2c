package cli

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"

	"github.com/cairn-iac/cairn/internal/cli/iostreams"
	"github.com/cairn-iac/cairn/internal/display/tty"
	"github.com/cairn-iac/cairn/internal/secret/passphrase"
)

// Invocation is everything a run of the program may depend on. Tests make their own; only [FromProcess] looks at the
// process.
type Invocation struct {
	// Args starts with the name under which the program was invoked.
	Args    []string
	Environ []string
	// Dir is the absolute working directory.
	Dir string
	// Executable is the absolute path of the program.
	Executable string
	Streams    *iostreams.Streams
	// Interrupts delivers requests to stop: the first one asks for a graceful end, the second one for an immediate end.
	Interrupts <-chan os.Signal
	Username   string
	Hostname   string
	PID        int
	// Keys are what invocations by one process share; nil shares nothing.
	Keys *passphrase.Keys
}

// FromProcess is the invocation that the operating system made. A hang-up, a quit and a broken pipe must not lose
// state: the first two stop gracefully, a write to a closed pipe is an ordinary error.
func FromProcess() Invocation {
	interrupts := make(chan os.Signal, 2)
	signal.Notify(interrupts, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	signal.Ignore(syscall.SIGPIPE)
	inv := Invocation{
		Args: os.Args, Environ: os.Environ(), Interrupts: interrupts, PID: os.Getpid(),
		Streams: &iostreams.Streams{
			In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
			Interactive:   term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stdout.Fd())),
			OutIsTerminal: term.IsTerminal(int(os.Stdout.Fd())),
			ErrIsTerminal: term.IsTerminal(int(os.Stderr.Fd())),
			Terminal:      tty.Of(os.Stdout),
			ReadSecret: func() (string, error) {
				text, err := term.ReadPassword(int(os.Stdin.Fd()))
				return string(text), err
			},
		},
	}
	// What cannot be known is reported by the command that needs it.
	inv.Dir, _ = os.Getwd()
	inv.Executable, _ = os.Executable()
	inv.Hostname, _ = os.Hostname()
	inv.Username = username()
	return inv
}

func username() string {
	for _, name := range []string{"USER", "LOGNAME", "USERNAME"} {
		if v := os.Getenv(name); v != "" {
			return v
		}
	}
	if os.Getuid() == 0 {
		return "root"
	}
	return "unknown"
}
