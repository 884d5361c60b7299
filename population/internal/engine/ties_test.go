//go:build !race

package engine

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/internal/eventqueue"
)

// At one instant individuals have their turns by place, round by round; what came to be due
// meanwhile is in the next round.
func TestTies(t *testing.T) {
	m := programOf(t, tied)
	var events []seen
	r := Run{sparseRule: usualSparse}
	r.OnEvent = func(h *Event) { events = append(events, seenIn(m, h)) }
	rounds, largest := 0, 0
	for seed := range uint64(20) {
		events = events[:0]
		walk(t, &r, m, seed, 0.25)
		for i := 0; i < len(events); {
			j := i + 1
			for j < len(events) && events[j].time == events[i].time {
				j++
			}
			if events[i].kind != Started && j-i > 1 {
				at := events[i:j]
				// A round ends where places no longer ascend. Whoever is in the next one has been
				// in this one: no duration is shorter than two days and a half but that of d.
				for k := 1; k < len(at); k++ {
					if at[k].place > at[k-1].place {
						continue
					}
					rounds++
					if at[k].from != "d" || !slices.ContainsFunc(at[:k], func(e seen) bool {
						return e.place == at[k].place &&
							e.to == "d"
					}) {
						t.Fatalf("seed %d, day %v: %d has its turn after %d: %+v", seed, at[k].time, at[k].place, at[k-1].place, at)
					}
				}
				largest = max(largest, len(at))
			}
			i = j
		}
	}
	if rounds < 20 || largest < 30 {
		t.Errorf("%d rounds, at most %d events at an instant: too few to see anything", rounds, largest)
	}
}

// The order in which events were planned is without consequence: planning everybody anew, in any
// order, changes nothing.
func TestTiesForgetThePlanning(t *testing.T) {
	m := programOf(t, tied)
	var kept []seen
	for variant := range 3 {
		var events []seen
		r := Run{sparseRule: usualSparse}
		r.OnEvent = func(h *Event) { events = append(events, seenIn(m, h)) }
		if err := r.Start(context.Background(), m, 3, 0); err != nil {
			t.Fatal(err)
		}
		for at := 0.0; at <= 12; at += 0.3 {
			if err := r.run(context.Background(), at, nil); err != nil {
				t.Fatal(err)
			}
			for id := r.firstID; int(id) < r.Used; id++ {
				id := id
				switch variant {
				case 1:
					id = r.firstID + uint32(r.Used) - 1 - id
				case 2:
					id = r.firstID + (id*37)%uint32(r.Used)
				}
				if due, ok := r.Queue.Due(eventqueue.ID(id)); ok && variant > 0 {
					if err := r.Queue.Reschedule(eventqueue.ID(id), due); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		if variant == 0 {
			kept = events
		} else if fmt.Sprint(events) != fmt.Sprint(kept) {
			t.Errorf("variant %d: other events", variant)
		}
	}
}

// One's own clock comes before what others do to one at the same instant, no matter which has the
// lower place, and contacts come in the order of their makers' places.
func TestTiesOwnClockFirst(t *testing.T) {
	m := programOf(t, `
name: own
time: {unit: day, end: 10}
population: {size: 6, start: {maker: 4, met: rest}}
states: {maker: {}, met: {race: [{after: 2 days, to: gone}]}, gone: {}, hit: {}}
transmission: [{from: maker, rate: 1e-9 per day, to: {met: hit, gone: hit, maker: out}}]
`)
	for seed := range uint64(50) {
		var events []seen
		r := Run{sparseRule: usualSparse}
		r.OnEvent = func(h *Event) { events = append(events, seenIn(m, h)) }
		if err := r.Start(context.Background(), m, seed, 0); err != nil {
			t.Fatal(err)
		}
		for id := range eventqueue.ID(4) { // contacts happen to be made when the clocks fire
			if err := r.Queue.Reschedule(id, 2); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.run(context.Background(), 3, nil); err != nil {
			t.Fatal(err)
		}
		events = events[6:]
		for i := range 2 {
			if e := events[i]; e.place != uint32(4+i) || e.to != "gone" || e.time != 2 {
				t.Fatalf("seed %d: event %d is %+v", seed, i, e)
			}
		}
		for i := 3; i < len(events); i++ {
			if events[i].byPlace <= events[i-1].byPlace {
				t.Fatalf("seed %d: contacts out of order: %+v", seed, events)
			}
		}
		if err := r.Check(); err != nil {
			t.Fatal(err)
		}
	}
}

// A crowd at one instant is no more work for each of them than a few.
func TestTiesOfACrowd(t *testing.T) {
	m := programOf(t, "name: crowd\ntime: {unit: day, end: 6}\npopulation: {size: 50_000, start: {a: rest}}\n"+
		"states: {a: {race: [{after: 2 days, to: b}]}, b: {race: [{after: 2 days, to: a}]}}\n"+
		"immigration: {rate: 100 per day, enter: a}\n")
	r := Run{sparseRule: usualSparse}
	last, out := uint32(0), 0
	r.OnEvent = func(e *Event) {
		if e.Kind == Changed && e.Time == 4 {
			if e.Slot < last {
				out++
			}
			last = e.Slot
		}
	}
	if err := r.Start(context.Background(), m, 1, 0); err != nil {
		t.Fatal(err)
	}
	if err := r.run(context.Background(), 6, nil); err != nil {
		t.Fatal(err)
	}
	if out > 0 || last != 50_000 {
		t.Errorf("%d out of order, the last is %d", out, last)
	}
	if err := r.Check(); err != nil {
		t.Error(err)
	}
}

// Whoever a contact has made another is not changed by a contact of its own at the same instant.
func TestTiesOfSelf(t *testing.T) {
	m := programOf(t, `
name: self
time: {unit: day, end: 10}
population: {size: 20, start: {a: rest}}
states: {a: {}, b: {}, c: {}}
transmission: [{from: a, rate: 1e-9 per day, to: {a: b, b: same, c: out}, self: c, name: meeting}]
`)
	lost, made := 0, 0
	for seed := range uint64(20) {
		r := Run{sparseRule: usualSparse}
		if err := r.Start(context.Background(), m, seed, 0); err != nil {
			t.Fatal(err)
		}
		for id := range eventqueue.ID(20) {
			if err := r.Queue.Reschedule(id, 2); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.run(context.Background(), 3, nil); err != nil {
			t.Fatal(err)
		}
		if err := r.Check(); err != nil {
			t.Fatal(err)
		}
		lost, made = lost+20-r.Alive, made+int(r.Named[0])
	}
	// Most have met somebody, each once; some of them had been changed before, or were gone.
	if lost == 0 || made < 200 || made == 400 {
		t.Errorf("%d left, %d contacts", lost, made)
	}
}
