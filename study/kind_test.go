package study

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sync/semaphore"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/population"
)

func study(t *testing.T, kind string) *Request {
	source, err := os.ReadFile("../examples/sir.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return &Request{Kind: kind, Model: "sir.yaml", Source: source, Size: "300", Out: "out",
		Outputs: []string{"peak(infectious)", "final(recovered)"}}
}

// kind is that of studies.
func kind(t *testing.T) ensemble.Kind {
	for _, k := range Registry().Kinds() {
		if k.Name == Kind {
			return k
		}
	}
	t.Fatal("no such kind")
	return ensemble.Kind{}
}

func open(t *testing.T, s *Request) ensemble.Model {
	payload, err := s.Payload()
	if err != nil {
		t.Fatal(err)
	}
	m, err := kind(t).Open(payload)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A replica at a point is what the model gives with that value: outputs, and then what happened
// over time.
func TestSweepIsRun(t *testing.T) {
	s := study(t, Sweep)
	s.Series = true
	s.Vary = []string{"beta=0.3 per day, 0.5 per day"}
	at, err := open(t, s).At(ensemble.Point{Set: map[string]string{"beta": "0.3 per day"}})
	if err != nil {
		t.Fatal(err)
	}
	m, err := population.Compile("sir.yaml", s.Source, population.Size(300), population.Set("beta", "0.3 per day"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Run(t.Context(), population.Options{Seed: 4, Replicas: 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []int{2, 0} {
		v, err := at(t.Context(), ensemble.NewReplica(4, k))
		if err != nil {
			t.Fatal(err)
		}
		run := &r.Runs[k]
		columns, rows := len(Columns(m)), len(m.Times())
		if len(v.Numbers) != 2 || len(v.Series) != rows*columns || v.Events != run.Events || v.Numbers[0] !=
			float64(run.Peaks[1].Count) || v.Numbers[1] != float64(run.Count(rows-1, 2)) {
			t.Fatalf("replica %d: %v", k, v.Numbers[:2])
		}
		for row := range rows {
			for c, x := range []float64{float64(run.Count(row, 0)), float64(run.Count(row, 1)), float64(run.Count(row, 2)), 300,
				float64(run.Flow(row, 0)), float64(run.Flow(row, 1))} {
				if got := v.Series[row*columns+c]; got != x {
					t.Fatalf("replica %d: column %d of row %d is %v, want %v", k, c, row, got, x)
				}
			}
		}
	}
}

// A run's replica travels whole.
func TestRunIsRun(t *testing.T) {
	s := study(t, Run)
	s.Outputs = nil
	at, err := open(t, s).At(ensemble.Point{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := at(t.Context(), ensemble.NewReplica(4, 7))
	if err != nil {
		t.Fatal(err)
	}
	m, err := s.Compile()
	if err != nil {
		t.Fatal(err)
	}
	run, err := m.ReadRun(v.Data)
	if err != nil || run.Replica != 7 || run.Events != v.Events {
		t.Errorf("%v, %v", run, err)
	}
}

// Scenarios have the same luck: the same scenario twice makes no difference.
func TestCompareIsPaired(t *testing.T) {
	s := study(t, Compare)
	s.Source = append(s.Source, "\nscenarios: {a: {}, b: {beta: 0.3 per day}, c: {}}\n"...)
	s.Scenarios = []string{"a", "b", "c"}
	at, err := open(t, s).At(ensemble.Point{})
	if err != nil {
		t.Fatal(err)
	}
	for k := range 5 {
		v, err := at(t.Context(), ensemble.NewReplica(4, k))
		if err != nil {
			t.Fatal(err)
		}
		x := v.Numbers // two outputs of three scenarios, and two differences of two
		if len(x) != 10 || x[6] != x[2]-x[0] || x[7] != x[3]-x[1] || x[8] != 0 || x[9] != 0 || x[6] >= 0 {
			t.Errorf("replica %d: %v", k, x)
		}
	}
}

// What has no room beside others runs again when nobody else does, and fails only if it has none
// then.
func TestAlone(t *testing.T) {
	m := &memoryGate{semaphore.NewWeighted(gateCapacity)}
	full := fmt.Errorf("no: %w", population.ErrMemory)
	calls := 0
	if err := m.run(t.Context(), func() error {
		if calls++; calls == 1 {
			return full
		}
		if m.TryAcquire(1) {
			t.Error("it is not alone")
		}
		return nil
	}); err != nil || calls != 2 {
		t.Errorf("%v after %d calls", err, calls)
	}
	if err := m.run(t.Context(), func() error { return full }); !errors.Is(err, population.ErrMemory) {
		t.Error(err)
	}
	other := errors.New("other")
	calls = 0
	if err := m.run(t.Context(), func() error { calls++; return other }); err != other || calls != 1 {
		t.Errorf("%v after %d calls", err, calls)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := m.run(ctx, func() error { return full }); !errors.Is(err, context.Canceled) &&
		!errors.Is(err, population.ErrMemory) {
		t.Error(err)
	}
	if !m.TryAcquire(gateCapacity) {
		t.Error("somebody is still in")
	}
}

// What is not understood is refused, and so is what a study cannot be.
func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		``:                               "cannot be read",
		`{"sort":"sweep","wings":2}`:     "unknown field",
		`{"sort":"dance","model":"x"}`:   `there is no study of kind "dance"`,
		`{"sort":"sweep","model":"x.y"}`: "x.y",
		`{"sort":"compare","model":"x.y","scenarios":["a","b"]}`:    "x.y",
		`{"sort":"compare","model":"x.y","scenarios":["a"]}`:        "a comparison of 1 scenarios",
		`{"sort":"sweep","model":"x.y","vary":["beta"]}`:            `"beta" has no =`,
		`{"sort":"run","model":"x.y","posterior":{"posterior":{}}}`: "a sample of parameters that is none",
	} {
		m, err := kind(t).Open([]byte(text))
		if err == nil {
			_, err = m.At(ensemble.Point{})
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %s", text, err, want)
		}
	}
	s := study(t, Sweep)
	s.Source = []byte(strings.Replace(string(s.Source), "parameters:",
		"parameters:\n  slow: {steps: {file: slow.csv, column: x}}", 1))
	if _, err := s.Compile(); err == nil || !strings.Contains(err.Error(), "slow.csv") {
		t.Errorf("a table that did not come along: %v", err)
	}
	s.Source = make([]byte, ensemble.MaxPayload)
	if _, err := s.Payload(); err == nil || !strings.Contains(err.Error(), "are the most") {
		t.Error(err)
	}
}
