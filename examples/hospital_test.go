package examples_test

import (
	"math"
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/population"
)

// Of those who come to the hospital of hospital.yaml, Erlang's formula says how many find a bed in
// the long run. The mean over the replicas is at most four standard errors off it; with a bed more
// or less in every ward 7 % and 14 % would find none.
func TestHospitalLosesByErlang(t *testing.T) {
	lost := func(beds int) float64 {
		b := 1.0
		for c := 1; c <= beds; c++ {
			b = 126 * b / (float64(c) + 126*b)
		}
		return b
	}
	if math.Abs(lost(120)-0.0996) > 5e-5 {
		t.Fatalf("Erlang's formula gives %v", lost(120))
	}
	m, err := population.Load("hospital.yaml")
	if err != nil {
		t.Fatal(err)
	}
	const replicas = 60
	r, err := m.Run(t.Context(), population.Options{Seed: 1, Replicas: replicas})
	if err != nil {
		t.Fatal(err)
	}
	name := slices.Index(m.Names(), "admission")
	var sum, squares float64
	for i := range r.Runs {
		run := &r.Runs[i]
		last := run.Rows() - 1
		x := float64(run.Named(last, name)-run.Named(5, name)) / (18 * (r.Times[last] - r.Times[5]))
		sum, squares = sum+x, squares+x*x
	}
	mean := sum / replicas
	se := math.Sqrt((squares/replicas - mean*mean) / (replicas - 1))
	if want := 1 - lost(120); !(math.Abs(mean-want) <= 4*se) {
		t.Errorf("a share %.5f ± %.5f is admitted, want %.5f", mean, se, want)
	}
	if near := lost(114) - lost(120); near < 4*se {
		t.Errorf("the test does not tell 114 beds from 120: the standard error is %v", se)
	}
}
