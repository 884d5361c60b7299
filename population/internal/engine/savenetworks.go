package engine

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/eventqueue"
	"github.com/almanac-sim/almanac/population/internal/law"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/store"
)

// Networks as sections of a saved state.

func saveNetworks(r *Run, s *saver) {
	for k := range r.networks {
		n := &r.networks[k]
		name := func(column string) string { return fmt.Sprintf("%s %d", column, k) }
		c := n.links.Columns(r.firstID, uint32(r.Used))
		put(s, name("degrees"), c.Degrees)
		put(s, name("peers"), c.Peers)
		put(s, name("twins"), c.Twins)
		put(s, name("tags"), c.Tags)
		put(s, name("ends"), c.Ends)
		put(s, name("unused"), c.Unused)
		put(s, name("counts"), []uint64{n.formed, n.ended})
		if n.weights != nil {
			w := n.weights.Columns(r.firstID)
			put(s, name("tables"), w.Rows)
			put(s, name("sums"), w.Sums)
			put(s, name("slots"), w.Slots)
			put(s, name("weights"), w.Links)
		}
		if n.ends == nil {
			continue
		}
		tags := n.links.Tags()
		times, which, began := make([]float64, tags), make([]uint32, tags), make([]float64, tags)
		for tag := range times {
			at, ok := n.ends.Due(eventqueue.ID(tag))
			if times[tag] = at; !ok {
				times[tag] = math.Inf(1)
			}
			if _, _, there := n.links.Find(uint32(tag)); there && r.forkable && n.origins[tag].law != nil {
				which[tag], began[tag] = lawOfLinks(r.Program, k, n.origins[tag].law), n.origins[tag].began
			}
		}
		put(s, name("times"), times)
		if r.forkable {
			put(s, name("laws"), which)
			put(s, name("began"), began)
		}
	}
	if r.linksID != noID {
		put(s, "due", []float64{r.calendarTime(r.linksID)})
	}
}

// calendarTime returns when an event is that is of no individual; +Inf if it is not in the
// calendar.
func (r *Run) calendarTime(id uint32) float64 {
	if at, ok := r.Queue.Due(eventqueue.ID(id)); ok {
		return at
	}
	return math.Inf(1)
}

// lawOfLinks returns 1 + the phase whose links last by a law.
func lawOfLinks(m *program.Program, network int, l *law.Law) uint32 {
	for p, t := range m.Phases {
		if after := t.Networks[network].After; after != nil && (after == l || after.Equal(l)) {
			return uint32(p) + 1
		}
	}
	panic("population: a link lasts by a law of no phase")
}

// loadNetworks reads the links before the individuals, whose tables may depend on their presences.
// finishNetworks does the rest.
func loadNetworks(r *Run, in *loader) {
	m := r.Program
	all := make([]network, len(m.Networks))
	for k := range all {
		n, text := &all[k], &m.Networks[k]
		name := func(column string) string { return fmt.Sprintf("%s %d", column, k) }
		n.grows = text.Grows
		for i := range m.Near {
			n.pairs = n.pairs || m.Near[i].Network == k && m.Near[i].Pairs
		}
		c := store.LinkColumns{
			Degrees: get[uint32](in, name("degrees"), r.Used-int(r.firstID)), Peers: get[uint32](in, name("peers"), -1),
			Twins: get[uint32](in, name("twins"), -1), Tags: get[uint32](in, name("tags"), -1),
			Ends: get[uint32](in, name("ends"), -1), Unused: get[uint32](in, name("unused"), -1),
		}
		counts := get[uint64](in, name("counts"), 2)
		if in.err != nil {
			return
		}
		n.formed, n.ended = counts[0], counts[1]
		n.links = store.NewLinks(text.Timed || in.has(name("weights")))
		err := n.links.SetColumns(c, r.firstID)
		if err == nil && in.has(name("weights")) {
			w := store.WeightColumns{
				Rows: get[uint32](in, name("tables"), -1), Sums: get[float64](in, name("sums"), -1),
				Slots: get[uint32](in, name("slots"), -1), Links: get[uint32](in, name("weights"), -1),
			}
			if in.err != nil {
				return
			}
			n.weights, err = store.WeightsFrom(w, n.links, r.firstID)
		}
		if err != nil {
			in.bad("network %s: %v", text.Name, err)
			return
		}
		if a := m.PresenceIn(k); a >= 0 {
			for id := r.firstID; int(id) < r.Used; id++ {
				if n.links.Degree(id) > 0 {
					r.attributes[a].Set(id, 1)
				}
			}
		}
		if text.Timed {
			in.readEnds(r, n, k)
		}
	}
	if len(all) > 0 {
		r.networks = all
	}
	if r.linksID == noID {
		return
	}
	if in.linksDue = get[float64](in, "due", 1)[0]; !(in.linksDue >= r.Now) {
		in.bad("links end in the past")
	}
}

