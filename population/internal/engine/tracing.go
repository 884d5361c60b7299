package engine

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/eventqueue"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/law"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/store"
)

// tracing is the state of the calls of program.Tracing in a run.
//
// An event notes the calls that it makes; they are carried out after the event and before the next
// one, first come, first served (settleCalls). A call finds people: those are reached at once, or
// later by an errand. Errands are not clocks of an individual: the earliest of them is the event of
// errandsID.
//
// None of this draws from the stream of an individual: who is found, and when, is hashed from the
// numbers of both individuals and the time of the call. So if a call finds no one, the run is the
// same as without calls.
//
// Slots are used again, so that an individual is known by its number, too. An individual that
// leaves is looked for no longer, but those near it are found before it leaves.
//
// Invariants: calls is empty between two events; the calendar has the event of errandsID exactly if
// an errand is due by the end, at its time.
type tracing struct {
	stream  random.Stream
	logs    []*store.ContactLog // by number in Calls.Logs
	calls   []call
	done    int      // how many of the calls have been carried out
	found   []errand // of the calls of those who have left meanwhile
	errands []errand // a heap, see before
	begun   uint64   // how many errands there have been
	caller  uint64   // while somebody is reached: the number of the individual that the call was about
	looked  int      // how many people were looked for since the run last looked at its context and memory
	people  []uint32 // scratch of find
	reached []errand // scratch of settleCalls
}

// A call is made because something happened to an individual.
type call struct {
	id      uint32
	tracing int32
	// Of an individual that has left: which of found it is.
	left        bool
	first, last int
}

// An errand is a scheduled visit to an individual that was found.
type errand struct {
	at, began  float64  // when it is, and when the call was
	order      uint64   // of all errands
	law        *law.Law // of the time it takes; nil for none, or if it is not known
	number     uint64   // of the individual that is to be reached
	by         uint64   // that of the individual that the call was about
	id, bySlot uint32
	tracing    int32
	seed       contactSeed
}

// before is the order in which errands are carried out.
func (e *errand) before(o *errand) bool { return e.at < o.at || e.at == o.at && e.order < o.order }

// newTracing returns the state of tracing for a run, nil if it needs none.
func newTracing(m *program.Program, stream random.Stream) *tracing {
	if m.Calls == nil {
		return nil
	}
	t := &tracing{stream: stream}
	for i := range m.Calls.Logs {
		t.logs = append(t.logs, store.NewContactLog(m.Calls.Logs[i].Keep+2*m.TimeTolerance))
	}
	return t
}

// copy returns a copy, between two events.
func (t *tracing) copy() *tracing {
	if t == nil {
		return nil
	}
	c := &tracing{stream: t.stream, errands: slices.Clone(t.errands), begun: t.begun}
	for _, l := range t.logs {
		c.logs = append(c.logs, l.Copy())
	}
	return c
}

// bytes is how much memory it takes.
func (t *tracing) bytes() int {
	if t == nil {
		return 0
	}
	n := errandBytes * cap(t.errands)
	for _, l := range t.logs {
		n += l.Bytes()
	}
	return n
}

// remember notes that an individual has met another.
func (r *Run) remember(log int, id, other uint32) {
	l := r.tracing.logs[log]
	if l.Forget(r.Now); l.Full() {
		more := uint64(2 * store.LoggedBytes * l.Room())
		if r.failed != nil {
			return
		}
		enough := uint64(l.Room()) < mostLogged &&
			r.budget.take(r, more, more, func() { l.Add(id, other, r.Now) }) // while both rings are there
		if !enough {
			r.failed, r.limit = r.tooManyContacts(log), -1
		}
		return
	}
	l.Add(id, other, r.Now)
}

// mostLogged is the most contacts that a log has room for.
const mostLogged = 1 << 31

// happened notes the calls that are made because an individual has entered a state, or leaves if it
// is NoState, by an event with a name.
func (r *Run) happened(id uint32, state uint16, name int) {
	if state != program.NoState {
		r.call(id, r.Program.Calls.OfState[state])
	}
	if name >= 0 {
		r.call(id, r.Program.Calls.OfName[name])
	}
}

