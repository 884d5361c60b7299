package page

import (
	"context"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/almanac-sim/almanac/page/internal/runs"
)

// How fast a run is and how long it will take is on its page without a script, too, which then
// loads itself anew; at the end, how long it took.
func TestPaceWithoutScript(t *testing.T) {
	s, err := New(Config{Files: fstest.MapFS{}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	told, let := make(chan struct{}), make(chan struct{})
	run, err := s.runs.Start(runs.Work{Title: "long", Do: func(_ context.Context, report *runs.Reporter) error {
		report.Progress(runs.Progress{Fraction: 0.25, Events: 12_345_678, Note: "day 3"})
		close(told)
		<-let
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	<-told
	body := func() string {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", "/runs/1", nil)
		r.Host = "localhost"
		s.ServeHTTP(w, r)
		return w.Body.String()
	}
	now := body()
	for _, want := range []string{`<progress max="1" value="0.25"`, `<span data-note-now>day 3</span>`,
		`<span data-pace>12,345,678 events, [^ ]+ million a second, [0-9.]+ m?s left</span>`,
		`<noscript><meta http-equiv="refresh" content="2"></noscript>`} {
		if !regexp.MustCompile(want).MatchString(now) {
			t.Errorf("no %s in %s", want, now)
		}
	}
	close(let)
	<-run.Over()
	if now = body(); !regexp.MustCompile(`million a second, [0-9.]+ m?s</span>`).MatchString(now) ||
		strings.Contains(now, "refresh") {
		t.Errorf("at the end: %s", now)
	}
}
