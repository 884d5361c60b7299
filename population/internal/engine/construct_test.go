//go:build !race

package engine

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/population/internal/compile"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// The tests of this file look at all memory of a run by reflection. So a piece of state that
// somebody adds, and forgets in fork.go or in save.go, makes one of them fail with its path.

// allowed is what need not be saved or may be shared, by the beginning of the path, with why:
//
//   - derived: it follows from what is saved, and Restore works it out
//   - scratch: it means nothing between two events, or is how this run is carried out
//   - program: all runs of a program, or of a request, have it
var allowed = map[string]string{
	".budget": "program", ".lines.queues[].entries[].do": "program",

	".Queue": "scratch", ".windows": "scratch", ".windowRule": "scratch", ".Windows": "scratch", ".cores": "scratch",
	".sparseRule": "scratch", ".sparseTimers": "scratch", ".capacity": "scratch", ".setupFrom": "scratch",
	".prefetchFrom": "scratch", ".prefetchAhead": "scratch", ".foreseen": "scratch", ".contactsSeen": "scratch",
	".intervalsLeft": "scratch", ".Patience": "scratch", ".pace": "scratch", ".granted": "scratch", ".taken": "scratch",
	".event": "scratch", ".verifies": "scratch", ".whom": "scratch", ".ties": "scratch", ".alwaysBefore": "scratch", ".machineBefore": "scratch",
	".weights": "scratch", ".toStart": "scratch", ".passed": "scratch",
	".near.mode": "scratch", ".near.replan": "scratch", ".near.stale": "scratch",
	".places.stream": "scratch", ".places.batch": "scratch", ".places.together": "scratch",
	".places.moves": "scratch", ".places.other": "scratch", ".places.moved": "scratch", ".places.told": "scratch",
	".places.toldBy": "scratch", ".networks[].ends": "scratch",
	".outcomes.own": "scratch", ".observers.cause": "scratch", ".observers.last": "scratch",
	".observers.people.person": "scratch", ".observers.people.mother": "scratch", ".observers.people.way": "scratch",
	".observers.seen.among": "scratch", ".observers.seen.asked": "scratch", ".observers.seen.own": "scratch",
	".observers.seen.sums": "scratch", ".observers.seen.heap[].Shard": "scratch",
	".tracing.looked": "scratch", ".tracing.people": "scratch", ".tracing.reached": "scratch", ".tracing.calls": "scratch",
	".tracing.found": "scratch", ".tracing.done": "scratch",
	// Whether conditions are looked at after the next event: once too often is not too often.
	".waiting.on": "scratch", ".waiting.changed": "scratch", ".waiting.due": "scratch",

	".end": "derived", ".limit": "derived", ".linksID": "derived", ".errandsID": "derived", ".followed": "derived",
	".columnAt": "derived", ".offset": "derived", ".packedAlways": "derived", ".packedState": "derived",
	".caching": "derived", ".stateCache": "derived", ".branches[].IsWide": "derived", ".attributes[].IsWide": "derived",
	".groups[].Positions": "derived", ".living.Positions": "derived", ".observers.sources.Positions": "derived",
	".ByGroup.states": "derived", ".ByGroup.groupings": "derived", ".ByGroup.watched[].where": "derived",
	".outcomes.at": "derived", ".outcomes.clock": "derived", ".outcomes.slots": "derived", ".outcomes.ticks": "derived",
	".waiting.counted": "derived", ".lines.queues[].waiting": "derived", ".near.ready": "derived",
	".networks[].degrees": "derived", ".networks[].grows": "derived", ".networks[].pairs": "derived",
	".networks[].links.count": "derived", ".networks[].links.free": "derived", ".tracing.logs[].keep": "derived",
	".places.ready": "derived", ".places.limited": "derived", ".places.count": "derived",
	".places.kinds[].all": "derived", ".places.kinds[].blocks": "derived", ".places.kinds[].owner": "derived",
	".places.kinds[].bySize": "derived", ".places.kinds[].inRoom": "derived", ".places.kinds[].keep": "derived",
	".places.kinds[].most": "derived", ".places.kinds[].now": "derived",
	".observers.seen.byRows": "derived", ".observers.seen.columns": "derived", ".observers.seen.rows": "derived",
	".observers.seen.slots": "derived",
}

// arranged is what Restore arranges in another way, so that only what is saved of it can be compared.
var arranged = regexp.MustCompile(`^\.(free\.(head|ring)|(groups\[\]|living|observers\.sources)\.Positions|` +
	`lines\.queues\[\]\.(first|entries)|networks\[\]\.(degrees|links|origins|weights)|` +
	`places\.kinds\[\]\.(owner|room)|tracing\.(errands\[\]\.law|logs\[\]\.ring)|waiting\.windows\[\])`)

