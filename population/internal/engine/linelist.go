package engine

import (
	"math"
	"slices"

	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/store"
)

// A Person is what is recorded of an individual: when it entered and left, as what it was last, and
// when something first happened to it. It is valid only during the call.
type Person struct {
	Number  uint64  // in the order of entering, from 1
	Entered float64 // on the model's clock
	Left    float64 // NaN if it is still there
	How     int     // it entered: the kind of an entry, such as program.ByBirth; −1 at the start
	Mother  uint64  // its number; 0 if there is none
	State   uint16
	Values  []uint16 // of Program.Listed
	Numbers []float64
	Places  []uint32  // the number of its place of each kind; 0 for none
	Times   []float64 // of Program.LineList.Times; NaN if it never happened
}

// A lineList has what is recorded of each individual that is there. An individual that leaves is
// streamed to OnPerson and not kept.
type lineList struct {
	entered []entered   // by id
	times   [][]float64 // of each of Program.LineList.Times, by id, on the model's clock
	person  Person      // the last one that OnPerson was called with
	way     int         // how those who enter now do; −1 at the start
	mother  uint32      // of those who enter now; noID if there is none
}

// An entered is how an individual entered.
type entered struct {
	time   float64 // on the model's clock
	mother uint64
	way    int8
}

const personBytes = 24

func newLineList(m *program.Program) *lineList {
	return &lineList{times: make([][]float64, len(m.LineList.Times)), way: -1, mother: noID}
}

func (l *lineList) grow(ids int) {
	l.entered = store.Extend(l.entered, ids)
	for k := range l.times {
		l.times[k] = store.Extend(l.times[k], ids)
	}
}

// copy copies a line list with n ids; nil if it is nil.
func (l *lineList) copy(n int) *lineList {
	if l == nil {
		return nil
	}
	c := &lineList{entered: make([]entered, len(l.entered)), times: make([][]float64, len(l.times)), way: -1, mother: noID}
	copy(c.entered, l.entered[:n])
	for k := range l.times {
		c.times[k] = make([]float64, len(l.times[k]))
		copy(c.times[k], l.times[k][:n])
	}
	return c
}

// enter begins the row of an individual.
func (l *lineList) enter(r *Run, id uint32) {
	l.entered[id] = entered{time: r.modelTime(), way: int8(l.way)}
	if l.mother != noID {
		l.entered[id].mother = r.numbers[l.mother]
	}
	for k := range l.times {
		l.times[k][id] = math.NaN()
	}
}

// happened notes the time of an event, if it is the first.
func (l *lineList) happened(r *Run, id uint32, name, flow int) {
	for k := range r.Program.LineList.Times {
		if r.Program.LineList.Times[k].Of.Is(name, flow) && math.IsNaN(l.times[k][id]) {
			l.times[k][id] = r.modelTime()
		}
	}
}

// seen notes when an observation sees an individual, if it is the first time.
func (l *lineList) seen(r *Run, id uint32, observation int, at float64) {
	for k := range r.Program.LineList.Times {
		if t := &l.times[k][id]; r.Program.LineList.Times[k].Observation == observation && !(*t <= at) {
			*t = at
		}
	}
}

// timeOf returns when something first happened to an individual. What is seen after the end of the
// model is known only to a run whose state is saved, and may be gone on with for longer.
func (l *lineList) timeOf(r *Run, k int, id uint32) float64 {
	if t := l.times[k][id]; t <= r.Program.End+2*r.Program.TimeTolerance {
		return t
	}
	return math.NaN()
}

// write calls OnPerson with an individual, unless it is not one of those that are recorded.
func (l *lineList) write(r *Run, id uint32, left float64) {
	only := r.Program.LineList.Only
	if r.OnPerson == nil || only >= 0 && math.IsNaN(l.timeOf(r, only, id)) {
		return
	}
	in, p := &l.entered[id], &l.person
	p.Number, p.Entered, p.Left, p.How, p.Mother = r.numbers[id], in.time, left, int(in.way), in.mother
	p.State, p.Values, p.Numbers, p.Times = r.status(id).state, p.Values[:0], p.Numbers[:0], p.Times[:0]
	for a := range r.Program.Listed() {
		p.Values = append(p.Values, r.attributes[a].Of(id))
	}
	for k := range r.own {
		p.Numbers = append(p.Numbers, r.own[k][id])
	}
	p.Places = p.Places[:0]
	for k := range r.Program.Places {
		p.Places = append(p.Places, r.PlaceNumber(k, id))
	}
	for k := range l.times {
		p.Times = append(p.Times, l.timeOf(r, k, id))
	}
	r.OnPerson(p)
}

// listLivingPeople calls OnPerson with everybody who is there at the end, in the order of entering.
func (r *Run) listLivingPeople() {
	if r.observers == nil || r.observers.people == nil || r.OnPerson == nil {
		return
	}
	var ids []uint32
	for id := r.firstID; int(id) < r.Used; id++ {
		if r.status(id).state != program.NoState {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b uint32) int {
		if r.numbers[a] < r.numbers[b] {
			return -1
		}
		return 1
	})
	for _, id := range ids {
		r.observers.people.write(r, id, math.NaN())
	}
}
