package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/almanac-sim/almanac/internal/eventqueue"
	"github.com/almanac-sim/almanac/internal/interleave"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/internal/testscale"
)

// footprint returns all that a run is after its start, except the order of entries in hash tables;
// long lists as digests.
func footprint(r *Run) map[string]any {
	digest := func(words func(yield func(uint64) bool)) random.Stream {
		s := random.New(1)
		for w := range words {
			s = s.At(w)
		}
		return s
	}
	each := func(of func(id uint32) uint64) random.Stream {
		return digest(func(yield func(uint64) bool) {
			for id := range uint32(r.Used) {
				if !yield(of(id)) {
					return
				}
			}
		})
	}
	events := func(id uint32) uint64 {
		if at, ok := r.Queue.Due(eventqueue.ID(id)); ok {
			return wordOf(at)
		}
		return never
	}
	print := map[string]any{
		"counts": r.Counts, "peaks": r.Peaks, "alive": r.Alive, "entered": r.entered, "ids": r.Used,
		"person-time": r.personTime.Time(), "len": r.Queue.Len(), "by": r.ByGroup,
		"words":  digest(slices.Values(r.words[int(r.firstID)*r.stride : r.Used*r.stride])),
		"events": each(events),
	}
	for column := range r.sparse {
		print[fmt.Sprint("timers ", column)] = each(func(id uint32) uint64 {
			return r.timer(max(id, r.firstID), column)
		})
	}
	for a := range r.attributes {
		print[fmt.Sprint("values ", a)] = each(func(id uint32) uint64 {
			return uint64(r.attributes[a].Of(max(id, r.firstID)))
		})
	}
	for a, g := range r.groups {
		if g != nil {
			for k := range g.Members {
				print[fmt.Sprint("group ", a, k)] = digest(func(yield func(uint64) bool) {
					for _, id := range g.Members[k] {
						if !yield(uint64(id)) {
							return
						}
					}
				})
			}
		}
	}
	if r.OnEvent != nil {
		print["numbers"] = digest(slices.Values(r.numbers[r.firstID:r.Used]))
	}
	if r.sparseTimers != nil {
		print["sparse timers"] = r.sparseTimers.Count()
	}
	return print
}

