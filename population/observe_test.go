package population_test

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/population"
)

// Test 1 of the section: arrivals at 5 per day are seen with 40 % after an exponential delay with
// mean 2 days: those seen by t are Poisson with mean 0.4·5·(t − 2(1 − e^(−t/2))).
func TestExactSeen(t *testing.T) {
	r := exactSimulate(t, 1, testscale.Size(8000, 200_000), `
name: seen
time: {unit: day, end: 6}
population: {size: 0, start: {}}
states: {X: {race: [{rate: 1 per day, to: out}]}}
immigration: {rate: 5 per day, enter: X, name: arrival}
observe: {seen: {of: arrival, chance: 40%%, after: {exponential: {mean: 2 days}}}, all: {of: immigration->X}}
record: {every: 2 days}
`)
	for row, want := range map[int]float64{1: 1.471518, 3: 8.199148} {
		seen := r.seen(row, 0)
		checkMean(t, "seen", seen, want)
		checkVariance(t, "seen", seen, want)
	}
	checkMean(t, "all", r.seen(3, 1), 30)
	mean, _, se, _ := moments(r.seen(1, 0))
	checkNotices(t, "those seen at once", mean, 0.4*5*2, se)
}

// Test 2: of 20 immune and 30 susceptible people 10 are tested, 90 % and 2 %: positives have mean
// 3.72 and variance 1.994792, and 3.72 are expected always. With a delay none is counted before.
func TestExactSurvey(t *testing.T) {
	const text = `
name: survey
time: {unit: day, end: 4}
population: {size: 50, start: {immune: 20, susceptible: rest}}
states: {susceptible: {}, immune: {}}
observe: {survey: {at: 1 day, count: 10, chance: {by: state, immune: 90%%, susceptible: 2%%}%s}}
record: {every: 1 day}
`
	for _, after := range []string{"", ", after: 1 day"} {
		r := exactSimulate(t, 3, testscale.Size(8000, 200_000), text, after)
		checkMean(t, "positive", r.seen(4, 0), 3.72)
		checkVariance(t, "positive", r.seen(4, 0), 1.994792)
		_, variance, _, se := moments(r.seen(4, 0))
		checkNotices(t, "people drawn with repetition", variance, 2.336160, se)
		for i := range r.Runs {
			run := &r.Runs[i]
			if math.Abs(run.Expected(1, 0)-3.72) > 1e-12 || run.Expected(0, 0) != 0 || run.Tested(4, 0) != 10 {
				t.Fatalf("%v expected, %d tested", run.Expected(1, 0), run.Tested(4, 0))
			}
			if want := uint64(10 * (1 - min(1, len(after)))); run.Tested(1, 0) != want || want == 0 && run.Seen(1, 0) > 0 {
				t.Fatalf("%d tested at once", run.Tested(1, 0))
			}
		}
	}
}

// Test 3: three people in a row infect their neighbours at 0.5 per day each, for exactly 3 days.
// The generation time of the third, from the infection of the second, has mean 2 − 3e^−1.5/(1 −
// e^−1.5).
func TestExactGenerationTime(t *testing.T) {
	const text = `
name: row
time: {unit: day, end: 10}
population:
  size: 3
  groups:
    - {count: 1, with: {place: one}, start: {ill: rest}}
    - {count: 1, with: {place: two}, start: {well: rest}}
    - {count: 1, with: {place: three}, start: {well: rest}}
attributes: {place: {one: 40%%, two: 30%%, three: 30%%}}
states: {well: {}, ill: {race: [{after: 3 days, to: done}]}, done: {}}
transmission:
  - from: ill
    rate: {by: place, one: 0.5 per day, two: 1 per day, three: 0.5 per day}
    mixing: {by: place, matrix: [[0, 1, 0], [0.5, 0, 0.5], [0, 1, 0]]}
    to: {well: ill}
    name: infection
record: {every: 1 day, tree: {of: infection}}
`
	var times []float64
	o := population.Options{Seed: 1, Replicas: testscale.Size(8000, 100_000), Workers: 1}
	o.OnInfection = func(e population.Infection) {
		want := population.Infection{
			Replica: e.Replica, Infected: 2, By: 1, Generation: 1, Root: 1, Time: e.Time, ByTime: e.ByTime,
		}
		if e.Infected == 3 {
			want.Infected, want.By, want.Generation = 3, 2, 2
			times = append(times, e.Time-e.ByTime)
		} else if !math.IsNaN(e.ByTime) {
			t.Errorf("the first was infected at %v", e.ByTime)
		}
		if want.ByTime = e.ByTime; e.Infected != want.Infected || e.By != want.By ||
			e.Generation != want.Generation || e.Root != 1 {
			t.Errorf("%+v, want %+v", e, want)
		}
	}
	r := exactObserve(t, o, text)
	checkMean(t, "generation time", times, 1.138349)
	tree := r.Tree()
	if tree.GenerationTime.N != uint64(len(times)) || tree.Chains[3] != uint64(len(times)) {
		t.Errorf("%d generation times and %d chains of three, want %d", tree.GenerationTime.N, tree.Chains[3], len(times))
	}
	mean, _, _, _ := moments(times)
	if math.Abs(tree.GenerationTime.Mean-mean) > 1e-9 {
		t.Errorf("mean %v, want %v", tree.GenerationTime.Mean, mean)
	}
	slices.Sort(times)
	for p, got := range map[float64]float64{0.05: tree.GenerationTime.Q05, 0.5: tree.GenerationTime.Median,
		0.95: tree.GenerationTime.Q95} {
		if want := times[int(math.Ceil(p*float64(len(times))))-1]; math.Abs(got/want-1) > 0.0021 {
			t.Errorf("quantile %v: %v, want %v", p, got, want)
		}
	}
}

