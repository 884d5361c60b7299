package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/eventqueue"
	"github.com/almanac-sim/almanac/internal/interleave"
	"github.com/almanac-sim/almanac/internal/memory"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/population/internal/program"
)

// runWith runs a program, checks the lists of its windows at every row, and returns the recording,
// the run at its end, and its windows if it had any.
func runWith(
	t *testing.T, m *program.Program, seed uint64, rule windowRule, sparse sparseRule,
) (*Recording, *Run, *windows) {
	t.Helper()
	cores := max(1, min(rule.shards, 3))
	r := &Run{sparseRule: sparse, windowRule: rule, setupFrom: 1, cores: cores, Patience: 1 << 16}
	var win *windows
	rec := NewRecording(m)
	h := quiet
	h.Recorded = func(int) {
		if win = r.windows; win != nil {
			if err := r.checkWindows(); err != nil {
				t.Fatal(err)
			}
		}
	}
	r.failed = r.Simulate(context.Background(), m, seed, 1, nil, &rec, h)
	return &rec, r, win
}

// differences returns an error if two runs, or what they recorded, are not the same.
func differences(a, b *Run, of, other *Recording) error {
	for _, each := range []struct {
		what     string
		one, two any
	}{
		{"error", fmt.Sprint(a.failed), fmt.Sprint(b.failed)},
		{"rows", of, other},
		{"events", a.Events, b.Events},
		{"person-time", a.PersonTime(), b.PersonTime()},
		{"peaks", a.Peaks, b.Peaks},
		{"ids", a.Used, b.Used},
		{"slots", a.slotCount, b.slotCount},
		{"entered", a.entered, b.entered},
		{"alive", a.Alive, b.Alive},
		{"free list", slices.Collect(a.free.All), slices.Collect(b.free.All)},
		{"arrivals", a.arrivals, b.arrivals},
		{"counts", a.Counts, b.Counts},
	} {
		if !reflect.DeepEqual(each.one, each.two) {
			return fmt.Errorf("other %s: %v, %v", each.what, each.one, each.two)
		}
	}
	for id := a.firstID; int(id) < a.Used; id++ {
		p, q := *a.status(id), *b.status(id)
		// Where timers and checkpoints lie may differ.
		p.sparse, p.held, p.checkpoint, q.sparse, q.held, q.checkpoint = 0, 0, 0, 0, 0, 0
		if *a.stream(id) != *b.stream(id) || p.state != q.state || p.state != program.NoState && p != q {
			return fmt.Errorf("id %d: %v %v, %v %v", id, *a.stream(id), p, *b.stream(id), q)
		}
		for v := range a.attributes {
			if a.attributes[v].Of(id) != b.attributes[v].Of(id) {
				return fmt.Errorf("id %d has another value", id)
			}
		}
		if p.state == program.NoState {
			continue
		}
		for k := range a.sparse {
			x, y := a.timer(id, k), b.timer(id, k)
			matters := k < len(a.phase.Always)+a.phase.States[p.state].Timers &&
				(timeOf(x) <= a.end || timeOf(y) <= a.end || (x|y)&memoryless != 0)
			if x != y && matters {
				return fmt.Errorf("id %d: timer %d is %v, %v", id, k, timeOf(x), timeOf(y))
			}
		}
		if x, y := a.dueAt(id), b.dueAt(id); x != y {
			return fmt.Errorf("id %d is due at %v, %v", id, x, y)
		}
	}
	return nil
}

// dueAt returns when an individual is due; +Inf if it has no event.
func (r *Run) dueAt(id uint32) float64 {
	if r.windows != nil {
		return *r.nextAt(id)
	}
	if at, ok := r.Queue.Due(eventqueue.ID(id)); ok {
		return at
	}
	return math.Inf(1)
}