// readEnds reads when the links of a network end.
func (in *loader) readEnds(r *Run, n *network, k int) {
	name := func(column string) string { return fmt.Sprintf("%s %d", column, k) }
	tags := n.links.Tags()
	times := get[float64](in, name("times"), tags)
	n.ends = eventqueue.New(eventqueue.Capacity(tags))
	for tag, at := range times {
		if _, _, there := n.links.Find(uint32(tag)); !(at >= r.Now) || !there && !math.IsInf(at, 1) {
			in.bad("a link ends in the past, or has ended")
		}
		if at <= r.end && in.err == nil {
			in.err = n.ends.Schedule(eventqueue.ID(tag), at)
		}
	}
	if !r.forkable || in.err != nil {
		return
	}
	n.origins = make([]timerOrigin, tags)
	if !in.run.Origins {
		return // links keep their ends in forks
	}
	which, began := get[uint32](in, name("laws"), tags), get[float64](in, name("began"), tags)
	for tag := range which {
		if which[tag] == 0 || in.err != nil {
			continue
		}
		phase := which[tag] - 1
		if uint(phase) >= uint(len(in.run.Shape.Phases)) || !(began[tag] <= r.Now) || math.IsInf(began[tag], 0) {
			in.bad("a link lasts by no law")
			return
		}
		t, err := in.run.Shape.phaseOf(r.Program, int(phase))
		if err != nil {
			in.err = err
			return
		}
		n.origins[tag] = timerOrigin{t.Networks[k].After, began[tag]}
	}
}

// finishNetworks counts the links of all individuals, and puts the event at which links end into
// the calendar.
func (in *loader) finishNetworks(r *Run) error {
	for k := range r.networks {
		n := &r.networks[k]
		n.degrees = make([]int, 1)
		for id := r.firstID; int(id) < r.Used; id++ {
			if r.status(id).state == program.NoState {
				continue
			}
			degree := n.links.Degree(id)
			for degree >= len(n.degrees) {
				n.degrees = append(n.degrees, 0)
			}
			n.degrees[degree]++
		}
	}
	if r.linksID != noID && in.linksDue <= r.end {
		if err := r.Queue.Schedule(eventqueue.ID(r.linksID), in.linksDue); err != nil {
			return err
		}
	}
	return r.checkNetworks()
}

// networkWords are the numbers of recorded networks: links, formed and ended, and the number of
// degrees, followed by each degree and its individuals.
func networkWords(all []NetworkCounts) (words []uint64) {
	for _, c := range all {
		words = append(words, uint64(c.Links), c.Formed, c.Ended, uint64(len(c.Degrees)))
		for _, d := range c.Degrees {
			words = append(words, uint64(d.Degree), uint64(d.Individuals))
		}
	}
	return words
}

// networksFrom reads n of them.
func (in *loader) networksFrom(words []uint64, n int) []NetworkCounts {
	all := make([]NetworkCounts, n)
	for i := range all {
		if len(words) < 4 || words[3] > uint64(len(words)-4)/2 {
			in.bad("the recorded networks are not complete")
			return all
		}
		c := NetworkCounts{Links: int(words[0]), Formed: words[1], Ended: words[2]}
		degrees := words[3]
		words = words[4:]
		for ; degrees > 0; degrees-- {
			c.Degrees = append(c.Degrees, DegreeCount{int(words[0]), int(words[1])})
			words = words[2:]
		}
		all[i] = c
	}
	if len(words) > 0 {
		in.bad("more networks are recorded than there are")
	}
	return all
}

// networkNames are the networks of a program.
func networkNames(m *program.Program) (names []string) {
	for k := range m.Networks {
		names = append(names, m.Networks[k].Name)
	}
	return names
}
