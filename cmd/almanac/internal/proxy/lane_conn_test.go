package proxy

import (
	"bufio"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// scripted is a backend of which each connection is given to a function.
func scripted(t *testing.T, serve func(c net.Conn, in *bufio.Reader)) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var done sync.WaitGroup
	done.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			done.Go(func() { defer c.Close(); serve(c, bufio.NewReader(c)) })
		}
	})
	t.Cleanup(func() { l.Close(); done.Wait() })
	return "http://" + l.Addr().String()
}

// What a backend says on a connection that is without a request is nobody's answer.
func TestLaneUnaskedAnswers(t *testing.T) {
	said := make(chan bool)
	f := start(t, testConfig(scripted(t, func(c net.Conn, in *bufio.Reader) {
		for {
			req, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"+req.URL.Path)
			if req.URL.Path == "/one1" {
				time.Sleep(10 * time.Millisecond) // it is idle by then, and else there is more than the answer, which is as good
				io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n/evil")
				said <- true
			}
		}
	})))
	conn := f.dial(t)
	for _, path := range []string{"/one1", "/two2", "/one1", "/two2"} {
		conn.say("GET " + path + " HTTP/1.1\r\nHost: h\r\n\r\n")
		if status, text := conn.hear(); status != 200 || text != path {
			t.Errorf("%s is answered %d %q", path, status, text)
		}
		if path == "/one1" {
			<-said
			time.Sleep(10 * time.Millisecond)
		}
	}
	if s := f.Stats().Transport; s.Backends[0].Failed != 0 || s.Retries != 0 || f.lane.plain.Load() != 4 {
		t.Errorf("%+v", s)
	}
}

