package explain

import (
	"fmt"
	"strings"

	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// outcomes lists the outcomes: what they grow by, the discount, and from when on they count.
func (e *explainer) outcomes() {
	e.section("Outcomes, summed over all individuals since the start", len(e.file.Outcomes))
	for i := range e.file.Outcomes {
		o := &e.file.Outcomes[i]
		var parts []string
		if o.Time.Given() {
			parts = append(parts, "for everybody alive "+e.rate(o.Time))
		}
		for k := range o.Events {
			event := &o.Events[k]
			parts = append(parts, "for each "+event.Of.Name+" "+e.withName(event.Amount, e.value(event.Amount)))
		}
		if len(parts) == 0 {
			parts = append(parts, "nothing adds to it")
		}
		e.line("  %s: %s%s", o.Name, strings.Join(parts, "; "), e.discount(o))
	}
}

// discount says by how much later amounts count less, and from when on an outcome counts.
func (e *explainer) discount(o *syntax.Outcome) string {
	words := ""
	if o.From.Given() {
		clock := e.program.DiscountClocks[e.program.Outcomes[e.outcome(o.Name)].Clock]
		words = fmt.Sprintf("; counted from %s on", e.modelTime(e.program.Start+clock.From))
	}
	if o.Discount.Given() {
		got, _, ok := e.here.Resolve(o.Discount, "")
		if q := got.Quantity; ok && q.Number > 0 {
			words += fmt.Sprintf("; discounted at %.6g%% per %s", 100*q.Number, q.Unit.Name)
			if o.Discount.Name != "" {
				words += " (" + o.Discount.Name + ")"
			}
		}
	}
	return words
}

// outcome returns the number of an outcome.
func (e *explainer) outcome(name string) int {
	for i := range e.program.Outcomes {
		if e.program.Outcomes[i].Name == name {
			return i
		}
	}
	return -1
}

// coresOfOutcomes says that a large run uses one core because of outcomes.
func (e *explainer) coresOfOutcomes() {
	if e.program.Size < program.WindowsFrom || !e.program.SumsTime() {
		return
	}
	what := "person-time in each state is"
	if len(e.program.Outcomes) > 0 {
		what = "outcomes are"
	}
	e.line("\nA run uses one core once it is set up, because %s summed event by event.", what)
}
