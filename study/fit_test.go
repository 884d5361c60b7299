package study

import (
	"errors"
	"math"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/almanac-sim/almanac/fit"
	"github.com/almanac-sim/almanac/population"
)

func outbreak(t *testing.T) *Request {
	source, err := os.ReadFile("../examples/outbreak.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return &Request{Kind: Fit, Model: "outbreak.yaml", Source: source, Size: "300", Data: "cases.csv",
		Table:   []byte("time,cases\n3,4\n6,NA\n12,9\n"),
		Unknown: []string{"stay=normal 4 sd 2 days"}, Match: []string{"ill = state infectious normal 10%"}}
}

// What travels is opened as it was: the problem that the file and the flags say.
func TestFitTravels(t *testing.T) {
	f := outbreak(t)
	f.Table = []byte("time,cases,ill\n3,4,5\n6,NA,5.5\n12,9,NA\n")
	payload, err := f.Payload()
	if err != nil {
		t.Fatal(err)
	}
	again, err := ReadPayload(payload)
	if err != nil {
		t.Fatal(err)
	}
	o, err := again.problem()
	if err != nil {
		t.Fatal(err)
	}
	var priors []string
	for _, u := range o.Problem.Unknowns {
		priors = append(priors, u.Name+" "+u.Prior.String()+" "+u.Unit)
	}
	if want := []string{"beta uniform 0.1..1.5 per day", "seeds uniform 1..30 whole ", "rho beta a 2 b 2 ",
		"stay normal mean 4 sd 2 within 0.. days"}; !reflect.DeepEqual(priors, want) {
		t.Errorf("%q", priors)
	}
	if c := o.Problem.Columns; len(c) != 2 || c[0].Name != "cases" || !math.IsNaN(c[0].Data[1]) || c[1].Data[1] != 5.5 ||
		!reflect.DeepEqual(o.Problem.Times, []float64{3, 6, 12}) {
		t.Errorf("%+v", o.Problem)
	}
	if err := o.Problem.Check(); err != nil {
		t.Error(err)
	}
	for text, want := range map[string]string{`{"wings":2}`: "unknown field", ``: "cannot be read"} {
		if _, err := ReadPayload([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// A course is what the model gives with the values, whoever asks and how often; step by step it is
// the same; and what cannot be is impossible.
func TestFitSimulates(t *testing.T) {
	f := outbreak(t)
	f.Match = nil
	o, err := f.problem()
	if err != nil {
		t.Fatal(err)
	}
	x := []float64{0.6, 8, 0.25, 5}
	m, err := f.Compile()
	if err != nil {
		t.Fatal(err)
	}
	if m, err = m.With(population.Parameter{Name: "beta", Value: "0.6 per day"}, population.Parameter{Name: "seeds",
		Value: "8"},
		population.Parameter{Name: "rho", Value: "25%"}, population.Parameter{Name: "stay", Value: "5 days"}); err != nil {
		t.Fatal(err)
	}
	r, err := m.Run(t.Context(), population.Options{Seed: 9})
	if err != nil {
		t.Fatal(err)
	}
	flow := func(row int) float64 { return float64(r.Runs[0].Flow(row, 0)) } // rows are 3 days apart
	want := []float64{0.25 * flow(1), 0.25 * (flow(2) - flow(1)), 0.25 * (flow(4) - flow(2))}
	if want[2] == 0 {
		t.Fatal("nothing happens")
	}
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			for range 3 {
				c, err := o.Simulator.Simulate(t.Context(), x, 9)
				if err != nil || !reflect.DeepEqual(c.Columns, []fit.Reports{{Mean: want}}) || c.Events == 0 {
					t.Errorf("%+v, want %v; %v", c, want, err)
				}
			}
		})
	}
	group.Wait()
	p, err := o.Simulator.(fit.Filtered).Start(t.Context(), x, 9)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for row, mean := range want {
		got, events, err := p.Step(t.Context())
		if err != nil || got[0] != mean || events == 0 || len(p.Laws()) != 1 {
			t.Errorf("row %d: %v, want %v; %d events, %v", row, got, mean, events, err)
		}
	}
	if _, err := o.Simulator.Simulate(t.Context(), []float64{0.6, 500, 0.25, 5}, 9); !errors.Is(err, fit.ErrImpossible) {
		t.Errorf("more at the start than there are: %v", err)
	}
	if _, err := o.Simulator.(fit.Filtered).Start(t.Context(), []float64{0.6, 500, 0.25, 5}, 9); !errors.Is(err,
		fit.ErrImpossible) {
		t.Errorf("more at the start than there are: %v", err)
	}
}
