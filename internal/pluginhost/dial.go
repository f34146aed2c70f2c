package pluginhost

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
)

// MessageBytes is the largest message that either side of any of our services accepts.
const MessageBytes = 400 << 20

// slowStart is after how long a user is told what we are waiting for.
const slowStart = 10 * time.Second

// readPort waits for the line with the port.
func (h *Host) readPort(ctx context.Context, p *Process) (int, error) {
	limit := time.NewTimer(h.o.StartTimeout)
	defer limit.Stop()
	slow := time.NewTimer(slowStart)
	defer slow.Stop()
	for {
		select {
		case line, ok := <-p.out.port:
			if ok {
				return parsePort(p, line)
			}
			return 0, p.noPort()
		case <-slow.C:
			h.log(plugin.Log{
				Severity: diag.Info, Ephemeral: true, Message: fmt.Sprintf("waiting for the plugin %s to start", p.what.path),
			})
		case <-limit.C:
			return 0, fmt.Errorf("the plugin did not print the port it listens on within %s", h.o.StartTimeout)
		case <-ctx.Done():
			return 0, fmt.Errorf("while waiting for the plugin to start: %w", ctx.Err())
		}
	}
}

// noPort explains a stdout that ended, or went on for too long, before its first line did.
func (p *Process) noPort() error {
	select {
	case <-p.exited:
		return fmt.Errorf("could not read plugin [%s]: %s", p.what.path, p.status)
	case <-time.After(drainTime):
		return fmt.Errorf("%s plugin [%s] wrote an invalid port to stdout", p.what.name, p.what.path)
	}
}

func parsePort(p *Process, line string) (int, error) {
	// "dotnet run" shows its progress with these, even when nobody watches.
	text := strings.NewReplacer("\x1b]9;4;3;\x1b\\", "", "\x1b]9;4;0;\x1b\\", "").Replace(line)
	text = strings.TrimSpace(text)
	port, err := strconv.Atoi(text)
	if err != nil || port < 1 || port > 65535 {
		const shown = 200
		if len(text) > shown {
			text = text[:shown] + "..."
		}
		return 0, fmt.Errorf("%s (%s) plugin [%s] wrote an invalid port to stdout: %q is not a port number",
			p.what.name, p.what.kind, p.what.path, text)
	}
	return port, nil
}

// dial connects to a plugin on this machine. p is nil for an attached one.
func (h *Host) dial(ctx context.Context, port int, p *Process) (*grpc.ClientConn, error) {
	// passthrough and no proxy: the address is a number, and the environment's proxies are not for us.
	conn, err := grpc.NewClient("passthrough:///127.0.0.1:"+strconv.Itoa(port),
		grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithNoProxy(), grpc.WithIdleTimeout(0),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(MessageBytes), grpc.MaxCallSendMsgSize(MessageBytes)),
		// The properties of a resource that is not healthy come with the headers.
		grpc.WithMaxHeaderListSize(MessageBytes),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: 20 * time.Millisecond, Multiplier: 1.6, MaxDelay: time.Second},
			MinConnectTimeout: time.Second,
		}))
	if err != nil {
		return nil, fmt.Errorf("could not dial plugin on port %d: %w", port, err)
	}
	ctx, cancel := context.WithTimeout(ctx, h.o.DialTimeout)
	defer cancel()
	if p != nil {
		// Nobody answers any more once the process is dead.
		go func() {
			select {
			case <-p.exited:
				cancel()
			case <-ctx.Done():
			}
		}()
	}
	conn.Connect()
	for state := conn.GetState(); state != connectivity.Ready; state = conn.GetState() {
		if state == connectivity.Idle {
			conn.Connect()
		}
		if !conn.WaitForStateChange(ctx, state) {
			conn.Close()
			return nil, notResponding(p, port)
		}
	}
	return conn, nil
}

func notResponding(p *Process, port int) error {
	if p == nil {
		return fmt.Errorf("nothing responds to RPC connections on port %d", port)
	}
	select {
	case <-p.exited:
		return p.Death()
	default:
		return fmt.Errorf("%s (%s) plugin [%s] did not begin responding to RPC connections on port %d",
			p.what.name, p.what.kind, p.what.path, port)
	}
}
