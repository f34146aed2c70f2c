package fakeprovidertest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"syscall"
	"time"

	"google.golang.org/grpc"
)

// The environment of a plugin process.
const (
	EnvLedger  = "FP_LEDGER"  // folder of the cloud, required
	EnvControl = "FP_CONTROL" // control file
	EnvVersion = "FP_VERSION" // else the version in the plugin folder's name, else DefaultVersion
)

// BinaryName is the plugin's file name.
const BinaryName = "pulumi-resource-fp"

// Process is what a plugin process has from its operating system.
type Process struct {
	Args           []string // the last one is the engine's address, which the provider has no use for
	Getenv         func(string) string
	Stdout, Stderr io.Writer
	Exit           func(int)
}

// Invoked reports whether a program of several parts was started as the plugin; a TestMain asks it.
func Invoked(arg0 string) bool { return filepath.Base(arg0) == BinaryName }

// Main serves the provider until a signal and answers the exit code.
func Main(ctx context.Context, p Process) int {
	opts := Options{
		Ledger:  p.Getenv(EnvLedger),
		Control: p.Getenv(EnvControl),
		Version: p.Getenv(EnvVersion),
		Exit:    p.Exit,
	}
	if opts.Version == "" {
		opts.Version = versionOfFolder(p.Args[0])
	}
	server, err := NewServer(opts)
	if err == nil {
		err = run(ctx, server, p)
	}
	if err != nil {
		fmt.Fprintln(p.Stderr, BinaryName+":", err)
		return 1
	}
	return 0
}

func run(ctx context.Context, server *Server, p Process) error {
	control, err := server.faults()
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if control.IgnoreInterrupt {
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
		go server.logInterrupts(ctx, signals)
	} else {
		var unsubscribe func()
		ctx, unsubscribe = signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
		defer unsubscribe()
	}
	if control.ExitWithParent {
		go watchParent(ctx, os.Getppid(), p.Exit)
	}
	switch {
	case control.DieAtStart != "":
		return fmt.Errorf("told to die: %s", control.DieAtStart)
	case control.Hang:
		<-ctx.Done()
		return nil
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	line := fmt.Sprint(listener.Addr().(*net.TCPAddr).Port)
	if control.GarbagePort {
		line = "this is no port"
	}
	if _, err := fmt.Fprintln(p.Stdout, line); err != nil {
		return err
	}
	return serve(ctx, server.grpcServer(), server, listener)
}

// serve answers calls until ctx ends, then lets running ones finish for a moment, sleeping ones at once.
func serve(ctx context.Context, g *grpc.Server, server *Server, listener net.Listener) error {
	done := make(chan error, 1)
	go func() { done <- g.Serve(listener) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	server.cancel()
	timer := time.AfterFunc(time.Second, g.Stop)
	defer timer.Stop()
	g.GracefulStop()
	if err := <-done; !errors.Is(err, grpc.ErrServerStopped) { // as when the signal came before it began to serve
		return err
	}
	return nil
}

// logInterrupts notes the signals that are ignored.
func (s *Server) logInterrupts(ctx context.Context, signals <-chan os.Signal) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-signals:
			_, _, _ = s.ledger.calls.begin(Call{Method: MethodInterrupt}) // nobody is there to be told of an error
		}
	}
}

// watchParent ends the process once another process has adopted it.
func watchParent(ctx context.Context, parent int, exit func(int)) {
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if os.Getppid() != parent {
				exit(1)
			}
		}
	}
}

// versionOfFolder reads the version that the plugin cache put into the folder's name.
func versionOfFolder(binary string) string {
	match := regexp.MustCompile(`^resource-fp-v(.+)$`).FindStringSubmatch(filepath.Base(filepath.Dir(binary)))
	if match == nil {
		return ""
	}
	return match[1]
}