// why is the entry of allowed for a class; "" if there is none.
func why(class string) string {
	for path := class; path != ""; path = path[:max(0, strings.LastIndexAny(path, ".[{"))] {
		if word := allowed[path]; word != "" {
			return word
		}
	}
	return ""
}

// A mode is a way in which a run is carried out.
type mode struct {
	name string
	make func() *Run
}

var modes = []mode{
	{"plain", func() *Run { return &Run{sparseRule: sparseRule{least: math.MaxInt}} }},
	{"forkable", func() *Run { return &Run{sparseRule: sparseRule{least: math.MaxInt}, forkable: true} }},
	{"events", func() *Run {
		r := &Run{sparseRule: sparseRule{least: math.MaxInt}, forkable: true, OnEvent: func(*Event) {}}
		r.OnInfection, r.OnPerson = func(*Infection) {}, func(*Person) {}
		return r
	}},
	{"sparse", func() *Run { return &Run{sparseRule: sparseRule{least: 1, share: 1, shared: 1}} }},
	{"windows", func() *Run {
		return &Run{sparseRule: sparseRule{least: 1, share: 1, shared: 1}, cores: 1, windowRule: windowRule{
			minSize: 1, count: 20, shards: 2, blockBits: 4, maxEntrants: 1000, maxDue: 1 << 20,
		}}
	}},
}

// A sample is a model in a mode.
type sample struct {
	name string
	m    *program.Program
	mode
}

// samples are all models of testdata and of the examples, with everything that is recorded, in all
// modes; or some of them, if there is little time.
func samples(t testing.TB) (all []sample) {
	t.Helper()
	sources := map[string]string{"litters": litters}
	for _, pattern := range []string{"testdata/*.yaml", "../examples/*.yaml"} {
		files, err := filepath.Glob(population + pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, file := range files {
			name := strings.TrimSuffix(strings.TrimPrefix(file, population), ".yaml")
			sources[filepath.Base(name)] = text(name)
		}
	}
	for name, record := range map[string]string{
		"places": `
observe:
  cases: {of: "infectious->hospital", chance: 50%, after: {exponential: {mean: 3 days}}}
  survey: {at: 2 days, every: 3 days, count: 20, chance: {by: state, immune: 90%, other: 5%}, after: 2 days}
record: {every: 1 day, by: [age], incidence: true, tree: {of: at home}, people: {times: [cases, admission]}}
`,
		"tracing":  "\nrecord: {every: 1 day, tree: {of: meeting}, people: {times: [meeting]}}\n",
		"networks": "\nrecord: {every: 1 day, tree: {of: infection}}\n",
	} {
		source, _, _ := strings.Cut(sources[name], "\nrecord:")
		sources[name+" observed"] = source + record
	}
	few := map[string]string{
		"everything": "sparse", "places observed": "events", "tracing": "forkable", "networks observed": "forkable",
		"observed": "events", "machines": "plain", "supplies": "plain", "since": "forkable", "tuberculosis": "windows",
	}
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		if !testscale.On && few[name] == "" {
			continue
		}
		m := programOf(t, sources[name])
		if most := 120; m.Size > most {
			if small, err := compile.Text("model.yaml", []byte(sources[name]), syntax.Changes{Size: &most}); err == nil {
				m = small.Program
			}
		}
		for _, how := range modes {
			if how.name == "windows" && !canUseWindows(m) || !testscale.On && few[name] != how.name {
				continue
			}
			all = append(all, sample{name, toBeSaved(m), how})
		}
	}
	return all
}

// byID are the arrays by id: what lies behind the ids in use means nothing.
var byID = regexp.MustCompile(`^\.(words|numbers|stateCache|attributes\[\]\.(Narrow|Wide)|branches\[\]\.(Narrow|Wide)|` +
	`origins|cameIn\[\]|own\[\]|groups\[\]\.Positions|living\.Positions|observers\.tree\.infected|` +
	`observers\.people\.(entered|times\[\])|observers\.sources\.Positions|places\.kinds\[\]\.at|` +
	`networks\[\]\.(links|weights)\.rows|tracing\.logs\[\]\.(newest|from))$`)

// each is how many elements of an array by id an individual has.
func (r *Run) each(class string) int {
	switch class {
	case ".words":
		return r.stride
	case ".origins":
		return len(r.sparse)
	}
	return 1
}

