package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population/internal/eval"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// sinceCurve returns a value by a time since in words.
func (e *explainer) sinceCurve(
	here eval.Scope, c *syntax.TimeVarying, t *program.Term, show func(x float64) string,
) string {
	curve := t.Curve()
	text := "a value by time since " + c.Since.String()
	if c.Since.Met {
		text += " of the one who is met"
	}
	if c.Form == "density" {
		return fmt.Sprintf("%s: the density of a time that is %s, 1 in all", text, curve.Law.Describe(e.file.Unit))
	}
	var all []string
	for i := range min(len(curve.Times), maxKnots) {
		at := e.file.Unit.Duration(format.Tidy(curve.Times[i]))
		if c.Form == "line" {
			all = append(all, show(curve.Values[i])+" at "+at)
		} else {
			all = append(all, show(curve.Values[i])+" from "+at+" on")
		}
	}
	text += ": " + strings.Join(all, ", ")
	if more := len(curve.Times) - maxKnots; more > 0 {
		text += fmt.Sprintf(", and so on for %s more times until %s", format.Thousands(float64(more)),
			e.file.Unit.Duration(format.Tidy(curve.Times[len(curve.Times)-1])))
	}
	if c.Form == "line" {
		text += ", with straight lines between"
	}
	if !c.Since.Birth {
		text += "; 0 for everybody else"
	}
	return text
}

// sinceRange returns an expression that contains a time since in words.
func (e *explainer) sinceRange(
	here eval.Scope, text string, t *program.Term, show func(x float64) string,
) string {
	low, high := t.Bounds(0, e.program.End-e.program.Start)
	with := "the time since " + here.SinceWords(t)
	if t.NextChange(0) < e.program.End-e.program.Start {
		with = "time and with " + with
	}
	return fmt.Sprintf("%s, which changes with %s, between %s and %s", text, with, show(low), show(high))
}

// candidates says how many candidates a rate by a time since costs for each event.
func (e *explainer) candidates(here eval.Scope, v syntax.Value) string {
	if !here.Dependence(v).Since {
		return ""
	}
	n, ok := here.Candidates(v)
	if !ok || n < 1.05 {
		return ""
	}
	return fmt.Sprintf(" (drawn with about %.2g candidates for each event)", n)
}

// remembered says what is remembered of each individual because of curves and numbers.
func (e *explainer) remembered() {
	var all []string
	for i := range e.program.Since {
		if s := &e.program.Since[i]; s.Birth {
			all = append(all, "when it was born")
		} else {
			all = append(all, "when it came into "+s.Words)
		}
	}
	for i := range e.program.Numbers {
		all = append(all, "its "+e.program.Numbers[i].Name)
	}
	if len(all) > 0 {
		e.line("\nRemembered of each individual, 8 bytes each: %s.", strings.Join(all, ", "))
	}
}

// countsTime reports whether a curve counts the time in a state.
func (e *explainer) countsTime(state uint16) bool {
	return slices.ContainsFunc(e.program.Since, func(s program.Since) bool {
		return !s.Birth && s.Machine < 0 && s.In[state]
	})
}
