package dispatchhttp

import (
	"io"
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"
)

// A client that sends a byte at a time holds one slot, and others are not affected. AttemptTimeout
// bounds its time.
func TestTransportSlowClientHoldsOneSlot(t *testing.T) {
	synctest.Test(t, testTransportSlowClientHoldsOneSlot)
}

func testTransportSlowClientHoldsOneSlot(t *testing.T) {
	_, b, base := newPipeServer(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		hello(w, r)
	})
	tr := transport(t, []*url.URL{b}, base, Capacity(2), PoolLimit(1), MaxWait(time.Minute))
	read, write := io.Pipe()
	slow := make(chan error)
	go func() {
		_, err := send(t.Context(), tr, "POST", "/", read)
		slow <- err
	}()
	for range 20 {
		write.Write([]byte("x"))
		if text, err := get(t.Context(), tr, "/"); text != "hello" || err != nil {
			t.Error(text, err)
		}
		if n := tr.Stats().InFlight; n != 1 {
			t.Errorf("%d slots are held", n)
		}
	}
	write.Close()
	if err := <-slow; err != nil {
		t.Error(err)
	}
	limited := transport(t, []*url.URL{b}, base, AttemptTimeout(500*time.Millisecond))
	read, write = io.Pipe()
	left := make(chan bool)
	defer close(left)
	go func() {
		for _, err := write.Write([]byte("x")); err == nil; _, err = write.Write([]byte("x")) {
			select {
			case <-left:
			case <-time.After(time.Second):
			}
		}
	}()
	if _, err := send(t.Context(), limited, "POST", "/", read); err != ErrAttemptTimeout {
		t.Error(err)
	}
	if s := limited.Stats(); s.Failed != 1 || s.InFlight != 0 || s.Backends[0].Failed != 0 {
		t.Errorf("%+v", s)
	}
}

// A client of a proxy that stops within its body loses its slot after AttemptTimeout, although its
// body cannot be closed while it is being read; that is no failure of the backend. A backend that
// does not read its request has failed.
func TestTransportWhoIsWaitedFor(t *testing.T) { synctest.Test(t, testTransportWhoIsWaitedFor) }

func testTransportWhoIsWaitedFor(t *testing.T) {
	end := make(chan bool)
	_, b, base := newPipeServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/deaf" {
			<-end
		}
		io.Copy(io.Discard, r.Body)
	})
	defer close(end)
	tr := transport(t, []*url.URL{b}, base, AttemptTimeout(500*time.Millisecond), Capacity(3))
	left := make(chan error, 1)
	proxy, _, _ := newPipeServer(t, func(_ http.ResponseWriter, r *http.Request) {
		_, err := send(r.Context(), tr, "POST", "/", r.Body)
		left <- err
	})
	slow, err := proxy.dial(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(slow, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nthe beginning")
	select {
	case err := <-left:
		if err != ErrAttemptTimeout {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("it is waited for")
	}
	if s := tr.Stats(); s.Failed != 1 || s.InFlight != 0 || s.Backends[0].Failed != 0 {
		t.Errorf("%+v", s)
	}
	slow.Close() // net/http holds a mutex while it reads, and time does not pass while that is waited for
	if _, err := send(t.Context(), tr, "POST", "/deaf", io.LimitReader(zeros{}, 1<<40)); err != ErrAttemptTimeout {
		t.Error(err)
	}
	if s := tr.Stats(); s.Failed != 2 || s.InFlight != 0 || s.Backends[0].Failed != 1 {
		t.Errorf("%+v", s)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }
