package dispatchprom_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/almanac-sim/almanac/dispatch/dispatchhttp"
	"github.com/almanac-sim/almanac/dispatch/dispatchprom"
)

func ExampleNewHTTPCollector() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
		_ *http.Request) {
		io.WriteString(w, "hello")
	}))
	defer server.Close()
	u, _ := url.Parse(server.URL)
	t, err := dispatchhttp.NewTransport([]*url.URL{u}, dispatchhttp.Capacity(4))
	if err != nil {
		fmt.Println(err)
		return
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(dispatchprom.NewHTTPCollector(t, prometheus.Labels{"service": "hello"}))

	client := &http.Client{Transport: t}
	for range 3 {
		res, err := client.Get("http://service/")
		if err != nil {
			fmt.Println(err)
			return
		}
		io.Copy(io.Discard, res.Body)
		res.Body.Close()
	}
	families, err := registry.Gather() // as a scrape does
	for _, f := range families {
		if f.GetName() == "dispatch_http_backend_responses_total" {
			fmt.Println(f.GetMetric()[0].GetCounter().GetValue(), "responses")
		}
	}
	fmt.Println(err, t.Close(context.Background()))
	// Output:
	// 3 responses
	// <nil> <nil>
}

// Both are sources.
func ExampleNewHTTPCollector_sources() {
	t, err := dispatchhttp.NewTransport(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	l := dispatchhttp.Limit(http.NotFoundHandler())
	for _, source := range []interface{ Stats() dispatchhttp.Stats }{t, l} {
		fmt.Println(testutil.CollectAndCount(dispatchprom.NewHTTPCollector(source, nil), "dispatch_http_outcomes_total"))
	}
	// Output:
	// 7
	// 7
}

// sender is a base that responds, fails or hangs, by the path of the request.
type sender struct{}

func (sender) RoundTrip(r *http.Request) (*http.Response, error) {
	switch r.URL.Path {
	case "/fails":
		return nil, io.ErrUnexpectedEOF
	case "/hangs":
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	time.Sleep(time.Second)
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
}

// Every metric has the right value, in simulated time.
func TestHTTPCollector(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr, err := dispatchhttp.NewTransport([]*url.URL{{Scheme: "http", Host: "a"}}, dispatchhttp.Base(sender{}),
			dispatchhttp.Capacity(1), dispatchhttp.PoolLimit(1), dispatchhttp.Attempts(2),
			dispatchhttp.Backoff(time.Second, time.Second))
		if err != nil {
			t.Fatal(err)
		}
		c := dispatchprom.NewHTTPCollector(tr, prometheus.Labels{"service": "s"})
		send := func(ctx context.Context, path string) {
			r, err := http.NewRequestWithContext(ctx, "GET", "http://service"+path, nil)
			if err != nil {
				t.Error(err)
			}
			tr.RoundTrip(r)
		}
		send(t.Context(), "/completed")
		send(t.Context(), "/fails") // twice, with a backoff of a second between
		time.Sleep(time.Second)
		ctx, cancel := context.WithCancel(t.Context())
		go send(ctx, "/hangs")
		synctest.Wait()
		go send(ctx, "/waits")
		synctest.Wait()
		send(t.Context(), "/full")
		time.Sleep(2 * time.Second)
		const want = `
# HELP dispatch_http_backend_responses_total Responses of a backend that ended.
# TYPE dispatch_http_backend_responses_total counter
dispatch_http_backend_responses_total{backend="http://a",service="s"} 1
# HELP dispatch_http_backend_failures_total Failed attempts at a backend.
# TYPE dispatch_http_backend_failures_total counter
dispatch_http_backend_failures_total{backend="http://a",service="s"} 2
# HELP dispatch_http_backend_inflight_requests Requests at a backend.
# TYPE dispatch_http_backend_inflight_requests gauge
dispatch_http_backend_inflight_requests{backend="http://a",service="s"} 1
# HELP dispatch_http_capacity_requests How many requests a backend, or the limiter, may have at once.
# TYPE dispatch_http_capacity_requests gauge
dispatch_http_capacity_requests{service="s"} 1
# HELP dispatch_http_ejected_backends How many backends are ejected.
# TYPE dispatch_http_ejected_backends gauge
dispatch_http_ejected_backends{service="s"} 0
# HELP dispatch_http_inflight_requests Requests that hold a slot.
# TYPE dispatch_http_inflight_requests gauge
dispatch_http_inflight_requests{service="s"} 1
# HELP dispatch_http_oldest_age_seconds Age of the oldest waiting request.
# TYPE dispatch_http_oldest_age_seconds gauge
dispatch_http_oldest_age_seconds{service="s"} 2
# HELP dispatch_http_outcomes_total Requests by outcome.
# TYPE dispatch_http_outcomes_total counter
dispatch_http_outcomes_total{outcome="completed",service="s"} 1
dispatch_http_outcomes_total{outcome="broken",service="s"} 0
dispatch_http_outcomes_total{outcome="canceled",service="s"} 0
dispatch_http_outcomes_total{outcome="closed",service="s"} 0
dispatch_http_outcomes_total{outcome="failed",service="s"} 1
dispatch_http_outcomes_total{outcome="full",service="s"} 1
dispatch_http_outcomes_total{outcome="too_old",service="s"} 0
# HELP dispatch_http_requests_total Requests.
# TYPE dispatch_http_requests_total counter
dispatch_http_requests_total{service="s"} 5
# HELP dispatch_http_retries_total Attempts beyond the first.
# TYPE dispatch_http_retries_total counter
dispatch_http_retries_total{service="s"} 1
# HELP dispatch_http_waiting_requests Requests that wait for a slot.
# TYPE dispatch_http_waiting_requests gauge
dispatch_http_waiting_requests{service="s"} 1
`
		names := []string{"dispatch_http_requests_total", "dispatch_http_outcomes_total", "dispatch_http_retries_total",
			"dispatch_http_waiting_requests", "dispatch_http_inflight_requests",
			"dispatch_http_oldest_age_seconds", "dispatch_http_capacity_requests", "dispatch_http_backend_inflight_requests",
			"dispatch_http_backend_responses_total", "dispatch_http_backend_failures_total", "dispatch_http_ejected_backends"}
		if err := testutil.CollectAndCompare(c, strings.NewReader(want), names...); err != nil {
			t.Error(err)
		}
		if problems, err := testutil.CollectAndLint(c); err != nil || len(problems) > 0 {
			t.Error(problems, err)
		}
		cancel()
		if err := tr.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
