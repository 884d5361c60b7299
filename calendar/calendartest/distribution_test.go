package calendartest

import (
	"math"
	"testing"
)

// TestMeans compares the mean of a million draws with the stated one. With fixed seeds it passes or
// fails for good; four standard errors are what one of nine honest distributions exceeds in two
// thousand changes of the seed.
func TestMeans(t *testing.T) {
	const n = 1_000_000
	for _, d := range Distributions() {
		if d.Name == "pareto" || d.regime {
			continue // below
		}
		r := random(30)
		var sum, squares float64
		for range n {
			x := d.draw(r)
			sum += x
			squares += x * x
		}
		mean := sum / n
		standardError := math.Sqrt((squares/n - mean*mean) / n)
		if math.Abs(mean-d.Mean) > 4*standardError+1e-12 {
			t.Errorf("%s: mean %v, want %v ± %v", d.Name, mean, d.Mean, 4*standardError)
		}
	}
}

// TestParetoTail compares means of draws cut off at c, E min(X, c) = 1 − 2 m^1.5 c^−0.5 with m =
// 1/3, because the variance of the whole is infinite.
func TestParetoTail(t *testing.T) {
	const n = 1_000_000
	d, _ := ByName("pareto")
	for _, cut := range []float64{1, 10, 100, 1000} {
		r := random(31)
		var sum, squares float64
		for range n {
			x := min(d.draw(r), cut)
			sum += x
			squares += x * x
		}
		mean, want := sum/n, 1-2*math.Pow(3, -1.5)/math.Sqrt(cut)
		standardError := math.Sqrt((squares/n - mean*mean) / n)
		if math.Abs(mean-want) > 4*standardError {
			t.Errorf("cut at %v: mean %v, want %v ± %v", cut, mean, want, 4*standardError)
		}
	}
}

// TestRegimes compares the mean of each regime, and where it ends.
func TestRegimes(t *testing.T) {
	d, _ := ByName("regimes")
	for _, pending := range []int{10_000, tableSize + 10_000} {
		j := NewJumps(d, pending, 32)
		for turn, want := range []float64{1, regimeScale, 1, regimeScale} {
			sum := 0.0
			for range pending {
				sum += j.Next()
			}
			// Four standard errors of an exponential's mean, and the stretch of the table.
			tolerance := want * (4/math.Sqrt(float64(pending)) + 0x1p-11)
			if mean := sum / float64(pending); math.Abs(mean-want) > tolerance {
				t.Errorf("%d pending, turn %d: mean %v, want %v ± %v", pending, turn, mean, want, tolerance)
			}
		}
	}
}

// TestJumpsOfManyEvents looks for ties between different times round the table, which only the
// lattices should have.
func TestJumpsOfManyEvents(t *testing.T) {
	for _, d := range Distributions() {
		j := NewJumps(d, 1, 33)
		first := make([]float64, tableSize)
		for i := range first {
			first[i] = j.Next()
		}
		equal := 0
		for i := range first {
			if j.Next() == first[i] {
				equal++
			}
		}
		if d.lattice != (equal == tableSize) || equal != 0 && !d.lattice {
			t.Errorf("%s: %d of %d jumps are the same the second time", d.Name, equal, tableSize)
		}
	}
}

func TestJumpsAreReproducible(t *testing.T) {
	for _, d := range Distributions() {
		a, b, other := NewJumps(d, 100, 1), NewJumps(d, 100, 1), NewJumps(d, 100, 2)
		differs := false
		for range 1000 {
			x, y := a.Next(), b.Next()
			if x != y || a.Pick(100) != b.Pick(100) {
				t.Fatalf("%s: the same seed gives different streams", d.Name)
			}
			differs = differs || other.Next() != x
		}
		if !differs && d.Name != "equal" {
			t.Errorf("%s: different seeds give the same stream", d.Name)
		}
	}
}

// TestPick counts ids: each of n is drawn draws/n times, give or take five standard deviations.
func TestPick(t *testing.T) {
	const n, draws = 10, 100_000
	j := NewJumps(Distributions()[0], 1, 34)
	var count [n]int
	for range draws {
		count[j.Pick(n)]++
	}
	for id, got := range count {
		if math.Abs(float64(got)-draws/n) > 5*math.Sqrt(draws/n) {
			t.Errorf("id %d was picked %d times of %d", id, got, draws)
		}
	}
}

func TestByName(t *testing.T) {
	for _, d := range Distributions() {
		if got, ok := ByName(d.Name); !ok || got.Name != d.Name || got.About == "" {
			t.Errorf("ByName(%q) = %+v, %t", d.Name, got, ok)
		}
	}
	if _, ok := ByName("nonesuch"); ok {
		t.Error("found nonesuch")
	}
}
