package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/store"
)

// near is the state of the neighbourhoods by attribute: of those with the same value of it. See
// program.Neighbours for the seats; places.go and networks.go have the other two kinds.
//
// The seats of a group double when it outgrows them, and are halved when three quarters of them are
// empty. Then all members with a rate for each pair are scheduled anew: a constant amount of work
// for each that joins or leaves.
//
// Invariants, once it is ready: the number of seats is a power of two and at least the number of
// members; replan is empty between two events.
type near struct {
	ready  bool
	seats  [][]uint32 // by number of Program.Near and value, if it is an attribute with pairs
	replan []uint32   // individuals whose rates have changed by an event
	stale  []uint32   // individuals whose presence has changed
	mode   presenceMode
}

// newNear returns the state of neighbourhoods for a run, nil if it needs none.
func newNear(m *program.Program) *near {
	if len(m.Near)+len(m.Places)+len(m.Networks) == 0 && !m.Queues {
		return nil
	}
	n := &near{seats: make([][]uint32, len(m.Near))}
	for k := range m.Near {
		if a := m.Near[k].Attribute; a >= 0 && m.Near[k].Pairs {
			n.seats[k] = slices.Repeat([]uint32{1}, len(m.Attributes[a].Values))
		}
	}
	return n
}

// copy returns a copy.
func (n *near) copy() *near {
	if n == nil {
		return nil
	}
	c := &near{ready: n.ready, seats: make([][]uint32, len(n.seats))}
	for k := range n.seats {
		c.seats[k] = slices.Clone(n.seats[k])
	}
	return c
}

// Seats returns the number of seats of those near an individual, its own included: 1 if it has no
// place.
func (r *Run) Seats(near int, id uint32) int {
	if !r.near.ready {
		return 1
	}
	if k := r.Program.Near[near].Kind; k >= 0 {
		return r.places.kinds[k].SeatsOf(id)
	}
	return int(r.near.seats[near][r.attributes[r.Program.Near[near].Attribute].Of(id)])
}

// Members is of program.Neighbours.
func (r *Run) Members(near int, id uint32) int {
	if k := r.Program.Near[near].Network; k >= 0 {
		return 1 + r.networks[k].links.Degree(id)
	}
	if k := r.Program.Near[near].Kind; k >= 0 {
		if s := r.places.kinds[k]; s.Seated(id) {
			return s.Members(s.Place(id))
		}
		return 1
	}
	a := r.Program.Near[near].Attribute
	return len(r.groups[a].Members[r.attributes[a].Of(id)])
}

// beginNear counts those who are near each other, once everybody of the start is there, and
// schedules those anew whose rates depend on it.
func (r *Run) beginNear() {
	for k := range r.near.seats {
		for v := range r.near.seats[k] {
			r.near.seats[k][v] = seatsFor(len(r.groups[r.Program.Near[k].Attribute].Members[v]))
		}
	}
	r.near.ready = true
	r.prefetchWords()
	for id := r.firstID; int(id) < r.Used; id++ {
		r.rescheduleNear(id)
	}
}

// seatsFor returns the number of seats for n members.
func seatsFor(n int) uint32 { return store.SeatsFor(n) }

// rescheduleNear schedules an individual anew, if it has a rate for each pair of neighbours.
func (r *Run) rescheduleNear(id uint32) {
	state := r.status(id).state
	if state != program.NoState && program.PairsNear(r.stateOf(id, state).Varying) {
		r.reschedule(id, state)
	}
}

// replanAll does so for all whose rates an event has changed.
func (r *Run) replanAll() {
	for _, id := range r.near.replan {
		r.rescheduleNear(id)
	}
	r.near.replan = r.near.replan[:0]
}

// finish ends whatever may let individuals enter: an event, a contact of a round of ties, an
// intervention or a delivery. It carries out the effects on neighbours, on those who wait and on
// those who are traced, and goes on with a larger size class if they are more than theirs allows.
func (r *Run) finish(ctx context.Context) error {
	if r.near != nil {
		r.settleNear()
	}
	if r.tracing != nil {
		if err := r.settleCalls(ctx); err != nil {
			return err
		}
	}
	if r.Alive > r.limit {
		return r.outgrow()
	}
	return nil
}