// call notes calls about an individual.
func (r *Run) call(id uint32, numbers []int) {
	for _, k := range numbers {
		r.tracing.calls = append(r.tracing.calls, call{id: id, tracing: int32(k)})
	}
}

// enteredMachines notes the calls that go out because an individual has entered the population.
func (r *Run) enteredMachines(id uint32) {
	for m := range r.Program.Machines {
		r.call(id, r.Program.Calls.OfMachine[m][r.attributes[r.Program.Machines[m].Attribute].Of(id)])
	}
}

// leaveTracing finds those near an individual that leaves, for the calls about it that have not
// been carried out.
func (r *Run) leaveTracing(id uint32) {
	t := r.tracing
	for k := t.done; k < len(t.calls); k++ {
		if c := &t.calls[k]; c.id == id && !c.left {
			c.left, c.first = true, len(t.found)
			t.found = r.find(id, int(c.tracing), t.found)
			c.last = len(t.found)
		}
	}
}

// forgetContacts forgets the contacts and the links of an individual that has left.
func (r *Run) forgetContacts(id uint32) {
	for _, l := range r.tracing.logs {
		l.ForgetID(id)
	}
}

// find appends those whom a call about an individual finds, in the order of layers and then of
// numbers.
func (r *Run) find(id uint32, number int, all []errand) []errand {
	t, tr := r.tracing, &r.phase.Tracing[number]
	draws := t.stream.At(r.numbers[id]).At(math.Float64bits(r.Now)).At(uint64(number))
	for k := range tr.Layers {
		layer := &tr.Layers[k]
		for _, other := range r.peopleOf(id, tr, layer) {
			chance := layer.Chance
			if layer.Chances != nil {
				chance = r.chance(layer.Chances, id, other)
			}
			own := draws.At(uint64(k)).At(r.numbers[other])
			seed := contactSeed(own)
			if chance < 1 && seed.uniform(purposeChance) >= chance {
				continue
			}
			e := errand{at: r.Now, began: r.Now, number: r.numbers[other], by: r.numbers[id], id: other, bySlot: id,
				tracing: int32(number), seed: seed}
			if tr.After != nil {
				e.law = tr.After.At(r.cell(id, tr.After.By))
				s := own.At(purposeDelay)
				e.at += e.law.Draw(&s)
			}
			all = append(all, e)
		}
	}
	return all
}

// purposeDelay is the purpose of the stream of the time until somebody is reached. It is beyond
// those of all moves.
const purposeDelay = 1 << 32

// peopleOf returns the different living people of a layer of an individual, in the order of their
// numbers. They are valid until the next call.
func (r *Run) peopleOf(id uint32, tr *program.Tracing, layer *program.Layer) []uint32 {
	t := r.tracing
	all := t.people[:0]
	if layer.Kind >= 0 {
		if s := r.places.kinds[layer.Kind]; s.Seated(id) {
			members, own, _ := s.Around(id)
			all = append(append(all, members[:own]...), members[own+1:]...)
		}
	}
	if layer.Network >= 0 {
		links := r.networks[layer.Network].links
		for k := range links.Degree(id) {
			all = append(all, links.Peer(id, k))
		}
	}
	if layer.Log >= 0 {
		for other := range t.logs[layer.Log].Met(id, r.Now-tr.Back-r.Program.TimeTolerance) {
			if r.status(other).state != program.NoState {
				all = append(all, other)
			}
		}
	}
	slices.SortFunc(all, func(a, b uint32) int { return cmp.Compare(r.numbers[a], r.numbers[b]) })
	t.people, t.looked = all, t.looked+len(all)
	return slices.Compact(all)
}

// settleCalls carries out the calls of an event: its people, then the calls that these make, and
// those of others who are served because something has been set free.
func (r *Run) settleCalls(ctx context.Context) error {
	for len(r.tracing.calls) > 0 {
		if err := r.settleChain(ctx); err != nil {
			return err
		}
		if r.near != nil {
			r.settleNear()
		}
	}
	return nil
}

// lookPeople is how many people are looked for between two looks at the context and the memory.
const lookPeople = 1 << 20

