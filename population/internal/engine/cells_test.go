//go:build !race

package engine

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/population/internal/program"
)

// grouped is the model with all there is, with values by group, clocks and contacts for some, and
// contacts that change who makes them.
var grouped = strings.NewReplacer(
	"beta: 0.4 per day\n", "beta: {by: region, north: 0.6 per day, south: 0.3 per day}\n",
	"slow: {gamma: {mean: 4 days, shape: 3}}", "slow: {gamma: {mean: {by: sex, f: 2 days, m: {by: region, north: 4 "+
		"days, other: 5 days}}, shape: 3}}",
	"gone: {exponential: {mean: 15 days}}", "gone: {by: sex, f: {exponential: {mean: 15 days}}, m: 20 days}",
	"{chance: 30%, after: slow, to: c}", "{chance: {by: sex, f: 30%, m: 10%}, after: slow, to: c}",
	"{after: 9 days, to: out, name: end of b}", "{after: 9 days, where: {sex: m}, to: out, name: end of b}",
	"d: {race: [{rate: 0.2 per day, to: a}]}", "d: {race: [{rate: {by: region, north: 0.1 per day, south: 0.4 per "+
		"day}, where: {sex: [f, m]}, to: a}]}",
	"to: {a: b, c: out}, chance: 50%}", "to: {a: b, c: out}, chance: {by: sex, f: 50%, m: {by: sex, of: met, f: 10%, "+
		"m: 90%}}, whom: {region: north}}\n"+
		"  - {from: a, where: {sex: f}, rate: 0.1 per day, to: {b: same}, self: b}\n"+
		"  - {from: d, rate: 0.1 per day, to: {a: d}, self: out}",
	"from: [a, c], chance: 80%,", "from: [a, c], chance: {by: region, north: 80%, south: 20%},",
	"- {after: {exponential: {mean: 20 days}}, to: a, name: once at random}",
	"- {after: {exponential: {mean: 20 days}}, where: {region: south}, to: a, name: once at random}",
	"{weibull: {scale: 40 days, shape: 4}}", "{weibull: {scale: {by: sex, f: 42 days, m: 40 days}, shape: 4}}",
	"births: [{rate: 0.02 per day,", "births: [{rate: 0.04 per day, where: {sex: f},",
	"set: {beta: 0.1 per day,", "set: {beta: {by: sex, f: 0.1 per day, m: 0.2 per day},",
).Replace(everything)

// The invariants hold, wherever timers lie, and the events are the same.
func TestInvariantsByGroup(t *testing.T) {
	m := programOf(t, grouped)
	if m.FirstPhase.States[1].By == nil || m.FirstPhase.Always[0].By == nil || m.FirstPhase.Contacts[0].Chances == nil {
		t.Fatal("nothing depends on the group")
	}
	flows := make([]uint64, len(m.Flows))
	for seed := range testscale.Size[uint64](2, 5) {
		var all [3][]seen
		for i, rule := range []sparseRule{usualSparse, {1, 100, 0}, {1, 0, 100}} {
			r := Run{sparseRule: rule}
			r.OnEvent = func(h *Event) { all[i] = append(all[i], seenIn(m, h)) }
			walk(t, &r, m, seed, 0.2)
			for k, n := range r.Flows {
				flows[k] += n
			}
		}
		if !alike(all[0], all[1]) || !alike(all[0], all[2]) {
			t.Fatalf("seed %d: other events if timers are sparse, or share a word", seed)
		}
	}
	for k, n := range flows {
		if n == 0 {
			t.Errorf("nobody ever went %v", m.Flows[k])
		}
	}
}

// Cells that come out equal are one table, and a table of which all cells are equal is none.
func TestCellsAreShared(t *testing.T) {
	m := programOf(t, `
name: shared
time: {unit: day, end: 1}
population: {size: 10, start: {a: rest}}
attributes: {age: {`+many(100, "a%d: 0.01")+`}, sex: {f: 50%, m: 50%}}
states:
  a: {race: [{rate: {by: age, a7: 2 per day, other: 1 per day}, to: b},
    {after: {by: sex, f: 2 days, m: 3 days}, to: a}]}
  b: {race: [{rate: {by: age, other: 1 per day}, to: a}]}
`)
	a, b := &m.FirstPhase.States[0], &m.FirstPhase.States[1]
	distinct := map[*program.State]bool{}
	for _, cell := range a.Cells {
		distinct[cell] = true
	}
	if len(a.Cells) != 200 || len(distinct) != 4 || a.Timers != 1 || b.By != nil || b.TotalRate != 1 {
		t.Errorf("%d cells, %d tables, %d timers; %+v", len(a.Cells), len(distinct), a.Timers, b)
	}
	r := Run{sparseRule: usualSparse}
	if err := r.Start(context.Background(), m, 1, 0); err != nil {
		t.Fatal(err)
	}
	for id := r.firstID; int(id) < r.Used; id++ {
		r.attributes[0].Set(id, 7)
		r.attributes[1].Set(id, 1)
		if got := r.stateOf(id, 0); got.TotalRate != 2 || got.Race[0].Law.Longest() != 3 {
			t.Errorf("%+v", got)
		}
	}
}

func many(n int, format string) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(format, i))
	}
	return strings.Join(all, ", ")
}
