//go:build !race

package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
)

// Calls, errands and logs keep their invariants between any two events, and events do not depend on
// how timers are stored.
func TestInvariantsOfTracing(t *testing.T) {
	m := programOf(t, tracedText)
	named := make([]uint64, len(m.CountedNames))
	for seed := range testscale.Size[uint64](3, 5) {
		var all [3][]seen
		for i, rule := range []sparseRule{usualSparse, {1, 100, 0}, {1, 0, 100}} {
			r := Run{sparseRule: rule}
			r.OnEvent = func(h *Event) { all[i] = append(all[i], seenIn(m, h)) }
			walk(t, &r, m, seed, 0.2)
			for k, n := range r.Named {
				named[k] += n
			}
		}
		if !alike(all[0], all[1]) || !alike(all[0], all[2]) {
			t.Fatalf("seed %d: other events if timers are sparse, or share a word", seed)
		}
	}
	for k, name := range m.CountedNames {
		if named[k] == 0 {
			t.Errorf("nothing was counted as %s", name)
		}
	}
}

// A run whose calls find nobody is the run without calls, event by event, and so is one in which
// those who are found are reached in vain.
func TestTracingTakesNoDraws(t *testing.T) {
	head, rest, _ := strings.Cut(tracedText, "tracing:\n")
	_, tail, _ := strings.Cut(rest, "interventions:\n")
	plain := head + "interventions:\n" + tail
	none := head + `tracing:
  - {when: test, through: {household: 0%, meeting: {by: region, of: met, north: 0%, south: 0%}, at home: 0%},
     back: 5 days, after: {gamma: {mean: 1 day, shape: 2}}, move: {isolation: asked}}
  - {when: immune, through: {household: 0%}, to: {susceptible: immune}}
interventions:
` + tail
	vain := head + `tracing:
  - {when: immune, through: {household: 100%, meeting: 100%}, back: 5 days, after: {gamma: {mean: 1 day, shape: 2}},
     move: {warned: yes}, whom: {region: north, warned: yes}}
interventions:
` + tail
	var want string
	for i, source := range []string{plain, none, vain} {
		source = strings.Replace(source, "found: 60%", "unused: 60%", 1)
		source = strings.Replace(source, "set: {found: 10%}", "set: {unused: 10%}", 1)
		m := programOf(t, source)
		var got strings.Builder
		r := Run{sparseRule: usualSparse}
		r.OnEvent = func(h *Event) {
			s := seenIn(m, h)
			s.place, s.byPlace = 0, 0 // an id is for errands
			fmt.Fprintln(&got, s)
		}
		if err := r.Start(t.Context(), m, 5, 0); err != nil {
			t.Fatal(err)
		}
		if err := r.Advance(t.Context(), 25, nil); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			want = got.String()
		} else if got.String() != want {
			t.Errorf("model %d: other events than without tracing", i)
		}
	}
}

// Those near somebody who leaves are found before it leaves; they are reached in the order of
// layers and of numbers, and by names the one who left.
func TestTracingOfThoseWhoLeave(t *testing.T) {
	m := programOf(t, `
name: leave
time: {unit: day, end: 10}
population: {size: 5, start: {ill: 1, well: rest}}
places: {household: {size: 5, join: none}}
states: {ill: {race: [{after: 1 day, to: out, name: death}]}, well: {}, warned: {}}
tracing: [{when: death, through: {household: 100%}, after: 2 days, to: {well: warned}, name: warning}]
immigration: {rate: 5 per day, enter: warned}
`)
	var got []string
	r := Run{sparseRule: usualSparse}
	r.OnEvent = func(h *Event) {
		if h.Kind == Changed {
			got = append(got, fmt.Sprint(h.Time, " ", h.Individual, " by ", h.By))
		}
	}
	if err := r.Start(t.Context(), m, 1, 0); err != nil {
		t.Fatal(err)
	}
	if err := r.Advance(t.Context(), 10, nil); err != nil {
		t.Fatal(err)
	}
	if want := "[3 2 by 1 3 3 by 1 3 4 by 1 3 5 by 1]"; fmt.Sprint(got) != want {
		t.Errorf("reached %v, want %v", got, want)
	}
	if r.Named[1] != 4 {
		t.Errorf("%d are counted as warned, want 4", r.Named[1])
	}
}

