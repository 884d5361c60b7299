package reproduce

const ericksonPaper = "Erickson, Ladner, LaMarca 1994"

// ericksonClaims are those of Erickson, Ladner and LaMarca, in the order of the paper.
func ericksonClaims() []Claim {
	return ericksonWith(effort{scale: 1, formulas: papersFormulas()})
}

// ericksonWith are the claims, checked with some effort.
func ericksonWith(e effort) []Claim {
	return []Claim{
		figure1(e),
		figure2(e),
		markovChain(e),
		shapeIndependence(e),
		atomNearZero(e),
		emptyShare(e),
		theorem31(e),
		theorem32(e),
		corollary31(e),
		corollary32(e),
		figure3(e),
		orderedLists(e),
	}
}

// An effort says how many events are simulated, relative to the usual, and what they are compared with. Tests spend less, and
// try theories that are wrong.
type effort struct {
	scale float64
	formulas
}

// events is how many events to simulate where usual is the usual number. Ten times as many divide a standard error by three.
func (e effort) events(o Options, usual int) int {
	if o.Full {
		usual *= 10
	}
	return max(100*batches, int(e.scale*float64(usual)))
}
