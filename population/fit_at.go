package population

import (
	"math"
	"slices"
	"strconv"

	"github.com/almanac-sim/almanac/internal/modelfit"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/eval"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// At returns the model with values of the unknowns, in the order and the units of the fit. It is
// what [Compile] makes of the file with [Set], without parsing the file again, which is most of the
// work. If there is no such model, the error is of type [Problems].
func (f *Fit) At(x []float64) (*Model, error) {
	values := make([]syntax.NamedValue, len(f.Unknowns))
	for k := range f.Unknowns {
		u := &f.Unknowns[k]
		values[k] = written(u.Name, u.Value(x[k]), u.quantity(x[k]))
	}
	return f.m.with(values)
}

// observations returns how each column is observed in a model that At returned. If something is
// wrong, the error is of type [Problems].
func (f *Fit) observations(at *Model) ([]modelfit.Observation, error) {
	here := at.compiled.ObservedScope()
	all := make([]modelfit.Observation, len(f.text.Match))
	for i := range all {
		t := &f.text.Match[i]
		s := modelfit.Observation{Observed: 1, Error: t.Error.Family}
		if t.Observed.Given() {
			s.Observed, _ = here.Chance(t.Observed, t.What+": observed")
		}
		switch s.Error {
		case "binomial": // of a survey: it has no argument
		case "negative binomial":
			s.Arg, _ = here.PositiveNumber(t.Error.Arg, t.What+": error: dispersion")
		case "normal":
			s.Relative = t.Error.IsRelative(here)
			s.Arg, _ = here.Within(t.Error.Arg, t.What+": error: sd", quantity.Share, func(x float64) bool { return x > 0 },
				"expected more than 0")
		}
		all[i] = s
	}
	return all, here.Err()
}

// bound finds the ranges of the unknowns by trying: a parameter that can be 0 and not less is not
// negative, and one that can be 1 and not more is at most 1. So it does not matter how the model
// uses it.
func (f *Fit) bound(list *diag.List) {
	x := make([]float64, len(f.Unknowns))
	for k := range f.Unknowns {
		u := &f.Unknowns[k]
		got, _, _ := f.m.compiled.StartScope().Resolve(syntax.Value{Name: u.Name}, "")
		x[k] = u.in(got.Quantity)
		u.Whole = u.of.Kind == quantity.Number && f.counts(u.Name)
	}
	possible := func(k int, y float64) bool {
		at := slices.Clone(x)
		at[k] = y
		m, err := f.At(at)
		if err == nil {
			_, err = f.observations(m)
		}
		return err == nil
	}
	for k := range f.Unknowns {
		u := &f.Unknowns[k]
		const little = 1e-6
		one := u.in(quantity.Quantity{Kind: quantity.Share, Number: 1})
		switch {
		case u.Whole:
			u.Low = 0
		default:
			if !possible(k, -little) && (possible(k, little) || possible(k, 0)) {
				u.Low = 0
			}
			if (u.of.Kind == quantity.Number || u.of.Kind == quantity.Share) && !possible(k, one*(1+little)) &&
				(possible(k, one*(1-little)) || possible(k, one)) {
				u.High = one
			}
		}
		p := &f.text.Unknown[k]
		if p.Family.Range() && !(u.Args[0] < u.High && u.Args[1] > u.Low) {
			list.Add(p.At, "fit: unknown: %s: the parameter is between %s and %s, and nothing of the prior is", u.Name,
				u.bound(u.Low), u.bound(u.High))
		}
	}
}

// bound is an end of the range, for a message.
func (u *Unknown) bound(x float64) string {
	if math.IsInf(x, 0) {
		return "anything"
	}
	return u.written(strconv.FormatFloat(x, 'g', 6, 64), x)
}

// counts reports whether a number of individuals depends on a parameter: at the start, in an
// intervention or in a supply.
func (f *Fit) counts(name string) bool {
	here, seen := f.m.compiled.StartScope(), map[string]bool{}
	for _, g := range f.m.compiled.File.Groups {
		for _, s := range g.Starts {
			if s.ComputedKind != syntax.ComputedShare {
				here.EachParameter(s.Computed, seen, func(eval.Parameter) {})
			}
		}
	}
	for i := range f.m.compiled.File.Interventions {
		here.EachParameter(f.m.compiled.File.Interventions[i].ComputedCount, seen, func(eval.Parameter) {})
	}
	for i := range f.m.compiled.File.Supplies {
		s := &f.m.compiled.File.Supplies[i]
		here.EachParameter(s.Delivery.ComputedCount, seen, func(eval.Parameter) {})
		here.EachParameter(s.Keep, seen, func(eval.Parameter) {})
	}
	return seen[name]
}
