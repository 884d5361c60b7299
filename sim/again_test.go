package sim

import (
	"context"
	"testing"
)

// held is how much a simulation has of what is used again.
type held struct {
	slots, vacant, ring, heap, idle, extras, left, requests, ranks, grants, orders, items int
}

func holds(s *Simulation, r *Resource, st *Store[int]) (h held) {
	h = held{slots: len(s.slots), vacant: cap(s.vacant), ring: len(s.due.ring), heap: cap(s.due.heap),
		idle: len(s.idle), extras: len(s.extras), left: cap(s.left), orders: len(st.spare), items: len(st.items.ring)}
	for q := s.requests; q != nil; q = q.next {
		h.requests++
	}
	for g := r.spare; g != nil; g = g.next {
		h.grants++
	}
	for e := r.line.ranks.spare; e != nil; e = e.left {
		h.ranks++
	}
	return h
}

// Slots of events, requests, ranks, grants, orders and the like are used again: a model that does
// the same for ever soon has all that it needs. And every slot is in use or vacant.
func TestSimulationUsesMemoryAgain(t *testing.T) {
	s := New()
	defer s.Close()
	r := NewResource(s, "desk", 2)
	st := NewStore[int](s, "shelf", 3)
	random := s.Stream("model")
	s.Every(0, 1, func() {
		for i := range 10 {
			s.Go("customer", func(p *Process) {
				_ = r.Use(p, 1, func() { _ = p.Wait(0.1 * random.Float64()) }, Rank(random.IntN(5)), Patience(0.5))
				_ = st.Put(p, i, Patience(0.5))
			})
			s.After(0.5, func() { st.TryGet() }, Priority(random.IntN(3)))
			e := s.After(0.9, func() {})
			s.After(0.2, func() { e.Reschedule(s.Now()) })
			s.After(0.2, func() { e.Cancel() })
		}
		r.RequestThen(1, func(g *Grant) { s.After(0.1, g.Release) })
	})
	run := func(until float64) held {
		if err := s.Run(context.Background(), until); err != nil {
			t.Fatal(err)
		}
		return holds(s, r, st)
	}
	before, after := run(100.5), run(1000.5)
	double := func(name string, was, is int) {
		if is > 2*was+16 {
			t.Errorf("%s: %d became %d", name, was, is)
		}
	}
	double("slots", before.slots, after.slots)
	double("vacant slots", before.vacant, after.vacant)
	double("ring of what is due", before.ring, after.ring)
	double("heap of what is due", before.heap, after.heap)
	double("idle workers", before.idle, after.idle)
	double("extras of processes", before.extras, after.extras)
	double("lines that somebody left", before.left, after.left)
	double("requests", before.requests, after.requests)
	double("ranks", before.ranks, after.ranks)
	double("grants", before.grants, after.grants)
	double("orders", before.orders, after.orders)
	double("items", before.items, after.items)
	if min(before.requests, before.ranks, before.grants, before.orders, before.heap, before.ring) == 0 {
		t.Errorf("something is never used: %+v", before)
	}

	vacant := make(map[uint32]bool)
	for _, id := range s.vacant {
		if vacant[id] || s.slots[id].stamp != 0 {
			t.Fatalf("slot %d is vacant twice, or in use", id)
		}
		vacant[id] = true
	}
	for id := range s.slots {
		if s.slots[id].f == nil && s.slots[id].p == nil && !vacant[uint32(id)] {
			t.Errorf("slot %d is lost", id)
		}
	}
}

// After a burst there are no more slots than events were pending at one time, and the calendar
// gives its memory back.
func TestSimulationAfterABurst(t *testing.T) {
	const n = 100_000
	s := New()
	defer s.Close()
	for burst := range 3 {
		for i := range n {
			s.After(1+float64(i%1000), func() {})
		}
		if err := s.Run(context.Background(), s.Now()+2000); err != nil {
			t.Fatal(err)
		}
		if len(s.slots) != n || len(s.vacant) != n {
			t.Errorf("burst %d: %d slots, %d of them vacant, want %d", burst, len(s.slots), len(s.vacant), n)
		}
		s.After(1, func() {})
		s.Step()
		if bytes := s.calendar.Stats().Bytes; bytes > 2<<20 {
			t.Errorf("burst %d: the calendar holds %d bytes", burst, bytes)
		}
	}
}
