package engine

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"unsafe"

	"github.com/almanac-sim/almanac/population/internal/program"
)

// lines are the queues of a run: one for each kind of places and each supply, of individuals to
// whom something could not happen because there was no room, or nothing left. Meanwhile they are in
// the state of full; an individual that leaves the state leaves the queue.
//
// A queue is first come, first served. It is served at the end of every event, intervention or
// delivery that makes room (serve), so that between two events no individual waits for what is
// available.
//
// Joining and leaving a queue take constant time, amortised: the entry of an individual that has
// left is stale, and is skipped when its turn comes. An individual that waits for another place
// than its own, while only its own has room, is passed over; that takes time for each of them. An
// entry takes 24 bytes, and 24 more while it is valid.
//
// Invariants: the number of a queue is that of its valid entries; each valid individual is in the
// state of full.
type lines struct {
	queues []line             // by kind of places, then by supply
	at     map[lineKey]inLine // those who wait
	next   uint64             // the number of the next entry
	due    bool               // something may have been set free
}

// A lineKey is an individual that waits in a state, or in one of a machine: 1 + its number.
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

// bytes is how much memory the queues take.
func (l *lines) bytes() int {
	if l == nil {
		return 0
	}
	n := mapBytes(len(l.at), int(unsafe.Sizeof(lineKey{})+unsafe.Sizeof(inLine{})))
	for i := range l.queues {
		n += cap(l.queues[i].entries) * int(unsafe.Sizeof(lineEntry{}))
	}
	return n
}

// InLine returns how many wait for room in a kind of places, or, from len(Program.Places) on, for a
// supply.
func (r *Run) InLine(queue int) int {
	if r.lines == nil {
		return 0
	}
	return r.lines.queues[queue].waiting
}

// standInLine puts an individual to which an action could not happen into a queue, if it is in the
// state of full now. An individual that waits already keeps its turn.
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

// serve grants what has become available to the individuals that wait, until none waits for what is
// available.
func (r *Run) serve() {
	for r.lines.due {
		r.lines.due = false
		for queue := range r.lines.queues {
			for r.isFree(queue) && r.serveFirst(queue) {
			}
		}
	}
}

// isFree reports whether what a queue waits for is available.
func (r *Run) isFree(queue int) bool {
	if n := len(r.Program.Places); queue >= n {
		return r.Supplies[queue-n].Left > 0
	}
	return r.Program.Places[queue].Limited() && len(r.places.kinds[queue].Room(0)) > 0
}

