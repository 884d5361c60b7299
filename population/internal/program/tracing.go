package program

import "github.com/almanac-sim/almanac/population/internal/law"

// Calls says when calls of Phase.Tracing go out. Each list has numbers of Phase.Tracing, ascending.
type Calls struct {
	OfState   [][]int      // by state that is entered
	OfMachine [][][]int    // by machine and by its state that is entered
	OfName    [][]int      // by number in Program.CountedNames
	Logs      []Remembered // the contacts that calls look for
	Delayed   bool         // somebody may be reached later than at once
}

// Remembered are the contacts of one name, or the links of a network that have ended, which are
// kept for some time.
type Remembered struct {
	Name    string
	Network bool    // Name is that of a network
	Keep    float64 // for how long: the longest Back of all phases
	Entry   int     // the number of the entry of tracing with the longest Back
	Rate    float64 // the most that one individual makes; 0 for links, and if it depends on how many are near
	Makers  []bool  // by state: individuals in it make them at a rate that is known
}

// A Tracing is a call that is made when something happens to an individual, to those near it: each
// different living person of a layer is found with its chance, independently, and is reached after
// a time of its own. Those that are reached change as if they were met by a contact.
type Tracing struct {
	Layers []Layer
	Back   float64          // how long ago contacts may have been; +Inf if only places are looked at
	After  *ByCell[law.Law] // by the individual that the call is about; nil for at once
	Effect Contact
	Do     Action // only Name counts
}

// A Layer is those among whom a call looks for people.
type Layer struct {
	Kind    int // the kind of places whose other members it is; −1 for none
	Network int // the network in which people are linked; −1 for none
	Log     int // the number in Calls.Logs of contacts, or of links that have ended; −1 for none
	Chance  float64
	Chances *ChanceTable // instead of Chance, if it depends on attributes or time
}

// RememberedBytes is how many bytes a contact that is remembered takes.
const RememberedBytes = 24

// Most is how many of the contacts are remembered at most, if everybody makes them all the time.
func (l *Remembered) Most(p *Program) float64 {
	return l.Rate * min(l.Keep, p.End-p.Start) * float64(p.Size)
}

// mostRate is the largest rate at which an individual makes the contacts of a log, in a phase. It
// notes in which states they are made.
func (t *Phase) mostRate(log int, end float64, makers []bool) float64 {
	most := 0.0
	var look func(s int, st *State)
	look = func(s int, st *State) {
		sum, before := 0.0, 0.0
		counts := func(do *Action) bool { return do.Kind == DoContact && t.Contacts[do.Contact].Log == 1+log }
		for i := range st.Rates {
			if counts(&st.Rates[i].Do) {
				sum += st.Rates[i].sum - before
			}
			before = st.Rates[i].sum
		}
		for i := range st.Varying {
			if v := &st.Varying[i]; counts(&v.Do) && v.Rate.Near == 0 && v.Rate.Numbers == nil {
				sum += float64(v.Factor * v.Rate.Bound(0, end))
			}
		}
		most = max(most, sum)
		makers[s] = makers[s] || sum > 0
		for _, cell := range st.Cells {
			look(s, cell)
		}
	}
	for s := range t.States {
		look(s, &t.States[s])
	}
	return most
}

// SetKeep works out, once all phases are there, for how long contacts are remembered and how many
// there may be.
func (c *Calls) SetKeep(p *Program) {
	for _, t := range p.Phases {
		for k := range t.Tracing {
			for _, layer := range t.Tracing[k].Layers {
				if layer.Log >= 0 && t.Tracing[k].Back > c.Logs[layer.Log].Keep {
					c.Logs[layer.Log].Keep, c.Logs[layer.Log].Entry = t.Tracing[k].Back, k
				}
			}
		}
		for log := range c.Logs {
			l := &c.Logs[log]
			l.Makers = append(l.Makers, make([]bool, len(t.States)-len(l.Makers))...)
			l.Rate = max(l.Rate, t.mostRate(log, p.End-p.Start, l.Makers))
		}
	}
}
