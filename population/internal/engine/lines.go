package engine

import (
	"maps"
	"slices"

	"github.com/almanac-sim/almanac/population/internal/program"
)

// lines are those who wait in turn: a queue for each kind of places and each supply, of individuals
// to whom something could not happen because there was no room, or nothing left. They are in the
// state of full meanwhile. Whoever leaves it leaves the queue.
//
// First come is first served. A queue is served at the end of every event, intervention or delivery
// that makes room (serve), so that between two events nobody waits for what is there.
//
// Joining and leaving a queue take constant time, amortised: an entry of somebody who has left is
// stale, and is skipped when its turn comes. Who waits for another place than their own, while only
// their own has room, is passed over; that takes time for each of them. An entry takes 24 bytes,
// and 24 more while it is valid.
//
// Invariants: the number of a queue is that of its valid entries; each valid individual is in the
// state of full.
type lines struct {
	queues []line             // by kind of places, then by supply
	at     map[lineKey]inLine // those who wait
	next   uint64             // the number of the next entry
	due    bool               // something may have been set free
}

// A lineKey is somebody who waits in a state, or in one of a machine: 1 + its number.
type lineKey struct {
	id      uint32
	machine uint16
}

// inLine is where somebody waits.
type inLine struct {
	entry uint64
	queue int
	value uint16 // the state, or that of the machine
}

// A line is a queue.
type line struct {
	entries []lineEntry // from first on
	first   int
	waiting int // valid entries
}

// A lineEntry is an individual and what is to happen to it.
type lineEntry struct {
	key   lineKey
	entry uint64
	do    *program.Action
}

// newLines returns empty queues, nil if nobody can wait.
func newLines(m *program.Program) *lines {
	if !m.Queues {
		return nil
	}
	return &lines{queues: make([]line, len(m.Places)+len(m.Supplies)), at: map[lineKey]inLine{}}
}

// copy returns a copy.
func (l *lines) copy() *lines {
	if l == nil {
		return nil
	}
	c := *l
	c.at, c.queues = maps.Clone(l.at), slices.Clone(l.queues)
	for i := range c.queues {
		c.queues[i].entries = slices.Clone(l.queues[i].entries)
	}
	return &c
}

// InLine returns how many wait for room in a kind of places, or, from len(Program.Places) on, for a
// supply.
func (r *Run) InLine(queue int) int {
	if r.lines == nil {
		return 0
	}
	return r.lines.queues[queue].waiting
}

// standInLine puts an individual to whom an action could not happen into a queue, if it is in the
// state of full now. Who waits already keeps its turn.
func (r *Run) standInLine(id uint32, do *program.Action, queue int) {
	l, full := r.lines, do.Uses.Full
	key, value := lineKey{id: id}, full.To
	state := r.status(id).state
	if len(full.Moves) > 0 {
		m := &full.Moves[0]
		key.machine, value = uint16(m.Machine)+1, m.Value
		if state == program.NoState || r.attributes[m.Attribute].Of(id) != value {
			return
		}
	} else if state != value || state == program.NoState {
		return
	}
	if _, waits := l.at[key]; waits {
		return
	}
	l.next++
	l.at[key] = inLine{l.next, queue, value}
	q := &l.queues[queue]
	q.entries = append(q.entries, lineEntry{key, l.next, do})
	q.waiting++
}

// leaveLine is called when an individual changes its state, or that of a machine: −1 for the state.
// To is the new one.
func (r *Run) leaveLine(id uint32, machine int, to uint16) {
	key := lineKey{id, uint16(machine + 1)}
	if w, waits := r.lines.at[key]; waits && w.value != to {
		delete(r.lines.at, key)
		r.lines.queues[w.queue].waiting--
	}
}

// leaveLines is leaveLine for an individual that leaves the population.
func (r *Run) leaveLines(id uint32) {
	for m := -1; m < len(r.Program.Machines); m++ {
		r.leaveLine(id, m, program.NoState)
	}
}

// serve lets those who wait have what has been set free. It goes on until nobody waits for what is
// there.
func (r *Run) serve() {
	for r.lines.due {
		r.lines.due = false
		for queue := range r.lines.queues {
			for r.isFree(queue) && r.serveFirst(queue) {
			}
		}
	}
}

