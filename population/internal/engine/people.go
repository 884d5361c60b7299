package engine

import (
	"math"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/law"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/store"
)

// People of a file. They are numbered in the order of the rows, and a person is the individual with
// its number. All that the file says of one is put into an entry of its own, which is that of its
// start group with more given; the rest of the set-up does not know of files. After it nothing is
// left of them.

// dealStates decides in which states those begin whose state the file leaves empty: exactly as many
// as the start says, chosen uniformly. All draws come from a stream of their own.
func (r *Run) dealStates(streams random.Stream) {
	p := r.Program.People
	if p == nil || p.Dealt < 2 {
		return
	}
	r.dealtStates = make([]uint16, r.Program.Size)
	left := make([]int, p.Dealt)
	all := 0
	for k := range left {
		left[k] = r.Program.StartGroups[k].Count
		all += left[k]
	}
	s := streams.At(1<<62 + 2)
	for serial := range r.dealtStates {
		if all == 0 || p.State.At(p.Row(serial)) >= 0 {
			continue // none is left in a sample only
		}
		x, k := int(s.Below(uint64(all))), 0
		for ; x >= left[k]; k++ {
			x -= left[k]
		}
		left[k]--
		all--
		r.dealtStates[serial] = uint16(k)
	}
}

// startGroupOf returns the start group of an individual of the start, which is a person.
func (r *Run) startGroupOf(serial int) *program.StartGroup {
	p := r.Program.People
	if s := p.State.At(p.Row(serial)); s >= 0 {
		return &r.Program.StartGroups[p.Given[s]]
	}
	if r.dealtStates != nil {
		return &r.Program.StartGroups[r.dealtStates[serial]]
	}
	return &r.Program.StartGroups[0]
}

// eachStart calls do with the entry of every individual of the start, in the order of their
// numbers. The entry is valid during the call.
func (r *Run) eachStart(do func(serial int, in *program.Entry)) {
	if r.Program.People != nil {
		var e personEntry
		for serial := range r.Program.Size {
			do(serial, e.of(r, serial))
		}
		return
	}
	serial := 0
	for i := range r.Program.StartGroups {
		g := &r.Program.StartGroups[i]
		for range g.Count {
			do(serial, &g.Entry)
			serial++
		}
	}
}

// A personEntry is how a person of a file enters. Its memory is used for one after the other.
type personEntry struct {
	program.Entry
	given     []int32
	numbers   []float64
	age       program.ByCell[law.Law]
	since     program.ByCell[law.Law]
	machines  []program.ByCell[law.Law]
	durations [][]*program.ByCell[law.Law]
}

// of returns the entry of an individual of the start.
func (e *personEntry) of(r *Run, serial int) *program.Entry {
	p, g := r.Program.People, r.startGroupOf(serial)
	row := p.Row(serial)
	e.Entry = g.Entry
	e.giveAttributes(r, p, row)
	if x := program.NumberOf(p.Age, row); x >= 0 {
		e.age.Values = append(e.age.Values[:0], law.Exactly(x))
		e.Age = &e.age
	}
	if x := program.NumberOf(p.Since, row); x >= 0 {
		e.since.Values = append(e.since.Values[:0], law.Exactly(x))
		e.Since = &e.since
	}
	if len(p.Numbers) > 0 {
		e.giveNumbers(p, row)
	}
	if len(p.MachineSince) > 0 {
		e.giveSince(r, p, row)
	}
	return &e.Entry
}

// giveAttributes sets the attributes and the states of machines that a person has by the file.
func (e *personEntry) giveAttributes(r *Run, p *program.People, row int) {
	if e.given == nil {
		e.given = make([]int32, len(r.Program.Attributes))
	}
	if e.Given != nil {
		copy(e.given, e.Given)
	} else {
		for a := range e.given {
			e.given[a] = program.Drawn
		}
	}
	for a, column := range p.Attributes {
		if v := column.At(row); v >= 0 {
			e.given[a] = int32(v)
		}
	}
	e.Given = e.given
}

// giveNumbers sets the numbers that a person has by the file.
func (e *personEntry) giveNumbers(p *program.People, row int) {
	if e.numbers == nil {
		e.numbers = make([]float64, len(p.Numbers))
	}
	for k := range p.Numbers {
		e.numbers[k] = program.NumberOf(p.Numbers[k], row)
		if e.Numbers != nil && math.IsNaN(e.numbers[k]) {
			e.numbers[k] = e.Numbers[k]
		}
	}
	e.Numbers = e.numbers
}

// giveSince sets how long a person has been in the states of machines by the file.
func (e *personEntry) giveSince(r *Run, p *program.People, row int) {
	if e.machines == nil {
		e.machines = make([]program.ByCell[law.Law], len(r.Program.Machines))
		e.durations = make([][]*program.ByCell[law.Law], len(r.Program.Machines))
		for m := range e.durations {
			e.durations[m] = make([]*program.ByCell[law.Law], len(r.Program.Attributes[r.Program.Machines[m].Attribute].Values))
		}
	}
	for m := range e.durations {
		clear(e.durations[m])
		if e.MachineSince != nil && e.MachineSince[m] != nil {
			copy(e.durations[m], e.MachineSince[m])
		}
		if x := program.NumberOf(p.MachineSince[m], row); x >= 0 {
			e.machines[m].Values = append(e.machines[m].Values[:0], law.Exactly(x))
			e.durations[m][e.given[r.Program.Machines[m].Attribute]] = &e.machines[m]
		}
	}
	e.MachineSince = e.durations
}

// initialisePeople is startPopulation.initialise for the people of a file.
func (p *startPopulation) initialisePeople(r *Run, b *batch, from, to int, each func()) {
	if b.person == nil {
		b.person = new(personEntry)
	}
	for id := from; id < to; id += b.n {
		serial := id - int(r.firstID)
		b.fill(uint32(id), p.streams, uint64(serial), min(batchSize, to-id))
		for i := range b.n {
			b.initialiseOne(r, i, b.person.of(r, serial+i))
		}
		each()
	}
}

// fillFromFile puts those of the start into the places of a kind that the file gives them. Who has
// none there is in none.
func (r *Run) fillFromFile(k int, end uint32) {
	of := r.Program.People.Places[k]
	kind, seats := &r.Program.Places[k], r.places.kinds[k]
	const notYet = 1<<32 - 1
	found := make([]uint32, of.Number)
	for i := range found {
		if found[i] = notYet; kind.Number > 0 {
			found[i] = seats.Found(0)
		}
	}
	for range max(0, kind.Number-of.Number) {
		seats.Found(0)
	}
	for id := r.firstID; id < end; id++ {
		if r.status(id).state == program.NoState || !r.matches(id, kind.Where) {
			continue
		}
		place := of.At(r.Program.People.Row(int(id - r.firstID)))
		if place < 0 {
			seats.Unseat(id, store.Elsewhere)
			continue
		}
		if found[place] == notYet {
			found[place] = seats.Found(r.groupOf(k, id))
		}
		seats.Add(id, found[place])
	}
}
