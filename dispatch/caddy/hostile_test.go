package caddyqueue

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// raw sends bytes to Caddy on one connection and returns the statuses of all final responses. When
// Caddy has sent nothing for a while the client closes its side, and Caddy closes the connection.
func (in *instance) raw(text string) (statuses []int) {
	in.t.Helper()
	conn, err := net.Dial("tcp", in.address)
	if err != nil {
		in.t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(patience))
	responses, sent := make(chan int), make(chan struct{})
	go func() {
		defer close(sent)
		io.WriteString(conn, text) // fails if Caddy has closed the connection
	}()
	go func() {
		defer close(responses)
		r := bufio.NewReader(conn)
		for {
			res, err := http.ReadResponse(r, nil)
			if err != nil {
				return
			}
			io.Copy(io.Discard, res.Body)
			if res.StatusCode >= 200 {
				responses <- res.StatusCode
			}
		}
	}()
	<-sent
	for {
		select {
		case s, more := <-responses:
			if !more {
				return statuses
			}
			statuses = append(statuses, s)
		case <-time.After(20 * time.Millisecond):
			conn.(*net.TCPConn).CloseWrite()
		}
	}
}

const smuggled = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"

// A POST whose body looks like further requests, and is read by nobody: the backend responds at
// once, the queue refuses the request, or no backend is there.
func TestHostileUnreadBody(t *testing.T) {
	post := fmt.Sprintf("POST /post HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", 100*len(smuggled),
		strings.Repeat(smuggled, 100))
	chunked := fmt.Sprintf("POST /post HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n",
		100*len(smuggled), strings.Repeat(smuggled, 100))
	b := startBackend(t, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(204) })
	in := start(t, block(to(b), "capacity 1", "max_queue 0"))
	for _, text := range []string{post, chunked, post + post, chunked + post} {
		if s := in.raw(text); len(s) > strings.Count(text, "POST") {
			t.Errorf("%d responses: %v", len(s), s)
		}
		in.idle()
	}
	if n := count(b.requests(), "GET /smuggled"); n != 0 {
		t.Errorf("%d smuggled requests at the backend", n)
	}

	// Refused by the queue.
	g := make(gate)
	busy := startBackend(t, g.handler)
	if err := in.load(block(to(busy), "capacity 1", "max_queue 0")); err != nil {
		t.Fatal(err)
	}
	first := make(chan reply, 1)
	go func() { first <- in.get("/first") }()
	in.until("request in flight", func(q queueState) bool { return q.InFlight == 1 })
	for _, text := range []string{post, chunked} {
		if s := in.raw(text); len(s) > 1 || len(s) == 1 && s[0] != 503 {
			t.Errorf("%v, want 503", s)
		}
	}
	close(g)
	<-first
	if seen := busy.requests(); len(seen) != 1 {
		t.Errorf("the backend has seen %v", seen)
	}

	// Refused by the backend, which is not there.
	if err := in.load(block("to 127.0.0.1:"+freePorts(t, 1)[0], "attempts 1")); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{post, chunked} {
		if s := in.raw(text); len(s) > 1 || len(s) == 1 && s[0] != 502 {
			t.Errorf("%v, want 502", s)
		}
	}
}

