package population_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/population"
)

// A crowd follows who is alive, and where, from what a run tells of. There is one for each replica.
// Individuals go by their ids, because it is from them that contacts are drawn.
type crowd struct {
	byAge  []uint32          // the living, in the order in which they entered
	region map[uint32]string // of each of the living
	since  float64           // when the living last changed
	lived  float64           // person-time
}

func newCrowd() *crowd { return &crowd{region: map[uint32]string{}} }

// follow takes notice of an event. Where the state tells a region it is before a space: "north
// hit".
func (c *crowd) follow(e population.Event, region string) {
	_, alive := c.region[e.Place()]
	c.lived += float64(len(c.byAge)) * (e.Time - c.since)
	c.since = e.Time
	switch {
	case e.To == population.Out:
		delete(c.region, e.Place())
		c.byAge = slices.DeleteFunc(c.byAge, func(id uint32) bool { return id == e.Place() })
		return
	case !alive:
		c.byAge = append(c.byAge, e.Place())
	}
	c.region[e.Place()] = region
}

// others are the living but one, by age; only those of a region, if it is not "".
func (c *crowd) others(than uint32, region string) []uint32 {
	var all []uint32
	for _, id := range c.byAge {
		if id != than && (region == "" || c.region[id] == region) {
			all = append(all, id)
		}
	}
	return all
}

// ranks sorts out whom individuals meet, in ten classes of their rank among those whom they could
// meet.
type ranks struct{ observed, expected [10]float64 }

// add notes that the one at a place among n was met.
func (r *ranks) add(place, n int) {
	class := func(place int) int { return place * len(r.observed) / n }
	r.observed[class(place)]++
	for k := range n {
		r.expected[class(k)] += 1 / float64(n)
	}
}

// A tally is the ranks by three orders: by age, by id, and by id from the one who meets them on. A
// choice that prefers old or new individuals, low or high ids, or neighbours, shows in one of them.
type tally [3]ranks

func (y *tally) meet(by, met uint32, others []uint32) {
	y[0].add(slices.Index(others, met), len(others))
	slices.Sort(others)
	place := slices.Index(others, met)
	y[1].add(place, len(others))
	first, _ := slices.BinarySearch(others, by)
	y[2].add((place-first+len(others))%len(others), len(others))
}

func (y *tally) check(t *testing.T, what string) {
	t.Helper()
	for i, order := range []string{"age", "id", "id from one's own"} {
		checkChiSquare(t, what+", by "+order, y[i].observed[:], y[i].expected[:])
	}
}

// sum adds the tallies of the replicas.
func sum(all []tally) *tally {
	var total tally
	for _, y := range all {
		for i := range total {
			for k := range total[i].observed {
				total[i].observed[k] += y[i].observed[k]
				total[i].expected[k] += y[i].expected[k]
			}
		}
	}
	return &total
}

// Everybody meets others at some rate. Whoever is met is hit, and as before after no time at all,
// so that every contact can be seen. Individuals are born and die. On day 10 a third of them leave,
// so that among the ids there are gaps, and on day 20 nine tenths of the rest.
const meetingModel = `
name: meetings
time: {unit: day, end: 40}
population: {size: 300, start: {calm: rest}}
states: {calm: {}, hit: {race: [{after: 0 days, to: calm}]}}
always: [{rate: 0.05 per day, to: out}]
births: {rate: 0.05 per day, enter: calm}
transmission: [{from: calm, rate: %v per day, to: {calm: hit}}]
interventions:
  - {at: 10 days, who: everyone, coverage: 33%%, to: out}
  - {at: 20 days, who: everyone, coverage: 90%%, to: out}
record: {every: 20 days}
`

// Contacts are with all others alike, whatever their age and their id, while the population turns
// over and after it has shrunk. There are as many as the person-time and the rate make, a Poisson
// number.
func TestExactContactsAreUniform(t *testing.T) {
	const rate = 3.0
	replicas := testscale.Size(1, 2)
	crowds := make([]*crowd, replicas)
	tallies := [3][]tally{make([]tally, replicas), make([]tally, replicas), make([]tally, replicas)}
	met := make([]float64, replicas)
	for i := range crowds {
		crowds[i] = newCrowd()
	}
	exactObserve(t, population.Options{Seed: 1, Replicas: replicas, OnEvent: func(e population.Event) {
		c := crowds[e.Replica]
		if e.To == "hit" {
			met[e.Replica]++
			if _, alive := c.region[e.ByPlace()]; e.ByPlace() == e.Place() || !alive {
				t.Errorf("%d met by %d", e.Place(), e.ByPlace())
				return
			}
			others := c.others(e.ByPlace(), "")
			if !slices.Contains(others, e.Place()) {
				t.Errorf("%d was met, who is not alive", e.Place())
				return
			}
			tallies[min(2, int(e.Time/10))][e.Replica].meet(e.ByPlace(), e.Place(), others)
		}
		c.follow(e, "")
	}}, meetingModel, rate)
	for i, what := range []string{"full", "with gaps", "shrunk"} {
		sum(tallies[i]).check(t, what)
	}
	all, lived := 0.0, 0.0
	for i, c := range crowds {
		all += met[i]
		lived += c.lived
		if len(c.byAge) > 150 {
			t.Errorf("replica %d: %d are left, expected about 20", i, len(c.byAge))
		}
	}
	// The time that is left after the last event does not count; it is short, and so is what is
	// expected in it.
	checkZ(t, "contacts", all, rate*lived, math.Sqrt(rate*lived))
}

