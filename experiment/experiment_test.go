package experiment

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/ensemble"
)

// factors of two levels, called a, b, c, …
func letters(n int) (all []Factor) {
	for i := range n {
		all = append(all, Factor{string(rune('a' + i)), []float64{-1, 1}})
	}
	return all
}

// Resolutions of the fractions with minimum aberration, and how many words of that length they
// have, as they are known; of 9 factors in 128 runs there are three words, whose lengths sum up to
// 18 at most, so that none is longer than 6 if none is shorter.
func TestFractionsHaveTheResolutionOfTables(t *testing.T) {
	for _, x := range []struct{ factors, runs, resolution, words int }{
		{3, 4, 3, 1}, {4, 8, 4, 1}, {5, 8, 3, 2}, {6, 8, 3, 4}, {7, 8, 3, 7}, {5, 16, 5, 1}, {6, 16, 4, 3}, {7, 16, 4, 7},
		{8, 16, 4, 14},
		{9, 16, 3, 4}, {10, 16, 3, 8}, {15, 16, 3, 35}, {6, 32, 6, 1}, {7, 32, 4, 1}, {8, 32, 4, 3}, {9, 32, 4, 6},
		{8, 64, 5, 2}, {9, 64, 4, 1}, {9, 128, 6, 3},
	} {
		d, err := Fraction(x.runs, letters(x.factors)...)
		if err != nil {
			t.Fatal(err)
		}
		shortest := 0
		for _, w := range d.Relation() {
			if strings.Count(w, "*")+1 == d.Resolution() {
				shortest++
			}
		}
		if d.Resolution() != x.resolution || shortest != x.words || len(d.Runs) != x.runs {
			t.Errorf("%d factors in %d runs: resolution %d with %d words, want %d with %d", x.factors, len(d.Runs),
				d.Resolution(), shortest, x.resolution, x.words)
		}
	}
}

// Every factor is high in half of the runs, any two are independent, no run comes twice, and
// effects are mixed up exactly where they are said to be.
func TestDesignsAreWhatTheySay(t *testing.T) {
	for _, x := range [][2]int{{3, 8}, {4, 8}, {5, 16}, {7, 16}, {7, 8}, {6, 8}} {
		d, err := Fraction(x[1], letters(x[0])...)
		if err != nil {
			t.Fatal(err)
		}
		sign := func(run int, effect uint64) int {
			s := 1
			for k := range d.Factors {
				if effect&(1<<k) != 0 {
					s *= 2*d.Runs[run][k] - 1
				}
			}
			return s
		}
		seen := map[string]bool{}
		for i := range d.Runs {
			seen[fmt.Sprint(d.Runs[i])] = true
		}
		if len(seen) != x[1] {
			t.Errorf("%d of %d runs are different", len(seen), x[1])
		}
		for a := uint64(1); a < 1<<x[0]; a++ {
			for b := uint64(1); b <= a; b++ {
				sum := 0
				for i := range d.Runs {
					sum += sign(i, a) * sign(i, b)
				}
				if same := d.column(a) == d.column(b); (sum == len(d.Runs)) != same || (sum == 0) == same {
					t.Fatalf("%s and %s: product %d in %d runs, and it is said that they are the same: %t", d.name(a), d.name(b), sum,
						len(d.Runs), same)
				}
			}
		}
	}
	by, err := FractionBy(letters(5), "d=a*b", "e=a * c")
	if err != nil || by.Resolution() != 3 || len(by.Runs) != 8 {
		t.Fatalf("%v, %v", by, err)
	}
	if got, err := by.Aliases("a"); err != nil || fmt.Sprint(got) != "[b*d c*e]" {
		t.Errorf("a is mixed up with %v, %v", got, err)
	}
	if got := fmt.Sprint(by.Relation()); got != "[a*b*d a*c*e b*c*d*e]" {
		t.Error(got)
	}
}

