package page

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// The time that a request may take to come does not end a stream, which goes on for as long as the
// run does: net/http takes that deadline away once a request is read.
func TestStreamOutlivesRequest(t *testing.T) {
	const request = 100 * time.Millisecond
	s, err := New(Config{Files: fstest.MapFS{}, Limits: Limits{ReadTimeout: request}})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	defer func() { cancel(); <-ended; s.Close() }() // which Serve has done, too
	let := make(chan struct{})
	if _, err := s.runs.Start(pageHolding(let)); err != nil {
		t.Fatal(err)
	}
	stream := "http://" + l.Addr().String() + "/runs/1/events"
	if answer, err := http.Head(stream); err != nil || answer.Header.Get("Content-Type") != eventStream ||
		s.viewers.Load() != 0 {
		t.Errorf("HEAD: %v, %v, and it watches", answer, err)
	}
	answer, err := http.Get(stream)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	began := time.Now()
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		switch line := lines.Text(); {
		case strings.HasPrefix(line, "id: ") && let != nil && time.Since(began) > 4*request:
			close(let)
			let = nil
		case line == "event: end":
			if let != nil {
				t.Error("the end came before it")
			}
			return
		}
	}
	t.Errorf("the stream ended after %v", time.Since(began))
}