// The same with two regions, between which individuals move. Everybody enters in the north. A
// contact is with someone in a region with the probability in the matrix, unless there is nobody,
// and all the others there are alike.
func TestExactContactsAreUniformInRegions(t *testing.T) {
	replicas := testscale.Size(1, 2)
	regionOf := map[string]string{"north calm": "north", "north hit": "north", "south calm": "south", "south hit": "south"}
	crowds, tallies := make([]*crowd, replicas), [2][]tally{make([]tally, replicas), make([]tally, replicas)}
	across := make([][2]pair, replicas) // contacts from region to region
	for i := range crowds {
		crowds[i] = newCrowd()
	}
	index := map[string]int{"north": 0, "south": 1}
	exactObserve(t, population.Options{Seed: 1, Replicas: replicas, OnEvent: func(e population.Event) {
		c, region := crowds[e.Replica], regionOf[e.To]
		if e.To == "north hit" || e.To == "south hit" {
			if c.region[e.Place()] != region || e.ByPlace() == e.Place() {
				t.Errorf("%d in %s was met in %s by %d", e.Place(), c.region[e.Place()], region, e.ByPlace())
				return
			}
			across[e.Replica][index[c.region[e.ByPlace()]]][index[region]]++
			tallies[min(1, int(e.Time/20))][e.Replica].meet(e.ByPlace(), e.Place(), c.others(e.ByPlace(), region))
		}
		c.follow(e, region)
	}}, `
name: meetings in regions
time: {unit: day, end: 40}
attributes: {region: {north: 100%%, south: 0%%}}
population: {size: 300, start: {north calm: rest}}
states:
  north calm: {}
  south calm: {}
  north hit: {race: [{after: 0 days, to: north calm}]}
  south hit: {race: [{after: 0 days, to: south calm}]}
always:
  - {rate: 0.05 per day, to: out}
  - {rate: 0.3 per day, from: north calm, to: south calm, move: {region: south}}
  - {rate: 0.2 per day, from: south calm, to: north calm, move: {region: north}}
births: {rate: 0.05 per day, enter: north calm}
transmission:
  - from: [north calm, south calm]
    rate: 3 per day
    to: {north calm: north hit, south calm: south hit}
    mixing: {by: region, matrix: [[0.7, 0.3], [0.2, 0.8]]}
interventions:
  - {at: 1 day, who: everyone, coverage: 30%%, to: south calm, move: {region: south}}
  - {at: 20 days, who: everyone, coverage: 80%%, to: out}
record: {every: 20 days}
`)
	sum(tallies[0]).check(t, "before")
	sum(tallies[1]).check(t, "shrunk")
	var total [2]pair
	for _, a := range across {
		for i := range total {
			for j := range total[i] {
				total[i][j] += a[i][j]
			}
		}
	}
	checkShare(t, "from the south to the north", total[1][0], total[1][0]+total[1][1], 0.2)
}

// In a population that has shrunk to a fifteenth and then stays as it is, every pair is as frequent
// as every other. A slot of the list of the living that is chosen too often would show here.
func TestExactContactsOfPairs(t *testing.T) {
	type pairOf struct{ by, met uint32 }
	const replicas = 4
	var pairs [replicas]map[pairOf]float64
	for i := range pairs {
		pairs[i] = map[pairOf]float64{}
	}
	r := exactObserve(t, population.Options{Seed: 1, Replicas: replicas, OnEvent: func(e population.Event) {
		if e.To == "hit" {
			pairs[e.Replica][pairOf{e.ByPlace(), e.Place()}]++
		}
	}}, `
name: pairs
time: {unit: day, end: 500}
parameters: {beta: 0 per day}
population: {size: 300, start: {calm: rest}}
states: {calm: {}, hit: {race: [{after: 0 days, to: calm}]}}
transmission: [{from: calm, rate: beta, to: {calm: hit}}]
interventions:
  - {at: 1 day, who: everyone, coverage: 94%%, to: out}
  - {at: 2 days, enter: calm, count: 3}
  - {at: 2 days, set: {beta: 1 per day}}
record: {every: 500 days}
`)
	for i, seen := range pairs {
		n := r.Runs[i].Total(r.last())
		all := 0.0
		var observed, expected []float64
		for _, k := range seen {
			all += k
			observed = append(observed, k)
		}
		for len(observed) < n*(n-1) {
			observed = append(observed, 0)
		}
		slices.Sort(observed) // in no order that depends on a map; nothing is pooled, since more than ten are expected
		for range observed {
			expected = append(expected, all/float64(n*(n-1)))
		}
		if len(observed) > n*(n-1) {
			t.Errorf("replica %d: %d pairs, more than there are of %d individuals", i, len(observed), n)
			continue
		}
		checkChiSquare(t, fmt.Sprintf("%d individuals", n), observed, expected)
	}
}
