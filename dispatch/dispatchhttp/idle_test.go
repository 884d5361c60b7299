package dispatchhttp

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A backend that falls silent within its response has failed, and its slot is released; one that is
// slow and not silent has not. The time between two reads does not count.
func TestTransportResponseIdle(t *testing.T) { synctest.Test(t, testTransportResponseIdle) }

func testTransportResponseIdle(t *testing.T) {
	end := make(chan bool)
	_, b, base := newPipeServer(t, func(w http.ResponseWriter, r *http.Request) {
		for range 12 { // of the slow one, 1200 ms
			io.WriteString(w, "part")
			http.NewResponseController(w).Flush()
			if r.URL.Path == "/slow" {
				time.Sleep(100 * time.Millisecond)
			}
		}
		if r.URL.Path == "/silent" {
			<-end
		}
	})
	defer close(end)
	tr := transport(t, []*url.URL{b}, base, ResponseIdle(time.Second))
	for _, path := range []string{"/slow", "/reader", "/silent"} {
		req, err := http.NewRequest("GET", "http://service"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := tr.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		if path == "/reader" {
			time.Sleep(1200 * time.Millisecond)
		}
		text, err := io.ReadAll(res.Body)
		if want := path == "/silent"; string(text) != strings.Repeat("part", 12) ||
			errors.Is(err, ErrResponseIdle) != want || !want && err != nil {
			t.Errorf("%s: %q %v", path, text, err)
		}
		var n net.Error
		if err != nil && !(errors.As(err, &n) && n.Timeout()) {
			t.Errorf("%v is no timeout", err)
		}
		if s := tr.Stats(); s.InFlight != 0 {
			t.Errorf("%s: its slot is held", path)
		}
		res.Body.Close()
	}
	if s := tr.Stats(); s.Completed != 2 || s.Broken != 1 || s.Backends[0].Failed != 1 {
		t.Errorf("%+v", s)
	}
}

// An idle upgraded connection is closed; one with traffic in one direction is not.
func TestTransportUpgradedIdle(t *testing.T) { synctest.Test(t, testTransportUpgradedIdle) }

func testTransportUpgradedIdle(t *testing.T) {
	_, b, base := newPipeServer(t, func(w http.ResponseWriter, r *http.Request) {
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		fmt.Fprint(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		io.Copy(io.Discard, rw)
	})
	tr := transport(t, []*url.URL{b}, base, ResponseIdle(time.Second))
	req, err := http.NewRequest("GET", "http://service/", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Connection", "Upgrade")
	req.Header.Set("Upgrade", "echo")
	res, err := tr.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	conn := res.Body.(io.ReadWriteCloser)
	for range 12 { // 1200 ms
		time.Sleep(100 * time.Millisecond)
		if _, err := conn.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	if s := tr.Stats(); s.InFlight != 1 {
		t.Errorf("%+v", s)
	}
	if _, err := bufio.NewReader(conn).ReadByte(); err == nil {
		t.Error("it is not closed")
	}
	if synctest.Wait(); tr.Stats().InFlight != 0 {
		t.Error("its slot is held")
	}
	conn.Close()
}
