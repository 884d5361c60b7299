package diagram

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

// slowAgree is the compromise of a list, by its definition.
func slowAgree(agree compromise, wants []want) float64 {
	if agree == mean {
		sum, weight := 0.0, 0.0
		for _, w := range wants {
			sum += w.at * w.weight
			weight += w.weight
		}
		return sum / weight
	}
	sorted := slices.Clone(wants)
	slices.SortStableFunc(sorted, func(a, b want) int {
		if a.at < b.at {
			return -1
		} else if a.at > b.at {
			return 1
		}
		return 0
	})
	half := 0.0
	for _, w := range sorted {
		half += w.weight / 2
	}
	for _, w := range sorted {
		if half -= w.weight; half <= 0 {
			return w.at
		}
	}
	return sorted[len(sorted)-1].at
}

// slowSettle works every compromise out anew, in quadratic time.
func slowSettle(wants [][]want, gaps []float64, agree compromise) []float64 {
	type group struct {
		first int
		wants []want
		at    float64
	}
	offsets := make([]float64, len(wants))
	var groups []group
	for i := range wants {
		if i > 0 {
			offsets[i] = offsets[i-1] + gaps[i-1]
		}
		g := group{first: i}
		for _, w := range wants[i] {
			g.wants = append(g.wants, want{w.at - offsets[i], w.weight})
		}
		g.at = slowAgree(agree, g.wants)
		for len(groups) > 0 && groups[len(groups)-1].at > g.at {
			upper := groups[len(groups)-1]
			groups = groups[:len(groups)-1]
			g = group{first: upper.first, wants: append(upper.wants, g.wants...)}
			g.at = slowAgree(agree, g.wants)
		}
		groups = append(groups, g)
	}
	places := make([]float64, len(wants))
	for k, g := range groups {
		end := len(wants)
		if k+1 < len(groups) {
			end = groups[k+1].first
		}
		for i := g.first; i < end; i++ {
			places[i] = g.at + offsets[i]
		}
	}
	return places
}

// wantsOf are those of so many things in a row, with the weights that a layout has and places of
// which many are equal.
func wantsOf(r *rand.Rand, things int) (wants [][]want, gaps []float64) {
	weights := []float64{stay, pullShort, pullShort, pullBack, pullLong, pullToEnds}
	for range things {
		one := []want{{float64(r.IntN(100)), stay}}
		for range r.IntN(4) {
			one = append(one, want{float64(r.IntN(40)) / 2, weights[r.IntN(len(weights))]})
		}
		wants, gaps = append(wants, one), append(gaps, float64(1+r.IntN(9)))
	}
	return wants, gaps
}

// As long as pools are small, settle gives what the quadratic method does, to the last bit. Larger
// pools may differ where two places are equally good, so the weights of the second part have no
// ties.
func TestSettleIsThatOfTheDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		wants, gaps := wantsOf(r, 1+r.IntN(60))
		for _, agree := range []compromise{mean, median} {
			got, _ := settle(wants, gaps, agree)
			if want := slowSettle(wants, gaps, agree); !slices.Equal(got, want) {
				t.Fatalf("%v: %v settle at %v, not %v", agree, wants, got, want)
			}
		}
	}
	var wants [][]want
	var gaps []float64
	for i := range 2*smallPool + 1 { // an odd number of equal weights
		wants, gaps = append(wants, []want{{float64(r.IntN(1000)) - float64(i), pullShort}}), append(gaps, 1)
	}
	got, _ := settle(wants, gaps, median)
	if len(got) != len(wants) || got[0] != slowSettle(wants, gaps, median)[0] {
		t.Errorf("%d things begin at %v", len(got), got[0])
	}
}

// Twice as many things in a row take little more than twice as many steps: when each joins those
// before it and there are ties, and when the last makes all before it yield, one after the other.
func TestStepsGrowWithTheNumberOfThings(t *testing.T) {
	rows := func(things int) map[string][][]want {
		close, wide := make([][]want, things), make([][]want, things)
		for i := range things {
			close[i], wide[i] = []want{{0, pullShort}}, []want{{float64(3 * i), pullShort}}
		}
		wide[things-1] = []want{{-1e9, pullShort}}
		return map[string][][]want{"close": close, "wide": wide}
	}
	const few = 4 * smallPool
	gaps := slices.Repeat([]float64{1}, 2*few)
	for name, wants := range rows(few) {
		twice := rows(2 * few)[name]
		for _, agree := range []compromise{mean, median} {
			_, steps := settle(wants, gaps, agree)
			if _, more := settle(twice, gaps, agree); more > steps*5/2 {
				t.Errorf("%s, %v: %d things take %d steps, and twice as many take %d", name, agree, few, steps, more)
			}
		}
	}
}

// Two states with thousands of links each are compared in as many steps as they have links.
func TestComparingStatesWithManyLinks(t *testing.T) {
	g := Graph{Nodes: make([]Node, 4)}
	for range 2000 {
		g.Edges = append(g.Edges, Edge{From: 0, To: 2}, Edge{From: 1, To: 3}, Edge{From: 0, To: 3}, Edge{From: 1, To: 2})
	}
	s := sheetOf(g)
	fast, steps := s.saved(0, 1)
	slow := 0
	for _, a := range s.items[0].right {
		for _, b := range s.items[1].right {
			switch p, q := s.position[a.to], s.position[b.to]; {
			case p > q:
				slow++
			case p < q:
				slow--
			}
		}
	}
	if fast != slow || steps > 100_000 {
		t.Errorf("%d crossings saved in %d steps, not %d", fast, steps, slow)
	}
}

// What has too many pieces, or takes too many steps, is not laid out; neither is what nobody waits
// for any more.
func TestTooLarge(t *testing.T) {
	long := chain(1500)
	for k := range 400 {
		long.Edges = append(long.Edges, Edge{k, 1499 - k, "", Clock})
	}
	if _, err := long.Drawing(context.Background()); !errors.Is(err, ErrTooLarge) {
		t.Errorf("%d items: %v", newLayering(long).items(long), err)
	}
	s := sheetOf(tuberculosis())
	s.steps = mostSteps
	if s.order(); !errors.Is(s.err, ErrTooLarge) {
		t.Errorf("too many steps: %v", s.err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := tuberculosis().Drawing(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("nobody waits: %v", err)
	}
	s = sheetOf(complete(6))
	s.ctx = ctx
	s.order()
	s.place()
	if s.steps > len(s.items)*100 {
		t.Errorf("%d steps after the end", s.steps)
	}
}
