package population_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/population/results"
)

// supplyOf is a supply of a run at each row.
func supplyOf(run *population.Run) (all []population.Supply) {
	for row := range run.Rows() {
		all = append(all, run.Supply(row, 0))
	}
	return all
}

// A supply of 300 a day, 500 who are due and 500 elders: on the first day there are 300 second
// doses and no first, on the second 200 and 100. Interventions of one instant come in the order of
// the file, whichever of the two comes first.
func TestSupplyInTheOrderOfTheFile(t *testing.T) {
	const model = `
name: clinic
time: {unit: day, end: 12}
population:
  size: 2000
  groups:
    - {count: 500, with: {vaccine: due, band: adult}, start: {a: rest}}
    - {count: 500, with: {vaccine: none, band: elder}, start: {a: rest}}
    - {count: 1000, with: {vaccine: none, band: adult}, start: {a: rest}}
attributes: {band: {adult: 50%%, elder: 50%%}}
machines: {vaccine: {start: {none: rest}, states: {none: {}, one: {}, due: {}, two: {}}}}
supplies: {doses: {at: 10 days, every: 1 day, count: 300}}
states: {a: {}}
interventions:
%s
record: {every: 1 day}
`
	const second = "  - {at: 10 days, every: 1 day, who: everyone, where: {vaccine: due}, count: doses, " +
		"move: {vaccine: two}, name: second dose}\n"
	const first = "  - {at: 10 days, every: 1 day, who: everyone, where: {vaccine: none, band: elder}, count: doses, " +
		"move: {vaccine: one}, name: first dose}\n"
	for _, c := range []struct {
		order string
		want  [3][2]uint64 // first and second doses by days 10, 11, 12
	}{
		{second + first, [3][2]uint64{{0, 300}, {100, 500}, {400, 500}}},
		{first + second, [3][2]uint64{{300, 0}, {500, 100}, {500, 400}}},
	} {
		r := exactSimulate(t, 1, 1, model, c.order)
		run, names := &r.Runs[0], r.Model.Names()
		for k, want := range c.want {
			one, two := run.Named(10+k, slices.Index(names, "first dose")), run.Named(10+k, slices.Index(names, "second dose"))
			if one != want[0] || two != want[1] {
				t.Errorf("day %d: %d first and %d second doses, want %v", 10+k, one, two, want)
			}
			if got, want := run.Supply(10+k, 0), (population.Supply{Used: uint64(300 * (k + 1))}); got != want {
				t.Errorf("day %d: %+v, want %+v", 10+k, got, want)
			}
		}
	}
}

// What is above the number that is kept is lost; a parameter that an intervention sets holds for
// the deliveries after it, and a delivery comes before the interventions of its instant, also if
// rounding puts its time after theirs.
func TestSupplyIsKept(t *testing.T) {
	r := exactSimulate(t, 1, 1, `
name: kept
time: {unit: day, end: 1}
population: {size: 10, start: {a: rest}}
parameters: {amount: 10, room: 25}
supplies: {doses: {at: 0.1 days, every: 0.1 days, until: 0.6 days, count: amount, keep: room}}
states: {a: {}, b: {}}
interventions:
  - {at: 0.3 days, who: a, count: doses, to: b}
  - {at: 0.55 days, set: {amount: 7, room: 15}}
record: {every: 0.1 days}
`)
	type s = population.Supply
	want := []s{{}, {Left: 10}, {Left: 20}, {Left: 15, Used: 10, Lost: 5}, {Left: 25, Used: 10, Lost: 5},
		{Left: 25, Used: 10, Lost: 15}, {Left: 15, Used: 10, Lost: 32}, {Left: 15, Used: 10, Lost: 32},
		{Left: 15, Used: 10, Lost: 32}, {Left: 15, Used: 10, Lost: 32}, {Left: 15, Used: 10, Lost: 32}}
	if got := supplyOf(&r.Runs[0]); !slices.Equal(got, want) {
		t.Errorf("it is\n%v, want\n%v", got, want)
	}
	// 0.1 + 2·0.1 is above 0.3 by a rounding error.
	if x := 0.1; x+2*x <= 0.3 {
		t.Error("the times do not differ")
	}
	// What there is at the start is there for conditions that are true from the start.
	r = exactSimulate(t, 1, 1, `
name: early
time: {unit: day, end: 1}
population: {size: 10, start: {a: rest}}
supplies: {doses: {at: 0 days, count: 4}}
states: {a: {}, b: {}}
interventions: [{when: {a: above 3}, who: a, count: doses, to: b}]
`)
	if got := r.Runs[0].Supply(r.last(), 0); got != (s{Used: 4}) {
		t.Errorf("at the start: %+v", got)
	}
}