// randomModel returns a random model that may be run by windows, with much of everything.
func randomModel(s *random.Stream, size int) string {
	rate := func(most float64) string { return fmt.Sprintf("%.4g per year", s.Float64()*most) }
	law := func() string {
		switch s.Below(5) {
		case 0:
			return fmt.Sprintf("{gamma: {mean: %.4g years, shape: 2}}", 0.1+s.Float64())
		case 1:
			return fmt.Sprintf("{uniform: {low: 0 years, high: %.4g years}}", 0.01+2*s.Float64())
		case 2:
			return fmt.Sprintf("{exponential: {mean: %.4g years}}", 0.01+s.Float64())
		case 3:
			return fmt.Sprintf("%.4g years", 0.01+s.Float64())
		}
		return fmt.Sprintf("{weibull: {scale: %.4g years, shape: 1.5}}", 0.05+s.Float64())
	}
	var b strings.Builder
	say := func(format string, a ...any) { fmt.Fprintf(&b, format+"\n", a...) }
	say("name: random\ntime: {unit: year, end: 3}")
	say("population: {size: %d, start: {ill: %d%%, old: 10%%, well: rest}, "+
		"age: {uniform: {low: 0 years, high: 60 years}}}", size, 1+s.Below(20))
	if s.Below(2) == 0 {
		say("attributes: {region: {north: 30%%, south: 70%%}}")
	}
	say("states:\n  well: {}")
	if s.Below(2) == 0 {
		say("  new: {split: [{chance: 40%%, after: %s, to: ill, name: fast}, "+
			"{otherwise: true, after: %s, to: old}]}", law(), law())
	} else {
		say("  new: {race: [{after: %s, to: ill}, {rate: %s, to: old}]}", law(), rate(2))
	}
	say("  old: {race: [{rate: %s, to: ill, name: relapse}]}", rate(1))
	say("  ill: {race: [{after: %s, to: well, name: recovery}, {rate: %s, to: out}]}", law(), rate(0.5))
	say("transmission:\n  - {from: ill, rate: %s, to: {well: new}, name: infection}", rate(40))
	switch s.Below(3) {
	case 0:
		say("  - {from: ill, rate: %s, chance: 50%%, to: {old: new, new: old}, name: reinfection}", rate(40))
	case 1:
		say("  - {from: old, rate: %s, chance: 30%%, to: {ill: out, new: out}, name: killing}", rate(10))
	}
	if s.Below(4) > 0 {
		say("always:\n  - {after: {hazard: {0 years: 0.1 per year, 10 years: 0.01 per year, 50 years: 0.2 per year}}," +
			" to: out, name: death}")
		say("  - {after: {uniform: {low: 1 year, high: 30 years}}, from: well, chance: 70%%, " +
			"to: old, name: vaccination}")
		say("  - {rate: %s, to: out, name: emigration}", rate(0.3))
	}
	if s.Below(4) > 0 {
		say("births: {rate: %s, enter: well, name: birth}", rate([]float64{0.5, 3}[s.Below(2)]))
	}
	if s.Below(2) == 0 {
		say("immigration:\n  - {rate: %s, enter: new, age: {uniform: {low: 18 years, high: 40 years}}}\n"+
			"  - {rate: %s, enter: well}", rate(float64(size)), rate(float64(size)))
	}
	if s.Below(2) == 0 {
		say("interventions:\n  - {at: 1 year, who: well, to: old, coverage: 20%%, name: campaign}\n" +
			"  - {at: 2 years, who: ill, to: out, name: end}")
	}
	say("record: {every: %s}", []string{"0.25 years", "1 month", "1 year"}[s.Below(3)])
	return b.String()
}

// A run by windows must be the run with the calendar, whatever the windows and the shards, in all
// that is recorded and in every individual at the end.
func TestWindowsDifferFromCalendar(t *testing.T) {
	if interleave.Enabled { // fewer are compared
		compareWindows(t, testscale.Size(3, 12), 1)
		return
	}
	atOnce, inOrder := compareWindows(t, testscale.Size(6, 12), 1)
	if atOnce < 150 || inOrder < 50 { // both kinds must occur, to be compared
		t.Errorf("%d windows in parallel, and %d in order", atOnce, inOrder)
	}
}