// Test 4: one mild and two severe infect ten at a rate by counts: the source is 1, 2 or 3 in shares
// 20, 40 and 40 %, and by 2 days 10·(1 − e^−1) are infected.
func TestExactSource(t *testing.T) {
	var by [4]float64
	all := 0.0
	o := population.Options{Seed: 2, Replicas: testscale.Size(2500, 50_000), Workers: 1}
	o.OnInfection = func(e population.Infection) {
		by[e.By]++
		all++
	}
	r := exactObserve(t, o, `
name: source
time: {unit: day, end: 2}
population: {size: 13, start: {mild: 1, severe: 2, susceptible: rest}}
states:
  mild: {}
  severe: {}
  susceptible: {race: [{rate: {value: 0.1 per day * (count(mild) + 2 * count(severe)), most: 3 per day}, to: infected,
    source: {mild: 1, severe: 2}, name: infection}]}
  infected: {}
record: {every: 1 day, tree: {of: infection}}
`)
	checkMean(t, "infected", r.counts(2, "infected"), 6.321206)
	if by[0] > 0 {
		t.Errorf("%v have nobody", by[0])
	}
	for k, p := range map[int]float64{1: 0.2, 2: 0.4, 3: 0.4} {
		checkZ(t, "share", by[k]/all, p, math.Sqrt(p*(1-p)/all))
	}
}

// seen are how many were seen by a row, in each replica.
func (r exactRun) seen(row, observation int) (all []float64) {
	for i := range r.Runs {
		all = append(all, float64(r.Runs[i].Seen(row, observation)))
	}
	return all
}

// bare is a model without what is only looked at.
func bare(text string) string {
	text = regexp.MustCompile(`(?s)\nobserve:.*?\nrecord:`).ReplaceAllString(text, "\nrecord:")
	text = regexp.MustCompile(`\n  (people|tree): .*`).ReplaceAllString(text, "")
	return regexp.MustCompile(`,\s+source: ({[^}]*}|\w+)`).ReplaceAllString(text, "")
}

// A run that is looked at is the run that is not, byte for byte in states and flows.
func TestLookingChangesNothing(t *testing.T) {
	looked := population.Busy["observed"]
	plain := bare(looked)
	if strings.Contains(plain, "tree:") || strings.Contains(plain, "observe:") || strings.Contains(plain, "source") {
		t.Fatal(plain)
	}
	counts := func(text string, o population.Options) []byte {
		var b bytes.Buffer
		m := compiled(t, text)
		r, err := m.Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Runs {
			run := &r.Runs[i]
			for row := range run.Rows() {
				for s := range m.Counted() {
					fmt.Fprint(&b, " ", run.Count(row, s))
				}
				for f := range m.Flows() {
					fmt.Fprint(&b, " ", run.Flow(row, f))
				}
			}
			fmt.Fprintln(&b, " ", run.Events)
		}
		return b.Bytes()
	}
	o := population.Options{Seed: 5, Replicas: 20}
	want := counts(plain, o)
	if got := counts(looked, o); !bytes.Equal(got, want) {
		t.Error("another run")
	}
	rows := 0
	o.Workers = 1
	o.OnInfection, o.OnPerson = func(population.Infection) { rows++ }, func(population.Person) { rows++ }
	if got := counts(looked, o); !bytes.Equal(got, want) || rows == 0 {
		t.Errorf("another run with %d rows written", rows)
	}
}

