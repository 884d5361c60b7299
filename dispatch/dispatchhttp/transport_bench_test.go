package dispatchhttp

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"
)

// What a Transport adds to a base that answers at once, and a Limiter to a handler that does nothing.
func BenchmarkOverhead(b *testing.B) {
	res := func(r *http.Request) *http.Response {
		return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader("x")), Request: r}
	}
	var backends []*url.URL
	for _, host := range []string{"a", "b", "c", "d"} {
		backends = append(backends, &url.URL{Scheme: "http", Host: host})
	}
	base := roundTripper(func(r *http.Request) (*http.Response, error) { return res(r), nil })
	tr, err := NewTransport(backends, Base(base))
	if err != nil {
		b.Fatal(err)
	}
	req := httptest.NewRequest("GET", "http://service/", nil)
	for name, rt := range map[string]http.RoundTripper{"base": base, "transport": tr} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				res, _ := rt.RoundTrip(req)
				res.Body.Close()
			}
		})
	}
	b.Run("limiter", func(b *testing.B) {
		b.ReportAllocs()
		l := Limit(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		for b.Loop() {
			l.ServeHTTP(nil, req)
		}
	})
}

// A small request to a server on loopback and back, with http.Transport and with a Transport over it: by turns in one process, 200 requests each, and the
// best and the median of all turns are reported, in ns per request.
func BenchmarkLoopbackByTurns(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(hello))
	defer server.Close()
	u, err := url.Parse(server.URL)
	if err != nil {
		b.Fatal(err)
	}
	tr, err := NewTransport([]*url.URL{u})
	if err != nil {
		b.Fatal(err)
	}
	defer tr.CloseIdleConnections()
	const requests = 200
	names := []string{"plain", "transport"}
	rts := []http.RoundTripper{newBase(gatherTransport(nil)), tr}
	var times [2][]time.Duration
	for b.Loop() {
		for i, rt := range rts {
			start := time.Now()
			for range requests {
				req, err := http.NewRequestWithContext(b.Context(), "GET", server.URL, nil)
				if err != nil {
					b.Fatal(err)
				}
				res, err := rt.RoundTrip(req)
				if err != nil {
					b.Fatal(err)
				}
				io.Copy(io.Discard, res.Body)
				res.Body.Close()
			}
			times[i] = append(times[i], time.Since(start))
		}
	}
	rts[0].(*http.Transport).CloseIdleConnections()
	for i, name := range names {
		slices.Sort(times[i])
		b.ReportMetric(float64(times[i][0].Nanoseconds())/requests, "ns/"+name)
		b.ReportMetric(float64(times[i][len(times[i])/2].Nanoseconds())/requests, "median-ns/"+name)
	}
	b.ReportMetric(0, "ns/op")
}

// What is said of the memory of a request that waits: the waiter, and its channel, which the runtime keeps in 96 bytes.
func TestWaiterTakesAbout220Bytes(t *testing.T) {
	if n := unsafe.Sizeof(waiter{}) + 96; n > 240 {
		t.Errorf("%d bytes", n)
	}
}