// additive is a model with known effects, and noise that is mostly common to all points of a
// replica.
func additive(seed uint64, common, own float64, mean func(ensemble.Params) float64) Source {
	return func(_ context.Context, points []ensemble.Params, first, n int) ([][]float64, error) {
		all := make([][]float64, len(points))
		for i, p := range points {
			for r := first; r < first+n; r++ {
				shared := rand.New(rand.NewPCG(seed, uint64(r))).NormFloat64()
				text := fmt.Sprint(p)
				h := uint64(14695981039346656037)
				for k := range len(text) {
					h = (h ^ uint64(text[k])) * 1099511628211
				}
				alone := rand.New(rand.NewPCG(seed^h, uint64(r))).NormFloat64()
				all[i] = append(all[i], mean(p)+common*shared+own*alone)
			}
		}
		return all, nil
	}
}

// Intervals of effects cover as often as they say, though noise that is common to all points is a
// hundred times as large; where effects are mixed up, what is found is their sum.
func TestEffects(t *testing.T) {
	mean := func(p ensemble.Params) float64 {
		return 5 + p["a"] - p["b"]/2 + p["c"]*p["d"]/4 + p["a"]*p["b"]/8
	}
	d, err := Fraction(8, letters(4)...) // d = a*b*c, so that a*b is mixed up with c*d
	if err != nil {
		t.Fatal(err)
	}
	exact := map[string]float64{"a": 2, "b": -1, "a*b": 2 * (0.25 + 0.125)}
	const runs, level = 400, 0.9
	covered, all, width := 0, 0, 0.0
	for seed := range uint64(runs) {
		values, err := d.Run(t.Context(), additive(seed, 100, 1, mean), 6)
		if err != nil {
			t.Fatal(err)
		}
		effects, err := d.Effects(values, level)
		if err != nil || len(effects) != 7 {
			t.Fatalf("%d effects, %v", len(effects), err)
		}
		for _, e := range effects {
			all++
			if e.Size.Low() <= exact[e.Name] && exact[e.Name] <= e.Size.High() {
				covered++
			}
			width += e.Size.HalfWidth / 7 / runs
		}
		if seed == 0 && (effects[4].Name != "a*b" || fmt.Sprint(effects[4].Aliases) != "[c*d]") {
			t.Errorf("%v", effects[4])
		}
	}
	// Effects of one experiment are independent here.
	if p := float64(covered) / float64(all); math.Abs(p-level) > 4*math.Sqrt(level*(1-level)/float64(all)) {
		t.Errorf("%.4f are covered, of %d", p, all)
	}
	// An effect has the standard deviation 2/√8, and its mean over 6 replicas 2/√48; Student's t
	// with 5 degrees at 90 % is 2.015.
	if want := 2.015 * 2 / math.Sqrt(48); math.Abs(width-want) > 0.1*want {
		t.Errorf("half widths are %v, want about %v", width, want)
	}
}