// Three people want a dose at 1 per day each, and there is one. It is gone at a time τ with rate 3;
// then two clocks at 1 per day fire in vain: by day 2 they do so 2·(2 − (1 − e⁻⁶)/3) times on
// average.
func TestSupplyRunsOut(t *testing.T) {
	replicas := testscale.Size(1200, 10_000)
	for _, model := range []string{
		"states: {a: {race: [{rate: 1 per day, to: b, uses: dose}]}, b: {}}",
		"states: {a: {}, b: {}}\nalways: [{rate: 1 per day, to: b, from: a, uses: dose}]",
		"states: {a: {}, b: {}}\n" +
			"machines: {m: {start: {no: rest}, states: {no: {race: [{rate: 1 per day, to: yes, uses: dose}]}, yes: {}}}}",
	} {
		r := exactSimulate(t, 5, replicas, `
name: out
time: {unit: day, end: 2}
population: {size: 3, start: {a: rest}}
supplies: {dose: {at: 0 days, count: 1}}
%s
record: {every: 2 days}
`, model)
		refused := make([]float64, len(r.Runs))
		used := 0.0
		for i := range r.Runs {
			s := r.Runs[i].Supply(1, 0)
			refused[i] = float64(s.Refused)
			used += float64(s.Used)
		}
		checkMean(t, "in vain: "+model, refused, 2*(2-(1-math.Exp(-6))/3))
		checkShare(t, "used: "+model, used, float64(replicas), 1-math.Exp(-6))
	}
}

