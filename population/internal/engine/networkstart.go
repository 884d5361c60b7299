package engine

import (
	"context"
	"math"
	"slices"

	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/eventqueue"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/store"
)

// fillNetworks makes the links of the start, once everybody is there. What they are is hashed from
// the seed and the numbers of individuals; it takes nothing from anybody's stream.
func (r *Run) fillNetworks(ctx context.Context, streams random.Stream) error {
	m := r.Program
	if len(m.Networks) == 0 {
		return nil
	}
	all := make([]network, len(m.Networks))
	for k := range m.Networks {
		text, n, s := &m.Networks[k], &all[k], streams.At(1<<62+2).At(uint64(k))
		n.grows = text.Grows
		for i := range m.Near {
			n.pairs = n.pairs || m.Near[i].Network == k && m.Near[i].Pairs
		}
		pairs, weights, err := r.startLinks(ctx, text, s)
		if err != nil {
			return err
		}
		if err := r.takeLinks(text, len(pairs), func() {
			n.links = store.NewLinks(text.Timed || weights != nil)
			n.links.Reserve(r.capacity)
			n.links.Fill(pairs)
			if weights != nil {
				n.weights = store.NewWeights(r.Used, pairs, weights)
			}
		}); err != nil {
			return err
		}
		n.degrees = make([]int, 1)
		presence := m.PresenceIn(k)
		r.near.mode = settingUp
		for id := r.firstID; int(id) < r.Used; id++ {
			degree := n.links.Degree(id)
			r.setPresence(id, presence, degree > 0)
			for degree >= len(n.degrees) {
				n.degrees = append(n.degrees, 0)
			}
			n.degrees[degree]++
		}
		if text.Timed {
			n.ends = eventqueue.New(eventqueue.Capacity(len(pairs)))
			for tag := range pairs {
				own := s.At(1 << 61).At(uint64(tag))
				r.lasts(n, uint32(tag), r.phase.Networks[k].After, &own)
			}
		}
		r.near.mode = alone
	}
	if r.networks = all; r.linksID != noID {
		r.scheduleLinks()
	}
	return ctx.Err()
}

// tellLinks calls OnEvent for the links of the start.
func (r *Run) tellLinks() {
	for k := range r.networks {
		if r.OnEvent == nil {
			return
		}
		links := r.networks[k].links
		for id := r.firstID; int(id) < r.Used; id++ {
			for i := range links.Degree(id) {
				if peer := links.Peer(id, i); id < peer {
					r.notify(Event{Kind: Linked, State: r.status(id).state, Name: k}, id, peer)
				}
			}
		}
	}
}

// takeLinks takes memory for so many links from the budget, and makes them.
func (r *Run) takeLinks(of *program.Network, n int, make func()) error {
	bytes := BytesOf(float64(n) * of.LinkBytes())
	if r.budget == nil {
		make()
		return nil
	}
	if !r.budget.take(r, bytes, bytes, make) {
		return r.outOfMemory()
	}
	return nil
}

// pairBytes is what a link takes while the links of the start are made, and rowBytes what an
// individual takes for each network.
const (
	pairBytes = 20
	rowBytes  = 8
)

// startLinks returns the links of the start, each once, and their weights, nil if all are 1.
func (r *Run) startLinks(ctx context.Context, of *program.Network, s random.Stream) (
	pairs []store.Pair, weights []float32, err error,
) {
	switch of.Start {
	case program.RandomLinks:
		pairs, err = r.randomLinks(ctx, of, s)
	case program.DegreeLinks:
		pairs, err = r.pairEnds(ctx, of, s)
	case program.FileLinks:
		pairs = make([]store.Pair, 0, len(of.Pairs))
		if of.Weights != nil {
			weights = make([]float32, 0, len(of.Pairs))
		}
		for i, p := range of.Pairs {
			if int(max(p[0], p[1])) >= r.Program.Size {
				continue // a sample of the population is set up
			}
			pairs = append(pairs, store.Pair{r.firstID + p[0], r.firstID + p[1]})
			if weights != nil {
				weights = append(weights, of.Weights[i])
			}
		}
	}
	return pairs, weights, err
}

// lookLinks is how many links are made between two looks at the context.
const lookLinks = 1 << 20

// randomLinks links each pair with the same probability. It goes from one pair that is linked to
// the next, by a geometric number of steps [BB05].
//
// [BB05]: https://doi.org/10.1103/PhysRevE.71.036113
func (r *Run) randomLinks(ctx context.Context, of *program.Network, s random.Stream) ([]store.Pair, error) {
	n := r.Program.Size
	if n < 2 || of.Mean == 0 {
		return nil, nil
	}
	p := min(1, of.Mean/float64(n-1))
	each := -detmath.Log1p(-p) // +Inf for 1: no pair is left out
	expected := float64(float64(n) * of.Mean / 2)
	if bytes := BytesOf(8 * expected); r.budget != nil && !r.budget.take(r, bytes, bytes, func() {}) {
		return nil, r.outOfMemory()
	}
	pairs := make([]store.Pair, 0, int(expected+float64(4*math.Sqrt(expected)))+16)
	row, at := 1, -1 // the pair of row and at, which is below it
	for {
		at += 1 + int(min(s.Exp()/each, 1<<62))
		for row < n && at >= row {
			at -= row
			row++
		}
		if row >= n {
			return pairs, nil
		}
		if len(pairs)%lookLinks == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		pairs = append(pairs, store.Pair{r.firstID + uint32(at), r.firstID + uint32(row)})
	}
}

// pairEnds gives everybody a number of ends of links, and pairs them, all pairings with the same
// probability. Links of somebody with itself, and all but one of several between two, are dropped.
func (r *Run) pairEnds(ctx context.Context, of *program.Network, s random.Stream) ([]store.Pair, error) {
	degree := func(id uint32) int {
		own := s.At(uint64(id - r.firstID))
		return of.Degrees.At(r.cell(id, of.Degrees.By)).Pick(own.Float64())
	}
	sum := 0
	for id := r.firstID; int(id) < r.Used; id++ {
		sum += degree(id)
	}
	if bytes := BytesOf(12 * float64(sum)); r.budget != nil && !r.budget.take(r, bytes, bytes, func() {}) {
		return nil, r.outOfMemory()
	}
	ends := make([]uint32, 0, sum)
	for id := r.firstID; int(id) < r.Used; id++ {
		ends = append(ends, slices.Repeat([]uint32{id}, degree(id))...)
	}
	shuffle := s.At(1 << 60)
	for i := len(ends) - 1; i > 0; i-- {
		j := shuffle.Below(uint64(i + 1))
		ends[i], ends[j] = ends[j], ends[i]
		if i%lookLinks == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	pairs := make([]store.Pair, len(ends)/2)
	for i := range pairs {
		pairs[i] = store.Pair{ends[2*i], ends[2*i+1]}
	}
	return store.Distinct(pairs, r.Used), nil
}
