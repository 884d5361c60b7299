package engine

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/statefile"
	"github.com/almanac-sim/almanac/population/internal/store"
)

// Places and seats as sections of a saved state. Presences follow from them.

// putLists writes lists as their lengths and their elements.
func putLists[T statefile.Number](s *saver, section string, all [][]T) {
	lengths := make([]uint64, len(all))
	for i := range all {
		lengths[i] = uint64(len(all[i]))
	}
	put(s, section+" lengths", lengths)
	put(s, section, all...)
}

// getLists reads what putLists has written.
func getLists[T statefile.Number](in *loader, section string) [][]T {
	lengths, elements := get[uint64](in, section+" lengths", -1), get[T](in, section, -1)
	all := make([][]T, len(lengths))
	for i, n := range lengths {
		if n > uint64(len(elements)) {
			in.bad("a list of %s is too long", section)
			return all
		}
		all[i], elements = elements[:n:n], elements[n:]
	}
	if len(elements) > 0 {
		in.bad("elements of %s are in no list", section)
	}
	return all
}

func savePlaces(r *Run, s *saver) {
	p := r.places
	if p == nil {
		return
	}
	keys := slices.SortedFunc(maps.Keys(p.groups), func(a, b groupKey) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.before, b.before), cmp.Compare(a.more, b.more))
	})
	groups := make([]uint32, 0, 4*len(keys))
	for _, key := range keys {
		groups = append(groups, key.kind, key.before, key.more, p.groups[key])
	}
	put(s, "groups", groups)
	put(s, "turned away", p.turnedAway)
	for k, seats := range p.kinds {
		name := func(column string) string { return fmt.Sprintf("%s %d", column, k) }
		c := seats.Columns(int(r.firstID), r.Used)
		put(s, name("seats"), c.At)
		put(s, name("places"), c.Places)
		put(s, name("gone"), c.Gone)
		putLists(s, name("free"), c.Free)
		putLists(s, name("room"), c.Room)
		put(s, name("next"), []uint32{c.Next})
	}
}

// loadPlaces reads the places before the individuals, whose tables may depend on their presences.
// Whether they belong to each other is checked in loadNear.
func loadPlaces(r *Run, in *loader) {
	m := r.Program
	r.near, r.places, r.lines, r.networks = newNear(m), nil, newLines(m), nil
	r.clearPresences()
	if len(m.Places) == 0 {
		return
	}
	r.places = r.newPlaces(random.New(r.seed, uint64(r.Index)))
	p := r.places
	in.readGroups(r)
	copy(p.turnedAway, get[uint64](in, "turned away", len(p.kinds)))
	for k, seats := range p.kinds {
		name := func(column string) string { return fmt.Sprintf("%s %d", column, k) }
		c := store.SeatColumns{
			At: get[uint32](in, name("seats"), r.Used-int(r.firstID)), Places: get[uint32](in, name("places"), -1),
			Gone: get[uint32](in, name("gone"), -1), Free: getLists[uint32](in, name("free")),
			Room: getLists[uint32](in, name("room")), Next: get[uint32](in, name("next"), 1)[0],
		}
		if in.err != nil {
			return
		}
		if !seats.SetColumns(c, int(r.firstID), max(1, int(p.count[k]))) || !seats.Check() {
			in.bad("the seats of %s are wrong", m.Places[k].Name)
			return
		}
		if a := m.PresenceOf(k); a >= 0 {
			for id := r.firstID; int(id) < r.Used; id++ {
				if seats.Seated(id) {
					r.attributes[a].Set(id, 1)
				}
			}
		}
	}
	p.ready = true
}

// readGroups reads the numbers of the groups of places.
func (in *loader) readGroups(r *Run) {
	p, words := r.places, get[uint32](in, "groups", -1)
	if len(words)%4 != 0 {
		in.bad("a group is not complete")
	}
	for ; in.err == nil && len(words) > 0; words = words[4:] {
		key, group := groupKey{words[0], words[1], words[2]}, words[3]
		kind, step := int(key.kind>>8), int(key.kind&255)
		if _, twice := p.groups[key]; twice || kind >= len(p.kinds) {
			in.bad("a group is there twice, or of no kind")
			return
		}
		p.groups[key] = group
		if of := &r.Program.Places[kind]; step == len(of.Alike)+len(of.AlikeIn)-1 {
			p.count[kind]++
		}
	}
	for key, group := range p.groups {
		kind, step := int(key.kind>>8), int(key.kind&255)
		of := &r.Program.Places[kind]
		most := uint32(len(p.groups))
		if last := len(of.Alike) + len(of.AlikeIn) - 1; step == last {
			most = p.count[kind]
		} else if step > last {
			most = 0
		}
		if group >= most {
			in.bad("a group has a wrong number")
			return
		}
	}
}

func saveNear(r *Run, s *saver) {
	if r.near == nil {
		return
	}
	if len(r.near.replan)+len(r.near.stale) > 0 {
		panic("population: a run is saved in the middle of an event")
	}
	done := map[int]bool{}
	for k, seats := range r.near.seats {
		// Several neighbourhoods of an attribute have the same seats.
		if a := r.Program.Near[k].Attribute; seats != nil && !done[a] {
			done[a] = true
			put(s, fmt.Sprintf("seats %d", a), seats)
		}
	}
}

// loadNear reads the seats of those with the same value of an attribute, and checks all that is
// known of neighbours. It comes after the individuals and the calendar.
func loadNear(r *Run, in *loader) {
	if r.near == nil {
		return
	}
	for k, seats := range r.near.seats {
		if seats == nil {
			continue
		}
		a := r.Program.Near[k].Attribute
		if section := fmt.Sprintf("seats %d", a); in.has(section) {
			read(in, section, seats)
			continue
		}
		for v := range seats { // contacts that only this program has
			seats[v] = seatsFor(len(r.groups[a].Members[v]))
		}
	}
	if in.err != nil {
		return
	}
	r.near.ready = true
	err := r.checkNear()
	if err == nil && r.places != nil {
		err = r.checkPlaces()
	}
	if err == nil {
		err = in.finishNetworks(r)
	}
	if err != nil {
		in.bad("%v", err)
	}
}

// placeWords are the numbers of recorded places: how many there are, their members, how many were
// turned away, and the number of sizes, followed by each size and its places.
func placeWords(all []PlaceCounts) (words []uint64) {
	for _, c := range all {
		words = append(words, uint64(c.Number), uint64(c.Members), c.TurnedAway, uint64(len(c.Sizes)))
		for _, s := range c.Sizes {
			words = append(words, uint64(s.Size), uint64(s.Places))
		}
	}
	return words
}

// placesFrom reads n of them.
func (in *loader) placesFrom(words []uint64, n int) []PlaceCounts {
	all := make([]PlaceCounts, n)
	for i := range all {
		if len(words) < 4 || words[3] > uint64(len(words)-4)/2 {
			in.bad("the recorded places are not complete")
			return all
		}
		c := PlaceCounts{Number: int(words[0]), Members: int(words[1]), TurnedAway: words[2]}
		sizes := words[3]
		words = words[4:]
		for ; sizes > 0; sizes-- {
			c.Sizes = append(c.Sizes, SizeCount{int(words[0]), int(words[1])})
			words = words[2:]
		}
		all[i] = c
	}
	if len(words) > 0 {
		in.bad("more places are recorded than there are")
	}
	return all
}

// placeNames are the kinds of places of a program.
func placeNames(m *program.Program) (names []string) {
	for k := range m.Places {
		names = append(names, m.Places[k].Name)
	}
	return names
}
