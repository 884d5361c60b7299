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

// The overhead of a Transport over a base that responds at once, and of a Limiter before an empty
// handler.
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

// A small request to a server on loopback, with http.Transport and with a Transport over it: by
// turns in one process, 200 requests each. It reports the best and the median of all turns, in ns
// per request.
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
	rts := []http.RoundTripper{newBase(newTransportOptions(nil)), tr}
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

// The documented memory of a waiting request: the waiter, and its channel, for which the runtime
// takes 96 bytes.
func TestWaiterTakesAbout220Bytes(t *testing.T) {
	if n := unsafe.Sizeof(waiter{}) + 96; n > 240 {
		t.Errorf("%d bytes", n)
	}
}
