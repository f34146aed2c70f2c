package pluginhost

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
)

// language is a language host that runs plugin folders.
type language struct {
	// ready is closed when the host runs, or err says why it does not.
	ready  chan struct{}
	err    error
	conn   *grpc.ClientConn
	client pulumirpc.LanguageRuntimeClient
	p      *Process
}

// hosts lists the language hosts that run.
func (h *Host) hosts() []*language {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []*language
	for _, l := range h.languages {
		out = append(out, l)
	}
	return out
}

func (l *language) cancel(ctx context.Context) error {
	select {
	case <-l.ready:
	case <-ctx.Done():
		return nil
	}
	if l.err != nil {
		return nil
	}
	l.p.Expect()
	_, err := l.client.Cancel(ctx, &emptypb.Empty{})
	if code := status.Code(err); code == codes.Unimplemented || code == codes.Unavailable {
		return nil
	}
	return err
}

func (l *language) close() error {
	<-l.ready
	if l.err != nil {
		return nil
	}
	ctx, stop := context.WithTimeout(context.Background(), l.p.host.o.Grace)
	defer stop()
	// It is interrupted next, whatever it answers.
	_ = l.cancel(ctx)
	err := l.conn.Close()
	l.p.Close()
	return err
}

// languageHost gives the running host of a language, starting it when there is none.
func (h *Host) languageHost(ctx context.Context, runtime string) (*language, error) {
	h.mu.Lock()
	l, running := h.languages[runtime]
	if running && l.ended() {
		running = false
	}
	if !running {
		l = &language{ready: make(chan struct{})}
		h.languages[runtime] = l
	}
	h.mu.Unlock()
	if !running {
		l.err = h.startLanguage(ctx, runtime, l)
		close(l.ready)
	}
	select {
	case <-l.ready:
		return l, l.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// ended says whether a language host failed to start or has died, so that a new one is worth a try.
func (l *language) ended() bool {
	select {
	case <-l.ready:
	default:
		return false
	}
	if l.err != nil {
		return true
	}
	select {
	case <-l.p.exited:
		return true
	default:
		return false
	}
}

func (h *Host) startLanguage(ctx context.Context, runtime string, l *language) error {
	for entry := range strings.SplitSeq(h.env.get("PULUMI_DEBUG_LANGUAGES"), ",") {
		if name, _, _ := strings.Cut(entry, ":"); name == runtime {
			return fmt.Errorf("PULUMI_DEBUG_LANGUAGES names %s: attaching to a running language host is not supported yet", runtime)
		}
	}
	// A runtime's name may be qualified; the executable's name cannot hold slashes.
	found, err := h.Find(ctx, KindLanguage, plugin.Package{Name: strings.ReplaceAll(runtime, "/", "_")})
	if err != nil {
		return fmt.Errorf("the language host of runtime %q: %w", runtime, err)
	}
	c, err := h.spawn(command{path: found.Path, args: h.arguments(), env: h.env, dir: h.o.Dir})
	if err != nil {
		return err
	}
	p, err := h.supervise(c, subject{kind: KindLanguage, name: runtime, path: found.Path})
	if err != nil {
		return err
	}
	port, err := h.readPort(ctx, p)
	if err != nil {
		return h.discard(p, err)
	}
	conn, err := h.dial(ctx, port, p)
	if err != nil {
		return h.discard(p, err)
	}
	if err := awaitAnswer(ctx, conn, h.o.DialTimeout); err != nil {
		return errors.Join(h.discard(p, err), conn.Close())
	}
	l.conn, l.client, l.p = conn, pulumirpc.NewLanguageRuntimeClient(conn), p
	return nil
}

// awaitAnswer waits until a server answers anything at all, even that it does not know the call.
func awaitAnswer(ctx context.Context, conn *grpc.ClientConn, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		_, err := pulumirpc.NewLanguageRuntimeClient(conn).GetPluginInfo(ctx, &emptypb.Empty{})
		if status.Code(err) != codes.Unavailable && ctx.Err() == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the language host did not come alive: %w", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// runInLanguage has a language host run a plugin folder.
func (h *Host) runInLanguage(ctx context.Context, name string, m manifest, env environ) (child, error) {
	l, err := h.languageHost(ctx, m.runtime)
	if err != nil {
		return nil, fmt.Errorf("the plugin needs runtime %q: %w", m.runtime, err)
	}
	options, err := structpb.NewStruct(m.options)
	if err != nil {
		return nil, fmt.Errorf("runtime options of %s: %w", manifestName, err)
	}
	// The program lives until it is closed, not only as long as this call.
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s, err := l.client.RunPlugin(running, &pulumirpc.RunPluginRequest{
		Pwd: h.o.Dir, Args: h.arguments(), Env: env, Kind: string(KindResource), Name: name,
		LoaderTarget: h.o.Services.Loader,
		Info: &pulumirpc.ProgramInfo{
			RootDirectory: m.dir, ProgramDirectory: m.dir, EntryPoint: ".", Options: options,
		},
	}, grpc.MaxCallRecvMsgSize(MessageBytes))
	if err != nil {
		cancel()
		return nil, fmt.Errorf("run the plugin in language host %q: %w", m.runtime, err)
	}
	return newRun(s, cancel), nil
}

// run is a child that a language host runs for us.
type run struct {
	cancel             context.CancelFunc
	stdout, stderr     *io.PipeReader
	done               chan struct{}
	status             string
	closing            sync.Once
	stdoutIn, stderrIn *io.PipeWriter
}

func newRun(s grpc.ServerStreamingClient[pulumirpc.RunPluginResponse], cancel context.CancelFunc) *run {
	r := &run{cancel: cancel, done: make(chan struct{})}
	r.stdout, r.stdoutIn = io.Pipe()
	r.stderr, r.stderrIn = io.Pipe()
	go r.receive(s)
	return r
}

func (r *run) receive(s grpc.ServerStreamingClient[pulumirpc.RunPluginResponse]) {
	defer close(r.done)
	defer r.cancel()
	defer r.stdoutIn.Close()
	defer r.stderrIn.Close()
	for {
		m, err := s.Recv()
		switch {
		case errors.Is(err, io.EOF):
			r.status = "exit status 0"
			return
		case err != nil:
			r.status = status.Convert(err).Message()
			return
		}
		// A write fails only once nobody reads any more.
		switch x := m.GetOutput().(type) {
		case *pulumirpc.RunPluginResponse_Stdout:
			_, _ = r.stdoutIn.Write(x.Stdout)
		case *pulumirpc.RunPluginResponse_Stderr:
			_, _ = r.stderrIn.Write(x.Stderr)
		case *pulumirpc.RunPluginResponse_Exitcode:
			r.status = fmt.Sprintf("exit status %d", x.Exitcode)
			return
		}
	}
}

func (r *run) streams() (stdout, stderr io.Reader) { return r.stdout, r.stderr }

// interrupt ends the call: the language host ends the program then.
func (r *run) interrupt() { r.cancel() }

func (r *run) kill() { r.cancel() }

func (r *run) wait() string {
	<-r.done
	return r.status
}

func (r *run) release() {
	r.closing.Do(func() {
		r.stdout.Close()
		r.stderr.Close()
	})
}
