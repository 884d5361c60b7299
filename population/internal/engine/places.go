package engine

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"unsafe"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/lookup"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/store"
)

// places are the places of a run and their members.
//
// An individual joins, leaves or changes a place after everything else that an event changes of it
// (settlePlaces). The place is chosen by a hash of its stream, which does not advance. Individuals
// that share a place are alike: each combination of what they share has a number, its group, and a
// place is of one group.
//
// Invariants, once it is ready: exactly those that match Where belong; each individual with a seat
// is of the group of the place.
type places struct {
	ready      bool
	limited    bool // there may be no room in a kind
	kinds      []*store.Seats
	groups     map[groupKey]uint32 // the groups of all kinds
	count      []uint32            // of them, by kind
	stream     random.Stream       // of filling places at the start
	turnedAway []uint64            // by kind

	moves []program.PlaceMove // what the event at hand says of places; nil once settlePlaces has done it
	other uint32              // whose place is inherited

	batch    []uint32 // by kind: 1 + the place that those who enter together have founded; 0 for none yet
	together bool     // several enter together

	told   Event // a change of state that is to be told to OnEvent
	toldBy uint32
}

// A groupKey is a combination of what members of a place share: another one, and one thing more.
type groupKey struct{ kind, before, more uint32 }

// newPlaces returns no places of all kinds.
func (r *Run) newPlaces(streams random.Stream) *places {
	m := r.Program
	p := &places{
		kinds: make([]*store.Seats, len(m.Places)), groups: map[groupKey]uint32{}, count: make([]uint32, len(m.Places)),
		turnedAway: make([]uint64, len(m.Places)), stream: streams.At(1<<62 + 1),
	}
	for k := range m.Places {
		kind := &m.Places[k]
		p.kinds[k] = store.NewSeats(kind.Capacity, kind.Listed || kind.Number > 0, kind.Number > 0)
		p.kinds[k].Reserve(r.capacity)
		p.limited = p.limited || kind.Limited()
	}
	return p
}

// eachGroup calls do for each group of those with ids below end who belong to a kind, in a random
// order: that of hashes of their names, so that the order of two of them does not depend on who
// else there is.
func (r *Run) eachGroup(k int, end uint32, do func(group uint32, ids []uint32)) {
	kind := &r.Program.Places[k]
	belongs := func(id uint32) bool {
		return r.status(id).state != program.NoState && r.matches(id, kind.Where)
	}
	var all [][]uint32
	if len(kind.Alike)+len(kind.AlikeIn) == 0 { // one group, which may be everybody
		n := 0
		for id := r.firstID; id < end; id++ {
			if belongs(id) {
				n++
			}
		}
		all = [][]uint32{make([]uint32, 0, n)}
	}
	for id := r.firstID; id < end; id++ {
		if !belongs(id) {
			continue
		}
		g := r.groupOf(k, id)
		for int(g) >= len(all) {
			all = append(all, nil)
		}
		all[g] = append(all[g], id)
	}
	s := r.places.stream.At(uint64(k))
	for g, ids := range all {
		if len(ids) > 0 {
			sortByHash(ids, func(id uint32) uint64 { return r.hashOf(s, id) })
			do(uint32(g), ids)
		}
	}
}

// hashOf returns a number that follows from the name of an individual of the start: from its
// number, or its id in a file.
func (r *Run) hashOf(s random.Stream, id uint32) uint64 { return uint64(s.At(uint64(id - r.firstID))) }

// sortByHash sorts ids by hashes, and equal ones by id. Hashes are not stored: ids are divided by
// the first bits of theirs, until few are left to be compared.
func sortByHash(ids []uint32, hash func(id uint32) uint64) {
	var by func(ids []uint32, shift int)
	by = func(ids []uint32, shift int) {
		if len(ids) < 64 || shift < 0 {
			slices.SortFunc(ids, func(a, b uint32) int {
				return cmp.Or(cmp.Compare(hash(a), hash(b)), cmp.Compare(a, b))
			})
			return
		}
		var next, end [257]int // of each part
		for _, id := range ids {
			end[1+hash(id)>>shift&255]++
		}
		for part := range 256 {
			end[part+1] += end[part]
			next[part] = end[part]
		}
		for part := range 256 { // American flag sort: each step puts one id where it belongs
			for next[part] < end[part+1] {
				at := &ids[next[part]]
				to := hash(*at) >> shift & 255
				if int(to) == part {
					next[part]++
					continue
				}
				ids[next[to]], *at = *at, ids[next[to]]
				next[to]++
			}
		}
		for part := range 256 {
			by(ids[end[part]:end[part+1]], shift-8)
		}
	}
	by(ids, 56)
}

