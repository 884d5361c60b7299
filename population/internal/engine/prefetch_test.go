//go:build !race

package engine

import (
	"context"
	"reflect"
	"slices"
	"testing"
)

// Looking ahead changes nothing, whatever there is in a model, and it is done.
func TestPrefetchingChangesEvents(t *testing.T) {
	for name, text := range map[string]string{"everything": everything, "busy everything": busyEverything, "tied": tied,
		"bands": banded, "curves": curved, "numbers": numbered,
		"plain": `
name: plain
time: {unit: day, end: 60}
population: {size: 500, start: {i: 10, s: rest}}
states: {s: {}, i: {race: [{rate: 0.2 per day, to: s}]}}
transmission: [{from: i, rate: 0.5 per day, to: {s: i}}]
`, "neighbours": `
name: neighbours
time: {unit: day, end: 60}
population: {size: 500, start: {i: 10, s: rest}}
places: {household: {size: {1: 50%, 4: 50%}}}
networks: {friends: {degrees: {poisson: {mean: 3}}}}
states: {s: {}, i: {race: [{rate: 0.2 per day, to: s}]}}
transmission:
  - {from: i, rate: 0.1 per day, to: {s: i}}
  - {from: i, among: household, rate each: 0.2 per day, to: {s: i}}
  - {from: i, among: friends, rate each: 0.1 per day, to: {s: i}}
`} {
		m := programOf(t, text)
		var want []seen
		for _, sight := range []int{0, 1} {
			var all []seen
			r := Run{sparseRule: usualSparse, prefetchFrom: sight, OnEvent: func(h *Event) { all = append(all, seenIn(m, h)) }}
			walk(t, &r, m, 3, 7)
			if sight == 0 {
				want = all
			} else if !slices.EqualFunc(all, want, func(a, b seen) bool { return reflect.DeepEqual(a, b) }) {
				t.Errorf("%s: other events if it is looked ahead", name)
			}
			if (r.prefetchAhead > 0) != (sight > 0 && (m.MixesFreely || len(m.Near) > 0)) {
				t.Errorf("%s: looks %d events ahead", name, r.prefetchAhead)
			}
		}
	}
}

// Who is foreseen is who is met, by anybody, in a household, on a network, and where there are two
// contacts of which one has a rate that changes. Contacts show where the other is susceptible.
func TestPrefetchesTheWrongIndividual(t *testing.T) {
	for name, contacts := range map[string]string{
		"anybody":   "[{from: i, rate: 1 per day, to: {s: i}}]",
		"household": "[{from: i, among: household, rate each: 0.1 per day, to: {s: i}}]",
		"network":   "[{from: i, among: friends, rate each: 0.1 per day, to: {s: i}}]",
		"two": "[{from: i, rate: 0.5 per day, to: {s: i}}, " +
			"{from: i, among: friends, rate each: 0.05 per day, to: {s: i}}]",
	} {
		m := programOf(t, `
name: foreseen
time: {unit: day, end: 60}
population: {size: 400, start: {i: 4, s: rest}}
places: {household: {size: 11}}
networks: {friends: {degrees: {poisson: {mean: 10}}}}
states: {s: {}, i: {race: [{rate: 0.1 per day, to: s}]}}
transmission: `+contacts+"\n")
		var last seen
		r := Run{sparseRule: usualSparse, OnEvent: func(h *Event) { last = seenIn(m, h) }}
		if err := r.Start(context.Background(), m, 1, 0); err != nil {
			t.Fatal(err)
		}
		right, all := 0, 0
		for all < 60 {
			id, at, ok := r.Queue.Peek()
			if !ok {
				t.Fatalf("%s: nothing is to come", name)
			}
			other, c := r.nextContact(uint32(id))
			last = seen{}
			if err := r.run(context.Background(), at, nil); err != nil {
				t.Fatal(err)
			}
			contact := last.from == "s" && last.to == "i"
			if contact && (c == nil || last.place != other || last.byPlace != uint32(id)) && name != "anybody" {
				t.Fatalf("%s: %d met %d, and %d was foreseen", name, last.byPlace, last.place, other)
			}
			if c != nil {
				all++
				if contact && last.place == other && last.byPlace == uint32(id) {
					right++
				}
			}
		}
		// With anybody: of the slots, which are tried until one is somebody's, a twentieth are
		// nobody's, and up to a sixth are those of the infectious. Neighbours are exact, see above.
		if right == 0 || name == "anybody" && right < 40 {
			t.Errorf("%s: %d of %d contacts were with whom was foreseen", name, right, all)
		}
	}
}

// It is not looked ahead for long if there are hardly any contacts, and again when there are.
func TestPrefetchingNeverAdapts(t *testing.T) {
	m := programOf(t, `
name: late
time: {unit: day, end: 20}
population: {size: 20_000, start: {i: 1, a: rest}}
states:
  a: {race: [{rate: 5 per day, to: b}]}
  b: {race: [{rate: 5 per day, to: a}]}
  i: {}
transmission: [{from: i, rate: 9 per day, to: {a: b}}]
interventions: [{at: 5 days, who: [a, b], to: i}]
`)
	r := Run{sparseRule: usualSparse, prefetchFrom: 1}
	if err := r.Start(context.Background(), m, 1, 0); err != nil {
		t.Fatal(err)
	}
	look := func(until float64) (with, without int) {
		for at := r.Now; at < until; at += 0.01 { // 1,000 events
			if err := r.Advance(context.Background(), at, nil); err != nil {
				t.Fatal(err)
			}
			if r.prefetchAhead > 0 {
				with++
			} else {
				without++
			}
		}
		return with, without
	}
	if with, without := look(4.9); with > without/4 {
		t.Errorf("without contacts it was looked ahead %d times, and %d times not", with, without)
	}
	look(7.5) // up to fifteen windows of 16,384 events, at 180,000 a day
	if with, without := look(8.5); without > 0 {
		t.Errorf("with contacts it was looked ahead %d times, and %d times not", with, without)
	}
}
