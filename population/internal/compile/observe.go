package compile

import (
	"cmp"
	"slices"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/eval"
	"github.com/almanac-sim/almanac/population/internal/law"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// sourceIndex returns the number of the source of a clock in Phase.Sources, from 1 on; 0 if it has
// none. The sources of a clock have the same number in all phases.
func (c *compiler) sourceIndex(clock *syntax.Clock) int {
	if len(clock.Source) == 0 {
		return 0
	}
	i, ok := c.sourceIndexes[clock]
	if !ok {
		i = len(c.sourceClocks) + 1
		c.sourceIndexes[clock] = i
		c.sourceClocks = append(c.sourceClocks, clock)
		c.program.Sources = i
	}
	return i
}

// sources works out the weights of all sources, for the parameters of a phase.
func (c *compiler) sources(here eval.Scope, t *program.Phase) {
	for _, clock := range c.sourceClocks {
		var s program.Source
		what := clock.What + ": source"
		for i := range clock.Source {
			share := &clock.Source[i]
			state, weight := c.state(share.State, what, false), 1.0
			if share.Weight.Given() && !share.Weight.Bad {
				weight, _ = here.Within(share.Weight, what+": "+diag.Shorten(share.State.Name), quantity.Number,
					func(x float64) bool { return x >= 0 && x <= maxWeight }, "a weight cannot be negative")
			}
			if state == program.NoState {
				continue
			}
			if slices.Contains(s.States, state) {
				c.Add(share.State.At, "%s: %s is here twice", what, diag.Quote(share.State.Name))
				continue
			}
			s.States, s.Weights = append(s.States, state), append(s.Weights, weight)
		}
		t.Sources = append(t.Sources, s)
	}
}

// observationTables works out the probabilities and delays of all observations, for the parameters
// of a phase.
func (c *compiler) observationTables(here eval.Scope, t *program.Phase) {
	for i := range c.file.Observations {
		text := &c.file.Observations[i]
		table := program.ObservationTable{Chance: 1, Count: text.Survey.Count}
		if v := text.Chance; v.Given() && !v.Bad {
			if here.Dependence(v).Counts {
				name := here.FirstThat(v, func(d eval.Dependence) bool { return d.Counts })
				here.Report(v, v.At, "%s: chance: %s depends on how many there are, and a chance cannot", text.What, name)
			} else {
				table.Chance, table.Chances = c.chances(here, v, text.What+": chance", false)
			}
		}
		if v := text.After; v.Given() && !v.Bad {
			table.After = eachCell(c, here, []syntax.Value{v}, func(here eval.Scope) law.Law {
				l, _ := here.Law(v, text.What+": after")
				return l
			})
		}
		if v := text.Survey.Coverage; v.Given() && !v.Bad {
			table.Coverage = eachCell(c, here, []syntax.Value{v}, func(here eval.Scope) *program.TimeVarying {
				p, _ := here.TimeVarying(v, text.What+": coverage", quantity.Share)
				return p
			})
		}
		if v := text.Survey.ComputedCount; v.Given() && !c.unknownCount(&text.Survey) {
			table.Count, _ = here.Individuals(v, text.What+": count", "")
		}
		t.Observations = append(t.Observations, table)
	}
}

// listObservations lists the observations, and the times of surveys.
func (c *compiler) listObservations() {
	p := c.program
	for i := range c.file.Observations {
		text := &c.file.Observations[i]
		o := program.Observation{Name: text.Name, What: text.What, Survey: !text.Of.Given(),
			Of: program.Event{Name: -1, Flow: -1}}
		if o.Survey {
			s := &text.Survey
			o.ByCount = s.PicksCount
			if !s.Everyone && len(s.Who) > 0 {
				o.Who = c.stateSet(s.Who, text.What+": who")
			}
			o.Where = c.conditions(s.Where, text.What+": where")
			times, ok := c.occurrences(c.here, nil, s, nil)
			if !ok {
				return
			}
			for _, t := range times {
				if t.at <= p.End+p.TimeTolerance {
					p.Surveys = append(p.Surveys, program.Survey{Observation: i, At: t.at - p.Start})
				}
			}
		}
		p.Observations = append(p.Observations, o)
	}
	slices.SortStableFunc(p.Surveys, func(a, b program.Survey) int { return cmp.Compare(a.At, b.At) })
}

// resolveObserved looks up what is observed, and what a tree and the times of people are of, once
// all names and flows are known.
func (c *compiler) resolveObserved() {
	p, f := c.program, c.file
	if c.Count > 0 {
		return
	}
	for i := range f.Observations {
		text := &f.Observations[i]
		c.checkResultName(text.Ref, "observe")
		if text.Of.Given() {
			p.Observations[i].Of = c.event(text.Of, text.What+": of", nil)
		}
	}
	if f.Record.Tree.Given() && !f.Record.Tree.Bad {
		tree := c.event(f.Record.Tree, "record: tree: of", nil)
		p.Tree = &tree
	}
	if f.Record.People == nil {
		return
	}
	people := &program.LineList{Only: -1}
	seen := map[string]bool{}
	add := func(of syntax.Ref, what string) {
		t := program.PersonTime{Name: of.Name, Of: program.Event{Name: -1, Flow: -1}}
		if t.Observation = slices.Index(p.ObservationNames(), of.Name); t.Observation < 0 {
			t.Of = c.event(of, what, p.ObservationNames())
		}
		people.Times = append(people.Times, t)
	}
	for _, of := range f.Record.People.Times {
		if of.Bad {
			continue
		}
		if seen[of.Name] {
			c.Add(of.At, "record: people: times: %s is here twice", diag.Quote(of.Name))
		}
		seen[of.Name] = true
		add(of, "record: people: times")
	}
	people.Listed = len(people.Times)
	if only := f.Record.People.Only; only.Given() && !only.Bad {
		called := func(t program.PersonTime) bool { return t.Name == only.Name }
		if people.Only = slices.IndexFunc(people.Times, called); people.Only < 0 {
			people.Only = len(people.Times)
			add(only, "record: people: only")
		}
	}
	p.LineList = people
}

// event looks up what happens to individuals and goes by a name: what is counted under it, or a
// flow. A message offers these and more.
func (c *compiler) event(of syntax.Ref, what string, more []string) program.Event {
	p := c.program
	if n, ok := c.nameIndexes[of.Name]; ok {
		if c.namesOfNobody()[n] {
			c.Add(of.At, "%s: %s: it happens to nobody in particular; expected something that happens to individuals", what,
				diag.Shorten(of.Name))
		}
		return program.Event{Name: n, Flow: -1}
	}
	known := append(slices.Clone(p.CountedNames), more...)
	for i, f := range p.Flows {
		if f.String() == of.Name {
			return program.Event{Name: -1, Flow: i}
		}
		known = append(known, f.String())
	}
	c.Add(of.At, "%s: nothing goes by the name %s; %s", what, diag.Quote(of.Name),
		diag.DidYouMean(of.Name, known, "expected one of "+diag.ListNames(known)))
	return program.Event{Name: -1, Flow: -1}
}