// A connection that the backend has closed, before or as the next request comes, is no failure; to answer nothing on a new one is.
func TestLaneClosedConnections(t *testing.T) {
	var n atomic.Int64
	f := start(t, testConfig(scripted(t, func(c net.Conn, in *bufio.Reader) {
		first := n.Add(1) == 1
		for i := 0; ; i++ {
			if _, err := http.ReadRequest(in); err != nil || i == 1 {
				return // without an answer to the second
			}
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
			if first {
				return
			}
		}
	})))
	conn := f.dial(t)
	for range 4 {
		conn.say("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
		if status, text := conn.hear(); status != 200 || text != "hi" {
			t.Error(status, text)
		}
		time.Sleep(5 * time.Millisecond)
	}
	if s := f.Stats().Transport; s.Backends[0].Failed != 0 || s.Retries != 0 || s.Answered != 4 {
		t.Errorf("%+v", s)
	}
	c := testConfig(scripted(t, func(c net.Conn, in *bufio.Reader) { http.ReadRequest(in) }))
	c.Rest, c.Tries = time.Millisecond, 2
	f = start(t, c)
	conn = f.dial(t)
	conn.say("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	if status, _ := conn.hear(); status != 502 || f.Stats().Transport.Backends[0].Failed != 2 {
		t.Errorf("%d %+v", status, f.Stats().Transport)
	}
}

// Requests of one connection that come at once are answered in their order, those by the lane and the one that ends it; and bytes in any pieces.
func TestLanePipelines(t *testing.T) {
	f := start(t, testConfig(newBackend(t, echo).URL))
	conn := f.dial(t)
	conn.say("GET /a HTTP/1.1\r\nHost: h\r\n\r\nGET /b HTTP/1.1\r\nHost: h\r\n\r\nPUT /c HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhiGET /d HTTP/1.1\r\nHost: h\r\n\r\n")
	for _, want := range []string{"GET /a ", "GET /b ", "PUT /c hi", "GET /d "} {
		if status, text := conn.hear(); status != 200 || text != want {
			t.Errorf("%d %q, want %q", status, text, want)
		}
	}
	if n := f.lane.plain.Load(); n != 2 {
		t.Error(n)
	}
	conn = f.dial(t)
	for _, c := range strings.Split("GET /a HTTP/1.1\r\nHost: h\r\n\r\n", "") {
		conn.say(c)
		time.Sleep(time.Millisecond)
	}
	if status, text := conn.hear(); status != 200 || text != "GET /a " {
		t.Error(status, text)
	}
}

// A client of the lane that leaves while it waits, or while its backend works, is taken out; one that waits is served in its turn, in one line with those of net/http.
func TestLaneWaits(t *testing.T) {
	pass, order, gone := make(chan bool), make(chan string, 10), make(chan bool, 10)
	backend := newBackend(t, func(w http.ResponseWriter, r *http.Request) {
		order <- r.URL.Path
		select {
		case <-pass:
		case <-r.Context().Done():
			gone <- true
		}
		echo(w, r)
	})
	c := testConfig(backend.URL)
	c.Capacity, c.Room = 1, 4
	f := start(t, c)
	ask := func(method, path string, waiting int) *raw {
		conn := f.dial(t)
		conn.say(method + " " + path + " HTTP/1.1\r\nHost: h\r\n\r\n")
		eventually(t, path+" is here", func() bool { s := f.Stats().Transport; return s.InFlight == 1 && s.Waiting == waiting })
		return conn
	}
	leaves := ask("GET", "/leaves", 0)
	<-order
	waits := ask("GET", "/waits", 1)
	all := []*raw{ask("GET", "/1", 2), ask("DELETE", "/2", 3), ask("GET", "/3", 4)}
	conn := f.dial(t)
	conn.say("HEAD /full HTTP/1.1\r\nHost: h\r\n\r\n")
	res, err := http.ReadResponse(conn.Reader, &http.Request{Method: "HEAD"})
	if err != nil || res.StatusCode != 503 || res.Header.Get("Retry-After") != "1" {
		t.Error(res, err)
	}
	waits.Close()
	eventually(t, "it has left the line", func() bool { s := f.Stats().Transport; return s.Waiting == 3 && s.Cancelled == 1 })
	leaves.Close()
	eventually(t, "it has left the backend", func() bool { return f.Stats().Transport.Cancelled == 2 })
	<-gone // before the backend knows, it may take what lets another pass
	for i, want := range []string{"/1", "/2", "/3"} {
		if got := <-order; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		pass <- true
		if status, _ := all[i].hear(); status != 200 {
			t.Fatal(status)
		}
	}
	s := f.Stats()
	if s.Gone != 2 || s.Transport.Full != 1 || s.Transport.Answered != 3 || s.Transport.Backends[0].Failed != 0 || f.lane.plain.Load() != 5 {
		t.Errorf("%+v", s)
	}
}

// A backend that is silent is given up after a try's time, also by the lane.
func TestLaneTryTimeout(t *testing.T) {
	for _, begins := range []string{"", "HTTP/1.1 200 OK\r\n"} {
		c := testConfig(scripted(t, func(c net.Conn, in *bufio.Reader) {
			http.ReadRequest(in)
			io.WriteString(c, begins)
			io.Copy(io.Discard, in)
		}))
		c.Tries, c.TryTimeout = 1, 60*time.Millisecond
		f := start(t, c)
		conn := f.dial(t)
		conn.say("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
		if status, _ := conn.hear(); status != 504 || f.Stats().Transport.Backends[0].Failed != 1 || f.lane.plain.Load() != 1 {
			t.Errorf("%d %+v", status, f.Stats().Transport)
		}
	}
}

// A panic ends its connection, and gives back its slot: the backend has as many as before.
func TestLanePanicGivesBackItsSlot(t *testing.T) {
	c := testConfig(newBackend(t, echo).URL)
	log := &said{}
	s, err := Start(c, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	f := &front{Server: s, said: log}
	backs := s.lane.backs
	s.lane.backs = nil // which no request can be sent without
	for range 5 {
		conn := f.dial(t)
		conn.say("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
		if n, err := conn.Read(make([]byte, 1)); err == nil {
			t.Errorf("%d bytes of an answer", n)
		}
	}
	if said := log.String(); strings.Count(said, "made the proxy panic") != 5 {
		t.Errorf("what was logged: %s", said)
	}
	if in := s.Stats().Transport.InFlight; in != 0 {
		t.Errorf("%d slots are still held", in)
	}
	s.lane.backs = backs
	conn := f.dial(t)
	conn.say("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	if status, _ := conn.hear(); status != 200 {
		t.Errorf("answered %d after that", status)
	}
	conn.Close()
	if err := s.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}