// Requests whose length can be read in two ways are refused, or Caddy sends on what can be read in
// one way only.
func TestHostileLengths(t *testing.T) {
	b := startBackend(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.WriteHeader(204)
	})
	wire := new(recorder)
	front := wire.listen(t, b.address)
	in := start(t, block("to "+front, "capacity 1"))
	const te = "Transfer-Encoding: chunked\r\n"
	n, i := len(smuggled), 0
	for _, headers := range []string{
		fmt.Sprintf("Content-Length: %d\r\n%s", n+5, te),
		te + fmt.Sprintf("Content-Length: %d\r\n", n+5),
		"Content-Length: 5\r\nContent-Length: 6\r\n",
		"Content-Length: 5, 6\r\n",
		"Content-Length: +5\r\n", "Content-Length: -5\r\n", "Content-Length: 0x5\r\n", "Content-Length: 5_0\r\n",
		"Content-Length: 99999999999999999999\r\n", "Content-Length: \r\n", "Content-Length : 5\r\n",
		" Content-Length: 5\r\n", "Content-Length:\t5\r\n", "Content-Length: 5\x0b\r\n", "Content\x00-Length: 5\r\n",
		"Transfer-Encoding: identity\r\n", "Transfer-Encoding: xchunked\r\n", "Transfer-Encoding : chunked\r\n",
		"Transfer-Encoding: chunked, identity\r\n", "Transfer-Encoding: identity, chunked\r\n",
		te + te, te + "Transfer-Encoding: x\r\n",
		"Transfer-Encoding:\tchunked\r\n", "Transfer-Encoding: \x0bchunked\r\n", "Transfer-Encoding: chun ked\r\n",
		"Transfer-Encoding:\r\n chunked\r\n", "X: y\r\n " + te, "X: y\r" + te, "X: y\n" + te,
		"TRANSFER-ENCODING: CHUNKED\r\nContent-Length: 5\r\n",
		"Transfer_Encoding: chunked\r\nContent-Length: 5\r\n", "Connection: Content-Length\r\nContent-Length: 5\r\n",
		"Connection: Transfer-Encoding\r\n" + te, "Expect: 100-continue\r\nContent-Length: 5\r\n" + te,
	} {
		for _, body := range []string{
			"0\r\n\r\n" + smuggled, "5\r\nhello\r\n0\r\n\r\n" + smuggled, "hello" + smuggled,
			"0\r\nX: y\r\n\r\n" + smuggled, "5;ext=\"\r\n\"\r\nhello\r\n0\r\n\r\n" + smuggled,
			"5\nhello\n0\n\n" + smuggled, "-1\r\n" + smuggled, "ffffffffffffffff\r\n" + smuggled,
		} {
			i++
			post, extra := fmt.Sprint("/post/", i), fmt.Sprint("/smuggled/", i)
			text := "POST " + post + " HTTP/1.1\r\nHost: x\r\n" + headers + "\r\n" +
				strings.ReplaceAll(body, "/smuggled", extra)
			statuses := in.raw(text)
			in.idle()
			seen := b.requests()
			// The backend has seen the second request only if Caddy has: then there are two responses.
			n := count(seen, "POST "+post) + count(seen, "GET "+extra)
			if n > len(statuses) || n > 2 {
				t.Errorf("%q: %d at the backend, %v to the client", text, n, statuses)
			}
			for _, s := range statuses {
				switch s {
				case 204, 400, 417, 499, 501, 502:
				default:
					t.Errorf("%q: %v", text, statuses)
				}
			}
		}
	}
	if r := in.get("/"); r.status != 204 {
		t.Errorf("%+v", r)
	}
	if q := in.idle(); q.Backends[0].State != "healthy" {
		t.Errorf("clients have ejected the backend: %+v", q)
	}
	wire.check(t)
}

// A recorder passes connections on to a backend, and keeps what was sent to it.
type recorder struct {
	mu    sync.Mutex
	conns []*bytes.Buffer
}

func (rec *recorder) listen(t *testing.T, address string) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			front, err := l.Accept()
			if err != nil {
				return
			}
			back, err := net.Dial("tcp", address)
			if err != nil {
				front.Close()
				continue
			}
			buf := new(bytes.Buffer)
			rec.mu.Lock()
			rec.conns = append(rec.conns, buf)
			rec.mu.Unlock()
			go func() {
				io.Copy(front, back)
				front.Close()
			}()
			go func() {
				defer back.Close()
				p := make([]byte, 1<<16)
				for {
					n, err := front.Read(p)
					rec.mu.Lock()
					buf.Write(p[:n])
					rec.mu.Unlock()
					if err != nil {
						return
					}
					back.Write(p[:n])
				}
			}()
		}
	}()
	return l.Addr().String()
}

var (
	fieldLine = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+: [^\x00\r\n]*$")
	chunkLine = regexp.MustCompile("^[0-9a-f]{1,8}$")
)