// settleChain carries out calls until no call makes another.
func (r *Run) settleChain(ctx context.Context) error {
	t := r.tracing
	for t.done < len(t.calls) {
		c := t.calls[t.done]
		t.done++
		if c.left {
			t.reached = append(t.reached[:0], t.found[c.first:c.last]...)
		} else {
			t.reached = r.find(c.id, int(c.tracing), t.reached[:0])
		}
		if t.looked >= lookPeople { // a few calls in a large place
			t.looked = 0
			if err := r.housekeep(ctx, housekeepingInterval); err != nil {
				return err
			}
		}
		for i := range t.reached {
			e := &t.reached[i]
			if e.law != nil {
				r.addErrand(*e)
				continue
			}
			r.Events++
			if r.pace.events++; r.pace.events >= r.pace.look {
				if err := r.checkPace(e.id); err != nil {
					return err
				}
			}
			r.reach(e)
			if r.failed != nil {
				return r.failed
			}
			if r.Events%housekeepingInterval == 0 {
				if err := r.housekeep(ctx, housekeepingInterval); err != nil {
					return err
				}
			}
		}
		if t.done > len(t.calls)/2 && t.done >= 64 { // a long chain
			t.calls, t.done = append(t.calls[:0], t.calls[t.done:]...), 0
		}
	}
	t.calls, t.done, t.found = t.calls[:0], 0, t.found[:0]
	return nil
}

// reach carries out the action for an individual that was found, unless it has left meanwhile.
func (r *Run) reach(e *errand) {
	state := r.status(e.id).state
	if state == program.NoState || r.numbers[e.id] != e.number {
		return
	}
	tr := &r.phase.Tracing[e.tracing]
	to := tr.Effect.Becomes[state]
	if to == program.SameState {
		return // it is reached in vain
	}
	by := e.bySlot
	if r.status(by).state == program.NoState || r.numbers[by] != e.by {
		by = noID
	}
	if r.observers != nil { // the call may be made by a contact among neighbours of this instant
		r.observers.last.near = 0
	}
	r.tracing.caller = e.by
	r.specialContact(by, program.NoState, e.id, to, &tr.Effect, &tr.Do, e.seed)
	r.tracing.caller = 0
}

// addErrand adds an errand. One that is due after the end is needed only by forks, which draw its
// time again.
func (r *Run) addErrand(e errand) {
	if e.at > r.end && !r.forkable {
		return
	}
	t := r.tracing
	e.order = t.begun
	t.begun++
	t.errands = append(t.errands, e)
	t.rise(len(t.errands) - 1)
	if t.errands[0].order == e.order {
		r.scheduleErrand()
	}
}

// rise moves an errand towards the beginning of the heap.
func (t *tracing) rise(i int) {
	h := t.errands
	for i > 0 {
		up := (i - 1) / 2
		if !h[i].before(&h[up]) {
			return
		}
		h[i], h[up] = h[up], h[i]
		i = up
	}
}

// sink moves an errand towards the end of the heap.
func (t *tracing) sink(i int) {
	h := t.errands
	for {
		down := 2*i + 1
		if down >= len(h) {
			return
		}
		if down+1 < len(h) && h[down+1].before(&h[down]) {
			down++
		}
		if !h[down].before(&h[i]) {
			return
		}
		h[i], h[down] = h[down], h[i]
		i = down
	}
}

// scheduleErrand puts the earliest errand into the calendar.
func (r *Run) scheduleErrand() {
	id := eventqueue.ID(r.errandsID)
	if len(r.tracing.errands) == 0 || !(r.tracing.errands[0].at <= r.end) {
		r.Queue.Cancel(id)
		return
	}
	if err := r.Queue.Reschedule(id, r.tracing.errands[0].at); err != nil {
		panic(fmt.Sprintf("population: errand at %v: %v", r.tracing.errands[0].at, err))
	}
}

// runErrand carries out the earliest errand.
func (r *Run) runErrand() {
	t := r.tracing
	e := t.errands[0]
	last := len(t.errands) - 1
	t.errands[0] = t.errands[last]
	t.errands = t.errands[:last]
	t.sink(0)
	r.scheduleErrand()
	r.reach(&e)
}

