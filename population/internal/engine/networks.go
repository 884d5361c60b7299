package engine

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/eventqueue"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/law"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/store"
)

// A network is the state of a network in a run.
//
// A rate for each link is that of a pair times the number of links of an individual, or their
// weight; an individual whose links change is scheduled anew at the end of the event. Links that
// end at a rate are ended by either of their individuals, each at half of the rate
// (program.DoUnlink). Links that last for a time of another law have their ends in a calendar of
// their own, and linksID is the event of the earliest of these in the calendar of the run.
//
// Invariants: only the living have links; degrees[n] of the living have n; each link that lasts
// until before the end of the run has an event in ends, and linksID has one that is not later.
type network struct {
	links   *store.Links
	weights *store.Weights // of the links of the start; nil if all are 1
	grows   bool
	pairs   bool // a rate depends on how many links an individual has

	degrees       []int // by number of links: how many of the living have so many
	formed, ended uint64

	ends    *eventqueue.Queue // when links end, by their numbers; nil if that is at a rate, or never
	origins []timerOrigin     // by number: what the ends were drawn from, if the run can be forked and it is known
}

// purposeLink is the purpose of a contactSeed that the time is drawn for that a link lasts. Moves
// have those before.
const purposeLink = 1 << 32

// Others is of program.Neighbours.
func (r *Run) Others(near int, id uint32) float64 {
	of := &r.Program.Near[near]
	if of.Network < 0 {
		return float64(r.Seats(near, id) - 1)
	}
	if !r.near.ready {
		return 0
	}
	n := &r.networks[of.Network]
	if degree := float64(n.links.Degree(id)); n.weights == nil || of.Ends {
		return degree
	} else if n.grows {
		return n.weights.Total(id) + degree
	}
	return n.weights.Total(id)
}

// choose chooses an individual linked with another. With eachPair it picks one of Others, which may
// be empty; otherwise the choice is in proportion to the weights. It reports false if none was
// chosen.
func (n *network) choose(id uint32, eachPair bool, s *random.Stream) (uint32, bool) {
	degree := n.links.Degree(id)
	if degree == 0 {
		return 0, false
	}
	if n.weights == nil {
		return n.links.Peer(id, int(s.Below(uint64(degree)))), true
	}
	if eachPair {
		total := n.weights.Total(id)
		if n.grows && s.Float64()*(total+float64(degree)) >= total {
			return n.later(id, s)
		}
		return n.weighted(id, s)
	}
	// At least half of the weight of a table is that of links that have not ended.
	live, later := n.weights.Live(id), float64(degree-n.weights.Left(id))
	if live+later == 0 {
		return 0, false
	}
	amongLater := s.Float64()*(live+later) >= live
	for {
		other, ok := uint32(0), false
		if amongLater {
			other, ok = n.later(id, s)
		} else {
			other, ok = n.weighted(id, s)
		}
		if ok {
			return other, true
		}
	}
}

// weighted picks one of the links of the start by their weights. It reports false if it has ended.
func (n *network) weighted(id uint32, s *random.Stream) (uint32, bool) {
	tag, ok := n.weights.Pick(id, s.Uint64())
	if !ok {
		return 0, false
	}
	a, k, _ := n.links.Find(tag)
	if a == id {
		a = n.links.Peer(id, k)
	}
	return a, true
}

// later picks any link. It reports false if it is one of the start.
func (n *network) later(id uint32, s *random.Stream) (uint32, bool) {
	k := int(s.Below(uint64(n.links.Degree(id))))
	return n.links.Peer(id, k), !n.weights.Has(n.links.Tag(id, k))
}

// count notes that an individual has one link more, or less.
func (n *network) count(id uint32, more int) {
	now := n.links.Degree(id)
	for now+1 >= len(n.degrees) {
		n.degrees = append(n.degrees, 0)
	}
	n.degrees[now]++
	n.degrees[now-more]--
}

// mayLink reports whether two individuals can be linked: they are not yet, and have fewer links
// than they may have.
func (r *Run) mayLink(k int, a, b uint32) bool {
	n := &r.networks[k]
	if most := r.phase.Networks[k].Most; most != nil {
		if n.links.Degree(a) >= *most.At(r.cell(a, most.By)) || n.links.Degree(b) >= *most.At(r.cell(b, most.By)) {
			return false
		}
	}
	return !n.links.Linked(a, b)
}