// No two forks of a run, nor a fork and its original, share memory, but for the program.
func TestForksShareNothing(t *testing.T) {
	for _, s := range samples(t) {
		r := s.make()
		if !r.forkable {
			continue
		}
		halfway(t, r, s.m, 1)
		r.budget = NewBudget(&Options{})
		shared := regionsOf(s.m, nil).union()
		one := fork(t, r, 1)
		gone := fork(t, r, 2)
		below := fork(t, one, 3)
		gone.Retire()
		runs := map[string]*Run{
			"original": r, "fork": one, "fork of the fork": below, "fork in the memory of another": fork(t, r, 4),
		}
		memory := map[string]regions{}
		for name, r := range runs {
			memory[name] = regionsOf(r, shared)
		}
		names := slices.Sorted(maps.Keys(runs))
		told := map[string]bool{}
		for i, a := range names {
			for _, b := range names[:i] {
				for _, path := range memory[a].shared(memory[b]) {
					if why(path) != "program" && !told[path] {
						t.Errorf("%s, %s: the %s and the %s share %s", s.name, s.mode.name, a, b, path)
					}
					told[path] = true
				}
			}
		}
	}
}

// What is changed in a run changes what is saved, and is there again or refused when it is restored:
// of each path, in one of the models at least.
func TestEveryLeafIsSaved(t *testing.T) {
	kept, lost := map[string]bool{}, map[string]string{} // by path, and mode if there is time
	for _, s := range samples(t) {
		if Unsavable(s.m) != "" {
			continue
		}
		run := s.make()
		rec := halfway(t, run, s.m, 1)
		before, err := saved(run, rec)
		if err != nil {
			t.Fatal(err)
		}
		words, origins := slices.Clone(run.words), slices.Clone(run.origins)
		attributes := copyColumns(nil, run.attributes, run.Used)
		branches := copyColumns(nil, run.branches, run.Used)
		tried := map[string]int{}
		try := func(path string, leaf reflect.Value) {
			class := classOf(path)
			if why(class) != "" {
				return
			}
			switch {
			case testscale.On && run.windows != nil: // few models are by windows, and these are also sparse
				class += " of sparse"
			case testscale.On:
				class += " of " + s.mode.name
			}
			if tried[class]++; kept[class] || tried[class] > 20 {
				return
			}
			undo := change(leaf, (run.Now+run.end)/2)
			if undo == nil {
				return
			}
			after, err := saved(run, rec)
			undo()
			copy(run.words, words) // saving clears what means nothing, and now took others for that
			copy(run.origins, origins)
			run.attributes = copyColumns(run.attributes, attributes, run.Used)
			run.branches = copyColumns(run.branches, branches, run.Used)
			if err == nil && bytes.Equal(before, after) {
				lost[class] = fmt.Sprintf("is not saved: %s, %s", s.name, s.mode.name)
				return
			}
			if err == nil {
				back := s.make()
				if rows, err := restore(t, back, s.m, after); err == nil {
					if again, err := saved(back, rows); err == nil && !bytes.Equal(again, after) && bytes.Equal(again, before) {
						lost[class] = fmt.Sprintf("is saved and not restored: %s, %s", s.name, s.mode.name)
						return
					}
				}
			}
			kept[class] = true
		}
		living := []int{}
		for id := run.firstID; int(id) < run.Used; id++ {
			if run.status(id).state != program.NoState {
				living = append(living, int(id))
			}
		}
		pick := func(path string, n int) (at []int) {
			if class := classOf(path); byID.MatchString(class) {
				each := run.each(class)
				for k := range 4 {
					id := living[k*(len(living)-1)/3]
					for i := id * each; i < min((id+1)*each, n); i++ {
						at = append(at, i)
					}
				}
				return at
			}
			for i := range n {
				if i < 2 || i == n/2 || i == n-1 {
					at = append(at, i)
				}
			}
			return at
		}
		shared := regionsOf(s.m, nil).union()
		for _, root := range []struct {
			path string
			v    any
		}{{"", run}, {".rec", rec}} {
			w := walker{leaf: try, pick: pick, block: func(path string, at unsafe.Pointer, _ uintptr) bool {
				return !shared.has(uintptr(at)) && why(classOf(path)) == ""
			}}
			w.visit(root.path, reflect.ValueOf(root.v))
		}
		if again, err := saved(run, rec); err != nil || !bytes.Equal(again, before) {
			t.Errorf("%s, %s: the run is another one: %v, %v", s.name, s.mode.name, sectionsDiffer(before, again), err)
		}
	}
	for class, what := range lost {
		if !kept[class] {
			t.Errorf("%s %s", class, what)
		}
	}
}

