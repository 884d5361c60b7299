package experiment

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/ensemble"
)

// slippage are k systems of which the first is better than all others by delta, which are equal:
// where it is hardest to find.
func slippage(k int, delta float64) (systems []ensemble.Params) {
	for i := range k {
		systems = append(systems, ensemble.Params{"i": float64(i), "mean": delta})
	}
	systems[0]["mean"] = 0
	return systems
}

// drawn is a source of independent observations: those of replica r of system i come from a stream
// of their own.
func drawn(seed uint64, draw func(p ensemble.Params, r *rand.Rand, common *rand.Rand) float64) Source {
	return func(_ context.Context, points []ensemble.Params, first, n int) ([][]float64, error) {
		all := make([][]float64, len(points))
		for i, p := range points {
			for r := first; r < first+n; r++ {
				own := rand.New(rand.NewPCG(seed<<20+uint64(r), uint64(p["i"])+1))
				all[i] = append(all[i], draw(p, own, rand.New(rand.NewPCG(seed<<20+uint64(r), 0))))
			}
		}
		return all, nil
	}
}

// How often the best is found, of some experiments, and how many replicas that took.
func howOften(t *testing.T, experiments, k int, o SelectOptions, draw func(p ensemble.Params, r,
	common *rand.Rand) float64) (found, replicas float64) {
	t.Helper()
	for seed := range uint64(experiments) {
		s, err := Select(t.Context(), drawn(seed, draw), slippage(k, o.Delta), o)
		if err != nil {
			t.Fatal(err)
		}
		if s.Best == 0 {
			found++
		}
		replicas += float64(s.Replicas)
	}
	found, replicas = found/float64(experiments), replicas/float64(experiments)
	t.Logf("k = %d: found in %.4f, wanted %.4f, with %.1f replicas", k, found, 1-o.Alpha, replicas)
	return found, replicas
}

// enough checks a probability that was guaranteed, to within three standard errors of what it is at
// least.
func enough(t *testing.T, found, alpha float64, experiments int) {
	t.Helper()
	if se := math.Sqrt(alpha * (1 - alpha) / float64(experiments)); found < 1-alpha-3*se {
		t.Errorf("the best was found in %.4f, below %.4f", found, 1-alpha)
	}
}

// The guarantee of KN, for normal observations where all others are worse by just what matters:
// with equal variances and different ones, alone and with common random numbers. With two systems
// there is little to spare, so that a procedure that stops too soon is noticed; it is not much
// better than promised either.
func TestSelectFindsTheBest(t *testing.T) {
	const experiments = 1500
	normal := func(p ensemble.Params, r, _ *rand.Rand) float64 { return p["mean"] + 1.5*r.NormFloat64() }
	o := SelectOptions{Delta: 0.25, Alpha: 0.1, First: 10, Batch: 40}
	found, _ := howOften(t, 2*experiments, 2, o, normal)
	enough(t, found, o.Alpha, 2*experiments)
	if found > 0.94 {
		t.Errorf("with two systems the best was found in %.4f: it takes more replicas than needed", found)
	}
	o.Delta = 0.8
	found, alone := howOften(t, experiments, 5, o, normal)
	enough(t, found, o.Alpha, experiments)
	found, _ = howOften(t, experiments, 5, o, func(p ensemble.Params, r, _ *rand.Rand) float64 {
		return p["mean"] + (0.5+p["i"]/2)*r.NormFloat64()
	})
	enough(t, found, o.Alpha, experiments)
	found, together := howOften(t, experiments, 5, o, func(p ensemble.Params, r, common *rand.Rand) float64 {
		return p["mean"] + 1.5*(math.Sqrt(0.8)*common.NormFloat64()+math.Sqrt(0.2)*r.NormFloat64())
	})
	enough(t, found, o.Alpha, experiments)
	if together > 0.6*alone {
		t.Errorf("with common random numbers it takes %.1f replicas, and %.1f without", together, alone)
	}
}