// eachHousehold draws places for n individuals by what they are made of, and calls do with the
// first individual and the seats of each. The last is cut short.
func (r *Run) eachHousehold(k int, group uint32, n int, do func(from int, seats program.Household)) {
	kind := &r.Program.Places[k]
	s := r.places.stream.At(1<<32 + uint64(k)).At(uint64(group))
	for from := 0; from < n; {
		seats := kind.Made[lookup.SearchCumulative(kind.Sums, s.Float64())]
		seats = seats[:min(len(seats), n-from)]
		do(from, seats)
		from += len(seats)
	}
}

// groupOf returns the group of an individual: what it shares with the members of its place.
func (r *Run) groupOf(k int, id uint32) uint32 {
	kind := &r.Program.Places[k]
	if len(kind.Alike)+len(kind.AlikeIn) == 0 {
		return 0
	}
	group := uint32(1<<32 - 1)
	more := func(step int, x uint32, last bool) {
		key := groupKey{uint32(k)<<8 | uint32(step), group, x}
		g, ok := r.places.groups[key]
		if !ok {
			if g = uint32(len(r.places.groups)); last {
				g = r.places.count[k]
				r.places.count[k]++
			}
			r.places.groups[key] = g
		}
		group = g
	}
	n := len(kind.Alike) + len(kind.AlikeIn)
	for i, a := range kind.Alike {
		more(i, uint32(r.attributes[a].Of(id)), i == n-1)
	}
	for i, other := range kind.AlikeIn {
		number := uint32(0) // of no place
		if s := r.places.kinds[other]; s.Seated(id) {
			number = s.Number(s.Place(id))
		}
		more(len(kind.Alike)+i, number, len(kind.Alike)+i == n-1)
	}
	return group
}

// fillPlaces puts everybody of the start into places.
func (r *Run) fillPlaces() {
	for k := range r.Program.Places {
		r.fillKind(k, uint32(r.Used))
		if a := r.Program.PresenceOf(k); a >= 0 {
			seats := r.places.kinds[k]
			r.near.mode = settingUp
			for id := r.firstID; int(id) < r.Used; id++ {
				r.setPresence(id, a, seats.Seated(id))
			}
			r.near.mode = alone
		}
	}
	r.places.ready = true
}

// fillKind puts those with ids below end into places of a kind.
func (r *Run) fillKind(k int, end uint32) {
	kind, seats := &r.Program.Places[k], r.places.kinds[k]
	if r.Program.People.HasPlaces(k) {
		r.fillFromFile(k, end)
		return
	}
	for range kind.Number {
		seats.Found(0)
	}
	r.eachGroup(k, end, func(group uint32, ids []uint32) { r.fillGroup(kind, k, seats, group, ids) })
}

// tellStart calls OnEvent for every individual of the start, once all are in their places.
func (r *Run) tellStart() {
	if r.OnEvent == nil {
		return
	}
	for id := r.firstID; int(id) < r.Used; id++ {
		r.notify(Event{Kind: Started, State: r.status(id).state, Name: -1}, id, noID)
	}
}

// fillGroup puts those of a group into places of a kind.
func (r *Run) fillGroup(kind *program.Place, k int, seats *store.Seats, group uint32, ids []uint32) {
	s := r.places.stream.At(1<<33 + uint64(k)).At(uint64(group))
	switch {
	case kind.Number > 0:
		for _, id := range ids {
			room := seats.Room(0)
			if kind.Join == program.JoinNone || len(room) == 0 {
				seats.Unseat(id, store.Elsewhere)
				if kind.Join != program.JoinNone && r.failed == nil {
					r.failed = fmt.Errorf("places: %s: at the start %d people belong there, more than there is room for",
						kind.Name, len(ids))
					r.limit = -1
				}
				continue
			}
			own := s.At(r.hashOf(s, id))
			seats.Add(id, room[own.Below(uint64(len(room)))])
		}
	case kind.By >= 0:
		r.eachHousehold(k, group, len(ids), func(from int, of program.Household) {
			seats.FoundWith(group, ids[from:from+len(of)])
		})
	default:
		for from := 0; from < len(ids); {
			size := kind.Size.At(r.cell(ids[from], kind.Size.By))
			n := min(max(size.Pick(s.Float64()), 1), len(ids)-from)
			seats.FoundWith(group, ids[from:from+n])
			from += n
		}
	}
}