// compareWindows compares random models, each with several windows and numbers of shards, and
// returns how many windows were run in parallel, and how many in order.
func compareWindows(t *testing.T, models int, seed uint64) (atOnce, inOrder int) {
	s := random.New(seed, 77)
	for k := range models {
		text := randomModel(&s, 50+int(s.Below(1500)))
		w, n := compareWays(t, text, uint64(k), &s, []int{1, 2, 4, 8})
		atOnce, inOrder = atOnce+w, inOrder+n
	}
	t.Logf("%d windows in parallel, %d in order", atOnce, inOrder)
	return atOnce, inOrder
}

// compareWays compares the run of a model by windows with that by the calendar, for each of some
// numbers of shards. With the race detector it is the last of them, which the most goroutines
// share.
func compareWays(t *testing.T, text string, seed uint64, s *random.Stream, shards []int) (atOnce, inOrder int) {
	t.Helper()
	m := programOf(t, text)
	if !canUseWindows(m) {
		t.Fatalf("not by windows:\n%s", text)
	}
	m.MaxSize = min(m.MaxSize, 10_000)
	sparse := []sparseRule{{least: math.MaxInt}, {1, 100, 0}, {1, 0, 100}, usualSparse}[s.Below(4)]
	want, wanted, _ := runWith(t, m, seed, windowRule{}, sparseRule{least: math.MaxInt})
	if interleave.Enabled {
		shards = shards[len(shards)-1:]
	}
	for _, n := range shards {
		rule := windowRule{
			minSize: 1, count: 1 << s.Below(11), shards: n, blockBits: uint(s.Below(5)),
			maxEntrants: 1 << s.Below(12), maxDue: 1 << 20, patience: int(s.Below(4)) * 8,
		}
		got, r, win := runWith(t, m, seed, rule, sparse)
		if err := differences(wanted, r, want, got); err != nil {
			t.Fatalf("seed %d, %+v: %v\n%s", seed, rule, err, text)
		}
		atOnce += r.Windows
		if win != nil {
			inOrder += win.sequential
		}
	}
	return atOnce, inOrder
}

