package population_test

import (
	"math"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
)

// Test 1 of section 5: the first detection takes everybody.
func TestExactCompleteTracing(t *testing.T) {
	r := exactSimulate(t, 1, testscale.Size(8000, 400_000), `
name: complete
time: {unit: day, end: 400}
population: {size: 6, start: {i: 1, s: rest}}
states: {s: {}, i: {race: [{rate: 0.4 per day, to: isolated}]}, isolated: {}}
transmission: [{from: i, rate: 1.2 per day, to: {s: i}, name: infection}]
tracing: [{when: isolated, through: {infection: 100%%}, back: 1000 days, to: {i: isolated}}]
record: {every: 400 days}
`)
	want := []float64{0.25, 0.220588, 0.189076, 0.154698, 0.116024, 0.069614}
	ever := r.counts(r.last(), "isolated")
	got := make([]float64, 6)
	for _, n := range ever {
		got[int(n)-1] += 1 / float64(len(ever))
	}
	for n, p := range want {
		if se := math.Sqrt(p * (1 - p) / float64(len(ever))); math.Abs(got[n]-p) > 4.5*se {
			t.Errorf("%d are ever infected with probability %.4f, want %.4f", n+1, got[n], p)
		}
	}
	checkMean(t, "ever infected", ever, 2.875)
	checkVariance(t, "ever infected", ever, 2.450284)
}

// Test 2 of section 5: one in a household is found, and reached a day later.
func TestExactHouseholdTracing(t *testing.T) {
	r := exactSimulate(t, 1, testscale.Size(400, 8000), `
name: pairs
time: {unit: day, end: 4}
population: {size: 200, start: {i: rest}}
places: {household: {size: 2}}
states: {i: {race: [{rate: 0.5 per day, to: isolated, name: detection}]}, isolated: {}}
tracing: [{when: detection, through: {household: 60%%}, after: 1 day, to: {i: isolated}, name: traced}]
record: {every: 1 day}
`)
	for row, want := range map[int]float64{1: 0.606531, 2: 0.281030, 3: 0.138503, 4: 0.072253} {
		checkMean(t, "still infectious", r.counts(row, "i"), 200*want)
	}
}

// Test 4 of section 5: isolation is a machine.
func TestExactIsolation(t *testing.T) {
	r := exactSimulate(t, 1, testscale.Size(8000, 400_000), `
name: isolation
time: {unit: day, end: 6}
population: {size: 2, start: {i: 1, s: rest}}
states: {s: {}, i: {}, infected: {}}
machines:
  isolation:
    start: {free: rest}
    enter: free
    states: {free: {race: [{rate: 0.5 per day, to: alone}]}, alone: {}}
transmission: [{from: i, rate: {by: isolation, free: 0.9 per day, alone: 0.09 per day}, to: {s: infected}}]
record: {every: 1 day}
`)
	for row, want := range map[int]float64{1: 0.498695, 3: 0.699362, 6: 0.777438} {
		checkMean(t, "infected", r.counts(row, "infected"), want)
	}
}

// pairsTraced is a model of households of two in which one who is detected has the other reached
// after a time with a memory.
const pairsTraced = `
name: pairs
time: {unit: day, end: 4}
population: {size: 200, start: {i: rest}}
places: {household: {size: 2}}
states: {i: {race: [{rate: 0.5 per day, to: isolated, name: detection}]}, isolated: {}}
tracing: [{when: detection, through: {household: 60%%}, after: {gamma: {mean: 1 day, shape: 2}}, to: {i: isolated}}]
record: {every: 1 day}
`

// A fork draws the times again at which somebody is reached, given that they have not come.
func TestExactForkedErrands(t *testing.T) {
	m := exactCompile(t, pairsTraced)
	var still []float64
	for i := range testscale.Size(300, 6000) {
		p := forkedAt(t, begun(t, m, 1, i), 0.7, 1.1, 2, 2.9)
		if err := p.Advance(t.Context(), 4); err != nil {
			t.Fatal(err)
		}
		still = append(still, float64(p.Count(stateOf(t, m, "i"))))
		p.Close()
	}
	late := erlangSurvival(1, 2)
	reached := integral(func(u float64) float64 { return 0.5 * math.Exp(-0.5*u) * (1 - late(4-u)) }, 0, 4, 4000)
	checkMean(t, "still infectious", still, 200*math.Exp(-2)*(1-0.6*reached))
}

