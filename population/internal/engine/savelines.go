package engine

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/almanac-sim/almanac/population/internal/program"
)

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
	lists := make([][]uint64, len(l.queues))
	for q := range l.queues {
		for _, e := range l.queues[q].entries[l.queues[q].first:] {
			w, waits := l.at[e.key]
			if !waits || w.entry != e.entry {
				continue
			}
			number, ok := numbers[e.do]
			if !ok {
				number = uint64(len(actions))
				actions, numbers[e.do] = append(actions, finder.words(r.Program, e.do)), number
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