// Whoever has come into the slot of somebody who was found is not reached in its place.
func TestTracingOfSlotsUsedAgain(t *testing.T) {
	m := programOf(t, `
name: again
time: {unit: day, end: 10}
population: {size: 40, start: {ill: 20, well: rest}}
places: {household: {size: 2, join: none}}
states:
  ill: {race: [{after: 1 day, to: isolated}]}
  well: {race: [{after: 2 days, to: out}]}
  isolated: {}
  new: {}
  warned: {}
immigration: {rate: 40 per day, enter: new}
tracing:
  - {when: isolated, through: {household: 100%}, after: 3 days, to: {new: warned, well: warned, isolated: warned}}
`)
	reused := false
	for seed := range uint64(20) {
		r := Run{sparseRule: usualSparse}
		r.OnEvent = func(h *Event) {
			reused = reused || h.Kind == Entered && h.Slot < 40
			if h.Kind == Changed && h.Individual > 40 {
				t.Fatalf("individual %d was reached, who has entered later", h.Individual)
			}
		}
		walk(t, &r, m, seed, 0.5)
	}
	if !reused {
		t.Error("no slot was used again")
	}
}

// Calls that make calls at the same instant for ever are an error, not a run that never ends.
func TestTracingStandsStill(t *testing.T) {
	m := programOf(t, `
name: circle
time: {unit: day, end: 10}
population: {size: 4, start: {a: rest}}
places: {household: {size: 4}}
states: {a: {race: [{rate: 1 per day, to: b}]}, b: {}}
tracing: [{when: b, through: {household: 100%}, to: {a: b, b: b}}]
`)
	r := Run{sparseRule: usualSparse, Patience: 1 << 12}
	if err := r.Start(t.Context(), m, 1, 0); err != nil {
		t.Fatal(err)
	}
	if err := r.Advance(t.Context(), 10, nil); err == nil || !strings.Contains(err.Error(), "the clock stands still") {
		t.Errorf("error %v", err)
	}
}

// An immediate call is carried out before the next event: its people, then the calls that these
// make.
func TestTracingOrder(t *testing.T) {
	m := programOf(t, `
name: order
time: {unit: day, end: 10}
population: {size: 6, start: {ill: 1, well: rest}}
places: {household: {size: 3}, school: {size: 6}}
states: {ill: {race: [{after: 1 day, to: found}]}, well: {}, found: {}}
tracing:
  - {when: found, through: {household: 100%}, to: {well: found}}
  - {when: found, through: {school: 100%}, to: {well: found}}
record: {every: 10 days}
`)
	for seed := range uint64(5) {
		r := Run{sparseRule: usualSparse}
		var who, by []uint64
		r.OnEvent = func(h *Event) {
			if h.Kind == Changed {
				who, by = append(who, h.Individual), append(by, h.By)
			}
		}
		if err := r.Start(t.Context(), m, seed, 0); err != nil {
			t.Fatal(err)
		}
		near, _, _ := r.places.kinds[0].Around(r.firstID)
		home := map[uint64]bool{}
		for _, id := range near {
			home[r.numbers[id]] = true
		}
		if err := r.Advance(t.Context(), 10, nil); err != nil {
			t.Fatal(err)
		}
		if len(who) != 6 || who[0] != 1 || !home[who[1]] || !home[who[2]] || who[1] > who[2] ||
			home[who[3]] || who[3] > who[4] || who[4] > who[5] || fmt.Sprint(by) != "[1 1 1 1 1 1]" {
			t.Errorf("seed %d: %v were found by %v; at home are %v", seed, who, by, home)
		}
		for s, name := range m.States {
			if name == "found" && r.Counts[s] != 6 {
				t.Errorf("%d are found", r.Counts[s])
			}
		}
	}
}

// What is not remembered takes no memory: models without tracing have no log, and no numbers.
func TestNoTracing(t *testing.T) {
	r := Run{sparseRule: usualSparse}
	if err := r.Start(t.Context(), programOf(t, placed), 1, 0); err != nil {
		t.Fatal(err)
	}
	if r.tracing != nil || r.numbers != nil {
		t.Error("a run without tracing keeps what only tracing needs")
	}
	for _, c := range r.phase.Contacts {
		if c.Log != 0 {
			t.Error("a contact is remembered")
		}
	}
	if canUseWindows(programOf(t, tracedText)) {
		t.Error("a model with tracing can use windows")
	}
}

