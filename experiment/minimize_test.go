package experiment

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/almanac-sim/almanac/ensemble"
)

// The bottom of a bowl in three dimensions that is not along the axes, from a corner far away,
// where noise that is common to all points is twenty times as large as that of each, with 3000
// replicas, which are 375 points of 29,791 at most.
//
// How often it may be missed follows from how a round ends: at a point whose mean is not above
// those of its neighbours. Of each two points, noise that is common cancels out, so that a point
// which is worse by g than one of its neighbours looks as good as that with probability
// Φ(−g√n/(σ√2)) at most, after n replicas. The sum of these over all points but the bottom, and
// over all n that the last round may have, bounds the probability that another point is found.
func TestMinimizeFindsTheBottom(t *testing.T) {
	const side, sigma, experiments, leastRounds = 31, 0.5, 60, 3
	mean := func(x, y, z float64) float64 {
		x, y, z = x-13, y-4, z-9
		return x*x + y*y + 2*z*z + x*y/2
	}
	wrong := 0.0
	for k := range side * side * side {
		at := [3]float64{float64(k % side), float64(k / side % side), float64(k / side / side)}
		here, gap := mean(at[0], at[1], at[2]), math.Inf(-1)
		for i := range at {
			for _, step := range []float64{-1, 1} {
				next := at
				if next[i] += step; next[i] >= 0 && next[i] < side {
					gap = max(gap, here-mean(next[0], next[1], next[2]))
				}
			}
		}
		if here == 0 {
			continue
		}
		if gap <= 0 {
			t.Fatalf("%v is a local minimum, too", at)
		}
		for n, round := 8, 1; round < 20; n, round = n+(n+1)/2, round+1 {
			if round >= leastRounds {
				wrong += distuv.UnitNormal.CDF(-gap * math.Sqrt(float64(n)/2) / sigma)
			}
		}
	}
	// most is how many of all experiments may go wrong, each with a probability, so that more do in
	// one of ten thousand.
	most := func(p float64) (k int) {
		b := distuv.Binomial{N: experiments, P: p}
		for 1-b.CDF(float64(k)) > 1e-4 {
			k++
		}
		return k
	}
	box := []Integer{{"x", 0, side - 1, 0}, {"y", 0, side - 1, side - 1}, {"z", 0, side - 1, side - 1}}
	other, missed, points := 0, 0, 0
	for seed := range uint64(experiments) {
		o, err := Minimize(t.Context(), drawnAt(seed, func(p ensemble.Params, r, common *rand.Rand) float64 {
			return mean(p["x"], p["y"], p["z"]) + 20*sigma*common.NormFloat64() + sigma*r.NormFloat64()
		}), box, MinimizeOptions{Replicas: 3000, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		if o.Replicas > 3000 || !o.Local || o.Rounds < leastRounds {
			t.Fatalf("%+v", o)
		}
		points += o.Points
		found := mean(o.Point["x"], o.Point["y"], o.Point["z"])
		if found != 0 {
			other++
		}
		if o.Value.Low() > found || o.Value.High() < found {
			missed++
		}
	}
	t.Logf("another was found in %d of %d, with a probability of at most %.4f; %d points on average; %d intervals missed",
		other, experiments, wrong, points/experiments, missed)
	if limit := most(wrong); other > limit {
		t.Errorf("another point than the bottom was found in %d of %d, at most %d should be", other, experiments, limit)
	}
	// From the corner it is 60 steps of one, and who goes by them looks at two new points at each,
	// at least: where it goes, and one beside it.
	if points >= 2*60*experiments {
		t.Errorf("it looked at %d points on average, as one does who does not follow the slope", points/experiments)
	}
	if limit := most(0.05); missed > limit {
		t.Errorf("the interval misses in %d of %d, at most %d should at 95 %%", missed, experiments, limit)
	}
}

// drawnAt is drawn with streams by point.
func drawnAt(seed uint64, draw func(p ensemble.Params, r, common *rand.Rand) float64) Source {
	return func(_ context.Context, points []ensemble.Params, first, n int) ([][]float64, error) {
		all := make([][]float64, len(points))
		for i, p := range points {
			h := uint64(1)
			for _, name := range []string{"x", "y", "z"} {
				h = h*1000003 + uint64(p[name])
			}
			for r := first; r < first+n; r++ {
				all[i] = append(all[i], draw(p, rand.New(rand.NewPCG(seed<<20+uint64(r), h)),
					rand.New(rand.NewPCG(seed<<20+uint64(r), 0))))
			}
		}
		return all, nil
	}
}

// Without noise, what is found is not worse than any neighbour, wherever it begins, also on the
// edge of the box, and the largest is found as well.
func TestMinimizeEndsAtALocalMinimum(t *testing.T) {
	wavy := func(p ensemble.Params) float64 {
		return 10*math.Sin(p["x"]/3) + 8*math.Cos(p["y"]/4) + math.Abs(p["x"]-p["y"])/5
	}
	for start := range 40 {
		for _, sign := range []float64{1, -1} {
			box := []Integer{{"x", 0, 39, start}, {"y", 0, 39, 39 - start}}
			source := drawnAt(1, func(p ensemble.Params, _, _ *rand.Rand) float64 { return sign * wavy(p) })
			o, err := Minimize(t.Context(), source, box, MinimizeOptions{Replicas: 4000, First: 2, Largest: sign < 0,
				Seed: uint64(start)})
			if err != nil || !o.Local {
				t.Fatalf("%+v, %v", o, err)
			}
			for _, step := range [][2]float64{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
				x, y := o.Point["x"]+step[0], o.Point["y"]+step[1]
				if x >= 0 && x <= 39 && y >= 0 && y <= 39 && wavy(ensemble.Params{"x": x, "y": y}) < wavy(o.Point) {
					t.Fatalf("from %d: %v is better than %v", start, []float64{x, y}, o.Point)
				}
			}
			if math.Abs(o.Value.Mean-sign*wavy(o.Point)) > 1e-9 {
				t.Errorf("%v", o.Value)
			}
		}
	}
}

// No observation is asked for twice, all points of a round have the same replicas, and the number
// that is allowed is kept to exactly.
func TestMinimizeCounts(t *testing.T) {
	for allowed := 8; allowed < 1500; allowed += 37 {
		have, spent := map[string]int{}, 0
		source := func(_ context.Context, points []ensemble.Params, first, n int) ([][]float64, error) {
			all := make([][]float64, len(points))
			for i, p := range points {
				if k := fmt.Sprint(p); have[k] != first {
					t.Fatalf("%s has %d replicas, and is asked for those from %d on", k, have[k], first)
				} else {
					have[k] += n
				}
				spent += n
				for range n {
					all[i] = append(all[i], math.Abs(p["x"]-20)+math.Abs(p["y"]-3))
				}
			}
			return all, nil
		}
		o, err := Minimize(t.Context(), source, []Integer{{"x", 0, 50, 0}, {"y", 0, 50, 50}},
			MinimizeOptions{Replicas: allowed})
		if spent > allowed || o.Replicas != spent || len(have) != o.Points {
			t.Errorf("%d replicas and %d points, %d allowed; it counted %d and %d", spent, len(have), allowed, o.Replicas,
				o.Points)
		}
		if err != nil && allowed > 100 {
			t.Errorf("with %d: %v", allowed, err)
		}
	}
}

func TestMinimizeIsRefused(t *testing.T) {
	for want, f := range map[string]func() (Optimum, error){
		"nothing to vary": func() (Optimum, error) { return Minimize(t.Context(), nil, nil, MinimizeOptions{Replicas: 100}) },
		`"x" from 1 to 0`: func() (Optimum, error) {
			return Minimize(t.Context(), nil, []Integer{{"x", 1, 0, 0}}, MinimizeOptions{Replicas: 100})
		},
		"beginning at 9": func() (Optimum, error) {
			return Minimize(t.Context(), nil, []Integer{{"x", 0, 5, 9}}, MinimizeOptions{Replicas: 100})
		},
		"from 0 to 2000000000; both": func() (Optimum, error) {
			return Minimize(t.Context(), nil, []Integer{{"x", 0, 2e9, 0}}, MinimizeOptions{Replicas: 100})
		},
		"and 5 of all": func() (Optimum, error) {
			return Minimize(t.Context(), nil, []Integer{{"x", 0, 5, 1}}, MinimizeOptions{Replicas: 5})
		},
		"1 replicas of each": func() (Optimum, error) {
			return Minimize(t.Context(), nil, []Integer{{"x", 0, 5, 1}}, MinimizeOptions{Replicas: 50, First: 1})
		},
	} {
		if _, err := f(); err == nil || !strings.HasPrefix(err.Error(), "experiment: ") || !strings.Contains(err.Error(),
			want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
