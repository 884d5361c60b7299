package population

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/internal/soak"
)

// everything is a model with all there is: births, immigration, moves between groups, splits, races, clocks of always of each
// sort, contacts with and without mixing, and interventions of each sort.
const everything = `
name: everything
time: {unit: day, start: 100, end: 160}
population:
  size: 300
  age: {uniform: {low: 0 days, high: 30 days}}
  start: {a: 40%, b: 10, c: rest}
parameters:
  beta: 0.4 per day
  gone: {exponential: {mean: 15 days}}
  slow: {gamma: {mean: 4 days, shape: 3}}
attributes:
  region: {north: 30%, south: 70%}
  sex: {f: 0.5, m: 0.5}
states:
  a: {}
  b:
    split:
      - {chance: 30%, after: slow, to: c}
      - {chance: 20%, rate: beta, to: a}
      - {otherwise: true, after: {exponential: {mean: 3 days}}, to: d}
    race:
      - {after: 9 days, to: out, name: end of b}
      - {after: gone, to: d}
      - {rate: 0.01 per day, to: b, name: again}
  c:
    race:
      - {after: {weibull: {scale: 5 days, shape: 2}}, to: a}
      - {after: {lognormal: {mean: 6 days, sd: 3 days}}, to: b}
  d: {race: [{rate: 0.2 per day, to: a}]}
transmission:
  - {from: b, rate: beta, to: {a: b, c: out}, chance: 50%}
  - {from: [b, d], rate: beta, to: {a: c}, mixing: {by: region, matrix: [[0.9, 0.1], [0.2, 0.8]]}}
always:
  - {after: {weibull: {scale: 40 days, shape: 4}}, to: out, name: death}
  - {after: 12 days, from: [a, c], chance: 80%, to: d, name: once}
  - {after: {exponential: {mean: 20 days}}, to: a, name: once at random}
  - {rate: 0.02 per day, move: {region: north}, name: north}
  - {rate: 0.01 per day, from: c, to: out}
births: [{rate: 0.02 per day, enter: a}, {rate: 0.05 per day, from: d, enter: c, name: special}]
immigration:
  - {rate: 3 per day, enter: a, age: {uniform: {low: 0 days, high: 20 days}}}
  - {rate: 1 per day, per: 300, enter: b}
interventions:
  - {at: 110 days, set: {beta: 0.1 per day, gone: {exponential: {mean: 5 days}}}}
  - {at: 115 days, every: 10 days, until: 140 days, who: [a, b], coverage: 30%, to: c, name: campaign}
  - {at: 120 days, who: everyone, where: {region: north}, move: {region: south}, name: southwards}
  - {at: 125 days, set: {gone: {gamma: {mean: 5 days, shape: 2}}, beta: 0 per day}}
  - {at: 130 days, enter: b, count: 40}
  - {at: 135 days, who: everyone, coverage: 80%, to: out, name: catastrophe}
  - {at: 140 days, set: {beta: 2 per day}}
record: {every: 0.25 days}
`

