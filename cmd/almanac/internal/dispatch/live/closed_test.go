package live

import (
	"bufio"
	"context"
	"net"
	"strings"
	"testing"
	"time"
)

// serve runs a server at a free address until the test ends.
func serve(t *testing.T, run func(context.Context, net.Listener) error) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- run(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

func TestClosed(t *testing.T) {
	address := serve(t, ServePlain)
	if n, err := closed(t.Context(), address, 3, 20*time.Millisecond); n < 3 || err != nil {
		t.Errorf("%d answers, %v", n, err)
	}
	// A backend that works has nothing at that place.
	address = serve(t, func(ctx context.Context, l net.Listener) error { return ServeBackend(ctx, l, 1, 1) })
	if _, err := closed(t.Context(), address, 1, time.Millisecond); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("got %v", err)
	}
}

func TestReadAnswer(t *testing.T) {
	for text, wrong := range map[string]string{
		"HTTP/1.1 200 OK\r\ncontent-LENGTH: 3\r\n\r\nabc": "",
		"HTTP/1.1 200 OK\nContent-Length:0\n\n":           "",
		"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n":  "503",
		"HTTP/1.1 200 OK\r\n\r\nabc":                      "no length",
		"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n": "many",
		"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabc": "EOF",
		"HTTP/1.1 200 OK\r\nContent-Length: 4":            "EOF",
		"nonsense\r\n":                                    "nonsense",
	} {
		err := readAnswer(bufio.NewReader(strings.NewReader(text)))
		if wrong == "" && err != nil || wrong != "" && (err == nil || !strings.Contains(err.Error(), wrong)) {
			t.Errorf("%q: got %v, want %q", text, err, wrong)
		}
	}
}
