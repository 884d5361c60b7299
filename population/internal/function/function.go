// Package function has the types of functions in Go that a program supplies to a model.
package function

// Functions are those of one model.
type Functions struct {
	Durations map[string]*Duration // by parameter
	Chances   map[string]Chance    // by name of the contact
	Values    []Value              // in the order they were given
}

// A Duration is the distribution of a duration by its survival function: the probability of a
// duration longer than t, in the unit of the model. It is a pointer so that it can be compared.
type Duration struct{ Survival func(t float64) float64 }

// A Chance is the probability that a contact takes effect, apart from the chance in the file.
type Chance func(maker, met Individual, time float64) float64

// A Value is computed at every row that is recorded.
type Value struct {
	Name string
	Of   func(Population) float64
}

// A Population is everybody alive at one time.
type Population struct {
	People
	Time float64 // on the clock of the model
}

// An Individual is one of them.
type Individual struct {
	People People
	ID     uint32
}

// People are the individuals of a run. Names that the model does not have panic.
type People interface {
	State(id uint32) string
	Attribute(id uint32, name string) string
	Count(state string) int
	Each(do func(Individual))
}
