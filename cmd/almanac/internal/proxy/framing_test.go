package proxy

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"testing"
)

// inPieces is a connection from which a text comes in pieces of some length.
type inPieces struct {
	net.Conn
	rest string
	size int
}

func (c *inPieces) Read(p []byte) (int, error) {
	if c.rest == "" {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), c.size)], c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

const (
	bothHeaders = "POST /both HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
	nulInstead  = "POST /both HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nTransfer-Encoding\x00 chunked\r\n\r\n0\r\n\r\n"
)

// What is no head is not touched, wherever it stands and however it comes; a head with both a length and chunks is, also behind other requests.
func TestWatchedChangesHeadsAlone(t *testing.T) {
	for _, c := range []struct{ name, sent, want string }{
		{"plain", "GET / HTTP/1.1\r\nHost: h\r\n\r\n", ""},
		{"both", bothHeaders, nulInstead},
		{"behind a request", "GET / HTTP/1.1\r\nHost: h\r\n\r\n" + bothHeaders, "GET / HTTP/1.1\r\nHost: h\r\n\r\n" + nulInstead},
		{"behind a body", "PUT / HTTP/1.1\r\nContent-Length: 4\r\n\r\nbody\r\n" + bothHeaders, "PUT / HTTP/1.1\r\nContent-Length: 4\r\n\r\nbody\r\n" + nulInstead},
		{"behind an upgrade to h2c", "GET / HTTP/1.1\r\nUpgrade: h2c\r\n\r\n" + bothHeaders, "GET / HTTP/1.1\r\nUpgrade: h2c\r\n\r\n" + nulInstead},
		{"as a body", fmt.Sprintf("PUT / HTTP/1.1\r\nContent-Length: %d\r\n\r\n", len(bothHeaders)) + bothHeaders, ""},
		{"as chunks", "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + bothHeaders, ""},
		{"in a WebSocket", "GET / HTTP/1.1\r\nUpgrade: WebSocket\r\nConnection: Upgrade\r\n\r\n" + bothHeaders, ""},
		{"in HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bothHeaders, ""},
		{"as a value", "GET / HTTP/1.1\r\nX: Content-Length: 3\r\nY: Transfer-Encoding: chunked\r\n\r\n", ""},
		{"in two heads", "PUT / HTTP/1.1\r\nContent-Length: 1\r\n\r\nxPUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", ""},
		{"nearly", "PUT / HTTP/1.1\r\nContent-Lengths: 1\r\nX-Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", ""},
		{"a folded line", "GET / HTTP/1.1\r\nX: y\r\n z: a\r\n\r\n", ""},
	} {
		if c.want == "" {
			c.want = c.sent
		}
		for size := 1; size <= len(c.sent); size++ {
			got, err := io.ReadAll(&watched{Conn: &inPieces{rest: c.sent, size: size}})
			if string(got) != c.want || err != nil {
				t.Fatalf("%s, in pieces of %d: %q, want %q", c.name, size, got, c.want)
			}
		}
	}
}

// ambiguous reports whether a head, that net/http takes, has both a length and chunks, or a header that matters and is folded.
func ambiguous(head string) bool {
	var length, chunks, folded, matters bool
	for _, line := range strings.Split(strings.ReplaceAll(head, "\r\n", "\n"), "\n")[1:] {
		if strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t") {
			folded = folded || matters
			matters = false
			continue
		}
		name, _, _ := strings.Cut(strings.ToLower(line), ":")
		length = length || name == "content-length"
		chunks = chunks || name == "transfer-encoding"
		matters = name == "content-length" || name == "transfer-encoding" || name == "upgrade"
	}
	return length && chunks || folded
}

// Whatever a client makes of lines that matter, in pieces of any size: net/http reads the same requests as without a watch, up to one that is
// ambiguous, which it refuses.
func TestWatchedAgreesWithTheServer(t *testing.T) {
	lines := []string{"Content-Length: 0", "Content-Length: 7", "content-length:7 ", "Content-Length: x", "Content-Length:", " 7", "Transfer-Encoding:", " chunked", "Upgrade: websocke",
		"Transfer-Encoding: chunked", "TRANSFER-ENCODING:chunked",
		"X: y", "X: Content-Length: 5", " folded: z", "\tContent-Length: 9", "Upgrade: h2c", "Expect: 100-continue"}
	random := rand.New(rand.NewPCG(1, 2))
	refused, read, malformed := 0, 0, 0
	for range 20_000 {
		var text strings.Builder
		for range 1 + random.IntN(3) {
			text.WriteString("POST / HTTP/1.1\r\nHost: h\r\n")
			for range random.IntN(4) {
				text.WriteString(lines[random.IntN(len(lines))] + []string{"\r\n", "\n"}[random.IntN(2)])
			}
			text.WriteString("\r\n" + []string{"", "X: body", "0\r\n\r\n"}[random.IntN(3)])
		}
		sent := text.String()
		source := strings.NewReader(sent)
		plain := bufio.NewReader(source)
		seen := bufio.NewReader(&watched{Conn: &inPieces{rest: sent, size: 1 + random.IntN(50)}})
		for {
			from := len(sent) - source.Len() - plain.Buffered()
			want, err := http.ReadRequest(plain)
			got, watchedErr := http.ReadRequest(seen)
			if err != nil {
				malformed++
				if watchedErr == nil {
					t.Fatalf("%q is refused only without a watch: %v", sent[from:], err)
				}
				break
			}
			head := sent[from : len(sent)-source.Len()-plain.Buffered()]
			if ambiguous(head) != (watchedErr != nil) {
				t.Fatalf("%q is ambiguous: %v; watched: %v", head, ambiguous(head), watchedErr)
			}
			if watchedErr != nil {
				refused++
				break
			}
			body, err := io.ReadAll(want.Body)
			same, sameErr := io.ReadAll(got.Body)
			if !bytes.Equal(body, same) || (err == nil) != (sameErr == nil) {
				t.Fatalf("of %q the body is %q (%v), and watched %q (%v)", sent[from:], body, err, same, sameErr)
			}
			read++
			if err != nil || len(want.TransferEncoding) > 0 {
				break // the connection is closed
			}
		}
	}
	if refused < 1000 || read < 1000 || malformed < 1000 {
		t.Errorf("%d requests were read, %d refused, and %d malformed", read, refused, malformed)
	}
}

// A request for a WebSocket that does not become one is the last of its connection.
func TestRefusedWebSocketIsTheLast(t *testing.T) {
	f := start(t, testConfig(newBackend(t, echo).URL))
	conn := f.dial(t)
	conn.say("GET /a HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n" + bothHeaders)
	if status, text := conn.hear(); status != 200 || text != "GET /a " {
		t.Error(status, text)
	}
	if rest, _ := io.ReadAll(conn.Reader); len(rest) > 0 {
		t.Errorf("there is another answer: %q", rest)
	}
}
