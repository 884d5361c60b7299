package proxy

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// A client that is slow to send has no slot until all of its body is here, and one that is slow to read has none when all of its answer is: with room for one request
// at the backend, and one behind the limit, others pass both.
func TestSlowClientsHoldNoBackend(t *testing.T) {
	const size = 24 << 20 // more than a system keeps for a connection
	backend := newBackend(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/large" {
			io.Copy(w, io.LimitReader(letters{}, size))
			return
		}
		echo(w, r)
	})
	for _, limit := range []int{0, 1} {
		c := testConfig(backend.URL)
		c.Capacity, c.AnswerBuffer, c.Limit = 1, 2*size, limit
		f := start(t, c)
		client := newClient(t)
		sender := f.dial(t)
		sender.say("PUT /slow HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\n12345")
		reader := f.dial(t)
		reader.say("GET /large HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
		eventually(t, "the large answer is here", func() bool { s := f.Stats().Transport; return s.Answered == 1 && s.InFlight == 0 })
		for range 3 {
			if status, text := fetch(t, client, request(t, "GET", f.URL()+"/quick", nil)); status != 200 || text != "GET /quick " {
				t.Error(status, text)
			}
		}
		eventually(t, "the quick ones are over", func() bool { return f.Stats().Active == 2 }) // which is a moment after their answers are here
		s := f.Stats()
		if s.Active != 2 || s.Transport.Answered != 4 || s.Transport.InFlight != 0 || s.Buffered < size/2 || s.Limit != nil && s.Limit.InFlight != 0 {
			t.Errorf("%+v", s)
		}
		sender.say("67890")
		if status, text := sender.hear(); status != 200 || text != "PUT /slow 1234567890" {
			t.Error(status, text)
		}
		res, err := http.ReadResponse(reader.Reader, nil)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := io.Copy(&letters{}, res.Body); n != size || err != nil {
			t.Error(n, err)
		}
	}
}

// letters is a source without end, and a sink that wants the same.
type letters struct{}

func (l letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	return len(p), nil
}

func (l *letters) Write(p []byte) (int, error) {
	if i := strings.IndexFunc(string(p), func(r rune) bool { return r != 'a' }); i >= 0 {
		return i, fmt.Errorf("%q", p[i])
	}
	return len(p), nil
}

// A client that sends a byte at a time, or none, is told so, and one that does not read is cut off; the slot that its answer has, if it is larger than
// the buffer, is free then. One that is as slow, and above the rate, is served.
func TestClientsMustKeepPace(t *testing.T) {
	t.Parallel()
	backend := newBackend(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/endless" {
			io.Copy(w, letters{})
			return
		}
		echo(w, r)
	})
	c := testConfig(backend.URL)
	c.ClientIdle, c.Capacity, c.AnswerBuffer = 1500*time.Millisecond, 1, 100e3
	c.MinRate = 1000
	f := start(t, c)
	drip := func(t *testing.T, length int, piece string, streams bool) int {
		conn := f.dial(t)
		head := fmt.Sprintf("PUT /drip HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n", length*len(piece))
		if streams {
			head = "PUT /drip HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
			piece = fmt.Sprintf("%x\r\n%s\r\n", len(piece), piece)
		}
		conn.say(head)
		stop := make(chan bool)
		done := make(chan bool)
		go func() {
			defer close(done)
			for range length {
				if _, err := io.WriteString(conn.Conn, piece); err != nil {
					return
				}
				select {
				case <-stop:
					return
				case <-time.After(60 * time.Millisecond):
				}
			}
			if streams {
				io.WriteString(conn.Conn, "0\r\n\r\n")
			}
		}()
		status, _ := conn.hear()
		close(stop)
		<-done
		return status
	}
	var all sync.WaitGroup
	silent := f.dial(t)
	silent.say("PUT /silent HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\n1")
	for _, streams := range []bool{false, true} {
		all.Go(func() {
			if status := drip(t, 1000, "x", streams); status != 408 { // 17 bytes a second
				t.Error("a byte at a time:", status)
			}
		})
		all.Go(func() {
			if status := drip(t, 30, strings.Repeat("x", 10_000), streams); status != 200 { // for longer than it may be silent
				t.Error("slow, and fast enough:", status)
			}
		})
	}
	all.Wait()
	if status, _ := silent.hear(); status != 408 {
		t.Error("silent:", status)
	}
	if rest, err := io.ReadAll(silent.Reader); len(rest) > 0 || err != nil {
		t.Error("the connection is not closed", rest, err)
	}
	t.Run("reader", func(t *testing.T) {
		conn := f.dial(t)
		conn.say("GET /endless HTTP/1.1\r\nHost: h\r\n\r\n")
		eventually(t, "it is cut off", func() bool { s := f.Stats(); return s.Active == 0 && s.Transport.InFlight == 0 && s.Answers[0] == 1 })
	})
	if s := f.Stats(); s.Slow != 3 || s.Transport.Backends[0].Failed != 0 {
		t.Errorf("%+v", s)
	}
}