// link links two individuals by a contact.
func (r *Run) link(k int, id, other uint32, l contactSeed) {
	n := &r.networks[k]
	tag := n.links.Add(id, other)
	n.formed++
	n.count(id, +1)
	n.count(other, +1)
	presence := r.Program.PresenceIn(k)
	r.setPresence(id, presence, true)
	r.setPresence(other, presence, true)
	if n.ends != nil {
		s := random.Stream(l).At(purposeLink)
		r.lasts(n, tag, r.phase.Networks[k].After, &s)
		r.scheduleLinks()
	}
	if n.pairs {
		r.near.replan = append(r.near.replan, id, other)
	}
	if r.OnEvent != nil {
		r.notify(Event{Kind: Linked, State: r.status(other).state, Name: k}, other, id)
	}
}

// countLinking counts a contact that has linked two individuals, and changed nothing else.
func (r *Run) countLinking(id, by uint32, name int) {
	if name >= 0 {
		r.countMove(id, by, name)
	}
}

// unlink ends the link at a position of an individual's row. The individual may be about to leave.
func (r *Run) unlink(k int, id uint32, at int, leaving bool) {
	n, mode := &r.networks[k], r.near.mode
	peer, tag := n.links.Remove(id, at)
	n.ended++
	n.count(id, -1)
	n.count(peer, -1)
	presence := r.Program.PresenceIn(k)
	r.setPresence(peer, presence, n.links.Degree(peer) > 0)
	if leaving {
		r.near.mode = entering
	}
	r.setPresence(id, presence, n.links.Degree(id) > 0)
	r.near.mode = mode
	if n.weights != nil && n.weights.Has(tag) {
		n.weights.End(tag, id, peer)
	}
	if n.ends != nil {
		n.ends.Cancel(eventqueue.ID(tag))
	}
	if log := r.Program.Networks[k].Log; log > 0 {
		r.remember(log-1, id, peer)
	}
	if n.pairs {
		r.near.replan = append(r.near.replan, id, peer)
	}
	if r.OnEvent != nil {
		r.notify(Event{Kind: Unlinked, State: r.status(id).state, Name: k}, id, peer)
	}
}

// endOne ends one of the links of an individual, in the network of a neighbourhood.
func (r *Run) endOne(id uint32, near int) {
	k := r.Program.Near[near].Network
	if degree := r.networks[k].links.Degree(id); degree > 0 {
		r.unlink(k, id, int(r.stream(id).Below(uint64(degree))), false)
	}
}

// enterNetworks makes room for the links of an individual that enters.
func (r *Run) enterNetworks(id uint32) {
	for k := range r.networks {
		r.networks[k].links.Reserve(int(id) + 1)
		r.networks[k].degrees[0]++
	}
}

// leaveNetworks ends the links of an individual that leaves the population.
func (r *Run) leaveNetworks(id uint32) {
	for k := range r.networks {
		n := &r.networks[k]
		for degree := n.links.Degree(id); degree > 0; degree-- {
			r.unlink(k, id, degree-1, true)
		}
		n.degrees[0]--
	}
}

// lasts draws how long a link lasts that begins now.
func (r *Run) lasts(n *network, tag uint32, l *law.Law, s *random.Stream) {
	r.endsAt(n, tag, r.Now+l.Draw(s))
	if r.forkable {
		for int(tag) >= len(n.origins) {
			n.origins = append(n.origins, timerOrigin{})
		}
		n.origins[tag] = timerOrigin{l, r.Now}
	}
}

// endsAt puts the end of a link into its calendar.
func (r *Run) endsAt(n *network, tag uint32, at float64) {
	if !(at <= r.end) {
		n.ends.Cancel(eventqueue.ID(tag))
	} else if err := n.ends.Reschedule(eventqueue.ID(tag), at); err != nil {
		panic(fmt.Sprintf("population: a link ends at %v: %v", at, err))
	}
}

// scheduleLinks schedules linksID for the earliest end of a link. If there is an earlier time it
// stays: the link may have ended otherwise, and then nothing happens.
func (r *Run) scheduleLinks() {
	next := math.Inf(1)
	for k := range r.networks {
		if q := r.networks[k].ends; q != nil {
			if _, at, ok := q.Peek(); ok {
				next = min(next, at)
			}
		}
	}
	if now, ok := r.Queue.Due(eventqueue.ID(r.linksID)); next > r.end || ok && now <= next {
		return
	}
	if err := r.Queue.Reschedule(eventqueue.ID(r.linksID), next); err != nil {
		panic(fmt.Sprintf("population: links end at %v: %v", next, err))
	}
}

// endDueLinks ends the links whose time has come.
func (r *Run) endDueLinks() {
	for k := range r.networks {
		n := &r.networks[k]
		if n.ends == nil {
			continue
		}
		for {
			tag, _, ok := n.ends.NextBy(r.Now)
			if !ok {
				break
			}
			id, at, _ := n.links.Find(uint32(tag))
			r.unlink(k, id, at, false)
		}
	}
	r.scheduleLinks()
}

