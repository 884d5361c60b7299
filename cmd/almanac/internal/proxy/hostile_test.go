package proxy

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// A recorder is a backend that keeps every byte that it gets.
type recorder struct {
	net.Listener
	mu   sync.Mutex
	got  bytes.Buffer
	done sync.WaitGroup
}

func newRecorder(t testing.TB) *recorder {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &recorder{Listener: l}
	r.done.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			r.done.Go(func() { r.serve(c) })
		}
	})
	t.Cleanup(func() { l.Close(); r.done.Wait() })
	return r
}

func (r *recorder) serve(c net.Conn) {
	defer c.Close()
	in := bufio.NewReader(io.TeeReader(c, r))
	for {
		req, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		io.Copy(io.Discard, req.Body)
		text := "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
		if req.Method == http.MethodHead {
			text = strings.TrimSuffix(text, "ok")
		}
		io.WriteString(c, text)
	}
}

func (r *recorder) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.got.Write(p)
}

// take is what came since the last time.
func (r *recorder) take() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.got.Reset()
	return r.got.String()
}

// What two parties could read in two ways is refused, or reaches a backend in one way only, and then nothing that follows it on its connection is read. "smuggled" is
// what an attacker wants to be taken for a request.
func TestSmugglingIsRefused(t *testing.T) {
	const smuggled = "GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n"
	chunkOf := "23\r\n" + smuggled + "\r\n0\r\n\r\n"
	if len(smuggled) != 0x23 {
		t.Fatal(len(smuggled))
	}
	r := newRecorder(t)
	f := start(t, testConfig("http://"+r.Addr().String()))
	for _, c := range []struct {
		name, sent string
		status     int    // of the first answer
		gets       string // the body that the backend gets; "-" if it gets no request
		more       bool   // the connection may be used again
	}{
		{"plain", "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi", 200, "hi", true},
		{"length and chunked", "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled, 400, "-", false},
		{"chunked and length", "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nContent-Length: 100\r\n\r\n2\r\nhi\r\n0\r\n\r\n" + smuggled, 400, "-", false},
		{"a length of nothing and chunked", "POST /a HTTP/1.1\r\nHost: h\r\ncontent-length:0\r\nX: y\r\nTRANSFER-ENCODING:chunked\r\n\r\n0\r\n\r\n" + smuggled, 400, "-", false},
		{"both in HTTP/1.0", "POST /a HTTP/1.0\r\nHost: h\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled, 400, "-", false},
		{"both, and lines that end with LF", "POST /a HTTP/1.1\nHost: h\nTransfer-Encoding: chunked\nContent-Length: 5\n\n0\r\n\r\n" + smuggled, 400, "-", false},
		{"a length that is folded", "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length:\r\n 2\r\n\r\nhi" + smuggled, 400, "-", false},
		{"a long length", "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 00000000000000000000000002\r\n\r\nhi" + smuggled, 400, "-", false},
		{"a request within a chunk", "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n" + chunkOf, 200, smuggled, false},
		{"two lengths", "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nhi" + smuggled, 400, "-", false},
		{"a list of lengths", "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 2, 3\r\n\r\nhi" + smuggled, 400, "-", false},
		{"a length with a sign", "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: +2\r\n\r\nhi" + smuggled, 400, "-", false},
		{"a negative length", "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: -2\r\n\r\nhi" + smuggled, 400, "-", false},
		{"a hexadecimal length", "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 0x2\r\n\r\nhi" + smuggled, 400, "-", false},
		{"chunked, identity", "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked, identity\r\n\r\n" + chunkOf, 501, "-", false},
		{"identity", "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: identity\r\nContent-Length: 2\r\n\r\nhi" + smuggled, 400, "-", false},
		{"chunked twice", "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n" + chunkOf, 501, "-", false},
		{"an unknown coding", "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: xchunked\r\n\r\n" + chunkOf, 501, "-", false},
		{"a vertical tab in a coding", "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: \x0bchunked\r\n\r\n" + chunkOf, 400, "-", false},
		{"chunked in HTTP/1.0", "POST /a HTTP/1.0\r\nHost: h\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n" + chunkOf, 200, "", false},
		{"a space before the colon", "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length : 2\r\n\r\nhi" + smuggled, 400, "-", false},
		{"a space before the first header", "POST /a HTTP/1.1\r\n Host: h\r\nContent-Length: 2\r\n\r\nhi" + smuggled, 400, "-", false},
		{"a tab in a name", "POST /a HTTP/1.1\r\nHost: h\r\nContent-\tLength: 2\r\n\r\nhi" + smuggled, 400, "-", false},
		{"a header without a colon", "GET /a HTTP/1.1\r\nHost: h\r\nContent-Length\r\n\r\n" + smuggled, 400, "-", false},
		{"a header without a name", "GET /a HTTP/1.1\r\nHost: h\r\n: x\r\n\r\n" + smuggled, 400, "-", false},
		{"NUL in a value", "GET /a HTTP/1.1\r\nHost: h\r\nX: a\x00b\r\n\r\n" + smuggled, 400, "-", false},
		{"CR in a value", "GET /a HTTP/1.1\r\nHost: h\r\nX: a\rContent-Length: 5\r\n\r\n" + smuggled, 400, "-", false},
		{"NUL in a path", "GET /a\x00 HTTP/1.1\r\nHost: h\r\n\r\n" + smuggled, 400, "-", false},
		{"a space in a path", "GET /a b HTTP/1.1\r\nHost: h\r\n\r\n" + smuggled, 400, "-", false},
		{"two hosts", "GET /a HTTP/1.1\r\nHost: h\r\nHost: i\r\n\r\n" + smuggled, 400, "-", false},
		{"no host", "GET /a HTTP/1.1\r\n\r\n" + smuggled, 400, "-", false},
		{"a host that is none", "GET /a HTTP/1.1\r\nHost: a b\r\n\r\n" + smuggled, 400, "-", false},
		{"a chunk size with a sign", "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n+2\r\nhi\r\n0\r\n\r\n" + smuggled, 400, "-", false},
		{"a chunk size that overflows", "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n10000000000000002\r\nhi\r\n0\r\n\r\n" + smuggled, 400, "-", false},
		{"a chunk longer than said", "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhihi\r\n0\r\n\r\n" + smuggled, 400, "-", false},
		{"LF alone after a chunk size", "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\nhi\r\n0\r\n\r\n" + smuggled, 400, "-", false},
		{"LF in a chunk extension", "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2;x\nhi\r\n0\r\n\r\n" + smuggled, 400, "-", false},
		{"a chunk extension", "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2;x=\"y\"\r\nhi\r\n0\r\n\r\n" + smuggled, 200, "hi", false},
		{"a trailer", "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n2\r\nhi\r\n0\r\nX-T: smuggled\r\nX-Forwarded-For: smuggled\r\n\r\n", 200, "hi", false},
		{"a version that there is not", "GET /a HTTP/3.0\r\nHost: h\r\n\r\n" + smuggled, 505, "-", false},
		{"CONNECT", "CONNECT h:80 HTTP/1.1\r\nHost: h:80\r\n\r\n" + smuggled, 405, "-", false},
		{"TRACE", "TRACE /a HTTP/1.1\r\nHost: h\r\n\r\n", 405, "-", true},
		{"another scheme", "GET ftp://h/smuggled HTTP/1.1\r\nHost: h\r\n\r\n" + smuggled, 400, "-", false},
		{"no path", "GET mailto:smuggled HTTP/1.1\r\nHost: h\r\n\r\n" + smuggled, 400, "-", false},
		{"a body for GET", "GET /a HTTP/1.1\r\nHost: h\r\nContent-Length: 35\r\n\r\n" + smuggled, 200, smuggled, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn := f.dial(t)
			conn.say(c.sent)
			status, _ := conn.hear()
			if status != c.status {
				t.Errorf("status %d, want %d", status, c.status)
			}
			if !c.more {
				rest, err := io.ReadAll(conn.Reader)
				if err != nil && !strings.Contains(err.Error(), "reset") {
					t.Errorf("the connection is not closed: %v", err)
				}
				if len(rest) > 0 {
					t.Errorf("there is another answer: %q", rest)
				}
			}
			got := r.take()
			if c.gets == "-" {
				if got != "" {
					t.Errorf("the backend has got %q", got)
				}
				return
			}
			head, body, _ := strings.Cut(got, "\r\n\r\n")
			if body != c.gets {
				t.Errorf("the backend has got the body %q, want %q", body, c.gets)
			}
			if strings.Contains(head, "smuggled") || strings.Contains(head, "Transfer-Encoding") || strings.Count(head, "Content-Length:") > 1 {
				t.Errorf("the backend has got %q", head)
			}
		})
	}
}

// What RFC 9112 has a server read leniently reaches a backend strictly.
func TestLenientIsMadeStrict(t *testing.T) {
	r := newRecorder(t)
	f := start(t, testConfig("http://"+r.Addr().String()))
	for name, c := range map[string][3]string{ // what is sent, what must be in the head at the backend, and what must not
		"LF alone":          {"GET /a HTTP/1.1\nHost: h\nX: y\n\n", "\r\nX: y\r\n", ""},
		"a folded line":     {"GET /a HTTP/1.1\r\nHost: h\r\nX: y\r\n z\r\n\r\n", "\r\nX: y z\r\n", ""},
		"the absolute form": {"GET http://asked/a?b HTTP/1.1\r\nHost: other\r\n\r\n", "GET /a?b HTTP/1.1\r\nHost: asked\r\n", "other"},
		"equal lengths":     {"POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nhi", "\r\nContent-Length: 2\r\n", ""},
		"hop by hop":        {"GET /a HTTP/1.1\r\nHost: h\r\nConnection: close, X-Secret\r\nX-Secret: s\r\nKeep-Alive: 5\r\nProxy-Connection: x\r\nProxy-Authorization: x\r\nTE: gzip\r\n\r\n", "\r\nVia: 1.1 almanac\r\n", "X-Secret|Keep-Alive|Proxy-|\r\nTe:|Connection"},
		"a forwarding header named in Connection": {"GET /a HTTP/1.1\r\nHost: h\r\nConnection: close, X-Forwarded-For, Forwarded, Via\r\n\r\n", "\r\nX-Forwarded-For: 127.0.0.1\r\n", ""},
		"who says where it came from":             {"GET /a HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: 6.6.6.6\r\nForwarded: for=6.6.6.6\r\nX_Forwarded_For: 6.6.6.6\r\nX-Real-IP: 6.6.6.6\r\nX-Forwarded-Port: 6.6.6.6\r\nRequest-Birth: 666\r\nRequest_Birth: 666\r\n\r\n", "\r\nX-Forwarded-For: 127.0.0.1\r\n", "6.6.6.6|666"},
		"a strange query":                         {"GET /a%2Fb//../c?x=%zz;y&=%00 HTTP/1.1\r\nHost: h\r\n\r\n", "GET /a%2Fb//../c?x=%zz;y&=%00 HTTP/1.1\r\n", ""},
		"an upgrade to h2c":                       {"GET /a HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n", "", "h2c|Upgrade|Settings"},
		"an upgrade to two things":                {"GET /a HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nUpgrade: h2c\r\n\r\n", "", "websocket|h2c|Upgrade"},
		"Expect":                                  {"POST /a HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nhi", "\r\nContent-Length: 2\r\n", "Expect"},
		"OPTIONS with hops":                       {"OPTIONS /a HTTP/1.1\r\nHost: h\r\nMax-Forwards: 3\r\n\r\n", "\r\nMax-Forwards: 2\r\n", ""},
		"HTTP/1.0":                                {"GET /a HTTP/1.0\r\n\r\n", "GET /a HTTP/1.1\r\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			conn := f.dial(t)
			conn.say(c[0])
			status, _ := conn.hear()
			if status == http.StatusContinue {
				status, _ = conn.hear()
			}
			head, _, _ := strings.Cut(r.take(), "\r\n\r\n")
			head += "\r\n"
			if status != 200 || !strings.Contains(head, c[1]) {
				t.Errorf("status %d, the backend has got %q", status, head)
			}
			for _, not := range strings.Split(c[2], "|") {
				if not != "" && strings.Contains(head, not) {
					t.Errorf("%q is in %q", not, head)
				}
			}
		})
	}
	conn := f.dial(t)
	conn.say("OPTIONS /a HTTP/1.1\r\nHost: h\r\nMax-Forwards: 0\r\n\r\n")
	if status, _ := conn.hear(); status != 204 || r.take() != "" {
		t.Errorf("OPTIONS for the proxy itself: %d", status)
	}
}
