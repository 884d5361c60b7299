package proxy

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// pair is two proxies over the same backends, of which the second has no lane.
func pair(t testing.TB, c Config) [2]*front {
	other := c
	other.noLane = true
	return [2]*front{start(t, c), start(t, other)}
}

// heads are requests by their parts: one of each is drawn, most often the first.
var heads = struct{ methods, targets, versions, hosts, fields, ends []string }{
	[]string{"GET", "HEAD", "POST", "get", "GET ", "OPTIONS", "G\x00T", ""},
	[]string{"/a", "/", "/a?b=c", "/a%2fb", "/a%2", "/a%zz", "//x/y", "/a?%zz", "/a#b", "/a b", "/\x7f", "/ü", "/\"<>", "/[x]", "/a?b#c", "*", "a", "http://x/y", "", "/a;b=c?d;e", "/../a/./b", "/a?"},
	[]string{" HTTP/1.1\r\n", " HTTP/1.0\r\n", " HTTP/1.1\n", " HTTP/1.2\r\n", " http/1.1\r\n", "  HTTP/1.1\r\n", " HTTP/1.1 \r\n", "\r\n"},
	[]string{"Host: h\r\n", "Host: h:80\r\n", "host:h\r\n", "", "Host: a b\r\n", "Host:\r\n", "Host: h\r\nHost: h\r\n", "Host: [::1]:80\r\n", "Host: h/x\r\n", "Host: h@x\r\n", "Host : h\r\n", "Host: é\r\n"},
	[]string{"", "X: y\r\n", "x:  y  \r\n", "X:\r\n", "X: a\r\nX: b\r\n", "X_Y: z\r\n", "Connection: keep-alive\r\n", "Connection: Keep-Alive\r\nConnection: keep-alive\r\n", "Connection: close\r\n", "Connection: X\r\nX: y\r\n",
		"Content-Length: 0\r\n", "Content-Length: 2\r\n", "Content-Length: 2\r\nContent-Length: 2\r\n", "content-length: +2\r\n", "Transfer-Encoding: chunked\r\n", "Transfer-Encoding: x\r\n", "Transfer-Encoding : chunked\r\n",
		"X: a\x00\r\n", "X: \x80\r\n", "X: a\tb\r\n", "X: a\rb\r\n", "X\r\n", ": x\r\n", " X: y\r\n", "X: y\r\n z\r\n", "X: y\n", "Via: 1.0 x\r\n", "X-Forwarded-For: 6.6.6.6\r\n", "x-forwarded-host: x\r\n", "Forwarded: for=x\r\n",
		"X-Real-IP: 6.6.6.6\r\n", "Request-Birth: 1\r\n", "TE: trailers\r\n", "Expect: 100-continue\r\n", "Expect: x\r\n", "Upgrade: h2c\r\n", "HTTP2-Settings: AAMAAABk\r\n", "Pragma: no-cache\r\n", "Keep-Alive: 5\r\n", "Proxy-Connection: x\r\n", "Max-Forwards: 0\r\n",
		"Cookie: a=b\r\nCookie: c=d\r\n", "User-Agent: x\r\n", "Accept-Encoding: gzip\r\n", "Trailer: X\r\n", "Range: bytes=0-1\r\n", "If-None-Match: x\r\n"},
	[]string{"\r\n", "\n", "\r\n\r\n", "x\r\n\r\n"},
}

func draw(r *rand.Rand, from []string) string {
	if r.IntN(3) > 0 {
		return from[0]
	}
	return from[r.IntN(len(from))]
}

