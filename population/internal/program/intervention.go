package program

import "math"

// An Intervention changes parameters, individuals or both, at times or under conditions.
type Intervention struct {
	What    string             // its name in messages
	Again   bool               // triggered: each time its conditions become true, not only the first time
	For     float64            // triggered: how long its conditions must have been true; 0 for at once
	Begins  int                // the number in Program.CountedNames of the times it changed parameters, or −1
	ByCount bool               // it applies to Effect.Count of the individuals that match, not to a share
	Enters  bool               // individuals enter by it
	Supply  int                // it applies to as many as this supply has, and takes one for each; −1 for none
	Adds    int                // it adds to this supply, and does nothing else; −1 for none
	Who     StateSet           // the states it applies to
	Where   []Condition        // on the individuals it applies to
	Do      Action             // with each of them
	Effects map[*Phase]*Effect // by the phase before it
}

// ChangesIndividuals reports whether the intervention does anything but set parameters.
func (d *Intervention) ChangesIndividuals() bool { return d.HasTargets() || d.Enters }

// HasTargets reports whether the intervention changes individuals that are there.
func (d *Intervention) HasTargets() bool {
	return d.Do.To != SameState || len(d.Do.Moves)+len(d.Do.Places) > 0
}

// OfNobody reports whether a name counts changes of parameters. They do not happen to an
// individual, and are not counted in groups.
func (p *Program) OfNobody(name int) bool {
	for _, d := range p.Triggered {
		if name >= 0 && (d.Begins == name || d.Do.Name == name && !d.ChangesIndividuals()) {
			return true
		}
	}
	return false
}

// A Scheduled is an intervention at a time.
type Scheduled struct {
	*Intervention
	ModelTime float64 // on the model's clock, as it is written
	At        float64 // since the start of the run
	Number    int     // among those that are in the file; its draws depend on it
}

// An Effect has the values of an intervention, by the parameters as they are once it has set them.
type Effect struct {
	Do       *Action               // in place of Intervention.Do; nil if that does not depend on parameters
	Next     *Phase                // from then on; the same as before if it sets no parameters
	Changes  bool                  // a parameter gets another value than it had
	Coverage *ByCell[*TimeVarying] // the probability that it applies to an individual; nil for 1
	In       *Entry                // of the individuals that enter; nil if none do
	Count    int                   // how many enter, or are picked, or are added to a supply
	Keep     int                   // how many the supply keeps at most
}

// A Threshold is a condition of a triggered intervention: a number of individuals, or of events in
// a Window, is above or below another.
type Threshold struct {
	Window  int     // the number in Program.Windows; −1 if individuals are counted
	State   int     // whose individuals are counted; −1 for the whole population
	Watched int     // only those of this group of Program.Watched are counted; −1 for all
	Members int     // the number in this group of Program.Watched is meant, in place of State; −1 for none
	Above   bool    // or below, if false; always strictly
	Share   bool    // Number is a share of the population, or of the group
	Number  float64 // to compare with
}

// AtLeast returns the number of events in a Window from which on the condition is true (above) or
// false (below).
func (l *Threshold) AtLeast() int {
	if l.Above {
		return int(math.Floor(l.Number)) + 1
	}
	return int(math.Ceil(l.Number))
}

// A Window is the events of one kind in the time before now: those at s with now−Over < s ≤ now.
type Window struct {
	Flow, Name int // what is counted: the number in Program.Flows or in Program.CountedNames; the other is −1
	Watched    int // as in Threshold
	Over       float64
	Keep       int // of how many of the last events the time is needed
}