// Whoever finds nothing left becomes what full says, is counted under the name, and nothing else of
// the clock or contact happens. It is about the one who would have changed.
func TestSupplyFull(t *testing.T) {
	const people = "population: {size: 10, start: {a: rest}}\n"
	const pair = "population: {size: 10, start: {x: 1, a: rest}}\n"
	const machine = "machines: {m: {start: {no: rest}, states: {no: {%s}, yes: {}, late: {}}}}\n"
	for _, c := range []struct {
		name, population, rest string
		used, refused          uint64
		counts                 map[string]int
	}{
		{"clock with a memory", people,
			"states: {a: {race: [{after: 1 day, to: b, uses: dose, full: c, name: n}]}, b: {}, c: {}}",
			4, 6, map[string]int{"b": 4, "c": 6}},
		{"nothing instead", people, "states: {a: {race: [{after: 1 day, to: b, uses: dose, name: n}]}, b: {}, c: {}}",
			4, 6, map[string]int{"b": 4, "a": 6}},
		{"leaving instead", people,
			"states: {a: {race: [{after: 1 day, to: b, uses: dose, full: out, name: n}]}, b: {}, c: {}}",
			4, 6, map[string]int{"b": 4}},
		{"split", people,
			"states: {a: {split: [{chance: 100%, after: 1 day, to: b, move: {r: q}, uses: dose, full: c, name: n}, " +
				"{otherwise: true, after: 1 day, to: a}]}, b: {}, c: {}}\nattributes: {r: {p: 100%, q: 0%}}\n" +
				"record: {every: 20 days, by: [r]}",
			4, 6, map[string]int{"b": 4, "c": 6}},
		{"always", people, "states: {a: {}, b: {}, c: {}}\nalways: [{after: 1 day, to: b, uses: dose, full: c, name: n}]",
			4, 6, map[string]int{"b": 4, "c": 6}},
		{"only a move", people,
			"states: {a: {}, b: {}, c: {}}\nalways: [{after: 1 day, move: {m: yes}, uses: dose, full: c, name: n}]\n" +
				fmt.Sprintf(machine, ""), 4, 6, map[string]int{"a": 4, "c": 6, "m=yes": 4, "m=no": 6}},
		{"clock of a machine", people, "states: {a: {}, b: {}, c: {}}\n" +
			fmt.Sprintf(machine, "race: [{after: 1 day, to: yes, uses: dose, full: late, name: n}]"),
			4, 6, map[string]int{"a": 10, "m=yes": 4, "m=late": 6}},
		{"contact", pair, "states: {x: {}, a: {}, b: {}, c: {}}\n" +
			"transmission: [{from: x, rate: 50 per day, to: {a: b}, uses: dose, full: c, name: n}]",
			4, 5, map[string]int{"x": 1, "b": 4, "c": 5}},
		{"contact that changes its maker alone", people, "states: {a: {}, b: {}, c: {}}\n" +
			"transmission: [{from: a, rate: 50 per day, to: {a: same, b: same, c: same}, self: b, uses: dose, " +
			"full: c, name: n}]",
			4, 6, map[string]int{"b": 4, "c": 6}},
		{"the same with something to give", people, "states: {a: {}, b: {}, c: {}}\n" + fmt.Sprintf(machine, "") +
			"transmission: [{from: a, rate: 50 per day, to: {a: same, b: same, c: same}, self: b, move: {m: yes}, uses: dose, " +
			"full: c, name: n}]", 4, 6, map[string]int{"b": 4, "c": 6, "m=yes": 4, "m=no": 6}},
		{"contact that changes both", pair, "states: {x: {}, y: {}, a: {}, b: {}, c: {}}\n" + fmt.Sprintf(machine, "") +
			"transmission: [{from: x, rate: 50 per day, to: {a: b}, self: x, move: {m: yes}, uses: dose, full: c, name: n}]",
			4, 5, map[string]int{"x": 1, "b": 4, "c": 5, "m=yes": 4, "m=no": 6}},
		{"contact of a machine", pair, "states: {x: {}, a: {}, b: {}, c: {}}\n" + fmt.Sprintf(machine, "") +
			"transmission: [{machine: m, from: no, where: {state: x}, rate: 50 per day, whom: {state: a}, to: {no: yes}, " +
			"uses: dose, full: late, name: n}]", 4, 5, map[string]int{"x": 1, "a": 9, "m=yes": 4, "m=late": 5, "m=no": 1}},
		{"contact of a machine, the maker alone", people, "states: {a: {}, b: {}, c: {}}\n" + fmt.Sprintf(machine, "") +
			"transmission: [{machine: m, from: no, rate: 50 per day, to: {no: same, yes: same, late: same}, self: yes, " +
			"uses: dose, full: late, name: n}]", 4, 6, map[string]int{"a": 10, "m=yes": 4, "m=late": 6}},
	} {
		source := "name: full\ntime: {unit: day, end: 20}\n" + c.population +
			"supplies: {dose: {at: 0 days, count: 4}}\n" + c.rest + "\n"
		m, err := population.Compile("full.yaml", []byte(source))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		result, err := m.Run(t.Context(), population.Options{Seed: 2})
		if err != nil {
			t.Fatal(err)
		}
		r := exactRun{result, t}
		if got := r.Runs[0].Supply(r.last(), 0); got.Used != c.used || got.Refused != c.refused || got.Left+got.Lost != 0 {
			t.Errorf("%s: %+v, want %d used and %d refused", c.name, got, c.used, c.refused)
		}
		for k, name := range m.Counted() {
			if n := r.Runs[0].Count(r.last(), k); n != c.counts[name] {
				t.Errorf("%s: %d are %s, want %d", c.name, n, name, c.counts[name])
			}
		}
		named := c.used + c.refused
		if c.name == "nothing instead" {
			named = c.used
		}
		if got := r.Runs[0].Named(r.last(), 0); got != named {
			t.Errorf("%s: the name happened %d times, want %d", c.name, got, named)
		}
		sum := 0
		for k, f := range m.Flows() {
			if f.To == "c" || f.To == "late" {
				sum += int(r.Runs[0].Flow(r.last(), k))
			}
		}
		if want := c.counts["c"] + c.counts["m=late"]; sum != want {
			t.Errorf("%s: %d by flows, want %d", c.name, sum, want)
		}
	}
}

// A supply that never runs out changes nothing: the run is the one without it.
func TestSupplyThatLastsChangesNothing(t *testing.T) {
	const model = `
name: lasting
time: {unit: day, end: 20}
population: {size: 300, start: {i: 10, s: rest}}
states:
  s: {}
  i: {race: [{after: {gamma: {mean: 3 days, shape: 2}}, to: r%[1]s}, {rate: 0.1 per day, to: s%[1]s}]}
  r: {}
always: [{rate: 0.01 per day, to: out%[1]s}]
transmission: [{from: i, rate: 0.7 per day, to: {s: i}%[1]s}]
interventions: [{at: 5 days, every: 5 days, who: s, count: 10, to: r}]
record: {every: 1 day}
%[2]s
`
	plain := exactSimulate(t, 3, 2, model, "", "")
	late := exactSimulate(t, 3, 2, model, ", uses: much", "supplies: {much: {at: 0 days, count: 1_000_000}}")
	for k := range plain.Runs {
		for row := range plain.Runs[k].Rows() {
			for s := range plain.Model.States() {
				if a, b := plain.Runs[k].Count(row, s), late.Runs[k].Count(row, s); a != b {
					t.Fatalf("replica %d, row %d: %d and %d", k, row, a, b)
				}
			}
		}
	}
}

