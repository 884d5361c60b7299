package compile

import (
	"math"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/eval"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// listOutcomes lists the outcomes, with the discount and the beginning of each. Neither changes
// during a run.
func (c *compiler) listOutcomes(here eval.Scope) {
	p := c.program
	p.RecordsTime = c.file.Record.Time
	for i := range c.file.Outcomes {
		text := &c.file.Outcomes[i]
		clock := program.DiscountClock{}
		if text.From.Given() && !text.From.Bad {
			c.fixedInOutcome(here, text.From, text.What+": from")
			if at, ok := here.ClockTime(text.From, text.What+": from"); ok {
				if at < p.Start-p.TimeTolerance || at > p.End+p.TimeTolerance {
					here.Report(text.From, text.From.At, "%s: from: %s is not within the run", text.What,
						here.Describe(text.From))
				}
				clock.From = max(0, at-p.Start)
			}
		}
		if text.Discount.Given() && !text.Discount.Bad {
			c.fixedInOutcome(here, text.Discount, text.What+": discount")
			clock.Rate = c.discountRate(here, text.Discount, text.What+": discount")
		}
		k := slices.Index(p.DiscountClocks, clock)
		if k < 0 {
			k = len(p.DiscountClocks)
			p.DiscountClocks = append(p.DiscountClocks, clock)
		}
		p.Outcomes = append(p.Outcomes, program.Outcome{Name: text.Name, Clock: k, Events: len(text.Events)})
	}
}

// fixedInOutcome refuses a parameter that interventions set, where one value is needed for the
// whole run.
func (c *compiler) fixedInOutcome(here eval.Scope, v syntax.Value, what string) {
	if v.Name != "" && len(here.Sets[v.Name]) > 0 {
		here.Report(v, v.At, "%s: interventions set %s; expected one value for the whole run", what,
			diag.Shorten(v.Name))
	}
}

// discountRate returns the r with v(t) = exp(−rt) for a discount such as 3% per year: after each
// year, what accrues counts 1/1.03 as much.
func (c *compiler) discountRate(here eval.Scope, v syntax.Value, what string) float64 {
	got, at, ok := here.Resolve(v, what)
	if !ok {
		return 0
	}
	q := got.Quantity
	switch {
	case got.Distribution != nil:
		here.Report(v, at, "%s: found a distribution, expected a discount such as 3%% per year", what)
	case q.Kind == quantity.Share || q.Kind == quantity.Number:
		share := quantity.Quantity{Kind: quantity.Share, Number: q.Number}
		here.Report(v, at, "%s: %s of what time? write %s per year", what, eval.DescribeResolved(v, got), share)
	case q.Kind != quantity.Rate:
		here.Report(v, at, "%s: %s is %s; expected a discount such as 3%% per year", what, eval.DescribeResolved(v, got),
			q.Kind)
	case got.Computed:
		here.Report(v, at, "%s: %s, is worked out, and it is not known after which time it is to be compounded; "+
			"write it out, as in 3%% per year", what, eval.DescribeResolved(v, got))
	case q.Number > 1 && !strings.Contains(got.Text, "%"):
		share := func(x float64) quantity.Quantity { return quantity.Quantity{Kind: quantity.Share, Number: x} }
		here.Report(v, at, "%s: %s is %s per %s; write %s per %s if that is meant", what, eval.DescribeResolved(v, got),
			share(q.Number), q.Unit.Name, share(q.Number/100), q.Unit.Name)
	case !(q.Number >= 0 && q.Number <= maxDiscount):
		here.Report(v, at, "%s: %s: expected a discount from 0%% to 1000%%", what, eval.DescribeResolved(v, got))
	default:
		return detmath.Log1p(q.Number) * c.file.Unit.Seconds / q.Unit.Seconds
	}
	return 0
}

// maxDiscount is the largest discount, for whatever time.
const maxDiscount = 10

// outcomeTables works out the weights and the amounts of all outcomes for the parameters of a
// scope.
func (c *compiler) outcomeTables(here eval.Scope, t *program.Phase) {
	for i := range c.file.Outcomes {
		text := &c.file.Outcomes[i]
		table := program.OutcomeTable{}
		if text.Time.Given() {
			table.Exact = *c.outcomeValue(here, text.Time, text.What+": time", quantity.Rate)
		}
		for k := range text.Events {
			e := &text.Events[k]
			what := text.What + ": events: " + diag.Shorten(e.Of.Name)
			table.Amounts = append(table.Amounts, *c.outcomeValue(here, e.Amount, what, quantity.Number))
		}
		t.Outcomes = append(t.Outcomes, table)
	}
}

// outcomeValue works out a weight or an amount for each cell.
func (c *compiler) outcomeValue(
	here eval.Scope, v syntax.Value, what string, want quantity.Kind,
) *program.ByCell[float64] {
	d := here.Dependence(v)
	if v.Bad || d.Time || d.Counts {
		if d.Time && !v.Bad {
			name := here.FirstThat(v, func(d eval.Dependence) bool { return d.Time })
			here.Report(v, v.At, "%s: %s changes with time; let interventions set a parameter", what, name)
		} else if d.Counts && !v.Bad {
			name := here.FirstThat(v, func(d eval.Dependence) bool { return d.Counts })
			here.Report(v, v.At, "%s: %s depends on how many there are, and an outcome cannot", what, name)
		}
		return &program.ByCell[float64]{Values: []float64{0}}
	}
	return eachCell(c, here, []syntax.Value{v}, func(here eval.Scope) float64 {
		if want == quantity.Rate {
			if got, at, ok := here.Resolve(v, what); ok && got.Distribution == nil && !got.Computed &&
				got.Quantity.Kind == quantity.Number {
				here.Report(v, at, "%s: %s has no unit; write %s per %s", what, eval.DescribeResolved(v, got), got.Text,
					here.Unit.Name)
				return 0
			}
		}
		x, _ := here.Within(v, what, want, func(x float64) bool { return math.Abs(x) <= maxWeight },
			"expected a number up to 1e30")
		return x
	})
}

// maxWeight is the largest weight or amount: whatever is added up stays a finite number.
const maxWeight = 1e30

// resolveOutcomes looks up what the events of outcomes are, once all names and flows are known, and
// checks the names of the outcomes.
func (c *compiler) resolveOutcomes() {
	p := c.program
	if len(p.Outcomes) == 0 || c.Count > 0 {
		return
	}
	flows := map[string]int{}
	var known []string
	known = append(known, p.CountedNames...)
	for i, f := range p.Flows {
		flows[f.String()] = i
		known = append(known, f.String())
	}
	p.OutcomesOfName = make([][]program.OutcomeEvent, len(p.CountedNames))
	p.OutcomesOfFlow = make([][]program.OutcomeEvent, len(p.Flows))
	ofNobody := c.namesOfNobody()
	for o := range c.file.Outcomes {
		text := &c.file.Outcomes[o]
		c.checkResultName(text.Ref, "outcomes")
		for k := range text.Events {
			of := text.Events[k].Of
			event := program.OutcomeEvent{Outcome: o, Event: k}
			if n, ok := c.nameIndexes[of.Name]; ok {
				if ofNobody[n] && c.here.Dependence(text.Events[k].Amount).Cells() {
					c.Add(of.At, "%s: events: %s: it happens to nobody in particular; expected one value for all", text.What,
						diag.Shorten(of.Name))
				}
				p.OutcomesOfName[n] = append(p.OutcomesOfName[n], event)
			} else if n, ok := flows[of.Name]; ok {
				p.OutcomesOfFlow[n] = append(p.OutcomesOfFlow[n], event)
			} else {
				c.Add(of.At, "%s: events: nothing goes by the name %s; %s", text.What, diag.Quote(of.Name),
					diag.DidYouMean(of.Name, known, "expected one of "+diag.ListNames(known)))
			}
		}
	}
	p.FixOutcomes()
}

// namesOfNobody are the names under which interventions with when are counted that change no
// individuals.
func (c *compiler) namesOfNobody() map[int]bool {
	all := map[int]bool{}
	for _, d := range c.program.Triggered {
		if !d.ChangesIndividuals() && d.Do.Name >= 0 {
			all[d.Do.Name] = true
		}
		if d.Begins >= 0 {
			all[d.Begins] = true
		}
	}
	return all
}

// checkResultName refuses the name of an outcome or an observation that something else has: outputs
// name all of them.
func (c *compiler) checkResultName(text syntax.Ref, section string) {
	taken := ""
	switch n, isName := c.nameIndexes[text.Name]; {
	case slices.Contains(c.program.States, text.Name):
		taken = "the name of a state"
	case isName && n < c.clockNames:
		taken = "a name of a clock"
	case isName:
		taken = "the name of an intervention"
	case text.Name == "total":
		taken = "the name of the whole population"
	case slices.Contains(c.program.Listed().Names(), text.Name):
		taken = "the name of an attribute"
		if slices.Contains(c.file.MachineNames(), text.Name) {
			taken = "the name of a machine"
		}
	case section != "outcomes" && slices.Contains(c.program.OutcomeNames(), text.Name):
		taken = "the name of an outcome"
	}
	if taken != "" {
		c.Add(text.At, "%s: %s: %s; take another", section, text.Name, taken)
	}
}
