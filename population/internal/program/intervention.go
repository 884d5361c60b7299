package program

// A Intervention is what an intervention does, whenever it does it.
type Intervention struct {
	What    string // how messages speak of it
	Again   bool   // each time its condition becomes true
	Picks   bool   // so many of those whom it is about
	Enters  bool   // it lets some in
	Who     StateSet
	Where   []Condition
	Do      Action
	Effects map[*Phase]*Effect // by the tables that hold before
}

// About tells whether an intervention does something with individuals.
func (d *Intervention) About() bool { return d.Do.To != SameState || len(d.Do.Moves) > 0 || d.Enters }

// A Scheduled is an intervention at its time.
type Scheduled struct {
	*Intervention
	Clock float64 // when, on the model's clock, as it is written
	At    float64 // since the start
}

// A Effect is a deed with all values worked out, as the parameters are once it is done.
type Effect struct {
	To       *Phase                // from then on; the same as before if it sets nothing
	Coverage *ByCell[*TimeVarying] // nil for all
	In       *Entry                // of those who are let in, if any
	Count    int                   // of those who are let in, or who are picked
}

// A Threshold is what a number of individuals is compared with.
type Threshold struct {
	State  int // −1 for all of the living
	Above  bool
	Share  bool // of the living
	Number float64
}
