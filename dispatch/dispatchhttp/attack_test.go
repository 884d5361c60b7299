package dispatchhttp

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/internal/testscale"
)

// Clients break their bodies off before and within the response, fall silent, go away, and stop
// reading, against healthy backends that respond before they have read everything. However they end,
// no backend is blamed, no slot is lost, and the good requests among them succeed.
func TestAttackByClients(t *testing.T) {
	n := testscale.Size(500, 100_000)
	var urls []*url.URL
	for range 3 {
		b := newBackend(t, func(w http.ResponseWriter, r *http.Request) {
			c := http.NewResponseController(w)
			c.EnableFullDuplex()
			io.WriteString(w, "begin")
			c.Flush()
			io.Copy(w, r.Body)
		})
		urls = append(urls, b.url)
	}
	tr := transport(t, urls, Capacity(3), PoolLimit(n))
	impatient := transport(t, urls, Capacity(3), PoolLimit(n), ResponseIdle(300*time.Millisecond))
	var left, good atomic.Int64
	left.Store(int64(n))
	var all sync.WaitGroup
	for k := range uint64(24) {
		all.Go(func() {
			r := rand.New(rand.NewPCG(k, 8))
			for left.Add(-1) >= 0 {
				switch kind := r.IntN(20); kind {
				default:
					if text, err := get(t.Context(), tr, "/"); text != "begin" || err != nil {
						t.Errorf("a good request gets %q, %v", text, err)
					}
					good.Add(1)
				case 1, 2, 3, 5, 6, 7:
					attack(t.Context(), t, tr, kind%4, r)
				case silent:
					attack(t.Context(), t, impatient, kind, r)
				}
			}
		})
	}
	all.Wait()
	var requests uint64
	for _, tr := range []*Transport{tr, impatient} {
		s := tr.Stats()
		requests += s.Requests
		for i, b := range s.Backends {
			if b.Failed != 0 {
				t.Errorf("backend %d is blamed %d times", i, b.Failed)
			}
		}
		if s.InFlight+s.Waiting != 0 {
			t.Errorf("%+v", s)
		}
	}
	if requests != uint64(n) || good.Load() == 0 {
		t.Errorf("%d requests of %d, %d of them good", requests, n, good.Load())
	}
}

// How a body ends; see attack.
const (
	breaks = 1 + iota
	breaksUnread
	leaves
	silent
)

// attack sends a request with a body that ends badly.
func attack(ctx context.Context, t *testing.T, tr *Transport, kind int, r *rand.Rand) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	body, client := io.Pipe()
	defer client.Close()
	method := []string{http.MethodPost, http.MethodPut}[r.IntN(2)]
	req, err := http.NewRequestWithContext(ctx, method, "http://service/", body)
	if err != nil {
		t.Error(err)
		return
	}
	early := r.IntN(4) == 0
	end := func() {
		switch kind {
		case breaks, breaksUnread:
			client.CloseWithError(errOwn) // the body breaks off
		case leaves:
			cancel()
		case silent:
		}
	}
	if early {
		end()
	}
	res, err := tr.RoundTrip(req)
	if err != nil {
		if !errors.Is(err, errOwn) && !errors.Is(err, context.Canceled) {
			t.Errorf("kind %d: %v", kind, err)
		}
		return
	}
	defer res.Body.Close()
	if kind == breaksUnread {
		io.ReadFull(res.Body, make([]byte, 2))
	}
	if !early {
		end()
	}
	if kind != breaksUnread {
		io.Copy(io.Discard, res.Body)
	}
}
