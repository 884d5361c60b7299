package dispatch

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
)

func plan() Plan {
	return Plan{
		Workers: 10, Requests: 2000, Round: 1, Services: []string{"exponential", "slow-workers"},
		Policies: []string{Random, "capped-rounds-1", "capped-2", Central}, Loads: []float64{0.7}, Seeds: 3, Seed: 1,
	}
}

// The same plan gives the same results; estimates are over seeds, and who cannot bear the load is
// told.
func TestCompare(t *testing.T) {
	a, err := Compare(t.Context(), plan())
	if err != nil {
		t.Fatal(err)
	}
	b, err := Compare(t.Context(), plan())
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(a, b) {
		t.Error("another time gives other results")
	}
	if len(a) != 8 {
		t.Fatalf("%d results", len(a))
	}
	for _, r := range a {
		if r.P99.Mean <= r.P50.Mean || r.P999.Mean < r.P99.Mean || len(r.Runs) != 3 || r.P99.Half <= 0 {
			t.Errorf("%+v", r)
		}
		// An M/M/1 bears every load below 1, unless it is ten times slower than the others; of
		// rounds it is 0.632.
		grows := r.Policy == "capped-rounds-1" || r.Policy == Random && r.Service == "slow-workers"
		if r.Grows != grows {
			t.Errorf("%s, %s: grows is %v", r.Service, r.Policy, r.Grows)
		}
		if (r.Policy == Central) != (r.Over == Estimate{Mean: 1}) {
			t.Errorf("%s is %v times the central queue", r.Policy, r.Over)
		}
	}
}

func TestCompareEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Compare(ctx, plan()); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestWrong(t *testing.T) {
	good := Setting{Workers: 1, Service: "constant", Load: 0.5, Requests: 1, Round: 1}
	if _, err := draw(good); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*Setting){
		"0 workers":            func(s *Setting) { s.Workers = 0 },
		"a load of 1":          func(s *Setting) { s.Load = 1 },
		"rounds of 0":          func(s *Setting) { s.Round = 0 },
		`no service "uniform"`: func(s *Setting) { s.Service = "uniform" },
		"and -1 requests":      func(s *Setting) { s.Requests = -1 },
		// 10⁵·0.99 come in a unit of time, and 5/(1−√0.99)² = 198,997 units do not count.
		"the first 1.97e+10 do not count": func(s *Setting) { s.Workers, s.Load = 100_000, 0.99 },
	} {
		s := good
		change(&s)
		if _, err := draw(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if _, err := find("fastest"); err == nil {
		t.Error("there is no such policy")
	}
}

// What grows is seen where it is not known beforehand; a queue of one that happens to be longer at
// the end of each run does not.
func TestGrows(t *testing.T) {
	few := []Run{{Middle: 1, End: 9, all: 10_000}, {Middle: 3, End: 20, all: 10_000}}
	if summarize(few, nil).Grows {
		t.Error("a few more at the end are no growth")
	}
	// 100 workers that get 5 % more than they can do.
	many := []Run{{Middle: 260, End: 520, all: 10_000}, {Middle: 240, End: 530, all: 10_000}}
	if got := summarize(many, nil); got.Grows {
		t.Error("283 more could be by chance") // 4·√5000
	}
	many = []Run{{Middle: 260, End: 560, all: 10_000}, {Middle: 240, End: 530, all: 10_000}}
	if !summarize(many, nil).Grows {
		t.Error("this grows")
	}
	many[1].Middle = 400
	if summarize(many, nil).Grows {
		t.Error("one run does not grow")
	}
}