// However many cores set a population up, and in whatever blocks, it must be the one that admitting
// one individual after the other gives. Blocks end at multiples of 16,384 ids, those of sources of
// immigration included.
//
// With the race detector only populations of several blocks are set up, once each and by several
// cores: below that no two goroutines meet, and the test without it compares the populations.
func TestSetupDependsOnCores(t *testing.T) {
	const block = 1 << 14
	kinds := map[string]string{
		"everything": everything, "busy groups": busyGroups, "busy everything": busyEverything, "tied": tied, "bands": banded,
		"curves": curved, "numbers": numbered, "places": placed, "networks": networked, "tracing": tracedText,
		"since": `
name: since
time: {unit: day, end: 30}
population:
  size: 300
  start: {a: {share: 30%, since: {uniform: {low: 0 days, high: 4 days}}}, b: 10%, c: rest}
attributes: {region: {north: 30%, south: 70%}}
record: {every: 1 day, by: region}
states:
  a: {race: [{after: {gamma: {mean: 9 days, shape: 2}}, to: b}],
    split: [{chance: 50%, after: 8 days, to: c},
      {otherwise: true, after: {uniform: {low: 5 days, high: 6 days}}, to: b}]}
  b: {race: [{after: {weibull: {scale: 3 days, shape: 2}}, to: c}]}
  c: {}
`, "plain": `
name: plain
time: {unit: year, end: 30}
population: {size: 300, start: {ill: 10%, well: rest}, age: {uniform: {low: 0 years, high: 80 years}}}
attributes: {region: {north: 30%, south: 70%}}
states: {well: {}, ill: {race: [{after: {uniform: {low: 1 year, high: 3 years}}, to: well}]}}
always: [{after: {weibull: {scale: 80 years, shape: 5}}, to: out}, {rate: 0.01 per year, to: ill}]
immigration: [{rate: 3 per year, enter: well}, {rate: 1 per year, enter: ill}]
`, "alike": `
name: alike
time: {unit: year, end: 30}
population:
  size: 300
  start: {ill: {share: 10%, since: {uniform: {low: 0 years, high: 1 year}}}, old: 20%, well: rest}
  age: {mixture: [{share: 50%, of: {uniform: {low: 0 years, high: 15 years}}},
    {share: 20%, of: {uniform: {low: 15 years, high: 45 years}}},
    {share: 30%, of: {uniform: {low: 45 years, high: 95 years}}}]}
states:
  well: {race: [{rate: 0.01 per year, to: old}]}
  old: {}
  ill: {race: [{after: {uniform: {low: 1 year, high: 3 years}}, to: well}]}
always:
  - {after: {hazard: {0 years: 0.01 per year, 1 year: 0.001 per year, 40 years: 0.02 per year, 80 years: 0.2 per year}},
     to: out}
  - {after: {uniform: {low: 12 years, high: 14 years}}, to: old}
  - {after: {gamma: {mean: 40 years, shape: 9}}, from: old, to: well}
births: {rate: 0.02 per year, enter: well}
immigration: [{rate: 3 per year, enter: well}]
`, "alike and newborn": `
name: newborn
time: {unit: year, end: 30}
population: {size: 300, start: {ill: 10%, well: rest}}
states: {well: {}, ill: {}}
always:
  - {after: {weibull: {scale: 60 years, shape: 2}}, to: out}
  - {after: {hazard: {0 years: 0.01 per year, 20 years: 0 per year}}, to: ill}
`}
	rules := []sparseRule{{least: math.MaxInt}, {1, 100, 0}, {1, 0, 100}}
	large := 0
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		text := kinds[name]
		sizes, most := []int{300, block - 2}, []int{3}
		switch name {
		case "alike": // around the size of a batch, 128
			sizes = append(sizes, 127, 128, 129)
		case "plain": // with two sources; above 65,536 the calendar does it in another way
			sizes, most = append(sizes, block-3, block-1, 2*block-1, 4*block+1), testscale.Size([]int{1, 3}, []int{1, 2, 3, 8})
		}
		if interleave.Enabled {
			sizes, most = []int{slices.Max(sizes)}, []int{3}
		}
		for _, size := range sizes {
			m := sized(t, text, size)
			some := rules
			if size > 300 && !testscale.On { // one of them in turn: most of the time is here
				large++
				some = rules[large%len(rules):][:1]
			}
			for _, rule := range some {
				for _, listening := range []bool{false, true} {
					if listening && size > 300 {
						continue
					}
					var events []Event
					begin := func(from, cores int) map[string]any {
						events = nil
						// A forkable run does not initialise individuals in batches.
						forkable := rule.least > 1 && !strings.HasPrefix(name, "alike")
						r := Run{sparseRule: rule, setupFrom: from, cores: cores, forkable: forkable}
						if listening {
							r.OnEvent = func(h *Event) { events = append(events, kept(h)) }
						}
						if err := r.Start(context.Background(), m, 5, 2); err != nil {
							t.Fatal(err)
						}
						if size <= 300 {
							if err := r.Check(); err != nil {
								t.Fatalf("%s, %d: %v", name, size, err)
							}
						}
						return footprint(&r)
					}
					if interleave.Enabled {
						begin(1, 3)
						continue
					}
					want := begin(math.MaxInt, 1)
					wantEvents := events
					for _, cores := range most {
						got := begin(1, cores)
						for what := range want {
							if !reflect.DeepEqual(got[what], want[what]) {
								t.Fatalf("%s, %d individuals, %d cores: other %s", name, size, cores, what)
							}
						}
						if !reflect.DeepEqual(events, wantEvents) {
							t.Fatalf("%s, %d individuals, %d cores: other events", name, size, cores)
						}
					}
				}
			}
		}
	}
}

// A context that ends must stop the set-up, and the run must start as if new afterwards.
func TestStoppedSetupSpoilsNextStart(t *testing.T) {
	m := sized(t, everything, 20_000)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r := Run{sparseRule: usualSparse, cores: 3}
	if err := r.Start(ctx, m, 1, 0); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	prints := map[bool]string{}
	for _, again := range []bool{true, false} {
		if !again {
			r = Run{sparseRule: usualSparse, cores: 3}
		}
		if err := r.Start(context.Background(), m, 1, 0); err != nil {
			t.Fatal(err)
		}
		prints[again] = fmt.Sprint(footprint(&r)["events"])
	}
	if prints[true] != prints[false] {
		t.Error("another set-up after one that was stopped")
	}
}

// A countdownContext is a context that ends when Err has been called some times.
type countdownContext struct {
	context.Context
	left atomic.Int64 // calls until then
}

