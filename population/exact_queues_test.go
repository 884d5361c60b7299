package population_test

import (
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/population"
)

// Test 4 of section 10, first part, with shorter queues, whose means need fewer runs: ten beds,
// arrivals at 8 per day, stays of a mean of 1 day. In the long run 1.63672 wait: Erlang C is
// 0.40918, times 8/10 / (1 − 8/10).
func TestExactQueue(t *testing.T) {
	const model = `
name: queue
time: {unit: day, end: %d}
population: {size: 0, start: {}}
places: {ward: {number: %d, capacity: %d, where: {state: bed}}}
states:
  arrived: {race: [{after: 0.000001 days, to: bed, full: waiting, queue: true, name: admission}]}
  waiting: {}
  bed: {race: [{rate: 1 per day, to: out}]}
immigration: {rate: 8 per day, enter: arrived}
record: {every: %d days}
`
	for _, beds := range [][2]int{{1, 10}, {5, 2}} {
		r := exactSimulate(t, 1, testscale.Size(40, 8000), model, testscale.Size(1100, 2100), beds[0], beds[1], 5)
		mean := make([]float64, len(r.Runs))
		for i := range r.Runs {
			run := &r.Runs[i]
			rows := 0
			for row := 20; row < run.Rows(); row++ {
				n := run.Waiting(row, 0)
				if n != run.Count(row, r.state("waiting")) {
					t.Fatalf("%d wait in turn, %d in the state", n, run.Count(row, r.state("waiting")))
				}
				mean[i] += float64(n)
				rows++
			}
			mean[i] /= float64(rows)
		}
		checkMean(t, "waiting", mean, 1.63672)
		average, _, se, _ := moments(mean)
		checkNotices(t, "the factor 8/10 not", average, 1.63672/0.8, se)
	}
}

// Test 4 of section 10, second part: with fixed stays, and groups of 5 that arrive at once, beds
// are freed several at once. Nobody ever waits while a bed is free, and whoever came first is
// served first.
func TestQueueIsServed(t *testing.T) {
	m := exactCompile(t, `
name: queue
time: {unit: day, end: 200}
population: {size: 0, start: {}}
places: {ward: {number: 2, capacity: 5, where: {state: bed}}}
states:
  arrived: {race: [{after: 0.5 days, to: bed, full: waiting, queue: true, name: admission}]}
  waiting: {race: [{rate: 0.02 per day, to: out, name: death}]}
  bed: {race: [{after: 1 day, to: out}]}
immigration: {rate: 1.9 per day, enter: arrived, count: 5}
record: {every: 1 day}
`)
	for seed := range uint64(5) {
		inBed, waiting, order := 0, 0, []uint64{}
		refused := map[uint64]bool{}
		died, served, at := 0, 0, 0.0
		settled := func() {
			if waiting > 0 && inBed < 10 {
				t.Fatalf("seed %d, %v: %d wait, %d of 10 beds are taken", seed, at, waiting, inBed)
			}
		}
		run := func(e population.Event) {
			if e.Time != at { // between two instants
				settled()
				at = e.Time
			}
			switch {
			case e.From == "arrived" && e.To == "waiting":
				waiting++
				order = append(order, e.Individual)
				refused[e.Individual] = true
			case e.From == "waiting" && e.To == "bed":
				for len(order) > 0 && !refused[order[0]] {
					order = order[1:]
				}
				if order[0] != e.Individual {
					t.Fatalf("%d is served before %d", e.Individual, order[0])
				}
				order, waiting = order[1:], waiting-1
				inBed++
				served++
			case e.To == "bed":
				inBed++
			case e.From == "bed":
				inBed--
			case e.From == "waiting":
				refused[e.Individual] = false
				waiting--
				died++
			}
		}
		if _, err := m.Run(t.Context(), population.Options{Seed: seed, OnEvent: run}); err != nil {
			t.Fatal(err)
		}
		if died == 0 || served < 100 {
			t.Errorf("%d died, %d were served", died, served)
		}
	}
}

// Those for whom there is no supply wait for the next delivery, in the order in which they came.
func TestQueueForSupply(t *testing.T) {
	r := exactSimulate(t, 1, 50, `
name: doses
time: {unit: day, end: 10}
population: {size: 20, start: {a: rest}}
supplies: {doses: {at: 2 days, every: 2 days, count: 6}}
states:
  a: {race: [{rate: 1 per day, to: done, uses: doses, full: waiting, queue: true, name: dose}]}
  waiting: {}
  done: {}
record: {every: 1 day}
`)
	for i := range r.Runs {
		run := &r.Runs[i]
		for row := range run.Rows() {
			waiting, left := run.Waiting(row, 0), run.Supply(row, 0).Left
			if waiting > 0 && left > 0 || waiting != run.Count(row, r.state("waiting")) {
				t.Fatalf("row %d: %d wait, %d doses are left", row, waiting, left)
			}
		}
		if n := run.Count(8, r.state("done")); n < 19 {
			t.Fatalf("%d are done at day 8, and 24 doses have come", n)
		}
	}
}

// A condition is looked at when a delivery has served those who wait, as it is after every event.
func TestConditionSeesDelivery(t *testing.T) {
	r := exactSimulate(t, 1, 1, `
name: delivery
time: {unit: day, end: 3}
population: {size: 60, start: {e: rest}}
supplies: {doses: {every: 1 day, count: 50}}
states:
  e: {race: [{after: 0.5 days, to: r, uses: doses, full: w, queue: true}]}
  w: {}
  r: {}
  gone: {}
interventions: [{when: {r: above 55}, who: r, to: gone}]
record: {every: 1 day}
`)
	for row, gone := range []int{0, 60, 60, 60} { // 50 by the first delivery, 10 by the second at 1 day
		if n := r.Runs[0].Count(row, r.state("gone")); n != gone {
			t.Errorf("row %d: %d are gone, expected %d", row, n, gone)
		}
	}
}
