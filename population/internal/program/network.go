package program

import (
	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/population/internal/law"
)

// A Network is links between individuals. Two have at most one in each network.
type Network struct {
	Name    string
	Start   NetworkStart
	Mean    float64        // RandomLinks: the expected number of links of an individual
	Degrees *ByCell[Whole] // DegreeLinks: how many ends of links an individual has
	Pairs   [][2]uint32    // FileLinks: the numbers of individuals at the start, from 0 on
	Weights []float32      // of Pairs; nil if all are 1
	Grows   bool           // contacts make links
	Log     int            // 1 + the number in Calls.Logs of links that have ended; 0 if they are not remembered
	Timed   bool           // a link ends after a time that is drawn when it begins
}

// A NetworkStart says which links a network has at the start.
type NetworkStart uint8

const (
	NoLinks     NetworkStart = iota
	RandomLinks              // each pair is linked with the same probability, independently
	DegreeLinks              // ends of links are paired at random
	FileLinks                // those of a file
)

// A NetworkTable is what a phase says of a network.
type NetworkTable struct {
	Most  *ByCell[int] // links of an individual, from which on no contact makes another; nil for any number
	After *law.Law     // how long a link lasts, if the network is Timed; nil otherwise
}

// HasTimedLinks reports whether links end after times that are drawn when they begin.
func (p *Program) HasTimedLinks() bool {
	for i := range p.Networks {
		if p.Networks[i].Timed {
			return true
		}
	}
	return false
}

// LinkBytes is about how many bytes a link takes: two entries in blocks that are not full
// (store.Links), its number, its end in a calendar, and its weight.
func (n *Network) LinkBytes() float64 {
	const entries = 2 * 1.45 // for each that is taken
	bytes := 8 * entries
	if n.Timed || n.Weights != nil {
		bytes += 4*entries + 8
	}
	if n.Timed {
		bytes += 12 + 16.6
	}
	if n.Weights != nil {
		bytes += 28
	}
	return bytes
}

// ExpectedLinks is about how many links a network has at the start, those included that are
// dropped.
func (p *Program) ExpectedLinks(k int) float64 {
	switch n := &p.Networks[k]; n.Start {
	case RandomLinks:
		return float64(p.Size) * n.Mean / 2
	case DegreeLinks:
		mean := 0.0
		for cell, share := range p.cellShares(n.Degrees.By, len(n.Degrees.Values)) {
			mean += float64(share * n.Degrees.Values[cell].Mean())
		}
		return float64(p.Size) * mean / 2
	default:
		return float64(len(n.Pairs))
	}
}

// ExpectedDropped is about how many links of DegreeLinks are dropped: two individuals with c and d
// of e ends are linked with a probability of about 1 − exp(−cd/(e − 1)), and so many links remain.
func (p *Program) ExpectedDropped(k int) float64 {
	const many = 512 // numbers that stand for the ends of all individuals
	n := &p.Networks[k]
	if n.Start != DegreeLinks {
		return 0
	}
	var all []float64
	sum := 0.0
	for cell, share := range p.cellShares(n.Degrees.By, len(n.Degrees.Values)) {
		steps := int(float64(share*many) + 0.5)
		for i := range steps {
			d := float64(n.Degrees.Values[cell].Pick((float64(i) + 0.5) / float64(steps)))
			all, sum = append(all, d), sum+d
		}
	}
	each := float64(p.Size) / float64(max(1, len(all))) // individuals that one of them stands for
	ends, remain := float64(sum*each), 0.0
	if ends <= 1 {
		return 0
	}
	for _, c := range all {
		for _, d := range all {
			remain -= detmath.Expm1(-c * d / (ends - 1))
		}
	}
	return max(0, float64(ends/2)-float64(remain*each*each*(1-1/float64(p.Size))/2))
}

// cellShares returns about which share of the individuals at the start is in each cell, by the
// shares of attributes. The states of machines count alike.
func (p *Program) cellShares(by []CellAttribute, cells int) []float64 {
	all := make([]float64, cells)
	for cell := range all {
		all[cell] = 1
		for _, b := range by {
			values := len(p.Attributes[b.Attribute].Values)
			v := cell / b.Stride % values
			sums := p.FirstPhase.Attributes[b.Attribute]
			switch {
			case sums == nil: // a machine, or the state
				all[cell] /= float64(values)
			case v == 0:
				all[cell] *= min(1, sums[0])
			default:
				all[cell] *= min(1, sums[v]) - sums[v-1]
			}
		}
	}
	return all
}
