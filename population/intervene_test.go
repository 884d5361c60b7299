package population

import (
	"context"
	"fmt"
	"math"
	"testing"
)

// A clock with a memory goes on whatever its parameter becomes, also if that was without memory in between.
func TestMemoryOutlastsDetours(t *testing.T) {
	m := compiled(t, `
name: detour
time: {unit: day, end: 8}
population: {size: 100_000, start: {early: rest}}
parameters: {stay: {gamma: {mean: 10 days, shape: 20}}}
states: {early: {race: [{after: stay, to: there}]}, there: {}}
interventions:
  - {at: 2 days, set: {stay: {exponential: {mean: 3 days}}}}
  - {at: 4 days, set: {stay: {exponential: {mean: 1 day}}}}
`)
	result, err := m.Run(context.Background(), Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	l := gamma(10, 20)
	got, want := float64(result.Runs[0].Count(len(m.rows)-1, 0))/100_000, l.survival(8)
	if z := (got - want) / math.Sqrt(want*(1-want)/100_000); math.Abs(z) > 4.5 {
		t.Errorf("%.4f are early, want %.4f: off by %.1f standard errors", got, want, z)
	}
}

// A clock without memory that strikes after the end may be drawn anew and then strike before it, wherever timers lie.
func TestTimersAfterTheEndAreDrawnAnew(t *testing.T) {
	m := compiled(t, `
name: late
time: {unit: day, end: 20}
population: {size: 1000, start: {idle: rest}}
parameters: {life: {gamma: {mean: 1000 days, shape: 20}}}
states: {idle: {}, late: {}}
always: [{after: life, to: out}]
interventions:
  - {at: 1 day, set: {life: {exponential: {mean: 100 days}}}}
  - {at: 2 days, enter: late, count: 20_000}
  - {at: 10 days, set: {life: {exponential: {mean: 2 days}}}}
`)
	const n = 20_000
	want := math.Exp(-8.0/100 - 10.0/2)
	for _, rule := range []asideRule{usualAside, {1, 100, 0}, {1, 0, 100}} {
		r := replica{rule: rule}
		walk(t, &r, m, 1, 0.5)
		if (r.aside != nil) != (rule.least == 1) {
			t.Error("the timers do not lie where they should")
		}
		got := float64(r.counts[1]) / n
		if z := (got - want) / math.Sqrt(want*(1-want)/n); math.Abs(z) > 4.5 {
			t.Errorf("%v: %.4f are left, want %.4f: off by %.1f standard errors", rule, got, want, z)
		}
	}
}

// A row shows the interventions of its time, and the clocks that strike then, whatever rounding makes of it; and both have the time
// that was written.
func TestRowsShowTheirTime(t *testing.T) {
	for _, c := range []struct{ start, end, every, at, after float64 }{
		{0, 10, 0.7, 4.9, 4.9},
		{0, 10, 0.3, 0.9, 0.9},
		{0, 10, 0.1, 0.3, 0.3},
		{2000, 2010, 0.1, 2000.7, 0.7},
		{2000, 2010, 0.1, 2000.6, 0.6},
		{1981, 2011, 1.0 / 12, 1990, 9},
		{-5, 5, 0.1, 0.4, 0.5},
	} {
		m := compiled(t, fmt.Sprintf(`
name: rows
time: {unit: year, start: %v, end: %v}
population: {size: 10, start: {a: 5, c: 5}}
states: {a: {}, b: {}, c: {race: [{after: %v years, to: b}]}}
interventions: [{at: %v years, who: a, to: b}]
record: {every: %v years}
`, c.start, c.end, c.after, c.at, c.every))
		var moved, struck []float64
		result, err := m.Run(context.Background(), Options{OnEvent: func(e Event) {
			if e.Kind == Started {
				return
			}
			if e.From == "a" {
				moved = append(moved, e.Time)
			} else {
				struck = append(struck, e.Time)
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []struct {
			state int
			at    float64
			times []float64
		}{{0, c.at, moved}, {2, c.start + c.after, struck}} {
			for _, time := range want.times {
				if time != want.at {
					t.Errorf("%+v: at %v, want %v", c, time, want.at)
				}
			}
			for row, time := range m.Times() {
				left := result.Runs[0].Count(row, want.state)
				if gone := time >= want.at-1e-9; gone != (left == 0) {
					t.Errorf("%+v: %d left in the row of %v", c, left, time)
				}
			}
		}
	}
}

// Whoever is there already does not move, and is not counted: neither by an intervention nor by a clock.
func TestMovesCountThoseWhoMove(t *testing.T) {
	m := compiled(t, `
name: moves
time: {unit: day, end: 10}
population: {size: 2000, start: {a: rest}}
attributes: {region: {north: 30%, south: 70%}, sex: {f: 50%, m: 50%}}
states: {a: {}}
always: [{rate: 3 per day, move: {sex: f}, name: clock}]
interventions:
  - {at: 2 days, who: everyone, move: {region: south}, name: once}
  - {at: 3 days, who: everyone, move: {region: south}, name: again}
`)
	r := replica{rule: usualAside}
	if err := r.start(context.Background(), m, 1, 0); err != nil {
		t.Fatal(err)
	}
	north, male := uint64(0), uint64(0)
	for id := r.first; int(id) < r.ids; id++ {
		north += uint64(1 - r.values[0].of(id))
		male += uint64(r.values[1].of(id))
	}
	result, err := m.Run(context.Background(), Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	last := result.Rows() - 1
	want := map[string]uint64{"once": north, "again": 0, "clock": male} // in 10 days everybody's clock has struck
	for k, name := range m.Names() {
		if got := result.Runs[0].Named(last, k); got != want[name] {
			t.Errorf("%s: %d moved, want %d", name, got, want[name])
		}
	}
}