// redrawLinks draws the ends of links again, given that they have not ended. See Redraw.
func (r *Run) redrawLinks() {
	if r.linksID == noID {
		return
	}
	for k := range r.networks {
		n := &r.networks[k]
		if n.ends == nil {
			continue
		}
		streams := random.New(r.seed, uint64(k)).At(1 << 62)
		for tag := range n.links.Tags() {
			o := n.origins[tag]
			if _, _, ok := n.links.Find(uint32(tag)); ok && o.law != nil && !o.law.Fixed() {
				s := streams.At(uint64(tag))
				r.endsAt(n, uint32(tag), max(r.Now, o.began+o.law.DrawBeyondLikely(&s, r.Now-o.began)))
			}
		}
	}
	r.scheduleLinks()
}

// copyNetworks returns a copy.
func copyNetworks(all []network) []network {
	if all == nil {
		return nil
	}
	c := make([]network, len(all))
	for k := range all {
		n := &all[k]
		c[k] = *n
		c[k].links, c[k].weights = n.links.Copy(), n.weights.Copy()
		c[k].degrees, c[k].origins = append([]int(nil), n.degrees...), append([]timerOrigin(nil), n.origins...)
		if n.ends == nil {
			continue
		}
		c[k].ends = eventqueue.New(eventqueue.Capacity(n.ends.Len()))
		for tag := range eventqueue.ID(n.links.Tags()) {
			if at, ok := n.ends.Due(tag); ok {
				if err := c[k].ends.Schedule(tag, at); err != nil {
					panic(fmt.Sprintf("population: a link ends at %v: %v", at, err))
				}
			}
		}
	}
	return c
}

// networkBytes is about how much memory networks take.
func (r *Run) networkBytes() (n int) {
	for k := range r.networks {
		net := &r.networks[k]
		n += net.links.Bytes() + net.weights.Bytes() + 8*cap(net.degrees) + 16*cap(net.origins)
		if net.ends != nil {
			n += int((recordBytes + eventBytes) * float64(net.ends.Len()))
		}
	}
	return n
}

// checkNetworks verifies the invariants.
func (r *Run) checkNetworks() error {
	for k := range r.networks {
		n, name := &r.networks[k], r.Program.Networks[k].Name
		if err := n.links.Check(); err != nil {
			return fmt.Errorf("network %s: %w", name, err)
		}
		if n.weights != nil {
			if err := n.weights.Check(); err != nil {
				return fmt.Errorf("network %s: %w", name, err)
			}
		}
		degrees := make([]int, len(n.degrees))
		for id := r.firstID; int(id) < r.Used; id++ {
			degree := n.links.Degree(id)
			if r.status(id).state == program.NoState {
				if degree > 0 {
					return fmt.Errorf("id %d is not alive, and has %d links in %s", id, degree, name)
				}
				continue
			}
			if a := r.Program.PresenceIn(k); a >= 0 && (r.attributes[a].Of(id) == 1) != (degree > 0) {
				return fmt.Errorf("id %d has %d links in %s, and its presence is another", id, degree, name)
			}
			degrees[degree]++
		}
		for d := range degrees {
			if degrees[d] != n.degrees[d] {
				return fmt.Errorf("%d have %d links in %s, and are counted as %d", degrees[d], d, name, n.degrees[d])
			}
		}
		if n.ends == nil {
			continue
		}
		if _, at, ok := n.ends.Peek(); ok {
			if due, planned := r.Queue.Due(eventqueue.ID(r.linksID)); !planned || due > at {
				return fmt.Errorf("a link of %s ends at %v, and nothing is planned then", name, at)
			}
		}
		for tag := range n.links.Tags() {
			_, _, there := n.links.Find(uint32(tag))
			if _, due := n.ends.Due(eventqueue.ID(tag)); due && !there {
				return fmt.Errorf("link %d of %s has ended, and will end", tag, name)
			}
		}
	}
	return nil
}

// NetworkCounts are what is recorded of a network.
type NetworkCounts struct {
	Links         int
	Degrees       []DegreeCount // by ascending degree
	Formed, Ended uint64
}

// A DegreeCount is how many individuals have a number of links.
type DegreeCount struct{ Degree, Individuals int }

// OfDegree returns how many individuals have so many links.
func (c *NetworkCounts) OfDegree(degree int) int {
	for _, d := range c.Degrees {
		if d.Degree == degree {
			return d.Individuals
		}
	}
	return 0
}

// CountNetwork counts the links of a network as they are now.
func (r *Run) CountNetwork(k int) NetworkCounts {
	n := &r.networks[k]
	c := NetworkCounts{Links: n.links.Count(), Formed: n.formed, Ended: n.ended}
	for degree, count := range n.degrees {
		if count > 0 {
			c.Degrees = append(c.Degrees, DegreeCount{degree, count})
		}
	}
	return c
}