// hostile are models that are hard on windows, by what is hard about them.
var hostile = map[string]string{
	"an intervention makes something due at once": `
name: at its own time
time: {unit: year, end: 3}
population: {size: 300, start: {a: 50%, b: rest}}
states:
  a: {race: [{rate: 1 per year, to: b}]}
  b: {}
  c: {race: [{after: 0 years, to: d}]}
  d: {race: [{rate: 2 per year, to: a}]}
transmission: [{from: a, rate: 3 per year, to: {d: b}}]
births: {rate: 1 per year, enter: a}
interventions:
  - {at: 1 year, who: b, to: c, coverage: 30%, name: at a row}
  - {at: 1.5 years, who: b, to: c, coverage: 30%, name: first}
  - {at: 1.5 years, who: d, to: out, name: second}
  - {at: 2 years, enter: c, count: 40, name: ship}
  - {at: 3 years, who: b, to: c, coverage: 20%, name: at the end}
record: {every: 1 year}
`,
	"planned anew": `
name: anew
time: {unit: day, end: 60}
population: {size: 70_000, start: {a: rest}}
parameters: {rate: 0.001 per day}
states: {a: {race: [{rate: rate, to: b}]}, b: {}}
interventions:
  - {at: 1 day, every: 0.5 days, until: 3 days, set: {rate: 0.001 per day}, name: same}
  - {at: 1.25 days, every: 0.5 days, until: 3 days, set: {rate: 0.002 per day}, name: more}
record: {every: 30 days}
`,
	"killers": `
name: killers
time: {unit: year, end: 1}
population: {size: 40, start: {b: 2, a: rest}}
states: {a: {}, b: {}}
transmission: [{from: b, rate: 3000 per year, to: {a: out, b: out}}]
record: {every: 1 year}
`,
	"everybody dies at once": `
name: at once
time: {unit: year, end: 3}
population: {size: 300, start: {a: 50%, b: rest}}
states:
  a: {race: [{after: 1 year, to: out}]}
  b: {race: [{after: 1 year, to: c}]}
  c: {race: [{after: 0 years, to: b}, {rate: 3 per year, to: out}]}
births: {rate: 0.5 per year, enter: a}
`,
	"all times are equal": `
name: equal
time: {unit: day, end: 20}
population: {size: 200, start: {ill: 20%, well: rest}}
states:
  well: {race: [{after: 3 days, to: ill}]}
  ill: {race: [{after: 2 days, to: immune}]}
  immune: {race: [{after: 1 day, to: well}]}
transmission: [{from: ill, rate: 2 per day, to: {well: ill, immune: well}}]
record: {every: 1 day}
`,
	"births storm": `
name: storm
time: {unit: year, end: 1}
population: {size: 60, start: {a: rest}}
states: {a: {race: [{rate: 6 per year, to: out}]}}
always: [{after: {uniform: {low: 0 years, high: 1 year}}, to: out}]
births: {rate: 15 per year, enter: a}
record: {every: 0.01 years}
`,
	"contacts change who has children": `
name: mothers
time: {unit: year, end: 1}
population: {size: 400, start: {ill: 10%, mother: 10%, well: rest}}
states: {well: {}, mother: {race: [{rate: 4 per year, to: well}]}, ill: {}}
transmission: [{from: ill, rate: 15 per year, to: {well: mother, mother: well}}]
births: [{from: mother, rate: 40 per year, enter: well}]
always: [{rate: 3 per year, to: out}]
`,
	"states are drawn by those who enter": `
name: drawn
time: {unit: year, end: 3}
population: {size: 300, start: {a: 50%, b: rest}}
states: {a: {race: [{rate: 1 per year, to: b}]}, b: {}}
always: [{after: {uniform: {low: 0 years, high: 9 years}}, to: out}]
births:
  - {rate: 0.3 per year, enter: {a: 30%, b: rest}}
  - {rate: 0.3 per year, enter: a}
immigration:
  - {rate: 20 per year, enter: {a: 70%, b: rest}, age: {uniform: {low: 0 years, high: 9 years}}}
  - {rate: 20 per year, enter: b}
`,
	"everybody meets everybody": `
name: meet
time: {unit: year, end: 1}
population: {size: 80, start: {a: 50%, b: rest}}
states: {a: {race: [{rate: 1 per year, to: b}]}, b: {race: [{rate: 1 per year, to: a}]}}
transmission:
  - {from: a, rate: 60 per year, to: {b: a, a: b}, name: swap}
  - {from: b, rate: 60 per year, chance: 20%, to: {a: out}, name: killing}
births: {rate: 5 per year, enter: a}
immigration: [{rate: 300 per year, enter: b}]
`,
	"nothing happens": `
name: nothing
time: {unit: year, end: 3}
population: {size: 100, start: {a: rest}}
states: {a: {race: [{rate: 0 per year, to: b}]}, b: {}}
births: {rate: 0 per year, enter: a}
immigration: [{rate: 0 per year, enter: b}]
`,
	"rates change": `
name: change
time: {unit: year, end: 3}
population: {size: 400, start: {a: 50%, b: rest}}
parameters: {rate: 3 per year}
states:
  a: {race: [{rate: rate, to: b}]}
  b: {race: [{rate: 2 per year, to: a}, {after: {gamma: {mean: 1 year, shape: 3}}, to: out}]}
transmission: [{from: b, rate: rate, to: {a: b}}]
births: {rate: rate / 4, enter: a}
immigration: [{rate: 40 per year, enter: b}]
interventions:
  - {at: 0 years, who: a, to: b, coverage: 10%, name: first}
  - {at: 0.7 years, set: {rate: 1 per year}, name: less}
  - {at: 1.9 years, set: {rate: 0 per year}, name: none}
  - {at: 1.25 years, enter: b, count: 500, name: ship}
  - {at: 2 years, who: everyone, to: out, coverage: 60%, name: end}
record: {every: 0.3 years}
`,
	"few are left": `
name: few
time: {unit: year, end: 5}
population: {size: 500, start: {a: rest}}
states: {a: {race: [{rate: 2 per year, to: b}]}, b: {race: [{rate: 0.5 per year, to: a}]}}
transmission: [{from: b, rate: 5 per year, chance: 30%, to: {a: out, b: a}}]
always: [{rate: 0.7 per year, to: out}]
births: {rate: 0.05 per year, enter: b}
`,
	"in an instant": `
name: instant
time: {unit: year, end: 3}
population: {size: 500, start: {a: rest}}
states:
  a: {race: [{after: {uniform: {low: 1.5 years, high: 1.500001 years}}, to: b}]}
  b: {race: [{rate: 1 per year, to: a}]}
births: {rate: 0.1 per year, enter: b}
`,
	"a circle without time": `
name: circle
time: {unit: year, end: 2}
population: {size: 50, start: {a: rest}}
states:
  a: {race: [{after: {uniform: {low: 0 years, high: 2 years}}, to: b}]}
  b: {race: [{after: 0 years, to: c}]}
  c: {race: [{after: 0 years, to: b}]}
`,
}

