package engine

import (
	"fmt"
	"slices"

	"github.com/almanac-sim/almanac/population/internal/function"
	"github.com/almanac-sim/almanac/population/internal/program"
)

// people shows the individuals of a run to functions that a program supplies.
type people struct{ r *Run }

func (p people) State(id uint32) string { return p.r.Program.States[p.r.status(id).state] }

func (p people) Attribute(id uint32, name string) string {
	a := p.r.Program.Attributes.Index(name)
	if a < 0 {
		panic(fmt.Sprintf("population: there is no attribute %q", name))
	}
	return p.r.Program.Attributes[a].Values[p.r.attributes[a].Of(id)]
}

func (p people) Count(state string) int {
	s := slices.Index(p.r.Program.States, state)
	if s < 0 {
		panic(fmt.Sprintf("population: there is no state %q", state))
	}
	return p.r.Counts[s]
}

func (p people) Each(do func(function.Individual)) {
	for id := p.r.firstID; int(id) < p.r.Used; id++ {
		if p.r.status(id).state != program.NoState {
			do(function.Individual{People: p, ID: id})
		}
	}
}

// supplied calls the rule of a contact, and checks what it returns.
func (r *Run) supplied(rule function.Chance, maker, met uint32) float64 {
	one := func(id uint32) function.Individual { return function.Individual{People: people{r}, ID: id} }
	chance := rule(one(maker), one(met), r.Program.Start+r.Now)
	if !(chance >= 0 && chance <= 1) {
		panic(fmt.Sprintf("population: the rule of a contact returned %g, which is not a probability", chance))
	}
	return chance
}
