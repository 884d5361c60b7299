package population

import (
	"maps"
	"slices"

	"github.com/almanac-sim/almanac/population/internal/function"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// WithDuration replaces the distribution of a parameter of the file by a function in Go. The
// parameter must be used where a duration or a distribution may stand. survival(t) is the
// probability of a duration longer than t, in the model's unit of time. It must not increase, and
// must be a pure function: the same argument gives the same result, in any goroutine. A draw calls
// it some sixty times.
//
//	population.WithDuration("incubation", func(t float64) float64 { return math.Exp(-t * t / 50) })
//
// The file keeps a distribution for those who run it without the program. Results are the same
// everywhere only if the function is: package math differs by processor in the last bit.
func WithDuration(parameter string, survival func(t float64) float64) Change {
	return func(c *syntax.Changes) {
		c.Functions.Durations = maps.Clone(c.Functions.Durations)
		if c.Functions.Durations == nil {
			c.Functions.Durations = map[string]*function.Duration{}
		}
		c.Functions.Durations[parameter] = &function.Duration{Survival: survival}
	}
}

// WithChance lets a function in Go decide about a contact of the file, by the contact's name: it
// returns the probability that the contact takes effect, which multiplies the chance in the file.
// It is called when an individual meets another that the contact would affect. It must be a pure
// function of what it is given. A model with such a rule runs on one core.
func WithChance(contact string, chance func(maker, met Individual, time float64) float64) Change {
	return func(c *syntax.Changes) {
		c.Functions.Chances = maps.Clone(c.Functions.Chances)
		if c.Functions.Chances == nil {
			c.Functions.Chances = map[string]function.Chance{}
		}
		c.Functions.Chances[contact] = func(maker, met function.Individual, time float64) float64 {
			return chance(Individual{maker}, Individual{met}, time)
		}
	}
}

// WithValue records a value of a function in Go, at every row: see [Result.Value] and [Run.Value].
// Values are numbered from 0 in the order in which they are given. The function is called between
// events, and must not keep what it is given.
func WithValue(name string, value func(p Snapshot) float64) Change {
	return func(c *syntax.Changes) {
		c.Functions.Values = append(slices.Clone(c.Functions.Values), function.Value{
			Name: name, Of: func(p function.Population) float64 { return value(Snapshot{p}) },
		})
	}
}

// An Individual is one of the living, for a function of [WithChance] or [WithValue]. It is valid
// only during the call.
type Individual struct{ one function.Individual }

// State is the state that the individual is in.
func (i Individual) State() string { return i.one.People.State(i.one.ID) }

// Attribute is the value of one of its attributes. It panics if the model does not have it.
func (i Individual) Attribute(name string) string { return i.one.People.Attribute(i.one.ID, name) }

// A Snapshot is the population at one time, for a function of [WithValue].
type Snapshot struct{ all function.Population }

// Time is the time on the model's clock.
func (s Snapshot) Time() float64 { return s.all.Time }

// Count is the number of individuals in a state. It panics if the model does not have it.
func (s Snapshot) Count(state string) int { return s.all.Count(state) }

// Each calls do for everybody alive.
func (s Snapshot) Each(do func(Individual)) {
	s.all.Each(func(i function.Individual) { do(Individual{i}) })
}

// Values returns the names of the values of [WithValue], and then of those of the section record.
func (m *Model) Values() (names []string) {
	for _, v := range m.program.Values {
		names = append(names, v.Name)
	}
	return names
}

// Value is a value at a row, in the order of [Model.Values].
func (run *Run) Value(row, value int) float64 {
	return run.rec.Values[row*len(run.m.Values)+value]
}

// Value is the series of a value, in the order of [Model.Values].
func (r *Result) Value(value int) Series {
	return r.series(func(run *Run, row int) float64 { return run.Value(row, value) })
}