func TestMeansOfLevels(t *testing.T) {
	d, err := Full(Factor{"x", []float64{1, 2, 5}}, Factor{"y", []float64{0, 10}})
	if err != nil || len(d.Runs) != 6 {
		t.Fatal(err)
	}
	values, _ := d.Run(t.Context(), additive(1, 0, 1e-6, func(p ensemble.Params) float64 {
		return p["x"]*p["x"] +
			p["y"]
	}), 3)
	means, err := d.Means(values, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{6, 9, 30, 10, 20}
	for i, m := range means {
		if math.Abs(m.Mean.Mean-want[i]) > 1e-4 || math.Abs(m.Distance.Mean-(want[i]-15)) > 1e-4 {
			t.Errorf("%v, want %v", m, want[i])
		}
	}
	if _, err := d.Effects(values, 0.95); err == nil {
		t.Error("effects of three levels")
	}
}

func TestWrongDesigns(t *testing.T) {
	nan := math.NaN()
	two := []float64{1, 2}
	for want, f := range map[string]func() (*Design, error){
		"0 factors":              func() (*Design, error) { return Full() },
		"no name for a factor":   func() (*Design, error) { return Full(Factor{"a", two}, Factor{"a", two}) },
		`"a*b" is no name`:       func() (*Design, error) { return Full(Factor{"a*b", two}) },
		"has 1 levels":           func() (*Design, error) { return Full(Factor{"a", []float64{1}}) },
		"has 3 levels":           func() (*Design, error) { return Fraction(2, Factor{"a", []float64{1, 2, 3}}) },
		"the level NaN":          func() (*Design, error) { return Full(Factor{"a", []float64{1, nan}}) },
		"the level 1; levels":    func() (*Design, error) { return Full(Factor{"a", []float64{1, 1}}) },
		"a power of two":         func() (*Design, error) { return Fraction(12, letters(5)...) },
		"fewer factors than":     func() (*Design, error) { return Fraction(4, letters(4)...) },
		"more than a million":    func() (*Design, error) { return Fraction(64, letters(20)...) },
		"1048576 are the most":   func() (*Design, error) { return Full(letters(30)...) },
		`"z=a" is no product`:    func() (*Design, error) { return FractionBy(letters(3), "z=a") },
		`c is a product with "q`: func() (*Design, error) { return FractionBy(letters(3), "c=a*q") },
		"c is the same as":       func() (*Design, error) { return FractionBy(letters(3), "c=a") },
	} {
		if _, err := f(); err == nil || !strings.HasPrefix(err.Error(), "experiment: ") || !strings.Contains(err.Error(),
			want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	d, _ := Full(letters(2)...)
	for want, f := range map[string]func() error{
		"of 1 points":     func() error { _, err := d.Effects([][]float64{{1, 2}}, 0.95); return err },
		"1 replicas of":   func() error { _, err := d.Effects([][]float64{{1}, {1}, {1}, {1}}, 0.95); return err },
		"a level of 95":   func() error { _, err := d.Means([][]float64{{1, 2}, {1, 2}, {1, 2}, {1, 2}}, 95); return err },
		"at least 2":      func() error { _, err := d.Run(t.Context(), nil, 1); return err },
		`factor "z"`:      func() error { _, err := d.Aliases("z"); return err },
		"from 2 to 1":     func() error { _, err := Spread("lhs", 5, 1, Range{Name: "x", Low: 2, High: 1}); return err },
		"no design \"x\"": func() error { _, err := Spread("x", 5, 1, Range{Name: "x", Low: 0, High: 1}); return err },
	} {
		if err := f(); err == nil || !strings.HasPrefix(err.Error(), "experiment: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestSpread(t *testing.T) {
	for _, kind := range []string{"lhs", "sobol"} {
		points, err := Spread(kind, 16, 3, Range{Name: "x", Low: 0, High: 16}, Range{Name: "n", Low: 1, High: 4, Whole: true})
		if err != nil {
			t.Fatal(err)
		}
		var slots []int
		for _, p := range points {
			slots = append(slots, int(p["x"]))
			if n := p["n"]; n != math.Round(n) || n < 1 || n > 4 {
				t.Errorf("n is %v", n)
			}
		}
		if slices.Sort(slots); kind == "lhs" && fmt.Sprint(slots) != "[0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15]" {
			t.Errorf("%s: %v", kind, slots)
		}
	}
}

// A design in which all products are factors has resolution 3, which is found without counting its
// 2⁵⁶ words.
func TestResolutionOfLargeDesigns(t *testing.T) {
	var factors []Factor
	for i := range 62 {
		factors = append(factors, Factor{fmt.Sprint("f", i), []float64{-1, 1}})
	}
	var products []string
	for w := range uint64(64) {
		if k := 6 + len(products); bits.OnesCount64(w) > 1 && k < len(factors) {
			var names []string
			for i := range 6 {
				if w&(1<<i) != 0 {
					names = append(names, factors[i].Name)
				}
			}
			products = append(products, factors[k].Name+"="+strings.Join(names, "*"))
		}
	}
	d, err := FractionBy(factors, products...)
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Runs) != 64 || d.Resolution() != 3 {
		t.Errorf("%d runs with resolution %d", len(d.Runs), d.Resolution())
	}
}