// outcome is what came of the first request: its status, and what the backend got.
func (f *front) outcome(t *testing.T, r *recorder, sent string, patience time.Duration) (status int, got string) {
	c, err := net.Dial("tcp", f.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(patience))
	io.WriteString(c, sent)
	method := "GET"
	if strings.HasPrefix(sent, "HEAD") {
		method = "HEAD"
	}
	in := bufio.NewReader(c)
	for {
		res, err := http.ReadResponse(in, &http.Request{Method: method})
		if err != nil {
			break
		}
		io.Copy(io.Discard, res.Body)
		if status = res.StatusCode; status >= 200 {
			break
		}
	}
	req, err := http.ReadRequest(bufio.NewReader(strings.NewReader(r.take())))
	if err != nil {
		return status, ""
	}
	body, _ := io.ReadAll(req.Body)
	got = fmt.Sprintf("%s %s %s %q\n", req.Method, req.RequestURI, req.Host, body)
	for _, name := range slices.Sorted(maps.Keys(req.Header)) {
		got += fmt.Sprintf("  %s: %q\n", name, req.Header[name])
	}
	return status, got
}

// By the lane or not, a request is answered alike, and a backend gets the same.
func agree(t *testing.T, fronts [2]*front, r *recorder, sent string, patience time.Duration) {
	t.Helper()
	with, got := fronts[0].outcome(t, r, sent, patience)
	without, want := fronts[1].outcome(t, r, sent, patience)
	if with != without || got != want {
		t.Errorf("%q:\n%d\n%s\nand without the lane\n%d\n%s", sent, with, got, without, want)
	}
}

func TestLaneAgrees(t *testing.T) {
	r := newRecorder(t)
	fronts := pair(t, testConfig("http://"+r.Addr().String()))
	const body = "hi\r\n" // if there is to be one
	// Each part that is not the first, with all others as they should be; and then any with any.
	parts := [][]string{heads.methods, {" "}, heads.targets, heads.versions, heads.hosts, heads.fields, heads.ends}
	for i := range parts {
		for _, odd := range parts[i] {
			sent := ""
			for j := range parts {
				if j == i {
					sent += odd
				} else {
					sent += parts[j][0]
				}
			}
			agree(t, fronts, r, sent+body, time.Minute)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 600 {
		sent := draw(random, heads.methods) + " " + draw(random, heads.targets) + draw(random, heads.versions) + draw(random, heads.hosts) + draw(random, heads.fields) + draw(random, heads.fields) + draw(random, heads.ends)
		agree(t, fronts, r, sent+body, time.Minute)
	}
	if n := fronts[0].lane.plain.Load(); n < 60 {
		t.Errorf("the lane has had %d requests", n)
	}
}

// Fuzz it with -fuzzminimizetime 1x: which lines run depends on the network, and minimizing would not end. Heads that end in two ways are left out, since what follows them may be a request that comes later.
func FuzzLaneAgrees(f *testing.F) {
	f.Add("GET /a HTTP/1.1\r\nHost: h\r\n\r\n")
	f.Add("HEAD /a?b HTTP/1.1\r\nHost: h:80\r\nConnection: keep-alive\r\nX: y\r\n\r\n")
	r := newRecorder(f)
	fronts := pair(f, testConfig("http://"+r.Addr().String()))
	f.Fuzz(func(t *testing.T, sent string) {
		head, _, ends := strings.Cut(sent, "\r\n\r\n")
		if len(sent) > mostPlain || !ends || strings.Contains(head, "\n\n") || strings.Contains(head, "\n\r\n") {
			return
		}
		agree(t, fronts, r, head+"\r\n\r\nhi\r\n", 10*time.Second)
	})
}

// What the lane takes for a request, net/http takes for the same one, with no byte more.
func FuzzReadPlain(f *testing.F) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		f.Add([]byte(draw(random, heads.methods) + " " + draw(random, heads.targets) + draw(random, heads.versions) + draw(random, heads.hosts) + draw(random, heads.fields) + draw(random, heads.fields) + draw(random, heads.ends)))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, ok := readPlain(text, nil)
		if !ok {
			return
		}
		const more = "what follows"
		in := bufio.NewReader(strings.NewReader(string(text[:r.size]) + more))
		req, err := http.ReadRequest(in)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if rest, _ := io.ReadAll(in); string(rest) != more || req.Body != http.NoBody || req.ContentLength != 0 || len(req.TransferEncoding) > 0 || req.Close {
			t.Fatalf("%q: %q %+v", text, rest, req)
		}
		if (req.Method == "HEAD") != r.head || req.RequestURI != string(r.target) || req.URL.RequestURI() != string(r.target) || req.Host != string(r.host) {
			t.Fatalf("%q: %+v", text, req)
		}
		again, err := http.ReadRequest(bufio.NewReader(strings.NewReader(string(r.appendTo(nil, "p", "p", "")))))
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		req.Header.Del("Connection")
		for _, name := range []string{"Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "Forwarded"} {
			again.Header.Del(name)
		}
		if fmt.Sprint(req.Header) != fmt.Sprint(again.Header) {
			t.Fatalf("%q: %v and %v", text, req.Header, again.Header)
		}
	})
}