// Models that are hard on windows must give the same results, or the same error, as with the
// calendar.
func TestHostileModelsDifferByWindows(t *testing.T) {
	s := random.New(5)
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) {
			if (name == "births storm" || name == "a circle without time") && interleave.Enabled {
				t.Skip("too much happens for the race detector; the other models use the same goroutines")
			}
			for seed := range testscale.Size[uint64](1, 3) {
				compareWays(t, text, seed, &s, []int{1, 2, 8})
			}
		})
	}
}

// Compares the positions of free slots with a map, with few and with many slots left at the same
// time.
func TestFreePositionIsWrong(t *testing.T) {
	for _, same := range []int{1, 2, 9, 10, 30, 100} { // slots left at the same time
		for _, n := range []int{0, 1, 2, 9, 30, 101} {
			r, w := &Run{individuals: individuals{stride: 1, words: make([]uint64, n+1)}}, &windows{}
			position := map[uint32]int{}
			for k := range n {
				slot := uint32((k*7 + 3) % n) // each once, unless there are 7, 14, …
				position[slot] = k
				*r.nextAt(slot) = float64(k / same)
				r.free.Put(slot)
			}
			*r.nextAt(uint32(n)) = float64(n / 2 / same) // left then, too, and not in the free list
			for _, limit := range []int{n, n / 2, n} {
				clear(w.contacts.positions)
				for slot := range uint32(n + 1) {
					want, ok := position[slot]
					if !ok || want >= limit {
						want = -1
					}
					if got := w.freePosition(r, slot, limit); got != want {
						t.Fatalf(
							"%d at a time, the first %d of %d: slot %d is at %d, want %d",
							same, limit, n, slot, got, want,
						)
					}
				}
			}
			if ties := len(w.contacts.positions) > 0; ties != (same > 8 && n > 8) {
				t.Errorf("%d at a time of %d: listed %v", same, n, ties)
			}
		}
	}
}

// Entries must be sorted by insertion if each moves a few places only, and otherwise by another
// sort, with the same result.
func TestCrowdedBinIsUnsorted(t *testing.T) {
	for _, perBin := range []int{1, 8, 1000} {
		var p mergePart
		for i := range 1000 { // runs of perBin entries, backwards
			at := min(i/perBin*perBin+perBin, 1000) - i%perBin
			p.entries = append(p.entries, logEntry{at: float64(at), id: uint32(i)})
		}
		if nearlySorted := sortLog(p.entries); nearlySorted != (perBin < 1000) {
			t.Errorf("%d in a bin: sorted by insertion: %v", perBin, nearlySorted)
		}
		if !slices.IsSortedFunc(p.entries, func(a, b logEntry) int { return cmp.Compare(a.at, b.at) }) {
			t.Errorf("%d in a bin are not in order", perBin)
		}
	}
}

// FuzzWindows compares random models by windows with the calendar.
func FuzzWindows(f *testing.F) {
	f.Add(uint64(1), uint16(100), uint8(1))
	f.Add(uint64(170), uint16(1270), uint8(0))
	f.Fuzz(func(t *testing.T, seed uint64, size uint16, shards uint8) {
		s := random.New(seed)
		compareWays(t, randomModel(&s, 2+int(size)%2000), seed, &s, []int{1 << (shards % 4)})
	})
}