// What a supply has is what was delivered: for every row of a model with all there is. Rows travel
// as bytes, tables and JSON.
func TestSupplyResults(t *testing.T) {
	m, err := population.Compile("model.yaml", []byte(population.Busy["supplies"]))
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Run(t.Context(), population.Options{Seed: 4, Replicas: 3})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"doses", "beds", "tests"}; !slices.Equal(m.Supplies(), want) {
		t.Fatalf("supplies %v", m.Supplies())
	}
	var rows []results.SupplyRow
	for i := range r.Runs {
		run := &r.Runs[i]
		data, err := run.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		again, err := m.ReadRun(data)
		if err != nil {
			t.Fatal(err)
		}
		for row := range run.Rows() {
			day := uint64(row)
			for k, delivered := range []uint64{
				12*min(day, 5) + 30*(min(max(day, 5), 9)-5), 60, 24*min(2*day+1, 11) + 60*(max(2*day+1, 11)-11),
			} {
				if row == 5 && k == 2 {
					delivered = 24 * 11 // the parameter is set after the delivery of its instant
				}
				s := run.Supply(row, k)
				if s.Left+s.Used+s.Lost != delivered {
					t.Errorf("replica %d, day %d, %s: %+v, delivered %d", i, row, m.Supplies()[k], s, delivered)
				}
				if again.Supply(row, k) != s {
					t.Errorf("replica %d, day %d: %+v becomes %+v", i, row, s, again.Supply(row, k))
				}
				rows = append(rows, results.SupplyRow{Replica: i, Time: float64(row), Supply: m.Supplies()[k],
					Left: int64(s.Left), Used: int64(s.Used), Lost: int64(s.Lost), Refused: int64(s.Refused)})
			}
		}
		for k, name := range m.Supplies() {
			if s := run.Supply(run.Rows()-1, k); s.Used == 0 || s.Refused == 0 {
				t.Errorf("replica %d: %s: %+v; the model should use and refuse some", i, name, s)
			}
		}
	}
	var text bytes.Buffer
	if err := results.WriteSupplies(&text, results.CSV, r); err != nil {
		t.Fatal(err)
	}
	want := "replica,time,supply,left,used,lost,refused\n"
	for _, x := range rows {
		want += fmt.Sprintf("%d,%v,%s,%d,%d,%d,%d\n", x.Replica, x.Time, x.Supply, x.Left, x.Used, x.Lost, x.Refused)
	}
	if text.String() != want {
		t.Errorf("the table is\n%s", text.String())
	}
	var out bytes.Buffer
	if err := r.WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	summary, err := results.ReadSummary(&out)
	if err != nil {
		t.Fatal(err)
	}
	last := r.Rows() - 1
	got, ok := summary.Supplies.Get("doses")
	if mean := r.Supply(0); !ok || got.Used.Mean[last] != mean.Used.Mean[last] ||
		got.Refused.Mean[last] != mean.Refused.Mean[last] {
		t.Errorf("doses in JSON: %v, %v", ok, got.Used.Mean)
	}
	sum := 0.0
	for i := range r.Runs {
		sum += float64(r.Runs[i].Supply(last, 0).Used)
	}
	if mean := got.Used.Mean[last]; math.Abs(mean-sum/3) > 1e-9 {
		t.Errorf("%v doses used in JSON, want %v", mean, sum/3)
	}
}

// A fork has what its original has, and uses it up by itself.
func TestSupplyOfForks(t *testing.T) {
	m := exactCompile(t, `
name: forks
time: {unit: day, end: 10}
population: {size: 20, start: {a: rest}}
supplies: {dose: {at: 0 days, count: 5}}
states: {a: {race: [{rate: 0.2 per day, to: b, uses: dose}]}, b: {}}
`)
	p := begun(t, m, 1, 0)
	defer p.Close()
	if err := p.Advance(t.Context(), 0.7); err != nil {
		t.Fatal(err)
	}
	before := p.Supply(0)
	if before.Used == 0 || before.Left == 0 {
		t.Fatalf("at the fork there should be some left: %+v", before)
	}
	f, err := p.Fork(1)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.Supply(0) != before {
		t.Errorf("the fork has %+v, want %+v", f.Supply(0), before)
	}
	if err := f.Advance(t.Context(), 10); err != nil {
		t.Fatal(err)
	}
	if p.Supply(0) != before {
		t.Errorf("the fork changed its original: %+v", p.Supply(0))
	}
	if s := f.Supply(0); s.Used != 5 || f.Count(1) != 5 || s.Refused == 0 {
		t.Errorf("the fork has %+v, and %d are b", s, f.Count(1))
	}
}
