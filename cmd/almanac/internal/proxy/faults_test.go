package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A tally counts by name.
type tally struct {
	mu sync.Mutex
	n  map[string]int
}

func (t *tally) add(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.n == nil {
		t.n = map[string]int{}
	}
	t.n[name]++
}

func (t *tally) of(name string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.n[name]
}

func (t *tally) all() map[string]int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.n)
}

// Processes are killed and started again, under load. Each request is answered or has failed; what is not idempotent was begun at most once, and exactly once if it was
// answered; what is idempotent is answered, unless its answer had begun; no process has more than c.
func TestBackendsAreKilledConcurrently(t *testing.T) {
	const capacity, clients, kills, between = 2, 12, 6, 100
	var backends []*process
	var urls []string
	for range 3 {
		p := newProcess(t, capacity)
		backends, urls = append(backends, p), append(urls, "http://"+p.address)
	}
	c := testConfig(urls...)
	c.Capacity, c.Tries = capacity, 10
	f := start(t, c)
	client := newClient(t)
	var outcome sync.Map // of each request, whether it was answered
	var sent, done atomic.Int64
	stop := make(chan bool)
	var all sync.WaitGroup
	for k := range clients {
		all.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				method := []string{"GET", "POST", "PUT"}[i%3]
				path := fmt.Sprintf("/%d/%d", k, i)
				sent.Add(1)
				var body io.Reader
				if method != "GET" {
					body = strings.NewReader("body of " + path)
				}
				req, err := http.NewRequest(method, f.URL()+path, body)
				if err != nil {
					t.Error(err)
					return
				}
				good := false
				if res, err := client.Do(req); err == nil {
					text, err := io.ReadAll(res.Body)
					res.Body.Close()
					good = err == nil && res.StatusCode == 200
					if want := path + " "; good && !strings.HasPrefix(string(text), want) {
						t.Errorf("%s %s: %q", method, path, text)
					}
				}
				outcome.Store(method+" "+path, good)
				done.Add(1)
			}
		})
	}
	for round := range kills {
		before := done.Load()
		eventually(t, "requests are answered", func() bool { return done.Load() >= before+between })
		backends[round%3].kill()
		before = done.Load()
		eventually(t, "requests are answered by the others", func() bool { return done.Load() >= before+between })
		backends[round%3].start()
	}
	close(stop)
	all.Wait()
	begun := map[string]int{}
	for _, b := range backends {
		for what, n := range b.served() {
			begun[what] += n
			if strings.HasPrefix(what, "over") {
				t.Errorf("%s: %s, %d times", b.address, what, n)
			}
		}
	}
	var answered, failed, idempotent int
	outcome.Range(func(key, value any) bool {
		what, good := key.(string), value.(bool)
		post := strings.HasPrefix(what, "POST")
		switch n := begun[what]; {
		case good && n == 0:
			t.Errorf("%s was answered, and by nobody", what)
		case post && n > 1:
			t.Errorf("%s was begun %d times", what, n)
		}
		delete(begun, what)
		if good {
			answered++
		} else {
			failed++
			if !post {
				idempotent++
			}
		}
		return true
	})
	if len(begun) > 0 {
		t.Errorf("nobody asked for %v", begun)
	}
	s := f.Stats()
	if int64(answered+failed) != sent.Load() || s.Transport.Requests != uint64(sent.Load()) || s.Transport.Answered != uint64(answered) || s.Transport.Failed+s.Transport.Broken != uint64(failed) {
		t.Errorf("%d sent, %d answered, %d failed; %+v", sent.Load(), answered, failed, s.Transport.Counts)
	}
	if uint64(idempotent) > s.Transport.Broken {
		t.Errorf("%d that could be tried again have failed, and %d answers broke off", idempotent, s.Transport.Broken)
	}
	if s.Transport.Retries == 0 {
		t.Error("nothing was tried again: the test has tested nothing")
	}
	t.Logf("%d sent, %d answered, %d failed, %d tries beyond the first", sent.Load(), answered, failed, s.Transport.Retries)
}

