package ensemble

import (
	"bytes"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/almanac-sim/almanac/ensemble/internal/wire"
)

// A strait passes on what a client and a hub say to each other. What the hub says can be held until
// the client says something.
type strait struct {
	mu      sync.Mutex
	changed *sync.Cond
	said    []byte // by the client
	until   string // the hub is held until the client has said this; empty if it is not
	ended   bool
}

// newStrait returns a strait to an address, and its own.
func newStrait(t *testing.T, to string) (s *strait, address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s = new(strait)
	s.changed = sync.NewCond(&s.mu)
	t.Cleanup(func() { l.Close(); s.change(func() { s.ended = true }) })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			hub, err := net.Dial("tcp", to)
			if err != nil {
				client.Close()
				return
			}
			pass := func(to, from net.Conn, note func([]byte)) {
				defer to.Close()
				b := make([]byte, 1<<16)
				for {
					n, err := from.Read(b)
					note(b[:n])
					if _, failed := to.Write(b[:n]); err != nil || failed != nil {
						return
					}
				}
			}
			go pass(hub, client, func(b []byte) { s.change(func() { s.said = append(s.said, b...) }) })
			go pass(client, hub, func([]byte) { s.wait(func() bool { return s.until == "" || s.has(s.until) }) })
		}
	}()
	return s, l.Addr().String()
}

func (s *strait) has(text string) bool { return bytes.Contains(s.said, []byte(text)) }

func (s *strait) change(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
	s.changed.Broadcast()
}

func (s *strait) wait(f func() bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.ended && !f() {
		s.changed.Wait()
	}
}

// A task that the hub sends while a worker stops is given back at once, and does not wait for the
// end of its lease.
func TestTaskOnItsWayIsGivenBack(t *testing.T) {
	t.Parallel()
	hub := testHub(t, HubOptions{Listen: "127.0.0.1:0"})
	c := connect(t, hub, 0)
	strait, address := newStrait(t, hub.server.Addr().String())
	far, err := Connect(t.Context(), ConnectOptions{URL: "nats://" + address})
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	_, stop := work(t, far, WorkerOptions{Slots: 1})
	tag := versionTag(testKinds("test").Kinds()[0].version())
	state := func() *jetstream.ConsumerInfo {
		consumer, err := c.js.Consumer(t.Context(), wire.TasksStream, "workers-"+tag)
		if err != nil {
			return &jetstream.ConsumerInfo{}
		}
		return consumer.CachedInfo()
	}
	until := func(what string, f func() bool) {
		t.Helper()
		for end := time.Now().Add(time.Minute); !f(); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal(what)
			}
		}
	}
	until("the worker does not ask for tasks", func() bool { return state().NumWaiting > 0 })
	strait.change(func() { strait.until, strait.said = "UNSUB", nil })
	if _, err := c.js.Publish(t.Context(), strings.TrimSuffix(wire.TagTasks(tag), ">")+"job.1", []byte("a task")); err != nil {
		t.Fatal(err)
	}
	until("the task is not sent", func() bool { return state().NumAckPending > 0 })
	stop()
	if !strait.has("$JS.ACK.") {
		t.Error("the task was not given back")
	}
}
