package engine

import (
	"math"
	"testing"
)

// The mean of a number, of all and of those in a state, is that of the individuals.
func TestMeanNumber(t *testing.T) {
	m := programOf(t, numbered)
	var r Run
	if err := r.Start(t.Context(), m, 1, 0); err != nil {
		t.Fatal(err)
	}
	for k := range m.Numbers {
		sum, n := 0.0, 0.0
		for state := range m.States {
			if c := r.Counts[state]; c > 0 {
				sum, n = sum+r.MeanNumber(k, state)*float64(c), n+float64(c)
			}
		}
		if all := r.MeanNumber(k, -1); math.Abs(all-sum/n) > 1e-12*all || int(n) != m.Size {
			t.Errorf("%s: mean %v of all, %v of %v by state", m.Numbers[k].Name, all, sum/n, n)
		}
	}
	// 50 of 200 have the risk 0.5, and a normal between 0 and 4 has a mean of 1.3.
	if mean := r.MeanNumber(1, -1); mean < 0.9 || mean > 1.3 {
		t.Errorf("the mean risk is %v", mean)
	}
	for state, c := range r.Counts[:len(m.States)] {
		if c == 0 && !math.IsNaN(r.MeanNumber(0, state)) {
			t.Error("there is a mean of nobody")
		}
	}
}
