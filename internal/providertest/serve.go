package providertest

import (
	"net"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/pluginhost"
	"github.com/cairn-iac/cairn/internal/provider"
)

// Serve gives a provider that asks p across a gRPC connection on this machine. Both end with the test.
func Serve(t *testing.T, p plugin.Provider) plugin.Provider {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer(grpc.MaxRecvMsgSize(pluginhost.MessageBytes))
	provider.Register(s, p)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := s.Serve(listener); err != nil {
			t.Errorf("serve: %v", err)
		}
	}()
	t.Cleanup(func() {
		s.Stop()
		<-done
		if err := p.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return Dial(t, listener.Addr().String())
}

// Dial connects to a provider that is served somewhere.
func Dial(t *testing.T, address string) plugin.Provider {
	t.Helper()
	conn, err := grpc.NewClient("passthrough:///"+address, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(pluginhost.MessageBytes)),
		grpc.WithMaxHeaderListSize(pluginhost.MessageBytes))
	if err != nil {
		t.Fatal(err)
	}
	p, err := provider.Connect(t.Context(), pluginhost.Connection{
		Conn: conn, DialTimeout: 30 * time.Second, Grace: 5 * time.Second, Package: plugin.Package{Name: "test"},
	})
	if err != nil {
		conn.Close()
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}
