package population_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/combin"

	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/population"
)

// hypergeometric is the law of how many of some come among those who are picked of all.
func hypergeometric(all, some, picked int) []float64 {
	law := make([]float64, min(some, picked)+1)
	for k := range law {
		if picked-k <= all-some {
			law[k] = math.Exp(combin.LogGeneralizedBinomial(float64(some), float64(k)) + combin.LogGeneralizedBinomial(
				float64(all-some), float64(picked-k)) -
				combin.LogGeneralizedBinomial(float64(all), float64(picked)))
		}
	}
	return law
}

// Of those who are picked, so many are of one sort as the hypergeometric law says: if most are
// picked, if few are, and if those whom it is about are hard to find.
func TestExactPicks(t *testing.T) {
	replicas := testscale.Size(1500, 3000)
	for i, c := range []struct {
		name, groups       string
		size               int
		where              string
		count              string
		all, some, picked  int
		elsewhere, outside int // how many others there are, who must be left alone
	}{
		{"many", "{count: 80, start: {a: 30, b: rest}}, {count: 20, start: {c: rest}}", 100, "", "20", 80, 30, 20, 0, 20},
		{"few", "{count: 800, start: {a: 300, b: rest}}, {count: 200, start: {c: rest}}", 1000, "", "25", 800, 300, 25, 0,
			200},
		{"hard to find", "{count: 20, with: {region: north}, start: {a: 8, b: rest}}, {count: 480, with: {region: south}, " +
			"start: {a: 300, b: rest}}", 500, "where: {region: north}, ", "doses", 20, 8, 15, 480, 0},
		{"all", "{count: 20, with: {region: north}, start: {a: 8, b: rest}}, {count: 480, with: {region: south}, start: " +
			"{a: 300, b: rest}}", 500, "where: {region: north}, ", "2 * doses - 6", 20, 8, 20, 480, 0},
	} {
		r := exactSimulate(t, uint64(1+i), replicas, `
name: picks
time: {unit: day, end: 2}
population: {size: %d, groups: [%s]}
parameters: {doses: 15}
attributes: {region: {north: 50%%, south: 50%%}}
states: {a: {}, b: {}, c: {}, d: {}}
interventions: [{at: 1 day, who: [a, b], %scount: %s, to: d, name: dose}]
record: {every: 2 days}
`, c.size, c.groups, c.where, c.count)
		from := r.flows(1, "a", "d")
		as, bs, cs := r.counts(1, "a"), r.counts(1, "b"), r.counts(1, "c")
		for k, n := range r.flows(1, "b", "d") {
			if int(n+from[k]) != c.picked || int(r.Runs[k].Named(1, 0)) != c.picked {
				t.Fatalf("%s: %v and %v were picked, want %d", c.name, from[k], n, c.picked)
			}
			if left := c.all - c.picked + c.elsewhere; int(as[k]+bs[k]) != left || int(cs[k]) != c.outside {
				t.Fatalf("%s: others were touched; expected %d and %d to stay", c.name, left, c.outside)
			}
		}
		law := hypergeometric(c.all, c.some, c.picked)
		for k := range law {
			law[k] *= float64(replicas)
		}
		if c.picked == c.all {
			continue
		}
		checkChiSquare(t, c.name, histogram(from, len(law)-1), law)
		mean, _, se, _ := moments(from)
		checkNotices(t, "each of the sort picked 10 % more often", mean, 1.1*float64(c.picked*c.some)/float64(c.all), se)
	}
}

// Doses a day: until nobody is left.
func TestPicksEveryDay(t *testing.T) {
	r := exactSimulate(t, 1, 3, `
name: doses
time: {unit: day, start: 2005, end: 2015}
population: {size: 1230, start: {a: rest}}
states: {a: {}, b: {}}
interventions:
  - {every: 1 day, who: a, count: 200, to: b}
  - {at: 2012, until: 2013, every: 1 day, who: b, count: 15, to: a}
record: {every: 1 day}
`)
	// In 2013 the fifteen that came back are reached, and fifteen others come back.
	want := []float64{1030, 830, 630, 430, 230, 30, 0, 15, 15, 0, 0}
	for row, left := range want {
		for _, n := range r.counts(row, "a") {
			if n != left {
				t.Errorf("day %v: %v are left, want %v", r.Times[row], n, left)
			}
		}
	}
}

// Being picked is the intervention's luck: the lives of all who are not picked stay what they were,
// to the last bit, and so do those of who are until then.
func TestPicksShiftNobodysLuck(t *testing.T) {
	lives := func(plan string) (fired map[uint64]float64, picked map[uint64]bool) {
		fired, picked = map[uint64]float64{}, map[uint64]bool{}
		exactObserve(t, population.Options{Seed: 5, OnEvent: func(e population.Event) {
			switch e.Name {
			case "fire":
				fired[e.Individual] = e.Time
			case "pick":
				picked[e.Individual] = true
			}
		}}, `
name: luck
time: {unit: day, end: 20}
population: {size: 500, start: {a: rest}}
states:
  a: {race: [{rate: 0.1 per day, to: b, name: fire}]}
  b: {race: [{after: {gamma: {mean: 3 days, shape: 2}}, to: a}]}
  c: {}
interventions: [%s]
`, plan)
		return fired, picked
	}
	before, _ := lives("")
	for _, plan := range []string{"{at: 4 days, who: a, count: 5, to: c, name: pick}",
		"{at: 4 days, who: a, count: 200, to: c, name: pick}",
		"{when: {b: above 100}, who: a, count: 50, to: c, name: pick}"} {
		after, picked := lives(plan)
		if len(picked) == 0 {
			t.Fatal("nobody was picked")
		}
		for who, time := range before {
			if !picked[who] && after[who] != time {
				t.Fatalf("%s: %d firings at %v, and did at %v", plan, who, after[who], time)
			}
		}
	}
}
