package live

import (
	"context"
	"errors"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A schedule is the same for the same seed, and has the rate and the work that it is told, within five standard errors.
func TestSchedule(t *testing.T) {
	const rate, mean, last = 1000.0, 10 * time.Millisecond, 20 * time.Second
	a, b := newSchedule(1, 2, rate, mean, last), newSchedule(1, 2, rate, mean, last)
	n := len(a.due)
	if n != len(b.due) || a.due[n-1] != b.due[n-1] || a.work[n-1] != b.work[n-1] {
		t.Error("another time gives other requests")
	}
	if c := newSchedule(1, 3, rate, mean, last); c.due[0] == a.due[0] {
		t.Error("another turn gives the same requests")
	}
	want := rate * last.Seconds()
	if math.Abs(float64(n)-want) > 5*math.Sqrt(want) {
		t.Errorf("%d requests, want %v", n, want)
	}
	sum := 0.0
	for _, w := range a.work {
		sum += float64(w)
	}
	if off := sum/float64(n)/float64(mean) - 1; math.Abs(off) > 5/math.Sqrt(float64(n)) {
		t.Errorf("the mean work is off by %v", off)
	}
}

// Requests are sent when they are due, whether or not others have been answered: here nobody is answered until all have come. So all take at least as
// long as it takes until the last is due.
func TestOpenDoesNotWaitForAnswers(t *testing.T) {
	s := newSchedule(1, 0, 500, time.Millisecond, 200*time.Millisecond)
	n := len(s.due)
	var come atomic.Int64
	all := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		if come.Add(1) == int64(n) {
			close(all)
		}
		<-all
	}))
	defer server.Close()
	took, late, failed, err := s.open(t.Context(), strings.TrimPrefix(server.URL, "http://"))
	if err != nil || failed > 0 || len(took) != n || len(late) != n {
		t.Fatalf("%d of %d times, %d failed, %v", len(took), n, failed, err)
	}
	for i, ms := range took {
		if least := (s.due[n-1] - s.due[i]).Seconds() * 1e3; ms < least {
			t.Errorf("request %d took %v ms, and the last was due %v ms later", i, ms, least)
		}
	}
}

// What is not answered with 200 is counted, and takes for ever.
func TestOpenCountsFailures(t *testing.T) {
	s := newSchedule(1, 0, 1000, time.Millisecond, 50*time.Millisecond)
	var n atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch n.Add(1) % 3 {
		case 0:
			w.WriteHeader(http.StatusServiceUnavailable)
		case 1:
			w.Header().Set("Content-Length", "100") // and there is less
			w.Write([]byte("half"))
		}
	}))
	defer server.Close()
	took, _, failed, err := s.open(t.Context(), strings.TrimPrefix(server.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	// Two in three, of which those cut off may be sent again by the client.
	if failed < len(s.due)/3 || failed == len(s.due) {
		t.Errorf("%d of %d failed", failed, len(s.due))
	}
	if quantile(took, 1) != endless {
		t.Error("a request without an answer has a time")
	}
}

func TestOpenEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, _, err := newSchedule(1, 0, 10, time.Second, time.Hour).open(ctx, "127.0.0.1:1"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestQuantile(t *testing.T) {
	values := []float64{5, 1, 4, 2, 3}
	for share, want := range map[float64]float64{0.01: 1, 0.2: 1, 0.5: 3, 0.99: 5, 1: 5} {
		if got := quantile(values, share); got != want {
			t.Errorf("%v: %v, want %v", share, got, want)
		}
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{{[]float64{3}, 3}, {[]float64{9, 1, 2}, 2}, {[]float64{4, 1, 2, 9}, 3}, {[]float64{endless, endless}, endless}, {[]float64{endless, 1}, endless}, {[]float64{endless, 1, 2}, 2}} {
		if got := median(c.values); got != c.want {
			t.Errorf("%v: %v, want %v", c.values, got, c.want)
		}
	}
}
