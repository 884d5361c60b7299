package engine

import "github.com/almanac-sim/almanac/internal/random"

// A NetworkSample is a part of the networks of a run: some individuals, and all links between them.
type NetworkSample struct {
	Around int        // how many of the individuals were drawn; the others are their neighbours
	States []uint16   // of each individual
	Values [][]uint16 // of each individual, those of Program.Listed
	Links  []SampledLink

	ids []uint32
}

// A SampledLink is between two individuals of a NetworkSample, by their positions.
type SampledLink struct{ A, B, Network int }

// Bounds of a sample: as much as can be drawn and seen.
const (
	mostSampled      = 150
	mostSampledLinks = 600
)

// networkPurpose is the purpose of the stream that samples are drawn by.
const networkPurpose = 1<<62 + 3

// SampleNetworks returns a sample of the networks as they are now, by breadth first: an individual
// that has a link, those who are linked with it in any network, those who are linked with them, and
// so on; and again from another one where nobody is left. It ends before an individual or a link
// that is too much. Who is drawn depends on the seed and the index of the run, and takes nothing
// from anybody's stream. It is nil if the program has no networks.
//
// It costs the links of those in the sample, and all individuals if hardly anybody has a link.
func (r *Run) SampleNetworks() *NetworkSample {
	if len(r.networks) == 0 {
		return nil
	}
	s := &NetworkSample{}
	at := map[uint32]int{} // positions by id
	// take adds an individual. It reports false if there is no room for it.
	take := func(id uint32) bool {
		if _, there := at[id]; there {
			return true
		}
		if len(s.ids) == mostSampled {
			return false
		}
		own := len(s.Links)
		for k := range r.networks {
			n := r.networks[k].links
			for i := range n.Degree(id) {
				other, there := at[n.Peer(id, i)]
				if !there {
					continue
				}
				if len(s.Links) == mostSampledLinks {
					s.Links = s.Links[:own]
					return false
				}
				s.Links = append(s.Links, SampledLink{other, len(s.ids), k})
			}
		}
		at[id] = len(s.ids)
		s.ids = append(s.ids, id)
		return true
	}
	// spread takes everybody who can be reached from the individuals from a position on.
	spread := func(from int) bool {
		for ; from < len(s.ids); from++ {
			for k := range r.networks {
				n := r.networks[k].links
				for i := range n.Degree(s.ids[from]) {
					if !take(n.Peer(s.ids[from], i)) {
						return false
					}
				}
			}
		}
		return true
	}
	draw := r.linkedByChance(at)
	for more := true; more && len(s.ids)+2 <= mostSampled; { // with room for a neighbour
		id, ok := draw()
		if !ok {
			break
		}
		s.Around++
		more = take(id) && spread(len(s.ids)-1)
	}
	for _, id := range s.ids {
		values := make([]uint16, len(r.Program.Listed()))
		for a := range values {
			values[a] = r.attributes[a].Of(id)
		}
		s.States, s.Values = append(s.States, r.status(id).state), append(s.Values, values)
	}
	return s
}

// linkedByChance returns a function that draws one of the individuals that have a link and are not
// among others, until there is none. Where it tries many in vain, it walks through all from then
// on.
func (r *Run) linkedByChance(others map[uint32]int) func() (uint32, bool) {
	const tries = 64
	stream := random.New(r.seed, uint64(r.Index)).At(networkPurpose)
	fits := func(id uint32) bool {
		if _, there := others[id]; there {
			return false
		}
		for k := range r.networks {
			if r.networks[k].links.Degree(id) > 0 {
				return true
			}
		}
		return false
	}
	ids := uint64(r.Used) - uint64(r.firstID)
	tried, first, walked := 0, uint64(0), uint64(0)
	return func() (uint32, bool) {
		for ; tried < tries && ids > 0; tried++ {
			if first = stream.Below(ids); fits(r.firstID + uint32(first)) {
				tried = 0
				return r.firstID + uint32(first), true
			}
		}
		for ; walked < ids; walked++ {
			if id := r.firstID + uint32((first+walked)%ids); fits(id) {
				return id, true
			}
		}
		return 0, false
	}
}