// Forks of one past reach people at times that are independent of each other.
func TestExactForksOfErrands(t *testing.T) {
	m := exactCompile(t, `
name: one
time: {unit: day, end: 10}
population: {size: 2, start: {ill: 1, well: rest}}
places: {household: {size: 2}}
states: {ill: {race: [{after: 1 day, to: isolated}]}, well: {}, isolated: {}, warned: {}}
tracing:
  - {when: isolated, through: {household: 100%%}, after: {uniform: {low: 0 days, high: 4 days}}, to: {well: warned}}
record: {every: 1 day}
`)
	tried := 0
	for seed := range uint64(20) {
		one := begun(t, m, seed, 0)
		if err := one.Advance(t.Context(), 2); err != nil {
			t.Fatal(err)
		}
		if one.Count(stateOf(t, m, "well")) == 0 {
			one.Close()
			continue // it has been reached
		}
		var warned []float64
		for i := range testscale.Size(300, 3000) {
			f, err := one.Fork(uint64(i))
			if err != nil {
				t.Fatal(err)
			}
			if err := f.Advance(t.Context(), 3.5); err != nil {
				t.Fatal(err)
			}
			warned = append(warned, float64(f.Count(stateOf(t, m, "warned"))))
			f.Close()
		}
		one.Close()
		checkMean(t, "warned", warned, 0.5) // uniform from 2 to 5
		if tried++; tried == 4 {
			return
		}
	}
	t.Error("too few were not reached")
}

// With a chance of 100 % everybody of a household is found at once, and with 100 % through contacts
// everybody whom somebody met; those who are found in vain are not sought again.
func TestExactTracingOfAll(t *testing.T) {
	r := exactSimulate(t, 1, testscale.Size(50, 500), `
name: all
time: {unit: day, end: 20}
population: {size: 400, start: {i: rest}}
places: {household: {size: 4}}
states: {i: {race: [{rate: 0.1 per day, to: isolated, name: detection}]}, isolated: {}}
tracing: [{when: detection, through: {household: 100%%}, to: {i: isolated}, name: traced}]
record: {every: 5 days}
`)
	detection, traced := 0, 1
	for i := range r.Runs {
		for row := range r.Rows() {
			run := &r.Runs[i]
			if run.Named(row, traced) != 3*run.Named(row, detection) {
				t.Fatalf("%d are detected and %d traced, want three times as many", run.Named(row, detection),
					run.Named(row, traced))
			}
		}
	}
	checkMean(t, "households without a detection, 4 each", r.counts(4, "i"), 400*math.Exp(-0.4*20))
}

// Test 3 of section 5: a partner whose link has ended is found if that is not longer ago than back.
func TestExactFormerPartners(t *testing.T) {
	for back, want := range map[string]int{"2.5 days": 1, "1.5 days": 0, "2 days": 1} {
		r := exactSimulate(t, 1, 20, `
name: partners
time: {unit: day, end: 5}
population: {size: 2, start: {i: 1, s: rest}}
networks: {steady: {degrees: 1, ends: {after: 1 day}}}
states: {s: {}, i: {race: [{after: 3 days, to: treated}]}, treated: {}, notified: {}}
tracing: [{when: treated, through: {steady: 100%%}, back: %s, to: {s: notified}}]
record: {every: 1 day}
`, back)
		for i := range r.Runs {
			if n := r.Runs[i].Count(r.last(), r.state("notified")); n != want {
				t.Fatalf("back %s: %d are notified, want %d", back, n, want)
			}
			if n := r.Runs[i].Count(2, r.state("notified")); n != 0 {
				t.Fatalf("%d are notified before the first is treated", n)
			}
		}
	}
}

// Those who are linked are found, those who were once, and nobody else: links end at 0.5 per day,
// and the first is treated at 3 days, when the link has ended within the last day with e^(−1) −
// e^(−1.5), and earlier with 1 − e^(−1).
func TestExactPartners(t *testing.T) {
	r := exactSimulate(t, 1, testscale.Size(1600, 80_000), `
name: partners
time: {unit: day, end: 5}
population: {size: 3, start: {i: 1, s: rest}}
networks: {steady: {degrees: 1, ends: {rate: 0.5 per day}}, other: {random: {mean: 2}}}
states: {s: {}, i: {race: [{after: 3 days, to: treated}]}, treated: {}, notified: {}, told: {}}
tracing:
  - {when: treated, through: {steady: 50%%}, back: 1 day, to: {s: notified}}
  - {when: treated, through: {other: 100%%}, after: 1 day, to: {s: told}}
record: {every: 1 day}
`)
	// Of three ends two are paired, and the first has one of them in two thirds.
	want := 2.0 / 3 * 0.5 * math.Exp(-1)
	checkMean(t, "notified", r.counts(3, "notified"), want)
	checkMean(t, "told", r.counts(5, "told"), 2-want) // everybody is linked, for ever
}
