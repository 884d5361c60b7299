package explain

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/population/internal/eval"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// numbers lists the attributes that are numbers, with their laws.
func (e *explainer) numbers() {
	for k := range e.program.Numbers {
		n := &e.program.Numbers[k]
		var laws []string
		for i := range n.Law.Values {
			if words := numberLaw(&n.Law.Values[i]); !slices.Contains(laws, words) {
				laws = append(laws, words)
			}
		}
		e.line("  %s: a number of its own, %s", n.Name, strings.Join(laws, ", or by group "))
	}
}

// plainNumbers describes laws without a unit.
type plainNumbers struct{}

func (plainNumbers) Duration(x float64) string { return fmt.Sprintf("%.4g", x) }
func (plainNumbers) Rate(x float64) string     { return fmt.Sprintf("%.4g", x) }

// numberLaw returns the law of a number in words.
func numberLaw(l *program.NumberLaw) string {
	text := ""
	switch l.Family {
	case program.Poisson:
		text = fmt.Sprintf("Poisson with mean %.4g", l.Mean)
	case program.NegativeBinomial:
		text = fmt.Sprintf("negative binomial with mean %.4g and dispersion %.4g", l.Mean, l.Spread)
	case program.Normal:
		text = fmt.Sprintf("normal with mean %.4g and standard deviation %.4g", l.Mean, l.Spread)
	default:
		text = l.Law.Describe(plainNumbers{})
	}
	if !math.IsInf(l.Least, 0) {
		text += fmt.Sprintf(", at least %.4g", l.Least)
	}
	if !math.IsInf(l.Most, 0) {
		text += fmt.Sprintf(", at most %.4g", l.Most)
	}
	return text
}

// withNumbers returns an expression that contains numbers in words.
func (e *explainer) withNumbers(here eval.Scope, v syntax.Value, t *program.Term) string {
	return v.Text + ", " + e.ofWhom(t) + e.alsoChanges(here, t)
}

// ofWhom names the numbers of a term.
func (e *explainer) ofWhom(t *program.Term) string {
	var names []string
	whom := "itself"
	t.EachNumber(func(n *program.Term) {
		if name := e.program.Numbers[n.Number].Name; !slices.Contains(names, name) {
			names = append(names, name)
		}
		if n.Met {
			whom = "who is met"
		}
	})
	return "with the " + strings.Join(names, " and ") + " of the individual " + whom
}

// alsoChanges says what else a term with numbers changes with.
func (e *explainer) alsoChanges(here eval.Scope, t *program.Term) string {
	text := ""
	if t.NextChange(0) < e.program.End-e.program.Start {
		text = ", and changes with time"
	}
	if since := here.SinceWords(t); since != "" {
		text += ", and changes with the time since " + since
	}
	return text
}

// exponentialOfNumber returns an exponential distribution that depends on numbers in words.
func (e *explainer) exponentialOfNumber(here eval.Scope, v syntax.Value) string {
	got, _, _ := here.Dereference(v, "")
	if got.Distribution == nil {
		return v.Text
	}
	for name, arg := range got.Distribution.Args {
		if m, ok := here.Term(arg, ""); ok {
			return fmt.Sprintf("exponential with %s %s, %s", name, arg.Text, e.ofWhom(m.Term))
		}
	}
	return "exponential"
}