func (c *countdownContext) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// When the context ends, a core may at most finish its present block: the context is checked before
// each. With a context that has ended before, no individual may be set up.
func TestSetupGoesOnAfterStop(t *testing.T) {
	const block, blocks, cores = 1 << 14, 20, 3
	m := sized(t, plainly, blocks*block)
	for _, checks := range []int{0, 1, 5} {
		ctx := &countdownContext{Context: context.Background()}
		ctx.left.Store(int64(checks))
		r := Run{sparseRule: usualSparse, cores: cores}
		if err := r.Start(ctx, m, 1, 0); !errors.Is(err, context.Canceled) {
			t.Fatalf("error %v", err)
		}
		initialised := 0
		for id := range uint32(m.Size) {
			if *r.stream(id) != 0 {
				initialised++
			}
		}
		if initialised > checks*block || r.Queue.Len() > 0 {
			t.Errorf("%d individuals, %d events were set up after %d checks", initialised, r.Queue.Len(), checks)
		}
	}
}

// An error of the set-up must be that of the first individual that has one, however many cores set
// them up. No accepted model has such an error, since chances are added up when it is read; so the
// chances are made too large afterwards, by amounts that differ. The first 2,002 individuals have
// no error: by windows the first that has one is of the second shard, which begins elsewhere, with
// others that have one.
func TestSetupErrorDependsOnCores(t *testing.T) {
	m := sized(t, `
name: breaks
time: {unit: year, end: 3}
population: {size: 300, start: {b: 10.01%, a: rest}}
attributes: {region: {north: 50%, south: 50%}}
parameters:
  x: {by: region, north: {line: {0: 40%, 3: 10%}}, south: {line: {0: 30%, 3: 10%}}}
  y: {line: {0: 1%, 3: 2%}}
states:
  b: {}
  a: {split: [{chance: x, after: 1 year, to: b}, {chance: x, after: 1 year, to: c},
    {chance: y, after: 2 years, to: b}, {chance: y, after: 2 years, to: c}, {otherwise: true, after: 3 years, to: out}]}
  c: {}
`, 20_000)
	for _, cell := range m.FirstPhase.States[1].Cells {
		cell.Chances.ByBranch[2], cell.Chances.ByBranch[3] = cell.Chances.ByBranch[0], cell.Chances.ByBranch[0]
	}
	firsts := map[string]bool{}
	few := 1 // cores; with the race detector those that meet
	if interleave.Enabled {
		few = 3
	}
	for seed := range uint64(testscale.Size(3, 8)) {
		start := func(r Run) string {
			r.sparseRule = usualSparse
			return fmt.Sprint(r.Start(context.Background(), m, seed, 0))
		}
		want := start(Run{setupFrom: math.MaxInt})
		firsts[want] = true
		for cores := few; cores <= 3; cores++ {
			if got := start(Run{cores: cores}); got != want {
				t.Errorf("%d cores: %s, want %s", cores, got, want)
			}
			rule := windowRule{minSize: 1, count: 10, shards: 4, blockBits: 1, maxEntrants: 100}
			if got := start(Run{cores: cores, windowRule: rule}); got != want {
				t.Errorf("%d cores, by windows: %s, want %s", cores, got, want)
			}
		}
	}
	for _, sum := range []string{"1.6", "1.2"} {
		if !firsts["at time 0: the chances of a split add up to "+sum+", more than 1"] {
			t.Errorf("no first error with %s: %v", sum, firsts)
		}
	}
}

// Shards must have all blocks between them, each once, and begin as far from each other as they
// can, so that no two come to the same page of memory first.
func TestShardsBeginAtSamePage(t *testing.T) {
	for _, shards := range []int{1, 2, 8} {
		for _, bits := range []uint{0, 3} {
			w := &windows{blockBits: bits}
			for i := range shards {
				w.shards = append(w.shards, &shard{w: w, number: i})
			}
			for _, ids := range []int{0, 1, 2, 7, 8, 9, 63, 64, 65, 6400, 6401} {
				var all, begins []int
				for _, s := range w.shards {
					own := slices.Collect(s.blocks(ids))
					for _, from := range own {
						if w.shardOf(uint32(from)) != s {
							t.Errorf("%d ids, %d shards: id %d is not of shard %d", ids, shards, from, s.number)
						}
					}
					if all = append(all, own...); len(own) > 0 {
						begins = append(begins, own[0])
					}
				}
				slices.Sort(all)
				for i := range max(len(all), (ids+1<<bits-1)>>bits) {
					if i >= len(all) || all[i] != i<<bits {
						t.Fatalf("%d ids, %d shards: blocks %v", ids, shards, all)
					}
				}
				for i := 1; ids >= 6400 && i < len(begins); i++ {
					if apart := begins[i] - begins[i-1]; apart < ids/shards*9/10 {
						t.Errorf("%d ids, %d shards begin at %v", ids, shards, begins)
					}
				}
			}
		}
	}
}
