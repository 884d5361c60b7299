package page

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"
)

// manyClocks is a model of two states with so many clocks, which all lead from one to the other.
func manyClocks(clocks int) string {
	var b strings.Builder
	b.WriteString("name: clocks\ntime: {unit: day, end: 3}\npopulation: {size: 60, start: {a: rest}}\n" +
		"record: {every: 1 day}\nstates:\n  b: {}\n  a:\n    race:\n")
	for range clocks {
		b.WriteString("      - {rate: 1 per day, to: b}\n")
	}
	return b.String()
}

// A diagram in a page is bounded by the arrows that it has, however few flows they make, and the
// visitor reads why there is none.
func TestCheckOfManyWays(t *testing.T) {
	s := inside(t, Config{Files: fstest.MapFS{"clocks.yaml": {Data: []byte(manyClocks(1))}}})
	post := func(path, source string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("POST", path,
			strings.NewReader(url.Values{"path": {"clocks.yaml"}, "source": {source}}.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Host = "localhost"
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w
	}
	for clocks, drawn := range map[int]bool{maxTransitions: true, maxTransitions + 1: false} {
		w := post("/check", manyClocks(clocks))
		if body := w.Body.String(); w.Code != http.StatusOK || strings.Contains(body, `\u003c/svg`) != drawn ||
			strings.Contains(body, "With 601 ways between its states this model is too large") == drawn {
			t.Errorf("%d clocks: %d, %d bytes", clocks, w.Code, len(body))
		}
	}
	m, err := s.compileSource(modelForm{Path: "clocks.yaml", Source: manyClocks(maxTransitions + 1)})
	if err != nil {
		t.Fatal(err)
	}
	if err := drawable(m); err == nil {
		t.Error("a run offers the diagram")
	}
}

// What is looked at for a visitor ends when the visitor leaves.
func TestInspectionEndsWithRequest(t *testing.T) {
	s := inside(t, Config{Files: fstest.MapFS{"clocks.yaml": {Data: []byte(manyClocks(1))}}})
	var b strings.Builder
	b.WriteString(manyClocks(1) + "parameters: {x: 1 day}\nscenarios:\n")
	for i := range 20 {
		fmt.Fprintf(&b, "  s%d: {x: %d days}\n", i, i+1)
	}
	for name, source := range map[string]string{"diagram": manyClocks(1), "scenarios": b.String()} {
		ctx, cancel := context.WithCancel(t.Context())
		if _, err := s.inspect(ctx, modelForm{Path: "clocks.yaml", Source: source}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		cancel()
		if _, err := s.inspect(ctx, modelForm{Path: "clocks.yaml", Source: source}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: nobody waits: %v", name, err)
		}
	}
	// Nor does it go on for longer than it may.
	s.limits.WaitTimeout = 1
	if _, err := s.inspect(t.Context(), modelForm{Path: "clocks.yaml", Source: manyClocks(1)}); !errors.Is(err,
		errTooSlow) {
		t.Errorf("without time: %v", err)
	}
}

// What a run keeps counts with its model, which may take more than what is recorded of it.
func TestRunsKeepTheirModels(t *testing.T) {
	s := inside(t, Config{Files: fstest.MapFS{"clocks.yaml": {Data: []byte(manyClocks(3000))}}})
	a, err := s.readModelForm(url.Values{"path": {"clocks.yaml"}, "replicas": {"2"}})
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.modelWork(a)
	if err != nil {
		t.Fatal(err)
	}
	m, err := s.compileSource(a)
	if err != nil {
		t.Fatal(err)
	}
	if w.ResultBytes != m.Recorded(2)+m.Bytes() || m.Bytes() < 1<<20 {
		t.Errorf("%d bytes are kept, of which the model takes %d", w.ResultBytes, m.Bytes())
	}
}
