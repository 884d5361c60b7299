// Package erickson has the claims of Erickson, Ladner and LaMarca about static calendar queues: what an event costs by the width and
// the number of buckets, and how little the shape of the jumps matters.
package erickson

import (
	"github.com/almanac-sim/almanac/reproduce"
)

// The two papers: the first is the one that numbers are of, where nothing else is said.
const (
	paper   = "Erickson, Ladner, LaMarca 1994"
	journal = "Erickson, Ladner, LaMarca 2000"
)

// Claims returns the claims of the paper, in its order, and then those that only the journal version has.
func Claims() []reproduce.Claim {
	return claims(effort{scale: 1, formulas: paperFormulas()})
}

// claims are those of the paper, checked with some effort.
func claims(e effort) []reproduce.Claim {
	return []reproduce.Claim{
		figure1(e),
		figure2(e),
		markovChain(e),
		theorem21Orders(e),
		shapeIndependence(e),
		atomNearZero(e),
		emptyShare(e),
		equation13(e),
		equations15and16(e),
		theorem31(e),
		theorem32(e),
		corollary31(e),
		corollary32(e),
		figure3(e),
		orderedLists(e),
		journalMinimum(e),
		journalCalibration(e),
	}
}

// An effort says how many events are simulated, relative to the usual, and what they are compared with. Tests spend less, and
// try theories that are wrong.
type effort struct {
	scale float64
	formulas
}

// events is how many events to simulate where usual is the usual number. Ten times as many divide a standard error by three.
func (e effort) events(o reproduce.Options, usual int) int {
	if o.Full {
		usual *= 10
	}
	return max(100*batches, int(e.scale*float64(usual)))
}