// settleNear is the part of finish for neighbours and those who wait.
func (r *Run) settleNear() {
	if r.lines != nil && r.lines.due {
		r.serve()
	}
	for _, id := range r.near.stale {
		if state := r.status(id).state; state != program.NoState {
			r.reschedule(id, state)
		}
	}
	r.near.stale = r.near.stale[:0]
	if len(r.near.replan) > 0 {
		r.replanAll()
	}
}

// regroup is called when an individual has left the group with a value of an attribute, or entered
// another: from or to is −1 for none.
func (r *Run) regroup(id uint32, attribute, from, to int) {
	if !r.near.ready {
		return
	}
	for k := range r.near.seats {
		if r.Program.Near[k].Attribute != attribute || r.near.seats[k] == nil {
			continue
		}
		if from >= 0 {
			r.fitSeats(k, from)
		}
		if to >= 0 {
			r.fitSeats(k, to)
			r.near.replan = append(r.near.replan, id)
		}
	}
}

// fitSeats fits the number of seats to that of members.
func (r *Run) fitSeats(near, value int) {
	members := r.groups[r.Program.Near[near].Attribute].Members[value]
	seats := &r.near.seats[near][value]
	switch n := uint32(len(members)); {
	case n > *seats:
		*seats = seatsFor(len(members))
	case *seats > 4 && 4*n <= *seats:
		*seats /= 2
	default:
		return
	}
	r.near.replan = append(r.near.replan, members...)
}

// chooseNear chooses the other individual of a contact among neighbours. It reports false if there
// is none.
func (r *Run) chooseNear(id uint32, c *program.Contact, l contactSeed) (uint32, bool) {
	if r.observers != nil {
		last := &r.observers.last
		last.near, last.maker, last.at = 1+c.Near, id, r.Now
	}
	return r.neighbour(id, c, l)
}

// neighbour is chooseNear without effects.
func (r *Run) neighbour(id uint32, c *program.Contact, l contactSeed) (uint32, bool) {
	choices := random.Stream(l)
	near := &r.Program.Near[c.Near]
	if near.Network >= 0 {
		return r.networks[near.Network].choose(id, c.EachPair, &choices)
	}
	if near.Kind >= 0 {
		s := r.places.kinds[near.Kind]
		if !s.Seated(id) {
			return 0, false
		}
		if c.EachPair {
			seats, own := s.Block(id)
			other, ok := pickSeat(seats, own, len(seats), &choices)
			return other, ok && other != store.Outside
		}
		members, own, _ := s.Around(id)
		return pickSeat(members, own, len(members), &choices)
	}
	g := r.groups[near.Attribute]
	v := int(r.attributes[near.Attribute].Of(id))
	if !c.EachPair {
		return g.Other(id, v, v, &choices)
	}
	return pickSeat(g.Members[v], int(g.Positions[id]), int(r.near.seats[c.Near][v]), &choices)
}

// pickSeat chooses one of the other seats uniformly. It reports false if the seat is empty.
func pickSeat(members []uint32, own, seats int, s *random.Stream) (uint32, bool) {
	if seats < 2 {
		return 0, false
	}
	k := int(s.Below(uint64(seats - 1)))
	if k >= own {
		k++
	}
	if k >= len(members) {
		return 0, false
	}
	return members[k], true
}

// checkNear verifies the numbers of seats.
func (r *Run) checkNear() error {
	for k := range r.near.seats {
		for v, seats := range r.near.seats[k] {
			if n := len(r.groups[r.Program.Near[k].Attribute].Members[v]); n > int(seats) || seats&(seats-1) != 0 {
				return fmt.Errorf("%d members have %d seats", n, seats)
			}
		}
	}
	if len(r.near.replan) > 0 {
		return fmt.Errorf("%d have not been scheduled anew", len(r.near.replan))
	}
	return nil
}
