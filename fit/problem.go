package fit

import (
	"context"
	"fmt"
	"math"
)

// An Unknown is a parameter that is to be found. Its values are numbers in the prior's unit.
type Unknown struct {
	Name  string
	Unit  string // of the prior's numbers, for people and for a --set line; none if empty
	Prior Prior
}

// A Column is what was seen of one thing: a number for each time of the problem. NaN is a gap, and
// has no say.
type Column struct {
	Name string
	Data []float64
}

// A Problem is what is unknown, and what was seen.
type Problem struct {
	Unknowns []Unknown
	Times    []float64 // of the rows, ascending, on the model's clock
	Columns  []Column
}

// Check reports what is wrong with a problem.
func (p *Problem) Check() error {
	if len(p.Unknowns) == 0 {
		return fmt.Errorf("fit: nothing is unknown")
	}
	names := map[string]bool{}
	for _, u := range p.Unknowns {
		if u.Name == "" || names[u.Name] {
			return fmt.Errorf("fit: an unknown is called %q: each needs a name of its own", u.Name)
		}
		names[u.Name] = true
		if err := u.Prior.Check(); err != nil {
			return fmt.Errorf("fit: the prior of %s: %w", u.Name, err)
		}
	}
	if len(p.Times) == 0 || len(p.Columns) == 0 {
		return fmt.Errorf("fit: %d rows and %d columns of data: at least one of each is needed", len(p.Times), len(p.Columns))
	}
	for i, t := range p.Times {
		if math.IsNaN(t) || math.IsInf(t, 0) || i > 0 && !(t > p.Times[i-1]) {
			return fmt.Errorf("fit: row %d is of time %g: times are finite, and ascend", i+1, t)
		}
	}
	for _, c := range p.Columns {
		if len(c.Data) != len(p.Times) {
			return fmt.Errorf("fit: column %s has %d numbers for %d times", c.Name, len(c.Data), len(p.Times))
		}
		for i, y := range c.Data {
			if math.IsInf(y, 0) {
				return fmt.Errorf("fit: column %s, row %d: %g is no number that can be seen", c.Name, i+1, y)
			}
		}
	}
	if p.seen() == 0 {
		return fmt.Errorf("fit: the data are nothing but gaps")
	}
	return nil
}

// seen is how many numbers there are, without gaps.
func (p *Problem) seen() (n int) {
	for _, c := range p.Columns {
		for _, y := range c.Data {
			if !math.IsNaN(y) {
				n++
			}
		}
	}
	return n
}

// Reports are what would be reported of a column on average, given how the model went, and by which
// law it is scattered about that.
type Reports struct {
	Mean []float64 // for each row: the probability of being seen times the count
	Law  Law
}

// A Course is how one run of the model went, as far as the data can tell.
type Course struct {
	Columns []Reports // in the order of the problem's
	Events  uint64    // the work that was done
}

// A Simulator runs a model. It is used from several goroutines at once.
type Simulator interface {
	// Simulate runs the model once, with the unknowns at x. What it returns is a function of x and
	// seed alone. The same seed at another x is the same luck, as far as the model has such a
	// thing. It returns soon after ctx is done.
	Simulate(ctx context.Context, x []float64, seed uint64) (Course, error)
}

// A Filtered simulator is one that can be stopped at each row of the data and continued several
// times over, which particle filters need.
type Filtered interface {
	Simulator
	// Start makes the model ready at x, before the first row.
	Start(ctx context.Context, x []float64, seed uint64) (Particle, error)
}

// A Sharing simulator is one whose particles take memory that others want too. Particles of an
// estimate hold theirs until the last row, so that waiting for room has to be about all of them at
// once.
type Sharing interface {
	Filtered
	// Share calls f, which makes particles, beside others that it has called. If there is no room
	// for that, it waits until nobody else is there, and calls f again, which begins anew. What f
	// returns in the end, Share returns.
	Share(ctx context.Context, f func() error) error
}

// A Particle is a run of a model that stands at a row of the data. It is used by one goroutine at a
// time.
type Particle interface {
	// Step goes on to the next row, and returns the mean of what is reported there, for each
	// column. What it returns is not to be kept.
	Step(ctx context.Context) (means []float64, events uint64, err error)
	// Fork returns a copy that goes on with luck of its own, named by seed.
	Fork(seed uint64) (Particle, error)
	// Laws are those of the columns.
	Laws() []Law
	// Close gives back what the particle takes.
	Close()
}