// redrawErrands draws the times of all errands again, given that they have not come. See Redraw.
func (r *Run) redrawErrands(seed uint64) {
	t := r.tracing
	t.stream = t.stream.At(seed)
	for i := range t.errands {
		if e := &t.errands[i]; e.law != nil && !e.law.Fixed() {
			s := t.stream.At(e.order)
			e.at = max(r.Now, e.began+e.law.DrawBeyondLikely(&s, r.Now-e.began))
		}
	}
	for i := len(t.errands)/2 - 1; i >= 0; i-- {
		t.sink(i)
	}
	if r.errandsID != noID {
		r.scheduleErrand()
	}
}

// checkTracing verifies the invariants.
func (r *Run) checkTracing() error {
	t := r.tracing
	if len(t.calls) > 0 || t.caller != 0 {
		return fmt.Errorf("%d calls have not been carried out", len(t.calls))
	}
	for _, l := range t.logs {
		if err := l.Check(); err != nil {
			return err
		}
	}
	for i := range t.errands {
		if i > 0 && t.errands[i].before(&t.errands[(i-1)/2]) {
			return fmt.Errorf("errand %d is before its parent", i)
		}
		if !(t.errands[i].at >= r.Now) {
			return fmt.Errorf("an errand at %v is in the past", t.errands[i].at)
		}
	}
	if r.errandsID == noID {
		return nil
	}
	at, due := r.Queue.Due(eventqueue.ID(r.errandsID))
	if want := len(t.errands) > 0 && t.errands[0].at <= r.end; due != want || due && at != t.errands[0].at {
		return fmt.Errorf("the event of errands at %v is in the calendar: %v, with %d errands", at, due, len(t.errands))
	}
	return nil
}

// tooManyContacts is the error of a run for which there is no memory to remember more contacts.
func (r *Run) tooManyContacts(log int) error {
	l := r.tracing.logs[log]
	return fmt.Errorf("at time %.12g: %w: %s: %s of them take %s, and there is none for more; write a shorter back",
		r.Program.Start+r.Now, ErrMemory, backWords(r.Program, log), format.Thousands(float64(l.Len())),
		inBytes(float64(l.Bytes())))
}

// backWords says which contacts are remembered, and for how long.
func backWords(m *program.Program, log int) string {
	l := &m.Calls.Logs[log]
	what := "contacts named "
	if l.Network {
		what = "ended links of "
	}
	return fmt.Sprintf("tracing %d: back: %.6g %s of %s%s", l.Entry+1, l.Keep, format.Things(2, m.Unit), what, l.Name)
}

// makersWords says who makes the contacts that are remembered.
func makersWords(m *program.Program, l *program.Remembered) string {
	var names []string
	for s, makes := range l.Makers {
		if makes {
			names = append(names, m.States[s])
		}
	}
	if len(names) == len(m.States) {
		return "everybody"
	}
	return "all " + strings.Join(names, ", ")
}

// affordLogs returns an error if there is not enough memory to remember contacts, assuming that
// every individual makes them all the time. The true number is not known before: a run with a limit
// of its own begins all the same, and ends when it reaches the limit.
func affordLogs(m *program.Program, workers int, have float64) error {
	if m.Calls == nil {
		return nil
	}
	for log := range m.Calls.Logs {
		l := &m.Calls.Logs[log]
		if need := float64(workers) * l.Most(m) * program.RememberedBytes; need > have {
			what, each := format.Things(2, l.Name), "a "+m.Unit
			if strings.Contains(l.Name, " ") {
				what = "contacts named " + l.Name
			}
			if m.Unit == "hour" {
				each = "an hour"
			}
			return fmt.Errorf("%s: %w: tracing %d: back: %.6g %s of %.6g %s %s of %s: about %s at the peak; %s are "+
				"available; write a shorter back, or a smaller size", m.Name, ErrMemory, l.Entry+1, l.Keep,
				format.Things(2, m.Unit), l.Rate, what, each, makersWords(m, l), inBytes(need), inBytes(have))
		}
	}
	return nil
}
