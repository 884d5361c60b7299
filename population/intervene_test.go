package population

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/almanac-sim/almanac/population/internal/law"
)

// A clock with a memory goes on whatever its parameter becomes, also if that was without memory in
// between.
func TestMemoryOutlastsDetours(t *testing.T) {
	m := modelFrom(t, `
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
	l := law.Gamma(10, 20)
	got, want := float64(result.Runs[0].Count(len(m.Times())-1, 0))/100_000, l.Survival(8)
	if z := (got - want) / math.Sqrt(want*(1-want)/100_000); math.Abs(z) > 4.5 {
		t.Errorf("%.4f are early, want %.4f: off by %.1f standard errors", got, want, z)
	}
}

// A row shows the interventions of its time, and the clocks that fire then, whatever rounding
// makes of it; and both have the time that was written.
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
		m := modelFrom(t, fmt.Sprintf(`
name: rows
time: {unit: year, start: %v, end: %v}
population: {size: 10, start: {a: 5, c: 5}}
states: {a: {}, b: {}, c: {race: [{after: %v years, to: b}]}}
interventions: [{at: %v years, who: a, to: b}]
record: {every: %v years}
`, c.start, c.end, c.after, c.at, c.every))
		var moved, fired []float64
		result, err := m.Run(context.Background(), Options{OnEvent: func(e Event) {
			if e.Kind == Started {
				return
			}
			if e.From == "a" {
				moved = append(moved, e.Time)
			} else {
				fired = append(fired, e.Time)
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []struct {
			state int
			at    float64
			times []float64
		}{{0, c.at, moved}, {2, c.start + c.after, fired}} {
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