// What the lane takes for an answer, net/http takes for the same one, whole, with nothing after it; and so does who reads what the lane writes.
func FuzzPlainAnswer(f *testing.F) {
	for _, a := range answers {
		f.Add([]byte(a), false)
		f.Add([]byte(a), true)
	}
	f.Fuzz(func(t *testing.T, text []byte, toHead bool) {
		a, ok := readPlainAnswer(text, toHead, 1000, nil)
		if !ok {
			return
		}
		method := "GET"
		if toHead {
			method = "HEAD"
		}
		var bodies [2]string
		for i, text := range []string{string(text), string(a.out)} {
			in := bufio.NewReader(strings.NewReader(text))
			res, err := http.ReadResponse(in, &http.Request{Method: method})
			if err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			body, err := io.ReadAll(res.Body)
			rest, _ := io.ReadAll(in)
			if err != nil || len(rest) > 0 || res.StatusCode != a.status || len(res.TransferEncoding) > 0 || i == 0 && res.Close != a.closes {
				t.Fatalf("%q: %v %q %+v", text, err, rest, res)
			}
			bodies[i] = string(body)
		}
		if bodies[0] != bodies[1] {
			t.Fatalf("%q: %q", text, bodies)
		}
	})
}

// answers of backends, plain and strange.
var answers = []string{
	"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
	"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi",
	"HTTP/1.1 404 Not Found\r\nContent-Type: a/b\r\nX: a\r\nX: b\r\nDate: x\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 204 No Content\r\n\r\n",
	"HTTP/1.1 304 Not Modified\r\nEtag: x\r\nContent-Length: 5\r\n\r\n",
	"HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nTrailer: X-T\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX-T: t\r\n\r\n",
	"HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nTransfer-Encoding: gzip\r\n\r\nhi",
	"HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n",
	"HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhi\r\n",
	"HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nContent-Length: 5\r\n\r\nhi",
	"HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nhi!",
	"HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nContent-Length: -2\r\n\r\nhi",
	"HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nContent-Length: 2\r\n\r\nhi and what nobody asked for",
	"HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nConnection: X-Secret\r\nX-Secret: s\r\nKeep-Alive: 5\r\nContent-Length: 2\r\n\r\nhi",
	"HTTP/1.1 200 OK\r\nContent-Type: a/b\r\n\r\nuntil it is closed",
	"HTTP/1.0 200 OK\r\nContent-Type: a/b\r\n\r\nuntil it is closed",
	"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: a/b\r\nContent-Length: 2\r\n\r\nhi",
	"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: a/b\r\nContent-Length: 2\r\n\r\nhi",
	"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nhi",
	"HTTP/1.1 200 OK\nContent-Type: a/b\nContent-Length: 2\n\nhi",
	"HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nX: a\r\n b\r\nContent-Length: 2\r\n\r\nhi",
	"HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nX : a\r\nContent-Length: 2\r\n\r\nhi",
	"HTTP/1.1 200\r\nContent-Type: a/b\r\nContent-Length: 2\r\n\r\nhi",
	"HTTP/1.1 999 Odd\r\nContent-Type: a/b\r\nContent-Length: 2\r\n\r\nhi",
	"HTTP/2.0 200 OK\r\nContent-Type: a/b\r\nContent-Length: 2\r\n\r\nhi",
	"HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nX: " + strings.Repeat("x", 5000) + "\r\nContent-Length: 2\r\n\r\nhi",
	"HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nContent-Length: 20000\r\n\r\n" + strings.Repeat("x", 20000),
	"HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nContent-Length: 200000\r\n\r\n" + strings.Repeat("x", 200000),
	"nothing of the kind\r\n\r\n",
	"",
}

