package population_test

import (
	"cmp"
	"maps"
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/population"
)

// What happened to someone, without who it was.
type incident struct {
	time           float64
	from, to, name string
}

// Individuals who do not touch each other, with clocks of every kind.
const loners = `
name: loners
time: {unit: day, end: 60}
attributes: {region: {north: 40%%, south: 60%%}}
parameters: {r: 0.1 per day}
population: {size: %d, age: {uniform: {low: 0 days, high: 30 days}}, start: {one: rest}}
states:
  one: {race: [{rate: r, to: two}, {after: {gamma: {mean: 8 days, shape: 2}}, to: three}]}
  two: {split: [{chance: 30%%, after: {lognormal: {mean: 4 days, sd: 2 days}}, to: one},
    {otherwise: true, rate: 0.2 per day, to: three}]}
  three: {race: [{after: {uniform: {low: 1 day, high: 9 days}}, to: one}, {rate: 0.05 per day, to: two}]}
always:
  - {after: {weibull: {scale: 60 days, shape: 3}}, to: out, name: death}
  - {after: {gamma: {mean: 30 days, shape: 4}}, to: three, from: [one, two], chance: 50%%, name: turn}
%s
interventions:
  - {at: 20 days, set: {r: 0.3 per day}}
  - {at: 30 days, who: two, where: {region: south}, coverage: 50%%, to: one, name: campaign}
%s
record: {every: 10 days}
`

// incidents are what happened in a run, by replica. The model may have entries and a further
// intervention.
func incidents(t *testing.T, seed uint64, replicas, size int, entries, intervention string) [][]population.Event {
	t.Helper()
	all := make([][]population.Event, replicas)
	exactObserve(t, population.Options{Seed: seed, Replicas: replicas, OnEvent: func(e population.Event) {
		if e.Kind != population.Started { // which is the same whatever one's luck
			all[e.Replica] = append(all[e.Replica], e)
		}
	}}, loners, size, entries, intervention)
	return all
}

func byIndividual(events []population.Event) map[uint64][]incident {
	all := map[uint64][]incident{}
	for _, e := range events {
		all[e.Individual] = append(all[e.Individual], incident{e.Time, e.From, e.To, e.Name})
	}
	return all
}

// Another individual changes nothing for those who were there: to each happens the same, at the
// very same times.
func TestExactLuckIsOnesOwn(t *testing.T) {
	const replicas, size = 4, 100
	fewer, more := incidents(t, 1, replicas, size, "", ""), incidents(t, 1, replicas, size+1, "", "")
	other := incidents(t, 2, replicas, size, "", "")
	for k := range replicas {
		a, b, c := byIndividual(fewer[k]), byIndividual(more[k]), byIndividual(other[k])
		if len(a) < size-5 || len(fewer[k]) < 5*size {
			t.Errorf("replica %d: only %d events to %d individuals", k, len(fewer[k]), len(a))
		}
		if len(b[size+1]) == 0 {
			t.Errorf("replica %d: nothing happens to the one who is more", k)
		}
		delete(b, size+1)
		for id, want := range a {
			if !slices.Equal(b[id], want) {
				t.Errorf("replica %d: to %d happens %v in place of %v", k, id, b[id], want)
			}
		}
		if len(a) != len(b) {
			t.Errorf("replica %d: something happens to %d individuals in place of %d", k, len(b), len(a))
		}
		// With another seed, and in another replica, nobody has the same luck.
		next := byIndividual(fewer[(k+1)%replicas])
		for id, want := range a {
			if slices.Equal(c[id], want) || slices.Equal(next[id], want) {
				t.Errorf("replica %d: the same happens to %d by another luck", k, id)
			}
		}
	}
}

// An intervention changes nothing for those whom it does not concern.
func TestExactLuckOfOthers(t *testing.T) {
	const replicas, size = 4, 100
	without := incidents(t, 1, replicas, size, "", "")
	with := incidents(t, 1, replicas, size, "", "  - {at: 10 days, who: three, coverage: 50%, to: one}")
	for k := range replicas {
		a, b := byIndividual(without[k]), byIndividual(with[k])
		concerned := 0
		for id, want := range a {
			state := "one"
			for _, i := range want {
				if i.time <= 10 {
					state = i.to
				}
			}
			if state == "three" {
				concerned++
			} else if !slices.Equal(b[id], want) {
				t.Errorf("replica %d: to %d, who is not concerned, happens %v in place of %v", k, id, b[id], want)
			}
		}
		if concerned < 10 || concerned > 90 {
			t.Errorf("replica %d: %d of %d individuals are concerned", k, concerned, size)
		}
	}
}