// serveFirst serves the first individual of a queue for which something is available: the free room
// may be in the place that an individual is in, which is of no use to it. Such individuals keep
// their turn. It reports false if no individual can be served.
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
		if state := r.status(e.key.id).state; !r.perform(e.key.id, do, e.key.id, true) {
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
	known, k := r.findsRoom(id, do)
	if k >= 0 {
		lacks = k
	}
	return known, lacks
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

// canServe reports whether an individual in a queue lacks nothing. It does not count individuals
// that would be given something that has yet to be drawn.
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

// Those who wait in turn as sections of a saved state: the valid entries of each queue, and the
// actions that they wait for.

// A savedAction is an action that somebody waits for: one of a phase, or of an intervention, or
// what a contact would have done.
type savedAction struct {
	Phase        int    `json:"phase"`                  // of the saved program; −1 for the action of an intervention
	Number       int    `json:"number"`                 // in Phase.Waiting, or of the interventions with the same words
	Intervention string `json:"intervention,omitempty"` // its words
	To           uint16 `json:"to,omitempty"`           // of a contact
	Name         string `json:"name,omitempty"`         // of a contact: that it is counted under
	// Moves are those whose values have been drawn already, if Known, and else of a contact the first.
	Known bool           `json:"known,omitempty"`
	Moves []program.Move `json:"moves,omitempty"`
}

// actionFinder finds the actions of a program that somebody may wait for.
type actionFinder struct {
	phases        [][]program.Waiting
	interventions []*program.Intervention
}

func newActionFinder(m *program.Program) *actionFinder {
	f := &actionFinder{}
	for _, t := range m.Phases {
		f.phases = append(f.phases, t.Waiting())
	}
	m.EachIntervention(func(d *program.Intervention) { f.interventions = append(f.interventions, d) })
	return f
}

// intervention returns the nth with the same words; nil if there is none.
func (f *actionFinder) intervention(what string, n int) *program.Intervention {
	for _, d := range f.interventions {
		if d.What == what {
			if n == 0 {
				return d
			}
			n--
		}
	}
	return nil
}

// isKind reports whether an action is another, with or without values of its moves that have been
// drawn.
func isKind(do, of *program.Action) bool {
	return do.Uses == of.Uses && do.To == of.To && do.Name == of.Name && do.Source == of.Source && do.Child == of.Child &&
		len(do.Moves) == len(of.Moves) && len(do.Places) == len(of.Places)
}

// words returns an action as it is saved.
func (f *actionFinder) words(m *program.Program, do *program.Action) savedAction {
	known := func(a savedAction, of *program.Action) savedAction {
		if len(do.Moves) > 0 && &do.Moves[0] != &of.Moves[0] {
			a.Known, a.Moves = true, do.Moves
		}
		return a
	}
	for p := range f.phases {
		for k, w := range f.phases[p] {
			switch {
			case w.Do != nil && isKind(do, w.Do):
				return known(savedAction{Phase: p, Number: k}, w.Do)
			case w.Contact != nil && w.Contact.Uses == do.Uses:
				a := savedAction{Phase: p, Number: k, To: do.To}
				if do.Name >= 0 {
					a.Name = m.CountedNames[do.Name]
				}
				rich := 0
				if w.Contact.Rich != nil {
					rich = len(w.Contact.Rich.Moves)
				}
				a.Moves = do.Moves[:len(do.Moves)-rich]
				return a
			}
		}
	}
	before := map[string]int{}
	for _, d := range f.interventions {
		a := savedAction{Phase: -1, Number: before[d.What], Intervention: d.What}
		before[d.What]++
		for p, t := range m.Phases {
			if e := d.Effects[t]; e != nil && e.Do != nil && isKind(do, e.Do) {
				a.Phase = p
				return known(a, e.Do)
			}
		}
		if isKind(do, &d.Do) {
			return known(a, &d.Do)
		}
	}
	panic("population: somebody waits for an action of nothing")
}

func saveLines(r *Run, s *saver) {
	l := r.lines
	if l == nil {
		return
	}
	if l.due {
		panic("population: a run is saved in the middle of an event")
	}
	finder, actions, numbers := newActionFinder(r.Program), []savedAction{}, map[*program.Action]uint64{}
	alike := map[string]uint64{} // by what is saved of an action
	lists := make([][]uint64, len(l.queues))
	for q := range l.queues {
		for _, e := range l.queues[q].entries[l.queues[q].first:] {
			w, waits := l.at[e.key]
			if !waits || w.entry != e.entry {
				continue
			}
			number, ok := numbers[e.do]
			if !ok {
				action := finder.words(r.Program, e.do)
				text := asText(action)
				if number, ok = alike[text]; !ok {
					number = uint64(len(actions))
					actions, alike[text] = append(actions, action), number
				}
				numbers[e.do] = number
			}
			lists[q] = append(lists[q], uint64(e.key.id-r.firstID), uint64(e.key.machine), uint64(w.value), e.entry, number)
		}
	}
	putLists(s, "queues", lists)
	putJSON(s, "actions", actions)
	put(s, "next", []uint64{l.next})
}

// action returns an action that was saved.
func (f *actionFinder) action(m *program.Program, in *loader, a *savedAction) (*program.Action, error) {
	var of *program.Action
	var phase *program.Phase
	if a.Phase >= len(in.run.Shape.Phases) || a.Number < 0 {
		return nil, fmt.Errorf("somebody waits for what is of no phase")
	}
	if a.Phase >= 0 {
		var err error
		if phase, err = in.run.Shape.phaseOf(m, a.Phase); err != nil {
			return nil, err
		}
	}
	if d := f.intervention(a.Intervention, a.Number); a.Intervention != "" {
		if d == nil {
			return nil, fmt.Errorf("somebody waits because of %s, which the model has not got", a.Intervention)
		}
		if of = &d.Do; phase != nil {
			e := d.Effects[phase]
			if e == nil || e.Do == nil {
				return nil, fmt.Errorf("somebody waits because of %s, which does something else now", a.Intervention)
			}
			of = e.Do
		}
	} else {
		if phase == nil {
			return nil, fmt.Errorf("somebody waits for nothing")
		}
		all := f.phases[slices.Index(m.Phases, phase)]
		if a.Number >= len(all) {
			return nil, fmt.Errorf("somebody waits for nothing")
		}
		w := all[a.Number]
		if w.Contact != nil {
			return contactAction(m, w.Contact, a)
		}
		of = w.Do
	}
	if of.Uses == nil || !of.Uses.Queue {
		return nil, fmt.Errorf("somebody waits for nothing")
	}
	if !a.Known {
		return of, nil
	}
	if len(a.Moves) != len(of.Moves) {
		return nil, fmt.Errorf("what somebody waits for has %d moves", len(a.Moves))
	}
	do := *of
	do.Moves = slices.Clone(of.Moves)
	for i := range do.Moves {
		to := &do.Moves[i]
		if to.Value = a.Moves[i].Value; int(to.Value) >= len(m.Attributes[to.Attribute].Values) {
			return nil, fmt.Errorf("what somebody waits for gives no value")
		}
		to.Gives, to.Inherits = nil, false
	}
	return &do, nil
}

// contactAction returns what a contact would have done.
func contactAction(m *program.Program, c *program.Contact, a *savedAction) (*program.Action, error) {
	do := &program.Action{Kind: program.DoMove, To: a.To, Chance: 1, Uses: c.Uses}
	do.Name = slices.Index(m.CountedNames, a.Name)
	if int(a.To) >= len(m.States) && a.To != program.SameState && a.To != program.NoState || len(a.Moves) > 1 {
		return nil, fmt.Errorf("what somebody waits for leads to no state")
	}
	for _, start := range a.Moves {
		if int(start.Machine) >= len(m.Machines) || start.Machine < 0 ||
			int(start.Attribute) != m.Machines[start.Machine].Attribute ||
			int(start.Value) >= len(m.Attributes[start.Attribute].Values) {
			return nil, fmt.Errorf("what somebody waits for leads to no state of a machine")
		}
		start.Gives, start.Inherits = nil, false
		do.Moves = append(do.Moves, start)
	}
	if c.Rich != nil {
		do.Moves, do.Places = append(do.Moves, c.Rich.Moves...), c.Rich.Places
	}
	return do, nil
}

func loadLines(r *Run, in *loader) {
	if r.lines == nil || !in.has("actions") { // nobody can wait, or could before
		return
	}
	l, m := r.lines, r.Program
	var saved []savedAction
	if err := json.Unmarshal(get[uint8](in, "actions", -1), &saved); in.err == nil && err != nil {
		in.bad("%v", err)
	}
	lists, next := getLists[uint64](in, "queues"), get[uint64](in, "next", 1)
	if in.err != nil {
		return
	}
	shape := &in.run.Shape
	if len(lists) != len(shape.Places)+len(shape.Supplies) {
		in.bad("there are %d queues", len(lists))
		return
	}
	finder, actions := newActionFinder(m), make([]*program.Action, len(saved))
	for i := range saved {
		var err error
		if actions[i], err = finder.action(m, in, &saved[i]); err != nil {
			in.bad("%v", err)
			return
		}
	}
	l.next = next[0]
	entries := map[uint64]bool{}
	for q, words := range lists {
		to := q // supplies may have another order
		if q >= len(shape.Places) {
			to = len(m.Places) + slices.Index(m.Supplies, shape.Supplies[q-len(shape.Places)])
		}
		if len(words)%5 != 0 {
			in.bad("an entry is not complete")
			return
		}
		for ; len(words) > 0; words = words[5:] {
			if words[0] >= uint64(r.Used-int(r.firstID)) || words[1] > uint64(len(m.Machines)) ||
				words[2] >= uint64(program.NoState) || words[4] >= uint64(len(actions)) ||
				words[3] == 0 || words[3] > l.next || entries[words[3]] {
				in.bad("somebody waits that there is not")
				return
			}
			entries[words[3]] = true
			key := lineKey{uint32(words[0]) + r.firstID, uint16(words[1])}
			if _, twice := l.at[key]; twice {
				in.bad("somebody waits twice")
				return
			}
			l.at[key] = inLine{words[3], to, uint16(words[2])}
			l.queues[to].entries = append(l.queues[to].entries, lineEntry{key, words[3], actions[words[4]]})
			l.queues[to].waiting++
		}
	}
	if !l.isValid(r) {
		in.bad("the queues are wrong")
	}
}

// waitNames are the queues of a program that are recorded.
func waitNames(m *program.Program) (names []string) {
	for _, q := range m.Waits() {
		if n := len(m.Places); q < n {
			names = append(names, "place "+m.Places[q].Name)
		} else {
			names = append(names, "supply "+m.Supplies[q-n])
		}
	}
	return names
}
