package population

// A happening is something that happened to an individual, or that it was there at the start, or that an intervention happened that waited. States,
// flows, names and values of attributes are numbers, as the program has them. It is valid during the call alone.
type happening struct {
	time       float64 // on the model's clock
	kind       happeningKind
	individual uint64 // its number in the order of entering, from 1 on; 0 if it is about nobody
	by         uint64 // who brought it about; 0 if nobody
	state      uint16 // that it is in, if none was left
	flow       int    // the way that it went, if it did
	name       int    // of the clock, contact, entry or intervention; −1 if it has none
	values     []uint16

	place, byPlace uint32 // ids, which are given out again
}

type happeningKind uint8

const (
	hasStarted  happeningKind = iota // there from the start
	hasEntered                       // born, arrived, or let in by an intervention
	hasChanged                       // from a state to another, or anew to the same
	hasLeft                          // the population
	hasMoved                         // an attribute got another value
	hasHappened                      // an intervention that waited for its condition
)

// nobodyElse stands for the id of who brought something about if it was nobody.
const nobodyElse = 1<<32 - 1

// tell tells of something that happened to an individual, to whoever listens.
func (r *replica) tell(h happening, id, by uint32) {
	h.time, h.individual, h.place, h.byPlace = r.m.start+r.now, r.numbers[id], id, by
	if r.planned != nil {
		h.time = r.planned.clock
	}
	if by != nobodyElse {
		h.by = r.numbers[by]
	}
	h.values = r.told.values[:0]
	for a := range r.values {
		h.values = append(h.values, r.values[a].of(id))
	}
	r.told = h
	r.onEvent(&r.told)
}

// count counts something that has a name.
func (r *replica) count(name int) {
	if name >= 0 {
		r.named[name]++
	}
}

// moved counts a move that changes no state, and tells of it.
func (r *replica) moved(id, by uint32, name int) {
	r.count(name)
	if r.by != nil {
		r.by.moved(r, id, name)
	}
	if r.onEvent != nil {
		r.tell(happening{kind: hasMoved, state: r.person(id).state, name: name}, id, by)
	}
}

// flow counts a change of state, and by group the name given for that, and tells of it.
func (r *replica) flow(id, by uint32, from int, to uint16, name, counted int) {
	k := r.m.flowOf(from, to)
	r.flows[k]++
	if r.by != nil {
		r.by.flow(r, id, int(k), from, int(to), counted)
	}
	if r.onEvent == nil {
		return
	}
	kind := hasChanged
	switch {
	case from >= len(r.counts):
		kind = hasEntered
	case to == nobody:
		kind = hasLeft
	}
	r.tell(happening{kind: kind, flow: k, name: name}, id, by)
}

// A peak is the most that were in a state, and when that was first so, on the model's clock.
type peak struct {
	Count int
	Time  float64
}