// check parses what was sent more strictly than any server: each line ends in CRLF, and a request
// has one length or chunked, and nothing that could be read as either in another spelling.
func (rec *recorder) check(t *testing.T) {
	t.Helper()
	rec.mu.Lock()
	defer rec.mu.Unlock()
	requests := 0
	for _, buf := range rec.conns {
		rest := buf.String()
		for rest != "" {
			head, body, whole := strings.Cut(rest, "\r\n\r\n")
			if !whole {
				break // the connection was closed
			}
			requests++
			lengths := 0
			size, chunked := 0, false
			for i, line := range strings.Split(head, "\r\n") {
				if i == 0 {
					continue
				}
				name, value, _ := strings.Cut(line, ": ")
				if !fieldLine.MatchString(line) {
					t.Errorf("the backend was sent %q", line)
				}
				switch strings.ToLower(name) {
				case "content-length":
					lengths++
					n, err := strconv.Atoi(value)
					if size = n; err != nil || strconv.Itoa(n) != value {
						t.Errorf("the backend was sent %q", line)
					}
				case "transfer-encoding":
					lengths++
					if chunked = true; value != "chunked" {
						t.Errorf("the backend was sent %q", line)
					}
				}
			}
			if lengths > 1 {
				t.Errorf("two lengths: %q", head)
			}
			for chunked {
				line, after, _ := strings.Cut(body, "\r\n")
				n, _ := strconv.ParseInt(line, 16, 64)
				if line != "" && !chunkLine.MatchString(line) {
					t.Errorf("the backend was sent the chunk %q", line)
				}
				if int(n)+2 > len(after) {
					after, size = "", 0
					body, chunked = after, false
					break
				}
				body, chunked = after[n+2:], n > 0
			}
			rest = body[min(size, len(body)):]
		}
	}
	if requests < 50 {
		t.Errorf("only %d requests have reached the backend", requests)
	}
}

// Backends that lie: whatever they send, the client gets one response or a connection that breaks
// off, the slot is free again, and the next request is served by another backend.
func TestHostileBackends(t *testing.T) {
	const good200 = "HTTP/1.1 200 OK\r\n"
	lies := map[string]string{
		"nothing":            "",
		"not HTTP":           "SSH-2.0-OpenSSH\r\n",
		"too long a length":  good200 + "Content-Length: 100\r\n\r\nshort",
		"too short a length": good200 + "Content-Length: 2\r\n\r\nok" + good200 + "Content-Length: 8\r\n\r\nsmuggled",
		"two lengths":        good200 + "Content-Length: 2\r\nContent-Length: 3\r\n\r\nokx",
		"length and chunks":  good200 + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
		"broken chunks":      good200 + "Transfer-Encoding: chunked\r\n\r\nzz\r\nok\r\n",
		"unknown encoding":   good200 + "Transfer-Encoding: gzip\r\n\r\nok",
		"status 0":           "HTTP/1.1 000 No\r\nContent-Length: 0\r\n\r\n",
		"status 99":          "HTTP/1.1 099 No\r\nContent-Length: 0\r\n\r\n",
		"status of four":     "HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n",
		"unasked switch": "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n" +
			"Upgrade: websocket\r\n\r\nsmuggled",
		"interim for ever":    strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", 1000),
		"a large header":      good200 + "X: " + strings.Repeat("x", 11<<20) + "\r\n\r\n",
		"a header with a NUL": good200 + "X: a\x00b\r\nContent-Length: 0\r\n\r\n",
		"a trailer not of one": good200 + "Transfer-Encoding: chunked\r\nTrailer: Content-Length\r\n\r\n" +
			"0\r\nContent-Length: 5\r\n\r\n",
	}
	good := startBackend(t, ok)
	for name, lie := range lies {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				go func() {
					defer conn.Close()
					req, err := http.ReadRequest(bufio.NewReader(conn))
					if err == nil {
						io.Copy(io.Discard, req.Body)
						io.WriteString(conn, lie)
					}
				}()
			}
		}()
		in := start(t, block("to "+l.Addr().String()+" "+good.address, "capacity 1"))
		for i := range 10 {
			s := in.raw(fmt.Sprintf("POST /%d HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody", i))
			if len(s) > 1 {
				t.Errorf("%s: %v", name, s)
			}
		}
		in.idle()
		for i := range 10 { // idempotent: sent again, to the good one, unless the lie is a valid response
			path := fmt.Sprint("/", i)
			r := in.get(path)
			if r.err == nil && r.status == 200 && r.body != path && r.body != "ok" && r.body != "" {
				t.Errorf("%s: %+v", name, r)
			}
		}
		if q := in.idle(); q.Requests != q.Completed+q.Failed+q.Canceled || q.InFlight != 0 {
			t.Errorf("%s: %+v", name, q)
		}
		l.Close()
	}
}
