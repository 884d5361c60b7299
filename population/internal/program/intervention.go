package program

// An Intervention changes parameters, individuals or both, at times or under conditions.
type Intervention struct {
	What    string             // its name in messages
	Again   bool               // triggered: each time its conditions become true, not only the first time
	ByCount bool               // it applies to Effect.Count of the individuals that match, not to a share
	Enters  bool               // individuals enter by it
	Who     StateSet           // the states it applies to
	Where   []Condition        // on the individuals it applies to
	Do      Action             // with each of them
	Effects map[*Phase]*Effect // by the phase before it
}

// ChangesIndividuals reports whether the intervention does anything but set parameters.
func (d *Intervention) ChangesIndividuals() bool {
	return d.Do.To != SameState || len(d.Do.Moves) > 0 || d.Enters
}

// A Scheduled is an intervention at a time.
type Scheduled struct {
	*Intervention
	ModelTime float64 // on the model's clock, as it is written
	At        float64 // since the start of the run
}

// An Effect has the values of an intervention, by the parameters as they are once it has set them.
type Effect struct {
	Next     *Phase                // from then on; the same as before if it sets no parameters
	Coverage *ByCell[*TimeVarying] // the probability that it applies to an individual; nil for 1
	In       *Entry                // of the individuals that enter; nil if none do
	Count    int                   // how many enter, or are picked
}

// A Threshold is a condition of a triggered intervention: a number of individuals is above or below
// another.
type Threshold struct {
	State  int     // whose individuals are counted; −1 for the whole population
	Above  bool    // or below, if false; always strictly
	Share  bool    // Number is a share of the population
	Number float64 // to compare with
}