// The tree and the line list agree with the events and with one another.
func TestTreeAndPeople(t *testing.T) {
	m := compiled(t, strings.Replace(population.Busy["observed"], ", only: caught", "", 1))
	type infection struct {
		by uint64
		at float64
	}
	events, last := map[uint64][]infection{}, map[uint64]population.Event{}
	tree := map[uint64][]infection{}
	people, caught := map[uint64]population.Person{}, 0
	o := population.Options{Seed: 9, Workers: 1}
	o.OnEvent = func(e population.Event) {
		if e.Name == "caught" {
			by := e.By
			if by == e.Individual {
				by = 0
			}
			events[e.Individual] = append(events[e.Individual], infection{by, e.Time})
			caught++
		}
		last[e.Individual] = e
	}
	generation, root := map[uint64]int{}, map[uint64]uint64{}
	o.OnInfection = func(e population.Infection) {
		tree[e.Infected] = append(tree[e.Infected], infection{e.By, e.Time})
		want, from := 0, e.Infected
		if e.By > 0 {
			want, from = generation[e.By]+1, e.By
			if r, ok := root[e.By]; ok {
				from = r
			}
			before := tree[e.By]
			if len(before) == 0 != math.IsNaN(e.ByTime) || len(before) > 0 && before[len(before)-1].at != e.ByTime {
				t.Errorf("%+v, infected before: %v", e, before)
			}
		}
		if e.Generation != want || e.Root != from {
			t.Errorf("%+v, want generation %d and root %d", e, want, from)
		}
		generation[e.Infected], root[e.Infected] = want, from
	}
	o.OnPerson = func(p population.Person) { people[p.Number] = p }
	r, err := m.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	run := &r.Runs[0]
	end := run.Rows() - 1
	if len(people) != len(last) || caught == 0 || uint64(caught) != run.Named(end, slices.Index(m.Names(), "caught")) {
		t.Fatalf("%d people of %d, %d caught", len(people), len(last), caught)
	}
	reports := uint64(0)
	for number, p := range people {
		if !slices.Equal(events[number], tree[number]) {
			t.Errorf("%d: %v, and the tree has %v", number, events[number], tree[number])
		}
		if first := p.Times[0]; len(events[number]) == 0 != math.IsNaN(first) ||
			len(events[number]) > 0 && first != events[number][0].at {
			t.Errorf("%d: first at %v, and was %v", number, first, events[number])
		}
		if !math.IsNaN(p.Times[1]) {
			if reports++; !(p.Times[1] >= p.Times[0]) || p.Times[1] > m.End() {
				t.Errorf("%d: seen at %v, infected at %v", number, p.Times[1], p.Times[0])
			}
		}
		e := last[number]
		if left := e.Kind == population.Left; left == math.IsNaN(p.Left) || !left && e.To != p.State ||
			left && e.From != p.State || !slices.Equal(e.Values, p.Values) {
			t.Errorf("%d: %+v after %+v", number, p, e)
		}
		if p.How == "births" != (p.Mother > 0) {
			t.Errorf("%d: %s, mother %d", number, p.How, p.Mother)
		}
	}
	if seen := run.Seen(end, 0); seen < reports || reports == 0 {
		t.Errorf("%d people were seen, and %d counted", reports, seen)
	}
	groups := uint64(0)
	for g := range m.Groups() {
		groups += run.In(g).Seen(end, 0)
	}
	if groups != run.Seen(end, 0) {
		t.Errorf("%d seen in groups, %d in all", groups, run.Seen(end, 0))
	}
	sums, n := r.Tree(), 0.0
	for _, share := range sums.Offspring {
		n += share
	}
	infected := uint64(0)
	for _, c := range sums.Reproduction {
		infected += c.N
	}
	if math.Abs(n-1) > 1e-12 || infected != uint64(caught) {
		t.Errorf("offspring of %v, %d in cohorts of %d", n, infected, caught)
	}
}