// isFree reports whether there is what a queue waits for.
func (r *Run) isFree(queue int) bool {
	if n := len(r.Program.Places); queue >= n {
		return r.Supplies[queue-n].Left > 0
	}
	return r.Program.Places[queue].Limited() && len(r.places.kinds[queue].Room(0)) > 0
}

// serveFirst serves the first of a queue for whom there is what it waits for: room may be that of
// the place somebody is in, which is no other for them. Those keep their turn. It reports false if
// nobody can be served.
func (r *Run) serveFirst(queue int) bool {
	l, q := r.lines, &r.lines.queues[queue]
	q.skip(l)
	for i := q.first; i < len(q.entries); i++ {
		e := q.entries[i]
		if !l.isCurrent(&e) {
			continue
		}
		do, lacks := r.lacks(e.key.id, e.do)
		if lacks == queue {
			continue
		}
		delete(l.at, e.key)
		q.waiting--
		if lacks >= 0 {
			r.standInLine(e.key.id, e.do, lacks)
			return true
		}
		if do.Uses.Supply >= 0 {
			r.take(do.Uses)
		}
		if state := r.status(e.key.id).state; !r.carryOut(e.key.id, state, do) {
			r.reschedule(e.key.id, state)
		}
		return true
	}
	return false
}

// isCurrent reports whether an entry is valid.
func (l *lines) isCurrent(e *lineEntry) bool {
	w, waits := l.at[e.key]
	return waits && w.entry == e.entry
}

// skip removes the stale entries at the beginning of a queue, and all of them if they are most.
func (q *line) skip(l *lines) {
	for q.first < len(q.entries) && !l.isCurrent(&q.entries[q.first]) {
		q.entries[q.first].do = nil
		q.first++
	}
	switch {
	case len(q.entries)-q.first > 16+2*q.waiting:
		q.entries = slices.DeleteFunc(q.entries, func(e lineEntry) bool { return !l.isCurrent(&e) })
		q.first = 0
	case 2*q.first > len(q.entries):
		q.entries, q.first = slices.Delete(q.entries, 0, q.first), 0
	}
}

// lacks returns the queue of what an individual lacks for an action, −1 if it lacks nothing. The
// action that it returns is the one to be carried out: what is drawn is known by then.
func (r *Run) lacks(id uint32, do *program.Action) (*program.Action, int) {
	lacks := -1
	if s := do.Uses.Supply; s >= 0 && r.Supplies[s].Left == 0 {
		lacks = len(r.Program.Places) + s
	}
	if r.places == nil || !r.places.limited {
		return do, lacks
	}
	known := *do
	known.Moves = r.resolveMoves(id, do.Moves, noID, ownDraws)
	if k := r.lacksRoom(id, known.To, known.Moves, known.Places, nil); k >= 0 {
		lacks = k
	}
	return &known, lacks
}

// isValid reports whether the queues keep their invariants.
func (l *lines) isValid(r *Run) bool {
	waiting := make([]int, len(l.queues))
	for key, w := range l.at {
		waiting[w.queue]++
		state := r.status(key.id).state
		if key.machine > 0 && state != program.NoState {
			state = r.attributes[r.Program.Machines[key.machine-1].Attribute].Of(key.id)
		}
		if state != w.value {
			return false
		}
	}
	for queue := range l.queues {
		if waiting[queue] != l.queues[queue].waiting || waiting[queue] > 0 && r.isFree(queue) && l.canServe(r, queue) {
			return false
		}
	}
	return true
}

// canServe reports whether somebody in a queue lacks nothing. Of those to whom something is given
// that has to be drawn it is not known.
func (l *lines) canServe(r *Run, queue int) bool {
	drawn := func(m program.Move) bool { return m.Gives != nil || m.Inherits }
	return slices.ContainsFunc(l.queues[queue].entries[l.queues[queue].first:], func(e lineEntry) bool {
		if !l.isCurrent(&e) || slices.ContainsFunc(e.do.Moves, drawn) {
			return false
		}
		_, lacks := r.lacks(e.key.id, e.do)
		return lacks != queue
	})
}