// Too many contacts to remember are refused before the run begins, or when there is no memory for
// more.
func TestTracingTakesTooMuchMemory(t *testing.T) {
	const model = `
name: memory
time: {unit: day, end: 1000}
population: {size: %d, start: {ill: rest}}
states: {ill: {race: [{rate: 0.00001 per day, to: isolated}]}, isolated: {}}
transmission: [{from: ill, rate: 8 per day, chance: 4%%, to: {ill: ill}, name: meeting}]
tracing: [{when: isolated, through: {meeting: 0%%}, back: 365 days, to: {ill: isolated}}]
`
	large := programOf(t, fmt.Sprintf(model, 50_000_000))
	if _, err := Afford(large, &Options{}, NewBudget(&Options{})); err == nil || !strings.Contains(err.Error(),
		"memory: not enough memory: tracing 1: back: 365 days of 8 meetings a day of all ill: about 3.5 TB "+
			"at the peak; ") {
		t.Errorf("error %v", err)
	}
	small := programOf(t, fmt.Sprintf(model, 1000))
	o := &Options{Memory: 20 << 20}
	b := NewBudget(o)
	if _, err := Afford(small, o, b); err != nil {
		t.Fatal(err)
	}
	r := NewRun(o, b)
	if err := r.Start(t.Context(), small, 1, 0); err != nil {
		t.Fatal(err)
	}
	err := r.Advance(t.Context(), 1000, nil)
	want := "not enough memory: tracing 1: back: 365 days of contacts named meeting: "
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Fatalf("error %v", err)
	}
	if n := r.bytes(); n > 20<<20 {
		t.Errorf("the run takes %d bytes", n)
	}
}

// Whoever has come into the slot of somebody who was met has not been met, and has met nobody.
func TestTracingOfContactsInSlotsUsedAgain(t *testing.T) {
	m := programOf(t, `
name: met
time: {unit: day, end: 10}
population: {size: 40, start: {early: 20, well: rest}}
states:
  early: {race: [{after: 1 day, to: late}]}
  late: {race: [{after: 4 days, to: isolated}]}
  well: {race: [{after: 2 days, to: out}]}
  new: {race: [{after: 4 days, to: isolated}]}
  isolated: {}
  warned: {}
transmission: [{from: early, rate: 20 per day, chance: 0%, to: {well: well}, name: meeting}]
interventions: [{at: 3 days, enter: new, count: 40}]
tracing: [{when: isolated, through: {meeting: 100%}, back: 100 days, to: {new: warned, late: warned}}]
`)
	r := Run{sparseRule: usualSparse}
	reused, warned := false, 0
	r.OnEvent = func(h *Event) {
		reused = reused || h.Kind == Entered && h.Slot < 40
		if h.Kind == Changed && m.Flows[h.Flow].To == "warned" {
			if warned++; h.Individual > 40 || h.By > 40 {
				t.Errorf("%d was found by %d, and they have not met", h.Individual, h.By)
			}
		}
	}
	walk(t, &r, m, 1, 0.5)
	if !reused || warned == 0 {
		t.Errorf("a slot was used again: %v; %d were found", reused, warned)
	}
}

// A few calls in a large place are much work, and much to remember: the run looks at its context
// and its memory meanwhile.
func TestTracingInALargePlace(t *testing.T) {
	const model = `
name: large
time: {unit: day, end: 10}
population: {size: 50_000, start: {a: rest}}
places: {camp: {size: 50_000}}
states: {a: {race: [{rate: 1 per day, to: b}]}, b: {}}
tracing: [{when: b, through: {camp: %s}, to: {a: b}%s}]
`
	ctx, cancel := context.WithCancel(t.Context())
	o := &Options{OnEvent: func(h *Event) {
		if h.Kind == Changed {
			cancel()
		}
	}}
	r := NewRun(o, NewBudget(o))
	r.OnEvent = o.OnEvent
	if err := r.Start(ctx, programOf(t, fmt.Sprintf(model, "0%", "")), 1, 0); err != nil {
		t.Fatal(err)
	}
	if err := r.Advance(ctx, 10, nil); !errors.Is(err, context.Canceled) || r.Events > 50 {
		t.Errorf("after %d events: %v", r.Events, err)
	}
	o = &Options{Memory: 60 << 20}
	r = NewRun(o, NewBudget(o))
	if err := r.Start(t.Context(), programOf(t, fmt.Sprintf(model, "100%", ", after: 5 days")), 1, 0); err != nil {
		t.Fatal(err)
	}
	if err := r.Advance(t.Context(), 10, nil); !errors.Is(err, ErrMemory) || r.Events > 200 {
		t.Errorf("after %d events: %v", r.Events, err)
	}
}
