//go:build !race

package engine

import (
	"context"
	"math"
	"testing"
)

// A clock without memory that fires after the end may be drawn again and then fire before it,
// wherever timers lie.
func TestTimersAfterTheEndAreDrawnAnew(t *testing.T) {
	m := programOf(t, `
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
	for _, rule := range []sparseRule{usualSparse, {1, 100, 0}, {1, 0, 100}} {
		r := Run{sparseRule: rule}
		walk(t, &r, m, 1, 0.5)
		if (r.sparseTimers != nil) != (rule.least == 1) {
			t.Error("the timers do not lie where they should")
		}
		got := float64(r.Counts[1]) / n
		if z := (got - want) / math.Sqrt(want*(1-want)/n); math.Abs(z) > 4.5 {
			t.Errorf("%v: %.4f are left, want %.4f: off by %.1f standard errors", rule, got, want, z)
		}
	}
}

// Whoever is there already does not move, and is not counted: neither by an intervention nor by a
// clock.
func TestMovesCountThoseWhoMove(t *testing.T) {
	m := programOf(t, `
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
	r := Run{sparseRule: usualSparse}
	if err := r.Start(context.Background(), m, 1, 0); err != nil {
		t.Fatal(err)
	}
	north, male := uint64(0), uint64(0)
	for id := r.firstID; int(id) < r.Used; id++ {
		north += uint64(1 - r.attributes[0].Of(id))
		male += uint64(r.attributes[1].Of(id))
	}
	if err := r.Advance(context.Background(), 10, nil); err != nil {
		t.Fatal(err)
	}
	want := map[string]uint64{"once": north, "again": 0, "clock": male} // in 10 days everybody's clock has fired
	for k, name := range m.CountedNames {
		if got := r.Named[k]; got != want[name] {
			t.Errorf("%s: %d moved, want %d", name, got, want[name])
		}
	}
}