// The rate is over all of a body, the first silence is free, and what is not the client's time does not count.
func TestPace(t *testing.T) {
	p := pace{idle: 10 * time.Second, rate: 100}
	if got := p.allowed(0); got != 10*time.Second {
		t.Error(got)
	}
	p.passed(100, 4*time.Second) // of which 1 s was paid for
	if got := p.allowed(0); got != 7*time.Second {
		t.Error(got)
	}
	if got := p.allowed(200); got != 9*time.Second {
		t.Error(got)
	}
	p.passed(10_000, 0)
	if got := p.allowed(0); got != 10*time.Second {
		t.Error(got)
	}
	p.passed(0, 200*time.Second)
	if got := p.allowed(0); got > 0 {
		t.Error(got)
	}
	p.rate = 0
	if got := p.allowed(0); got != 10*time.Second {
		t.Error(got)
	}
}

// What is too large is refused before it is read, or where it becomes too large; without memory for buffers, bodies stream.
func TestSizesAreBounded(t *testing.T) {
	backend := newBackend(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/head" {
			w.Header().Set("X", strings.Repeat("x", 10_000))
		}
		echo(w, r)
	})
	c := testConfig(backend.URL)
	c.MaxBody, c.MaxHeader, c.BodyBuffer, c.BufferMemory = 1e6, 8e3, 2e6, 0
	f := start(t, c)
	client := newClient(t)
	for _, x := range []struct {
		name   string
		body   io.Reader
		path   string
		header int
		status int
	}{
		{"as large as it may be", strings.NewReader(strings.Repeat("x", 1e6)), "/", 0, 200},
		{"by its length", strings.NewReader(strings.Repeat("x", 1e6+1)), "/", 0, 413},
		{"chunked, as large as it may be", io.MultiReader(strings.NewReader(strings.Repeat("x", 1e6))), "/", 0, 200},
		{"chunked", io.MultiReader(strings.NewReader(strings.Repeat("x", 1e6+1))), "/", 0, 413},
		{"head", nil, "/", 20_000, 431},
		{"head of an answer", nil, "/head", 0, 502},
	} {
		req := request(t, "POST", f.URL()+x.path, x.body, "X", strings.Repeat("x", x.header))
		req.Header.Set("Expect", "100-continue") // so that no client is cut off while it sends
		res, err := client.Do(req)
		if err != nil {
			t.Errorf("%s: %v", x.name, err)
			continue
		}
		text, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode != x.status || x.status == 200 && len(text) != len("POST / ")+1e6 {
			t.Errorf("%s: %s, %d bytes", x.name, res.Status, len(text))
		}
	}
	if s := f.Stats(); s.Large != 2 || s.Transport.Answered != 2 {
		t.Errorf("%+v", s)
	}
}

// A request that finds too many here is told so at once.
func TestTooManyHere(t *testing.T) {
	backend := newBackend(t, echo)
	c := testConfig(backend.URL)
	c.MaxRequests = 2
	f := start(t, c)
	var slow []*raw
	for range 2 {
		conn := f.dial(t)
		conn.say("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\n")
		slow = append(slow, conn)
	}
	eventually(t, "they are here", func() bool { return f.Stats().Active == 2 })
	res, err := newClient(t).Do(request(t, "GET", f.URL(), nil))
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != 503 || res.Header.Get("Retry-After") == "" || f.Stats().Crowded != 1 {
		t.Error(res.Status, res.Header)
	}
	for _, conn := range slow {
		conn.say("x")
		if status, _ := conn.hear(); status != 200 {
			t.Error(status)
		}
	}
}

// What a client is allowed to take says nothing about a backend: one that takes longer to answer, or to read a body that streams, is waited for.
func TestSlowBackendsAreNotTheClientsFault(t *testing.T) {
	t.Parallel()
	const idle = 1500 * time.Millisecond
	backend := newBackend(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/first" {
			time.Sleep(idle * 3 / 2)
		}
		n, err := io.Copy(io.Discard, r.Body)
		if r.URL.Path == "/then" {
			time.Sleep(idle * 3 / 2)
		}
		fmt.Fprint(w, n, " ", err)
	})
	c := testConfig(backend.URL)
	c.ClientIdle, c.MinRate, c.BodyBuffer, c.Capacity = idle, 0, 100e3, 8
	f := start(t, c)
	var all sync.WaitGroup
	for _, client := range []*http.Client{newClient(t), newClient(t, func(p *http.Protocols) { p.SetUnencryptedHTTP2(true) })} {
		for _, path := range []string{"/first", "/then"} {
			for _, size := range []int64{10, 6e6} {
				all.Go(func() {
					res, err := client.Do(request(t, "POST", f.URL()+path, io.LimitReader(letters{}, size)))
					if err != nil {
						t.Error(path, size, err)
						return
					}
					text, err := io.ReadAll(res.Body)
					res.Body.Close()
					if want := fmt.Sprint(size, " <nil>"); err != nil || res.StatusCode != 200 || string(text) != want {
						t.Errorf("%s, %d bytes: %s %q %v", path, size, res.Status, text, err)
					}
				})
			}
		}
	}
	all.Wait()
}

// A backend that falls silent in the middle of its answer is not waited for.
func TestBackendsMustNotFallSilent(t *testing.T) {
	t.Parallel()
	backend := newBackend(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "part")
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	c := testConfig(backend.URL)
	c.BackendIdle = 100 * time.Millisecond
	f := start(t, c)
	res, err := newClient(t).Do(request(t, "GET", f.URL(), nil))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if text, err := io.ReadAll(res.Body); string(text) != "part" || err == nil {
		t.Errorf("%q %v", text, err)
	}
	eventually(t, "it is counted", func() bool {
		s := f.Stats().Transport
		return s.Broken == 1 && s.InFlight == 0 && s.Backends[0].Failed == 1
	})
}