// Means of 100 waits in M/M/1 queues at a load of 0.7 that begin empty are skewed, and the variance
// of the first ones says little. The best is found as often as promised all the same.
func TestSelectMeansOfQueues(t *testing.T) {
	const experiments = 400
	queue := func(p ensemble.Params, r, _ *rand.Rand) float64 {
		wait, sum := 0.0, 0.0
		for range 100 {
			sum += wait
			wait = max(0, wait+0.7*r.ExpFloat64()-r.ExpFloat64()) // Lindley
		}
		return p["mean"] + sum/100
	}
	for _, k := range []int{2, 5} {
		o := SelectOptions{Delta: 0.5, Alpha: 0.1, First: 20, Batch: 20}
		found, _ := howOften(t, experiments, k, o, queue)
		enough(t, found, o.Alpha, experiments)
	}
}

// Whatever comes in a batch, what counts is what there was after each replica. The largest is the
// smallest of the negative.
func TestSelectDoesNotDependOnBatches(t *testing.T) {
	for seed := range uint64(30) {
		draw := func(sign float64) func(p ensemble.Params, r, _ *rand.Rand) float64 {
			return func(p ensemble.Params, r, _ *rand.Rand) float64 { return sign * (p["mean"] + 2*r.NormFloat64()) }
		}
		o := SelectOptions{Delta: 0.8, Alpha: 0.2, First: 8}
		var first Selection
		for i, batch := range []int{1, 3, 10, 64} {
			o.Batch, o.Largest = batch, i%2 == 1
			s, err := Select(t.Context(), drawn(seed, draw(map[bool]float64{false: 1, true: -1}[o.Largest])), slippage(4, 0.8),
				o)
			if err != nil {
				t.Fatal(err)
			}
			if o.Largest {
				for k := range s.Systems {
					s.Systems[k].Mean *= -1
				}
			}
			s.Replicas = 0
			if i == 0 {
				first = s
			}
			if fmt.Sprint(s) != fmt.Sprint(first) {
				t.Fatalf("in batches of %d: %v; in others: %v", batch, s, first)
			}
		}
	}
}

func TestSelectIsRefused(t *testing.T) {
	source := drawn(1, func(p ensemble.Params, r, _ *rand.Rand) float64 { return r.NormFloat64() })
	for want, o := range map[string]SelectOptions{
		"a difference of 0":   {},
		"a difference of NaN": {Delta: math.NaN()},
		"a probability of 1":  {Delta: 1, Alpha: 1},
		"1 replicas first":    {Delta: 1, First: 1},
		"at most 5":           {Delta: 1, Most: 5},
	} {
		if _, err := Select(t.Context(), source, slippage(3, 1), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if _, err := Select(t.Context(), source, nil, SelectOptions{Delta: 1}); err == nil {
		t.Error("nothing was selected from")
	}
	s, err := Select(t.Context(), source, slippage(3, 1), SelectOptions{Delta: 1e-6, Most: 40})
	if !errors.Is(err, ErrUndecided) || s.Systems[0].Replicas != 40 {
		t.Errorf("%v, %v", s, err)
	}
	if s, err := Select(t.Context(), source, slippage(1, 1), SelectOptions{Delta: 1}); err != nil || s.Best != 0 ||
		s.Replicas != 20 {
		t.Errorf("%v, %v", s, err)
	}
	same := func(context.Context, []ensemble.Params, int, int) ([][]float64, error) { return nil, errors.New("no") }
	if _, err := Select(t.Context(), same, slippage(2, 1), SelectOptions{Delta: 1}); err == nil || err.Error() != "no" {
		t.Error(err)
	}
	// Systems that are exactly the same: the first is as good as any.
	constant := drawn(1, func(ensemble.Params, *rand.Rand, *rand.Rand) float64 { return 3 })
	if s, err := Select(t.Context(), constant, slippage(4, 1), SelectOptions{Delta: 1}); err != nil || s.Best != 0 {
		t.Errorf("%v, %v", s, err)
	}
}