// A backend that resets the connection in the middle of an answer: the client sees that it broke off, by any protocol and framing, and never something shorter that
// looks whole.
func TestAnswersThatBreakOff(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var done sync.WaitGroup
	t.Cleanup(func() { l.Close(); done.Wait() })
	done.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			buffer := make([]byte, 4096)
			n, _ := conn.Read(buffer)
			head, body := "Content-Length: 1000", strings.Repeat("x", 500)
			if strings.Contains(string(buffer[:n]), "/large") {
				head, body = "Content-Length: 1000000", strings.Repeat("x", 500_000)
			}
			if strings.Contains(string(buffer[:n]), "/chunked") {
				head, body = "Transfer-Encoding: chunked", "1f4\r\n"+strings.Repeat("x", 500)+"\r\n"
			}
			io.WriteString(conn, "HTTP/1.1 200 OK\r\n"+head+"\r\n\r\n"+body)
			if strings.Contains(string(buffer[:n]), "reset") {
				conn.(*net.TCPConn).SetLinger(0)
			}
			conn.Close()
		}
	})
	c := testConfig("http://" + l.Addr().String())
	c.Rest, c.LongestRest = time.Millisecond, time.Millisecond
	f := start(t, c)
	asked := 0
	for _, client := range []*http.Client{newClient(t), newClient(t, func(p *http.Protocols) { p.SetUnencryptedHTTP2(true) })} {
		for _, path := range []string{"/small", "/large", "/chunked"} {
			for _, end := range []string{"?closed", "?reset"} {
				asked++
				res, err := client.Do(request(t, "GET", f.URL()+path+end, nil))
				if err != nil {
					continue
				}
				text, err := io.ReadAll(res.Body)
				res.Body.Close()
				if err == nil && res.StatusCode == 200 {
					t.Errorf("%s%s: %d bytes, and no error", path, end, len(text))
				}
			}
		}
	}
	eventually(t, "all are counted", func() bool { return f.Stats().Answers[0]+f.Stats().Answers[5] == uint64(asked) })
	if s := f.Stats().Transport; s.Answered != 0 || s.Broken+s.Failed != uint64(asked) || s.Backends[0].Failed == 0 {
		t.Errorf("%+v", s)
	}
}

// Clients that leave, at any moment, or reset in the middle of their body: what was not here whole never reaches a backend, no backend is blamed, and no slot is lost.
func TestClientsThatLeaveConcurrently(t *testing.T) {
	var begun tally
	backend := newBackend(t, func(w http.ResponseWriter, r *http.Request) {
		begun.add(r.URL.Path)
		select {
		case <-time.After(time.Duration(rand.IntN(3000)) * time.Microsecond):
		case <-r.Context().Done():
		}
		echo(w, r)
	})
	c := testConfig(backend.URL)
	c.Capacity = 3
	f := start(t, c)
	client := newClient(t)
	var all sync.WaitGroup
	var outcomes tally
	for k := range 20 {
		all.Go(func() {
			for i := range 25 {
				path := fmt.Sprintf("/%d/%d", k, i)
				if i%5 == 0 {
					conn, err := net.Dial("tcp", f.Addr())
					if err != nil {
						t.Error(err)
						return
					}
					fmt.Fprintf(conn, "POST /half%s HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nhalf", path)
					conn.(*net.TCPConn).SetLinger(0)
					conn.Close()
					continue
				}
				ctx, cancel := context.WithCancel(t.Context())
				if i%2 == 0 { // the others stay, however long it takes
					ctx, cancel = context.WithTimeout(t.Context(), time.Duration(rand.IntN(20_000))*time.Microsecond)
				}
				req, err := http.NewRequestWithContext(ctx, "POST", f.URL()+path, strings.NewReader("x"))
				if err != nil {
					t.Error(err)
				}
				res, err := client.Do(req)
				if err == nil {
					_, err = io.ReadAll(res.Body)
					res.Body.Close()
				}
				switch {
				case err == nil && res.StatusCode == 200:
					outcomes.add("answered")
					if begun.of(path) != 1 {
						t.Errorf("%s was begun %d times", path, begun.of(path))
					}
				case err == nil:
					t.Error(res.Status)
				case !errors.Is(err, context.DeadlineExceeded):
					t.Error(err)
				default:
					outcomes.add("left")
				}
				cancel()
			}
		})
	}
	all.Wait()
	eventually(t, "all is over", func() bool {
		s := f.Stats()
		return s.Active == 0 && s.Transport.InFlight == 0
	})
	s := f.Stats()
	if outcomes.of("answered") == 0 || outcomes.of("left") == 0 {
		t.Errorf("the test has tested nothing: %v", outcomes.n)
	}
	if s.Transport.Backends[0].Failed != 0 || s.Transport.Requests != s.Transport.Answered+s.Transport.Cancelled || s.Transport.Answered < uint64(outcomes.of("answered")) {
		t.Errorf("%v %+v", outcomes.n, s)
	}
	for path, n := range begun.all() {
		if n != 1 || strings.HasPrefix(path, "/half") {
			t.Errorf("%s was begun %d times", path, n)
		}
	}
	if status, _ := fetch(t, client, request(t, "GET", f.URL(), nil)); status != 200 {
		t.Error(status)
	}
}