// With births and arrivals, children and immigrants get other ids when there is one more. What
// happens is still the same, with something added: that of the one who is more, and of its
// descendants.
func TestExactLuckOfDescendants(t *testing.T) {
	const replicas, size = 4, 100
	entries := "births: {rate: 0.03 per day, enter: one, from: [one, three]}\n" +
		"immigration: {rate: 1 per day, enter: two, age: {uniform: {low: 0 days, high: 40 days}}}"
	fewer, more := incidents(t, 1, replicas, size, entries, ""), incidents(t, 1, replicas, size+1, entries, "")
	for k := range replicas {
		count := map[incident]int{}
		for _, e := range more[k] {
			count[incident{e.Time, e.From, e.To, e.Name}]++
		}
		births := 0
		for _, e := range fewer[k] {
			if e.From == "births" {
				births++
			}
			i := incident{e.Time, e.From, e.To, e.Name}
			if count[i]--; count[i] < 0 {
				t.Errorf("replica %d: %v happens no longer", k, i)
			}
		}
		left := 0
		for n := range maps.Values(count) {
			left += n
		}
		if births < 50 || left == 0 || left > len(fewer[k])/4 {
			t.Errorf("replica %d: %d births, and of %d events %d are added", k, births, len(more[k]), left)
		}
	}
}

// The result is the same to the last count with any number of workers, of a model in which
// everybody depends on everybody.
func TestExactWorkersDoNotMatter(t *testing.T) {
	m := exactCompile(t, `
name: workers
time: {unit: day, end: 80}
attributes: {region: {north: 40%%, south: 60%%}}
parameters: {beta: 0.5 per day}
population: {size: 400, start: {infectious: 5, susceptible: rest}}
states:
  susceptible: {}
  exposed: {split: [{chance: 40%%, after: 2 days, to: infectious},
    {otherwise: true, rate: 0.3 per day, to: infectious}]}
  infectious: {race: [{after: {gamma: {mean: 5 days, shape: 2}}, to: recovered}]}
  recovered: {}
always: [{after: {weibull: {scale: 70 days, shape: 2}}, to: out, name: death}]
births: {rate: 0.015 per day, enter: susceptible, name: birth}
immigration: {rate: 2 per day, enter: susceptible}
transmission:
  - {from: infectious, rate: beta, to: {susceptible: exposed}, name: anywhere}
  - {from: infectious, rate: 0.1 per day, to: {susceptible: exposed},
     mixing: {by: region, matrix: [[0.9, 0.1], [0.3, 0.7]]}}
interventions: [{at: 20 days, set: {beta: 0.2 per day}}, {at: 25 days, who: susceptible, coverage: 20%%, to: recovered}]
record: {every: 5 days}
`)
	replicas := testscale.Size(10, 20)
	var first *population.Result
	for _, workers := range []int{1, 2, 3, 8} {
		r, err := m.Run(t.Context(), population.Options{Seed: 1, Replicas: replicas, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = r
			if a, b := &r.Runs[0], &r.Runs[1]; compareRuns(m, a, b) == 0 {
				t.Error("two replicas are the same")
			}
			continue
		}
		if r.Events != first.Events || r.PersonYears != first.PersonYears || len(r.Runs) != replicas {
			t.Errorf("%d workers: %d events in %v person-years, with one worker %d in %v", workers, r.Events, r.PersonYears,
				first.Events, first.PersonYears)
		}
		for k := range first.Runs {
			if compareRuns(m, &first.Runs[k], &r.Runs[k]) != 0 {
				t.Errorf("%d workers: replica %d is another", workers, k)
			}
		}
	}
}

// compareRuns is 0 if all that was recorded of two runs is the same, apart from which replica it
// was.
func compareRuns(m *population.Model, a, b *population.Run) int {
	if a.Rows() != b.Rows() || a.PersonYears != b.PersonYears || !slices.Equal(a.Peaks, b.Peaks) {
		return 1
	}
	c := cmp.Compare(a.Events, b.Events)
	for row := range a.Rows() {
		for i := range m.States() {
			c = cmp.Or(c, cmp.Compare(a.Count(row, i), b.Count(row, i)))
		}
		for i := range m.Flows() {
			c = cmp.Or(c, cmp.Compare(a.Flow(row, i), b.Flow(row, i)))
		}
		for i := range m.Names() {
			c = cmp.Or(c, cmp.Compare(a.Named(row, i), b.Named(row, i)))
		}
	}
	return c
}
