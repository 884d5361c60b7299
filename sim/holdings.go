package sim

import "fmt"

// A Holding is that somebody held units of a resource from a time to another.
type Holding struct {
	Resource string
	Who      string // the name of the process; empty if an event held them
	Units    int
	From, To float64
	Held     bool // the units are still held, and To is now
	Lost     bool // the units were taken away: by a preempting request, the end of a shift or a breakdown
}

// A holdingLog keeps the holdings that are over.
type holdingLog struct {
	most   int
	over   []Holding
	missed int64
	wentOn map[*Grant]float64 // when work that had been stopped went on, of units that are in use again
}

// from is since when units are in use: work that was stopped and went on is two holdings.
func (l *holdingLog) from(g *Grant) float64 {
	if at, ok := l.wentOn[g]; ok {
		return at
	}
	return g.since
}

// goOn notes that the units of a grant are in use again.
func (l *holdingLog) goOn(g *Grant) {
	if l.wentOn == nil {
		l.wentOn = map[*Grant]float64{}
	}
	l.wentOn[g] = g.r.s.now
}

// KeepHoldings makes the resource keep who held its units from now on, until so many holdings are over; later ones are counted and not
// kept. It takes at most 64 bytes for each, beside those that are still held. It panics if most is below 1.
func (r *Resource) KeepHoldings(most int) {
	if most < 1 {
		panic(fmt.Sprintf("sim: KeepHoldings(%d) of %s: at least one must be kept", most, r.name))
	}
	r.holdings = &holdingLog{most: most}
}

// Holdings are who held units of the resource, those that are over in the order in which they ended, and then those that last, in the
// order in which they began; and how many are not among them because there were too many. Without [Resource.KeepHoldings], or
// a Keep, there are only those that last.
func (r *Resource) Holdings() (all []Holding, missed int64) {
	if r.holdings != nil {
		all, missed = append(all, r.holdings.over...), r.holdings.missed
	}
	for g := r.first; g != nil; g = g.next {
		from := g.since
		if r.holdings != nil {
			from = r.holdings.from(g)
		}
		all = append(all, Holding{Resource: r.name, Who: g.who(), Units: g.n, From: from, To: r.s.now, Held: true})
	}
	return all, missed
}

// note keeps a holding that is over.
func (l *holdingLog) note(g *Grant) {
	from := l.from(g)
	delete(l.wentOn, g)
	if len(l.over) == l.most {
		l.missed++
		return
	}
	l.over = appendUpTo(l.most, l.over,
		Holding{Resource: g.r.name, Who: g.who(), Units: g.n, From: from, To: g.r.s.now, Lost: g.lost != nil})
}

// holders are the holdings of a resource, which are reset with its statistics, and not reported.
type holders struct{ r *Resource }

// Reset forgets those that are over.
func (h holders) Reset() {
	if l := h.r.holdings; l != nil {
		l.over, l.missed = l.over[:0], 0
	}
}
