package population

import (
	"math"
	"slices"
	"strconv"
)

// At is the model with values of the unknowns, which are in the order and in the units of the fit: what [Compile] would make of the file with
// [Set], without reading it again, which is most of the work. If there is no model with these values, the error is of type [Problems].
func (f *Fit) At(x []float64) (*Model, error) {
	values := make([]namedValue, len(f.Unknowns))
	for k := range f.Unknowns {
		u := &f.Unknowns[k]
		values[k] = written(u.Name, u.Value(x[k]), u.quantity(x[k]))
	}
	return f.m.with(values)
}

// Seen is how a column is seen with some values of the unknowns.
type Seen struct {
	Observed float64 // the probability that one of them is seen
	Error    string  // as in [Match]
	Arg      float64 // dispersion, or standard deviation
	Share    bool    // the standard deviation is a share of the expected value
}

// Seen is how each column is seen in a model that At made. If that cannot be, the error is of type [Problems].
func (f *Fit) Seen(at *Model) ([]Seen, error) {
	here := at.compiled.quietly()
	all := make([]Seen, len(f.text.match))
	for i := range all {
		t := &f.text.match[i]
		s := Seen{Observed: 1, Error: t.error.family}
		if t.observed.given() {
			s.Observed, _ = here.chance(t.observed, t.what+": observed")
		}
		switch s.Error {
		case "negative binomial":
			s.Arg, _ = here.positive(t.error.arg, t.what+": error: dispersion")
		case "normal":
			s.Share = t.error.share(here)
			s.Arg, _ = here.within(t.error.arg, t.what+": error: sd", aShare, func(x float64) bool { return x > 0 }, "expected more than 0")
		}
		all[i] = s
	}
	return all, here.err()
}

// bound finds out what the unknowns can be, by trying: a parameter that can be 0 and not less is not negative, and one that can be 1 and not more
// is at most 1. So it does not matter how the model uses it.
func (f *Fit) bound(list *problemList) {
	x := make([]float64, len(f.Unknowns))
	for k := range f.Unknowns {
		u := &f.Unknowns[k]
		got, _, _ := f.m.compiled.quietly().resolve(value{name: u.Name}, "")
		x[k] = u.in(got.quantity)
		u.Whole = u.of.kind == aNumber && f.counts(u.Name)
	}
	possible := func(k int, y float64) bool {
		at := slices.Clone(x)
		at[k] = y
		m, err := f.At(at)
		if err == nil {
			_, err = f.Seen(m)
		}
		return err == nil
	}
	for k := range f.Unknowns {
		u := &f.Unknowns[k]
		const little = 1e-6
		one := u.in(quantity{kind: aShare, number: 1})
		switch {
		case u.Whole:
			u.Low = 0
		default:
			if !possible(k, -little) && (possible(k, little) || possible(k, 0)) {
				u.Low = 0
			}
			if (u.of.kind == aNumber || u.of.kind == aShare) && !possible(k, one*(1+little)) && (possible(k, one*(1-little)) || possible(k, one)) {
				u.High = one
			}
		}
		p := &f.text.unknown[k]
		if p.family.Range() && !(u.Args[0] < u.High && u.Args[1] > u.Low) {
			list.add(p.at, "fit: unknown: %s: the parameter is between %s and %s, and nothing of the prior is", u.Name, u.bound(u.Low), u.bound(u.High))
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

// counts tells whether a number of individuals depends on a parameter: of those at the start, or of those whom an intervention is about.
func (f *Fit) counts(name string) bool {
	here, seen := f.m.compiled.quietly(), map[string]bool{}
	for _, g := range f.m.compiled.file.groups {
		for _, s := range g.starts {
			if s.byWhat != byShare {
				here.behind(s.by, seen, func(parameter) {})
			}
		}
	}
	for i := range f.m.compiled.file.plans {
		here.behind(f.m.compiled.file.plans[i].countBy, seen, func(parameter) {})
	}
	return seen[name]
}