// Twice as many requests as backends can serve, counted in rounds, in each of which a backend serves c: in each round all slots are in use, the room is full and no
// more than full, the rest is turned away at once, each request is answered once, and what is kept does not grow.
func TestOverloadKeepsGoodput(t *testing.T) {
	const n, capacity, room, rounds = 3, 2, 12, 40
	const slots = n * capacity
	var begun tally
	var at atomic.Int64
	pass := make(chan bool)
	var urls []string
	for range n {
		urls = append(urls, newBackend(t, func(w http.ResponseWriter, r *http.Request) {
			at.Add(1)
			defer at.Add(-1)
			begun.add(r.URL.Path)
			<-pass
			echo(w, r)
		}).URL)
	}
	c := testConfig(urls...)
	c.Capacity, c.Room = capacity, room
	f := start(t, c)
	client := newClient(t)
	var outcomes, byPath tally
	var all sync.WaitGroup
	sent, goroutines := 0, 0
	for round := range rounds {
		for range 2 * slots {
			path := fmt.Sprintf("/%d", sent)
			sent++
			all.Go(func() {
				res, err := client.Post(f.URL()+path, "text/plain", strings.NewReader(strings.Repeat("x", 5000)))
				if err != nil {
					t.Error(err)
					return
				}
				io.Copy(io.Discard, res.Body)
				res.Body.Close()
				outcomes.add(res.Status)
				if res.StatusCode == 200 {
					byPath.add(path)
				}
			})
		}
		served := round * slots
		waiting := min(room, (round+1)*slots) // by then
		eventually(t, "all have come, and all slots are in use", func() bool {
			s := f.Stats()
			return s.Transport.Requests == uint64(sent) && at.Load() == slots && int(f.Stats().Active) == slots+s.Transport.Waiting &&
				outcomes.of("503 Service Unavailable")+slots+s.Transport.Waiting+served == sent
		})
		s := f.Stats()
		if s.Transport.Waiting != waiting || s.Transport.InFlight != slots || s.Buffered > int64(slots+room)*8192 {
			t.Errorf("round %d: %d wait, %d are in flight, %d bytes", round, s.Transport.Waiting, s.Transport.InFlight, s.Buffered)
		}
		if now := runtime.NumGoroutine(); round == rounds/2 {
			goroutines = now
		} else if goroutines > 0 && now > goroutines+20 {
			t.Errorf("%d goroutines, and %d before", now, goroutines)
		}
		for range slots {
			pass <- true
		}
		eventually(t, "they are answered", func() bool { return outcomes.of("200 OK") == served+slots })
	}
	close(pass)
	all.Wait()
	want := rounds*slots + room
	if outcomes.of("200 OK") != want || outcomes.of("503 Service Unavailable") != sent-want {
		t.Errorf("%v, want %d answered of %d", outcomes.n, want, sent)
	}
	for path, n := range byPath.n {
		if n != 1 || begun.of(path) != 1 {
			t.Errorf("%s was begun %d times and answered %d times", path, begun.of(path), n)
		}
	}
	if len(begun.n) != want {
		t.Errorf("%d were begun, want %d", len(begun.n), want)
	}
}