// copy returns a copy, between two events.
func (p *places) copy() *places {
	if p == nil {
		return nil
	}
	c := &places{
		ready: p.ready, limited: p.limited, kinds: make([]*store.Seats, len(p.kinds)),
		groups: maps.Clone(p.groups), count: slices.Clone(p.count),
		stream: p.stream, turnedAway: slices.Clone(p.turnedAway),
	}
	for k := range p.kinds {
		c.kinds[k] = p.kinds[k].Copy()
	}
	return c
}

// bytes is how much memory places take.
func (p *places) bytes() int {
	n := mapBytes(len(p.groups), int(unsafe.Sizeof(groupKey{})+unsafe.Sizeof(uint32(0))))
	for _, seats := range p.kinds {
		n += seats.Bytes()
	}
	return n
}

// checkPlaces verifies the invariants.
func (r *Run) checkPlaces() error {
	if r.places.moves != nil {
		return errors.New("a move to another place has outlasted its effect")
	}
	for k, seats := range r.places.kinds {
		if !seats.Check() {
			return fmt.Errorf("the seats of %s are wrong", r.Program.Places[k].Name)
		}
		for id := r.firstID; int(id) < r.Used; id++ {
			alive := r.status(id).state != program.NoState
			if belongs := alive && r.matches(id, r.Program.Places[k].Where); belongs != seats.Belongs(id) {
				return fmt.Errorf("id %d belongs to %s: %v, and has a seat: %v", id, r.Program.Places[k].Name, belongs,
					seats.Seated(id))
			}
			if a := r.Program.PresenceOf(k); a >= 0 && alive && (r.attributes[a].Of(id) == 1) != seats.Seated(id) {
				return fmt.Errorf("id %d has a seat in %s: %v, and conditions see it differently", id,
					r.Program.Places[k].Name, seats.Seated(id))
			}
			if alive && seats.Seated(id) && r.groupOf(k, id) != seats.Group(seats.Place(id)) {
				return fmt.Errorf("id %d is in a place of %s that is not alike", id, r.Program.Places[k].Name)
			}
		}
	}
	return nil
}

// PlaceCounts are what is recorded of the places of a kind.
type PlaceCounts struct {
	Number, Members int
	Sizes           []SizeCount // by ascending size
	TurnedAway      uint64
}

// A SizeCount is how many places have a size above 0.
type SizeCount struct{ Size, Places int }

// OfSize returns how many places have a size.
func (c *PlaceCounts) OfSize(size int) int {
	i, ok := slices.BinarySearchFunc(c.Sizes, size, func(s SizeCount, size int) int { return cmp.Compare(s.Size, size) })
	if !ok {
		return 0
	}
	return c.Sizes[i].Places
}

// PlaceNumber returns the number of the place of a kind that an individual is in, which no other
// place of that kind has had; 0 if it is in none.
func (r *Run) PlaceNumber(kind int, id uint32) uint32 {
	seats := r.places.kinds[kind]
	if !seats.Seated(id) {
		return 0
	}
	return seats.Number(seats.Place(id))
}

// CountPlaces counts the places of a kind as they are now.
func (r *Run) CountPlaces(kind int) PlaceCounts {
	seats := r.places.kinds[kind]
	c := PlaceCounts{TurnedAway: r.places.turnedAway[kind]}
	c.Number, c.Members = seats.Counts()
	for size, n := range seats.BySize() {
		c.Sizes = append(c.Sizes, SizeCount{size, n})
	}
	slices.SortFunc(c.Sizes, func(a, b SizeCount) int { return cmp.Compare(a.Size, b.Size) })
	return c
}
