package engine

import (
	"math"

	"github.com/almanac-sim/almanac/population/internal/function"
	"github.com/almanac-sim/almanac/population/internal/program"
)

// A Recording holds the recorded rows of a run: of all individuals, and of each group.
type Recording struct {
	Rows   int
	All    RowCounts
	Groups []RowCounts // in the order of Program.Groups
	Values []float64   // those of Program.Values, one row after the other

	Chances []float64 // the mean chances of Program.MeanChances, one row after the other

	Supplies []Supply // those of Program.Supplies, one row after the other

	Places []PlaceCounts // those of Program.Places, one row after the other
	Queues []uint32      // how many wait in each of Program.Waits, one row after the other

	Networks []NetworkCounts // those of Program.Networks, one row after the other
}

// RowCounts are counts, flows, names and outcomes, one row after the other.
type RowCounts struct {
	Counts []uint32
	Flows  []uint64
	Named  []uint64
	// Outcomes are what outcomes have accrued since the start, and Times the person-time in each
	// state, if it is recorded.
	Outcomes []float64
	Times    []float64
	// Seen are how many each observation has seen and, of a survey, tested since the start; Expected
	// are how many of these a survey was to find positive.
	Seen     []uint64
	Expected []float64
}

// NewRecording has room for all rows of a program, so that rows can be read while the next one is
// added.
func NewRecording(m *program.Program) Recording {
	n := len(m.RecordTimes)
	room := func() RowCounts {
		return RowCounts{
			make([]uint32, 0, n*len(m.Counted)),
			make([]uint64, 0, n*len(m.Flows)),
			make([]uint64, 0, n*len(m.CountedNames)),
			make([]float64, 0, n*len(m.Outcomes)),
			make([]float64, 0, n*recordedTimes(m)),
			make([]uint64, 0, 2*n*len(m.Observations)),
			make([]float64, 0, n*len(m.Observations)),
		}
	}
	rec := Recording{All: room(), Groups: make([]RowCounts, len(m.Groups))}
	rec.Supplies = make([]Supply, 0, n*len(m.Supplies))
	rec.Places = make([]PlaceCounts, 0, n*len(m.Places))
	rec.Queues = make([]uint32, 0, n*len(m.Waits()))
	rec.Networks = make([]NetworkCounts, 0, n*len(m.Networks))
	for g := range rec.Groups {
		rec.Groups[g] = room()
	}
	return rec
}

// add adds a row.
func (rec *Recording) add(r *Run) {
	rec.All.add(r.Counts, r.Flows, r.Named)
	for g := range rec.Groups {
		by := &r.ByGroup.Groups[g]
		rec.Groups[g].add(by.Counts, by.Flows, by.Named)
	}
	if s := r.outcomes; s != nil {
		rec.All.Outcomes, rec.All.Times = s.read(r, 0, rec.All.Outcomes, rec.All.Times)
		for g := range rec.Groups {
			of := &rec.Groups[g]
			of.Outcomes, of.Times = s.read(r, 1+g, of.Outcomes, of.Times)
		}
	}
	for k := range r.Program.Places {
		rec.Places = append(rec.Places, r.CountPlaces(k))
	}
	for _, q := range r.Program.Waits() {
		rec.Queues = append(rec.Queues, uint32(r.InLine(q)))
	}
	for k := range r.Program.Networks {
		rec.Networks = append(rec.Networks, r.CountNetwork(k))
	}
	if r.observers != nil && r.observers.seen != nil {
		r.observers.seen.read(r, rec)
	}
	rec.Supplies = append(rec.Supplies, r.Supplies...)
	for i := range r.Program.Values {
		rec.Values = append(rec.Values, r.Value(i))
	}
	for _, k := range r.Program.MeanChances {
		rec.Chances = append(rec.Chances, r.MeanChance(k))
	}
	rec.Rows++
}

// Value returns a value of Program.Values now.
func (r *Run) Value(i int) float64 {
	if i < r.Program.SuppliedValues {
		return r.Program.Values[i].Of(function.Population{People: people{r}, Time: r.Program.Start + r.Now})
	}
	all := r.census(&program.Individual{Mean: r.MeanNumber})
	x := r.phase.Values[i-r.Program.SuppliedValues].At(r.Now, all)
	if math.IsInf(x, 0) { // x/0 is no number either
		x = math.NaN()
	}
	return x
}

func (t *RowCounts) add(counts []int, flows, named []uint64) {
	for _, c := range counts {
		t.Counts = append(t.Counts, uint32(c))
	}
	t.Flows = append(t.Flows, flows...)
	t.Named = append(t.Named, named...)
}

// UpTo returns the first rows.
func (t *RowCounts) UpTo(m *program.Program, rows int) RowCounts {
	return RowCounts{
		t.Counts[:rows*len(m.Counted)], t.Flows[:rows*len(m.Flows)], t.Named[:rows*len(m.CountedNames)],
		t.Outcomes[:rows*len(m.Outcomes)], t.Times[:rows*recordedTimes(m)],
		t.Seen[:2*rows*len(m.Observations)], t.Expected[:rows*len(m.Observations)],
	}
}

// PersonTime is the time that all individuals together have lived until now, in the unit of the
// model.
func (r *Run) PersonTime() float64 {
	r.countAlive(0)
	return r.personTime.Time()
}

// An Event is something that happened to an individual, including that it was there at the start;
// or an intervention that waited and has happened. States, flows, names and attribute values are
// numbers of the program. An Event is valid only during the call.
type Event struct {
	Time       float64 // on the model's clock
	Kind       Kind
	Individual uint64 // its number in the order of entering, from 1; 0 if it is about no individual
	By         uint64 // the number of the individual that caused it; 0 if there is none
	State      uint16 // of Started and Moved
	Flow       int    // of Entered, Changed and Left
	Name       int    // of the clock, contact, entry or intervention; −1 for none
	Values     []uint16
	Numbers    []float64
	Places     []uint32 // the number of its place of each kind; 0 for none

	Slot, BySlot uint32 // the slots of Individual and By
}

type Kind uint8

const (
	Started  Kind = iota // there at the start
	Entered              // born, immigrated, or added by an intervention
	Changed              // to another state, or to the same again
	Left                 // the population
	Moved                // an attribute changed, and no state
	Happened             // an intervention whose condition became true
	Linked               // with another individual; Name is the network
	Unlinked             // from it
)

// noID stands for no individual.
const noID = 1<<32 - 1

// notify calls OnEvent with an event of an individual.
func (r *Run) notify(h Event, id, by uint32) {
	h.Time, h.Individual, h.Slot, h.BySlot = r.Program.Start+r.Now, r.numbers[id], id, by
	if r.underway != nil {
		h.Time = r.underway.ModelTime
	}
	if by != noID {
		h.By = r.numbers[by]
	}
	if r.tracing != nil && r.tracing.caller != 0 {
		h.By = r.tracing.caller // who may have left
	}
	h.Values = r.event.Values[:0]
	for a := range r.Program.Listed() {
		h.Values = append(h.Values, r.attributes[a].Of(id))
	}
	h.Numbers = r.event.Numbers[:0]
	for k := range r.own {
		h.Numbers = append(h.Numbers, r.own[k][id])
	}
	h.Places = r.event.Places[:0]
	for k := range r.Program.Places {
		h.Places = append(h.Places, r.PlaceNumber(k, id))
	}
	r.event = h
	r.OnEvent(&r.event)
}