// A run that was restored is the one that was saved, and so is one that was started in the memory
// of another. Nothing of this writes the program.
func TestRestoredIsSaved(t *testing.T) {
	for _, s := range samples(t) {
		if Unsavable(s.m) != "" {
			continue
		}
		constant := regionsOf(s.m, nil)
		sum, shared := constant.sum(), constant.union()
		run := s.make()
		halfway(t, run, s.m, 2)
		rec := halfway(t, run, s.m, 1)
		b, err := saved(run, rec)
		if err != nil {
			t.Fatal(err)
		}
		fresh := s.make()
		if again, err := saved(fresh, halfway(t, fresh, s.m, 1)); err != nil || !bytes.Equal(b, again) {
			t.Errorf("%s, %s: in the memory of another run it differs in %v: %v", s.name, s.mode.name,
				sectionsDiffer(b, again), err)
		}
		back := s.make()
		recBack, err := restore(t, back, s.m, b)
		if err != nil {
			t.Errorf("%s, %s: %v", s.name, s.mode.name, err)
			continue
		}
		if again, err := saved(back, recBack); err != nil || !bytes.Equal(b, again) {
			t.Errorf("%s, %s: what was restored is saved otherwise: %v: %v", s.name, s.mode.name, sectionsDiffer(b, again), err)
		}
		limit := func(class string) int {
			if byID.MatchString(class) {
				return run.Used * run.each(class)
			}
			return -1
		}
		for class, how := range differing(run, back, shared, limit) {
			if word := why(class); word != "scratch" && word != "program" && !arranged.MatchString(class) {
				t.Errorf("%s, %s: %s differs when it is restored: %s", s.name, s.mode.name, class, how)
			}
		}
		for class, how := range differing(rec, recBack, shared, func(string) int { return -1 }) {
			t.Errorf("%s, %s: the recording differs when it is restored: %s: %s", s.name, s.mode.name, class, how)
		}
		if constant.sum() != sum {
			t.Errorf("%s, %s: the program was written", s.name, s.mode.name)
		}
	}
}

// What parts of a run are said to take is what they take, where it does not follow from the number
// of individuals: queues, trees, what will be seen, and groups of places.
func TestPartsTakeTheirBytes(t *testing.T) {
	const many = `
name: many
time: {unit: day, start: 0, end: 60}
population: {size: 3000, start: {well: rest}}
attributes: {block: {VALUES}, side: {VALUES}}
places: {home: {size: 2, alike: [block, side], join: new}, ward: {number: 1, capacity: 2, where: {state: hospital}}}
states:
  well: {race: [{rate: 1 per day, to: hospital, full: waiting, queue: true, name: fall}]}
  waiting: {}
  hospital: {race: [{rate: 0.1 per day, to: out}]}
transmission: [{from: waiting, among: home, rate each: 1 per day, to: {well: well}, name: meeting}]
observe: {reports: {of: "well->waiting", chance: 100%, after: 50 days}}
record: {every: 1 day, tree: {of: "well->waiting"}}
`
	values := ""
	for i := range 40 {
		values += fmt.Sprintf("v%d: 2.5%%, ", i)
	}
	m := programOf(t, strings.ReplaceAll(many, "VALUES", strings.TrimSuffix(values, ", ")))
	for _, byRows := range []bool{true, false} {
		r := &Run{sparseRule: sparseRule{least: math.MaxInt}, forkable: !byRows}
		if err := r.Start(t.Context(), m, 1, 0); err != nil {
			t.Fatal(err)
		}
		before := r.bytes()
		if err := r.Advance(t.Context(), 20, nil); err != nil {
			t.Fatal(err)
		}
		program := regionsOf(m, nil).union()
		for name, part := range map[string]struct {
			of    any
			bytes int
		}{
			"queues":    {r.lines, r.lines.bytes()},
			"tree":      {r.observers.tree, r.observers.tree.bytes() + infectionBytes*r.capacity},
			"sightings": {r.observers.seen, r.observers.seen.bytes()}, "places": {r.places, r.places.bytes()},
		} {
			takes := 0
			for _, region := range regionsOf(part.of, program).union() {
				takes += int(region.to - region.from)
			}
			w := walker{
				block: func(_ string, at unsafe.Pointer, _ uintptr) bool { return !program.has(uintptr(at)) },
				pick:  func(_ string, n int) []int { return nil },
				leaf: func(_ string, v reflect.Value) {
					if v.Kind() == reflect.Map { // a slot in use has one byte more, and 3 of 4 are in use
						takes += v.Len() * int(v.Type().Key().Size()+v.Type().Elem().Size()+1) * 4 / 3
					}
				},
			}
			w.visit("", reflect.ValueOf(part.of))
			if takes < 1000 || float64(part.bytes) < 0.75*float64(takes) || float64(part.bytes) > 1.5*float64(takes) {
				t.Errorf("%s are said to take %d bytes, and take %d", name, part.bytes, takes)
			}
		}
		if parts := r.lines.bytes() + r.observers.bytes(); int(r.bytes())-int(before) < parts/2 {
			t.Errorf("the run is said to take %d bytes, %d at the start, and has %d more in parts", r.bytes(), before, parts)
		}
	}
}
