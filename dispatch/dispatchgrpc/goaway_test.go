package dispatchgrpc

import (
	"io"
	"net"
	"slices"
	"sync"
	"testing"

	"golang.org/x/net/http2"
)

// A rawServer takes calls and does nothing, until it says with GOAWAY that it has processed none.
type rawServer struct {
	listener net.Listener
	calls    chan struct{} // a token for each call
	goaway   chan struct{} // closed to end it
}

func newRawServer(t *testing.T) *rawServer {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &rawServer{l, make(chan struct{}, 100), make(chan struct{})}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go s.serve(c)
		}
	}()
	return s
}

func (s *rawServer) serve(c net.Conn) {
	defer c.Close()
	io.ReadFull(c, make([]byte, len(http2.ClientPreface)))
	var mu sync.Mutex // of the framer
	fr := http2.NewFramer(c, c)
	fr.WriteSettings()
	go func() {
		<-s.goaway
		s.listener.Close()
		mu.Lock()
		defer mu.Unlock()
		fr.WriteGoAway(0, http2.ErrCodeNo, nil)
	}()
	for {
		f, err := fr.ReadFrame()
		if err != nil {
			return
		}
		mu.Lock()
		switch f := f.(type) {
		case *http2.SettingsFrame:
			if !f.IsAck() {
				fr.WriteSettingsAck()
			}
		case *http2.HeadersFrame:
			s.calls <- struct{}{}
		case *http2.PingFrame:
			fr.WritePing(true, f.Data)
		}
		mu.Unlock()
	}
}

// gRPC itself repeats a call that its server has not processed. The call keeps its age, and a full
// queue does not refuse it.
func TestGoAwayKeepsTheAge(t *testing.T) {
	g := make(chan struct{})
	b := newBench(t, 1, `{"capacity": 1, "queue": 1}`, func(s *testServer) { s.gate = g })
	raw := newRawServer(t)
	b.servers = append(b.servers, &testServer{t: t, name: "raw", address: raw.listener.Addr().String()})
	b.resolver.UpdateState(b.state(b.servers...))
	until(t, "two servers are ready", func() bool {
		b.policy.scheduler.mu.Lock()
		defer b.policy.scheduler.mu.Unlock()
		return b.policy.scheduler.ready == 2
	})
	served := func() []string { _, _, ids := b.servers[0].calls(); return ids }
	results := []<-chan result{b.begin(t.Context(), "one"), b.begin(t.Context(), "two")}
	<-raw.calls
	until(t, "a call is in service", func() bool { return len(served()) == 1 })
	results = append(results, b.begin(t.Context(), "three"))
	b.untilWaiting(1)
	close(raw.goaway)
	b.untilWaiting(2)
	close(g)
	for _, ended := range results {
		if r := <-ended; r.err != nil {
			t.Errorf("%s: %v", r.id, r.err)
		}
	}
	if order := served(); slices.Index(order, "three") != 2 {
		t.Errorf("the calls were served in the order %v, and three is the youngest", order)
	}
	b.check()
}