// Whatever a backend answers, its client gets the same by the lane as without, and what follows on the client's connection is the answer to the next request.
func TestLaneAnswers(t *testing.T) {
	log.SetOutput(io.Discard) // where net/http's client tells of what nobody asked for
	defer log.SetOutput(os.Stderr)
	for i, text := range answers {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan bool)
		go func() { // answers so once for each connection, and closes it
			defer close(done)
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				req, err := http.ReadRequest(bufio.NewReader(c))
				switch {
				case err != nil:
				case req.URL.Path == "/next":
					io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nnext")
				default:
					io.WriteString(c, text)
				}
				c.Close()
			}
		}()
		c := testConfig("http://" + l.Addr().String())
		c.Tries, c.Rest, c.MaxHeader = 1, time.Millisecond, 4e3
		for _, method := range []string{"GET", "HEAD"} {
			var got [2]string
			var counts [2]string
			for j, f := range pair(t, c) {
				conn := f.dial(t)
				conn.say(method + " /a HTTP/1.1\r\nHost: h\r\n\r\n")
				if got[j] = hearAll(conn, method); strings.Contains(got[j], "breaks off") {
					got[j] = "breaks off" // net/http may have kept the beginning for itself
				}
				eventually(t, "it is over", func() bool { return f.Stats().Active == 0 && f.Stats().Transport.InFlight == 0 })
				s := f.Stats()
				counts[j] = fmt.Sprint(s.Answers, s.Transport.Counts, s.Transport.Backends[0].Failed)
				if got[j] != "breaks off" && j == 0 {
					conn.say("GET /next HTTP/1.1\r\nHost: h\r\n\r\n")
					if status, text := conn.hear(); status != 200 || text != "next" {
						t.Errorf("%d, %s: %d %q follows", i, method, status, text)
					}
				}
				if j == 0 && f.lane.plain.Load() == 0 {
					t.Error("it did not go by the lane")
				}
			}
			if strings.Contains(text, " 101 ") {
				counts[1] = counts[0] // the transport has passed on a connection, and cannot know that it was not wanted
			}
			if got[0] != got[1] || counts[0] != counts[1] {
				t.Errorf("%d, %s, %.200q:\n%.500s\n%s\nand without the lane\n%.500s\n%s", i, method, text, got[0], counts[0], got[1], counts[1])
			}
		}
		l.Close()
		<-done
	}
}

// hearAll says what an answer is.
func hearAll(conn *raw, method string) (got string) {
	for {
		res, err := http.ReadResponse(conn.Reader, &http.Request{Method: method})
		if err != nil {
			return got + "breaks off"
		}
		body, err := io.ReadAll(res.Body)
		for _, h := range []http.Header{res.Header, res.Trailer} {
			for _, name := range slices.Sorted(maps.Keys(h)) {
				if name != "Date" {
					got += fmt.Sprintf("%s: %q\n", name, h[name])
				}
			}
		}
		got += fmt.Sprintf("%d %d %v %q\n", res.StatusCode, res.ContentLength, res.TransferEncoding, body)
		if err != nil {
			return got + "breaks off"
		}
		if res.StatusCode >= 200 {
			return got
		}
	}
}
