//go:build soak

package dispatchhttp

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"runtime"
	"sync"
	"testing"
	"time"
)

// Overload for a minute of real time, with a Limit before the proxy and one backend of four ten
// times slower: memory and goroutines stay at the level of the first ten seconds, every request is
// counted, no backend has more than c, and no request waits while a backend has a free slot.
func TestTransportSoakOverload(t *testing.T) {
	const c, clients = 4, 64
	var backends []*testServer
	var urls []*url.URL
	for i := range 4 {
		service := 5 * time.Millisecond
		if i == 0 {
			service *= 10
		}
		b := newBackend(t, func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(service)
			hello(w, r)
		})
		backends, urls = append(backends, b), append(urls, b.url)
	}
	tr := transport(t, urls, Capacity(c), PoolLimit(100), MaxWait(time.Second))
	limit := Limit(&httputil.ReverseProxy{Rewrite: func(*httputil.ProxyRequest) {}, Transport: tr,
		ErrorHandler: ErrorHandler}, Capacity(24), PoolLimit(16))
	proxy := httptest.NewServer(limit)
	defer proxy.Close()
	client := proxy.Client()
	client.Transport.(*http.Transport).MaxIdleConnsPerHost = clients
	var all sync.WaitGroup
	var outcomes tally
	end := time.Now().Add(time.Minute)
	for range clients {
		all.Go(func() {
			for time.Now().Before(end) {
				res, err := client.Get(proxy.URL)
				if err != nil {
					t.Error(err)
					return
				}
				io.Copy(io.Discard, res.Body)
				res.Body.Close()
				outcomes.add(res.Status)
				if res.StatusCode != http.StatusOK {
					time.Sleep(time.Millisecond) // an impatient client after a refusal
				}
			}
		})
	}
	state := func() (heap uint64, goroutines int) {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc, runtime.NumGoroutine()
	}
	time.Sleep(10 * time.Second)
	heap, goroutines := state()
	for time.Now().Before(end.Add(-time.Second)) {
		time.Sleep(100 * time.Millisecond)
		if err := tr.scheduler.verify(); err != nil {
			t.Fatal(err)
		}
		if err := limit.scheduler.verify(); err != nil {
			t.Fatal(err)
		}
	}
	heap2, goroutines2 := state()
	all.Wait()
	if heap2 > heap+heap/2+1<<20 || goroutines2 > goroutines+goroutines/4+16 {
		t.Errorf("the heap went from %d to %d bytes, goroutines from %d to %d", heap, heap2, goroutines, goroutines2)
	}
	s, l := tr.Stats(), limit.Stats()
	t.Logf("%v; heap %d to %d bytes, goroutines %d to %d; %v", outcomes.n, heap, heap2, goroutines, goroutines2, &s.Waits)
	ok, refused := outcomes.of("200 OK"), outcomes.of("429 Too Many Requests")
	if int(s.Completed) != ok || int(l.Full) != refused || int(l.Requests) != ok+refused || s.Requests != s.Completed ||
		refused == 0 {
		t.Errorf("clients say %v, the transport %+v, the limiter %+v", outcomes.n, s.Counts, l.Counts)
	}
	for i, b := range backends {
		if b.most.Load() != c {
			t.Errorf("backend %d had %d at once", i, b.most.Load())
		}
	}
}