// Checks for some models whether they may be run by windows.
func TestCanUseWindowsIsWrong(t *testing.T) {
	for name, want := range map[string]bool{"tuberculosis": true, "sir": true, "seir-regions": false} {
		if m := programOf(t, text("../examples/"+name)); canUseWindows(m) != want {
			t.Errorf("%s: by windows %v", name, !want)
		}
	}
	const births = `
name: births
time: {unit: day, end: 1}
population: {size: 10, start: {a: rest}}
states: {a: {race: [{rate: 1 per day, %s}]}}
births: {rate: 1 per day, enter: a%s}
immigration: {rate: 1 per day, enter: a%s}
`
	for with, want := range map[[3]string]bool{
		{"to: out"}:                                  true,
		{"to: out, enter: a"}:                        false,
		{"to: out", ", count: 2"}:                    false,
		{"to: out", "", ", count: 2"}:                false,
		{"to: out", ", count: {poisson: {mean: 1}}"}: false,
	} {
		if m := programOf(t, fmt.Sprintf(births, with[0], with[1], with[2])); canUseWindows(m) != want {
			t.Errorf("%q: windows %v", with, !want)
		}
	}
	if m := programOf(t, everything); canUseWindows(m) {
		t.Error("a model with everything is run by windows")
	}
	const shed = "name: m\ntime: {unit: day, end: 9}\npopulation: {size: 9, start: {i: 1, s: rest}}\n" +
		"states: {s: {}, i: {}}\ntransmission: [{from: i, rate: %, to: {s: i}}]\n"
	for rate, want := range map[string]bool{
		"1 per day": true, "{since: i, line: {0 days: 0 per day, 1 day: 1 per day}}": false,
	} {
		if m := programOf(t, strings.Replace(shed, "%", rate, 1)); canUseWindows(m) != want {
			t.Errorf("with rate %s: by windows %v", rate, !want)
		}
	}
}

// A run by windows that prefers the calendar, and has no memory for one, must go on by windows to
// the same end. It must not ask for memory before every window.
func TestWindowsFailWithoutMemoryForCalendar(t *testing.T) {
	m := programOf(t, hostile["few are left"])
	rule := windowRule{minSize: 1, count: 400, shards: 2, maxEntrants: 1000, maxDue: 1 << 20, patience: 50}
	want, wanted, _ := runWith(t, m, 1, windowRule{}, usualSparse)
	asked := 0
	room := func() memory.Room {
		asked++
		return memory.Room{}
	}
	budget := &Budget{limit: 1, each: 1e6, spare: usualSpare, workers: 1, room: room}
	r := &Run{sparseRule: usualSparse, windowRule: rule, cores: 1, budget: budget, Patience: 1 << 16}
	got := NewRecording(m)
	r.failed = r.Simulate(context.Background(), m, 1, 1, nil, &got, quiet)
	if err := differences(wanted, r, want, &got); err != nil {
		t.Error(err)
	}
	if r.windows == nil || r.living == nil || asked < 2 || asked > rule.count/rule.patience {
		t.Errorf("asked %d times; by windows %v, a list of the living %v", asked, r.windows != nil, r.living != nil)
	}
}

// A run by windows must report its progress, and stop when its context ends.
func TestWindowsIgnoreContext(t *testing.T) {
	m := programOf(t, hostile["rates change"])
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	rule := windowRule{minSize: 1, count: 300, shards: 2, maxEntrants: 4000, maxDue: 1 << 20}
	r := &Run{sparseRule: usualSparse, windowRule: rule, cores: 2}
	now, last := 0.0, 0.0
	rec := NewRecording(m)
	err := r.Simulate(ctx, m, 1, 0, nil, &rec, Hooks{
		Begun:    func() {},
		Progress: func(at float64, _ uint64) { now = at },
		Recorded: func(row int) {
			if now < last {
				t.Errorf("at %v after %v", now, last)
			}
			last = now
			if row == 4 {
				cancel()
			}
		},
	})
	if !errors.Is(err, context.Canceled) || rec.Rows != 5 || !(last > 0.8) {
		t.Errorf("error %v after %d rows at %v", err, rec.Rows, last)
	}
}