func compiled(t *testing.T, source string) *Model {
	t.Helper()
	m, err := Compile("model.yaml", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// walk runs a replica in small steps and looks at it after each.
func walk(t *testing.T, r *replica, m *Model, seed uint64, step float64) {
	t.Helper()
	ctx := context.Background()
	if err := r.start(ctx, m, seed, 0); err != nil {
		t.Fatal(err)
	}
	if err := r.settle(ctx); err != nil {
		t.Fatal(err)
	}
	plans := m.plans
	advance := func(to float64) {
		if err := r.run(ctx, to, nil); err != nil {
			t.Fatal(err)
		}
		if err := r.check(); err != nil {
			t.Fatalf("seed %d, time %v: %v", seed, r.now, err)
		}
	}
	for at := 0.0; at < r.end; at += step {
		for len(plans) > 0 && plans[0].at <= at {
			advance(plans[0].at)
			if err := r.intervene(ctx, &plans[0], len(m.plans)-len(plans)); err != nil {
				t.Fatal(err)
			}
			if err := r.check(); err != nil {
				t.Fatalf("seed %d, after %s: %v", seed, plans[0].text.what, err)
			}
			plans = plans[1:]
		}
		advance(at)
	}
}

// The invariants hold at all times, in a replica that is used again and again.
func TestInvariants(t *testing.T) {
	m := compiled(t, everything)
	r := replica{rule: usualAside}
	thinned, flows := 0, make([]uint64, len(m.flows))
	for seed := range soak.Size[uint64](8, 20) {
		walk(t, &r, m, seed, 0.05)
		if r.all != nil {
			thinned++
		}
		for k, n := range r.flows {
			flows[k] += n
		}
	}
	for k, n := range flows {
		if n == 0 {
			t.Errorf("nobody ever went %v", m.flows[k])
		}
	}
	if thinned == 0 {
		t.Error("no population became thin")
	}
}

// A population that outgrows its arrays keeps everybody.
func TestGrowth(t *testing.T) {
	m := compiled(t, `
name: growth
time: {unit: day, start: 0, end: 12}
population: {size: 10, start: {a: rest}}
states: {a: {race: [{after: 2 days, to: b}]}, b: {split: [{otherwise: true, after: 1 day, to: a}]}}
attributes: {group: {x: 50%, y: 50%}}
transmission: [{from: a, rate: 0.1 per day, to: {b: a}, mixing: {by: group, matrix: [[1, 0], [0, 1]]}}]
births: {rate: 0.8 per day, enter: a}
`)
	r := replica{rule: usualAside}
	walk(t, &r, m, 1, 0.5)
	if r.alive < 10_000 {
		t.Errorf("%d are alive, expected about 10·e^9.6", r.alive)
	}
}

// An interrupted run returns what was recorded, and says that it is incomplete.
func TestInterrupted(t *testing.T) {
	m := compiled(t, everything)
	for _, after := range []int{0, 50, 700} {
		ctx, cancel := context.WithCancel(context.Background())
		rows := 0
		result, err := m.Run(ctx, Options{Replicas: 10, Workers: 1, OnRecord: func(Record) {
			if rows++; rows == after {
				cancel()
			}
		}})
		if after == 0 { // not interrupted
			if err != nil || result.Incomplete || result.Done != 10 || len(result.Runs) != 10 {
				t.Fatalf("%v, done %d", err, result.Done)
			}
			cancel()
			continue
		}
		per := len(m.rows)
		if err != context.Canceled || !result.Incomplete || result.Done != after/per || len(result.Runs) != after/per+1 {
			t.Fatalf("%d rows: %v, done %d, %d runs", after, err, result.Done, len(result.Runs))
		}
		last := &result.Runs[len(result.Runs)-1]
		if last.Rows() != after%per {
			t.Errorf("%d rows of the last replica, want %d", last.Rows(), after%per)
		}
		if s := result.State(0); len(s.Mean) != min(per, after) {
			t.Errorf("%d means after %d rows", len(s.Mean), after)
		}
		if _, err := result.MarshalJSON(); err != nil {
			t.Error(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	result, err := m.Run(ctx, Options{})
	if err != context.Canceled || !result.Incomplete || result.Rows() != 0 {
		t.Errorf("%v, %+v", err, result)
	}
}

// Where one replica alone has recorded a row, the standard deviation is missing, not 0; reading it back keeps it so.
func TestDeviationOfOne(t *testing.T) {
	m := compiled(t, everything)
	per := len(m.rows)
	for _, c := range []struct{ replicas, rows int }{
		{1, per},            // one, complete
		{10, 50},            // one of ten, interrupted
		{10, per + 50},      // two of ten, one of them interrupted
		{10, 2*per + per/2}, // three of ten
	} {
		ctx, cancel := context.WithCancel(context.Background())
		rows := 0
		result, err := m.Run(ctx, Options{Replicas: c.replicas, Workers: 1, OnRecord: func(Record) {
			if rows++; rows == c.rows {
				cancel()
			}
		}})
		cancel()
		if err != nil && err != context.Canceled {
			t.Fatal(err)
		}
		text, err := json.Marshal(result)
		if err != nil {
			t.Fatal(err)
		}
		var read struct {
			States map[string]Series
			Flows  map[string]Series
			Total  Series
		}
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatal(err)
		}
		all := []Series{result.State(0), result.Total(), result.Flow(0), result.Named(0), read.States["a"], read.Flows[m.flows[0].String()], read.Total}
		for k, s := range all {
			for row, sd := range s.SD {
				have := 0
				for i := range result.Runs {
					if row < result.Runs[i].Rows() {
						have++
					}
				}
				if math.IsNaN(sd) != (have == 1) {
					t.Fatalf("%+v, series %d, row %d: sd %v of %d replicas", c, k, row, sd, have)
				}
			}
		}
		if !slices.Contains(all[4].Mean, 120) || len(all[4].SD) != min(c.rows, per) {
			t.Errorf("%+v: read back %d rows", c, len(all[4].SD))
		}
	}
}

// Times are those of the model's clock, with a row at the start, every so often, and at the end.
func TestTimes(t *testing.T) {
	for _, c := range []struct{ time, every, want string }{
		{"{unit: day, start: 0, end: 3}", "1 day", "[0 1 2 3]"},
		{"{unit: day, start: 5, end: 8}", "2 days", "[5 7 8]"},
		{"{unit: year, start: 1981, end: 1982}", "3 months", "[1981 1981.25 1981.5 1981.75 1982]"},
		{"{unit: day, end: 1 week}", "1 week", "[0 7]"},
		{"{unit: day, end: 3}", "5 days", "[0 3]"},
		{"{unit: hour, start: 0, end: 1}", "6 minutes", "[0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1]"},
		{"{unit: day, start: -2, end: 0}", "1 day", "[-2 -1 0]"},
	} {
		m := compiled(t, fmt.Sprintf("name: times\ntime: %s\npopulation: {size: 0, start: {}}\nstates: {a: {}}\nrecord: {every: %s}\n", c.time, c.every))
		if got := fmt.Sprint(m.Times()); got != c.want {
			t.Errorf("%s every %s: %s, want %s", c.time, c.every, got, c.want)
		}
	}
}

// Where timers lie changes nothing: not if they lie aside, and not if they are moved into the words in the middle of a run.
func TestTimersAside(t *testing.T) {
	m := compiled(t, everything)
	events := func(r *replica, seed uint64) []Event {
		var all []Event
		r.onEvent = func(e Event) { all = append(all, e) }
		walk(t, r, m, seed, 1)
		return all
	}
	aside := [2]int{}
	for seed := range soak.Size[uint64](4, 10) {
		want := events(&replica{rule: usualAside}, seed)
		for i, rule := range []asideRule{{1, 100, 0}, {1, 0, 100}} {
			r := replica{rule: rule}
			if got := events(&r, seed); !slices.EqualFunc(got, want, func(a, b Event) bool { return reflect.DeepEqual(a, b) }) {
				t.Fatalf("seed %d: other events if timers lie aside, or share a word: %v", seed, rule)
			}
			if r.shared != (i == 1) {
				t.Fatalf("%v: columns share a word: %v", rule, r.shared)
			}
			aside[i] += r.aside.count()
		}
	}
	if aside[0] == 0 || aside[1] == 0 || aside[1] >= aside[0] {
		t.Errorf("%v timers lay aside", aside)
	}

	// All begin without timers and get them at once.
	sudden := compiled(t, `
name: sudden
time: {unit: day, start: 0, end: 30}
population: {size: 40_000, start: {b: 10, a: rest}}
states:
  a: {}
  b: {race: [{after: {gamma: {mean: 9 days, shape: 2}}, to: a}], split: [{chance: 50%, after: 8 days, to: a}, {otherwise: true, after: 1 day, to: b}]}
transmission: [{from: b, rate: 2 per day, to: {a: b}}]
`)
	var counts [2][]int
	for i, rule := range []asideRule{{1, 0.125, 0}, usualAside} {
		r := replica{rule: rule}
		walk(t, &r, sudden, 1, 5)
		counts[i] = r.counts
		if r.aside != nil {
			t.Error("the timers still lie aside")
		}
	}
	if !slices.Equal(counts[0], counts[1]) {
		t.Errorf("%v if timers are moved, %v if they lie in the words from the start", counts[0], counts[1])
	}
}

// The table of timers is a map.
func TestAsideTable(t *testing.T) {
	a := newAside()
	want := map[uint64]uint64{}
	s := random.New(1)
	for i := range 300_000 {
		// Ids from a growing and then shrinking range, so that chains form, wrap round and break.
		id, column := uint32(s.Below(uint64(1+i%50_000))), int(s.Below(3))
		key := asideKey(id, column)
		switch s.Below(3) {
		case 0:
			a.remove(id, column)
			delete(want, key)
		default:
			word := s.Uint64()
			a.set(id, column, word)
			want[key] = word
		}
		if got := a.entries[a.find(key)]; got.key != 0 != (want[key] != 0) || got.key != 0 && a.get(id, column) != want[key] {
			t.Fatalf("step %d: %v, want %v", i, got, want[key])
		}
	}
	if a.count != len(want) {
		t.Fatalf("%d entries, want %d", a.count, len(want))
	}
	for key, word := range want {
		if got := a.get(uint32(key>>8), int(key&255)-1); got != word {
			t.Fatalf("key %d: %v, want %v", key, got, word)
		}
	}
}
