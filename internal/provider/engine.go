package provider

import (
	"context"
	"sync"
	"time"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
)

// engine is the engine that a plugin process serves.
type engine struct {
	mu     sync.Mutex
	conn   *grpc.ClientConn
	client pulumirpc.EngineClient
}

// How long an engine may take to be there at all, and to come back.
const (
	appearTime    = 5 * time.Minute
	reconnectTime = 5 * time.Second
)

// watch connects to the engine and calls gone when it is there no longer. A connection that nobody uses stays open as
// long as both sides live, so that its end tells at once.
func (e *engine) watch(ctx context.Context, address string, gone func()) {
	conn, err := grpc.NewClient("passthrough:///"+address, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithNoProxy(), grpc.WithIdleTimeout(0))
	if err != nil {
		return
	}
	e.mu.Lock()
	old := e.conn
	e.conn, e.client = conn, pulumirpc.NewEngineClient(conn)
	e.mu.Unlock()
	if old != nil {
		old.Close()
	}
	go func() {
		limit := appearTime
		for becomes(ctx, conn, connectivity.Ready, limit) {
			conn.WaitForStateChange(ctx, connectivity.Ready)
			limit = reconnectTime
		}
		if ctx.Err() == nil && conn.GetState() != connectivity.Shutdown {
			gone()
		}
	}()
}

// becomes waits until the connection is in a state; it gives up after a time, and when the connection is closed.
func becomes(ctx context.Context, conn *grpc.ClientConn, want connectivity.State, limit time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		conn.Connect()
		state := conn.GetState()
		if state == want {
			return true
		}
		if state == connectivity.Shutdown || !conn.WaitForStateChange(ctx, state) {
			return false
		}
	}
}

// logTime is how long an engine may take to note a message.
const logTime = 10 * time.Second

// log passes a message on to the engine. It is lost when there is none.
func (e *engine) log(l plugin.Log) {
	e.mu.Lock()
	client := e.client
	e.mu.Unlock()
	if client == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), logTime)
	defer cancel()
	_, _ = client.Log(ctx, &pulumirpc.LogRequest{
		Severity: toSeverity(l.Severity), Message: l.Message, Urn: string(l.URN), StreamId: l.StreamID,
		Ephemeral: l.Ephemeral,
	})
}

func toSeverity(s diag.Severity) pulumirpc.LogSeverity {
	switch s {
	case diag.Debug:
		return pulumirpc.LogSeverity_DEBUG
	case diag.Warning:
		return pulumirpc.LogSeverity_WARNING
	case diag.Error:
		return pulumirpc.LogSeverity_ERROR
	case diag.Info, diag.InfoErr:
		return pulumirpc.LogSeverity_INFO
	default:
		return pulumirpc.LogSeverity_INFO
	}
}

func (e *engine) close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.conn != nil {
		e.conn.Close()
	}
}
