package page

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A reader is a visitor who takes so many bytes a second of an answer, by virtual time, and is let
// go when a deadline passes.
type reader struct {
	httptest.ResponseRecorder
	pace     float64
	deadline time.Time
}

func (r *reader) SetWriteDeadline(at time.Time) error { r.deadline = at; return nil }

func (r *reader) Write(b []byte) (int, error) {
	takes := time.Duration(float64(len(b)) / r.pace * 1e9)
	if left := time.Until(r.deadline); takes > left {
		time.Sleep(left)
		return 0, os.ErrDeadlineExceeded
	}
	time.Sleep(takes)
	return len(b), nil
}

// A visitor may take long for a large answer, and not for ever; a stream of what happens is as slow
// as that; and what takes us long to make is not held against the visitor.
func TestSlowReaders(t *testing.T) {
	for _, x := range []struct {
		name    string
		pace    float64
		endless bool
		making  time.Duration // before each part
		whole   bool
	}{
		{"quick", 1e7, false, 0, true},
		{"a little above the least", 1.1 * minRate, false, 0, true},
		{"below the least", 0.8 * minRate, false, 0, false},
		{"quick, and made slowly", 1e7, false, time.Minute, true},
		{"a stream", 0.8 * minRate, true, 0, true},
		{"stuck", 1, true, 0, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			a := newResponse(&reader{pace: x.pace}, 30*time.Second)
			a.stream = x.endless
			var err error
			for part := 0; part < 80 && err == nil; part++ { // 10 MB
				time.Sleep(x.making)
				_, err = a.Write(make([]byte, 1<<17))
			}
			if whole := err == nil; whole != x.whole {
				t.Errorf("%s: %v", x.name, err)
			}
		})
	}
}

// So many answers are there at once, until visitors have taken them; others wait for a while, and
// are then told when to come back. What is wrong is said without a place.
func TestResponseSlots(t *testing.T) {
	s := inside(t, Config{Limits: Limits{Responses: 2, WaitTimeout: 50 * time.Millisecond}})
	ask := func(path string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("GET", path, nil)
		r.Host = "localhost"
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w
	}
	hold := func() *response {
		a := newResponse(httptest.NewRecorder(), time.Second)
		ctx := context.WithValue(t.Context(), responseKey{}, a)
		for range 2 { // who has a place does not take another
			if err := s.reserve(ctx); err != nil {
				t.Fatal(err)
			}
		}
		return a
	}
	if w := ask("/"); w.Code != http.StatusOK || len(s.responseSlots) != 0 {
		t.Fatalf("%d, and %d places are held", w.Code, len(s.responseSlots))
	}
	first, second := hold(), hold()
	for _, path := range []string{"/", "/runs", "/compare", "/papers"} {
		if w := ask(path); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "5" ||
			!strings.Contains(w.Body.String(), "try again in a few seconds") || !strings.Contains(w.Body.String(),
			`http-equiv="refresh"`) {
			t.Errorf("%s: %d, Retry-After %q: %.200s", path, w.Code, w.Header().Get("Retry-After"), w.Body)
		}
	}
	// which take none
	for path, status := range map[string]int{"/static/page.js": http.StatusOK, "/runs/7": http.StatusNotFound} {
		if w := ask(path); w.Code != status {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	s.release(first)
	if w := ask("/"); w.Code != http.StatusOK {
		t.Errorf("with a place: %d", w.Code)
	}
	s.release(second)
	s.release(second)
	if len(s.responseSlots) != 0 {
		t.Errorf("%d places are held in the end", len(s.responseSlots))
	}
}
