package eval

import (
	"math"

	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// Whole evaluates a whole number, or a distribution of whole numbers.
func (s Scope) Whole(v syntax.Value, what string) (program.Whole, bool) {
	got, at, ok := s.Resolve(v, what)
	if !ok {
		return program.Whole{}, false
	}
	d := got.Distribution
	switch {
	case d == nil:
		n, ok := s.WholeNumber(v, what)
		return program.Whole{First: n}, ok
	case !d.IsWhole():
		s.Report(v, at, "%s: found a distribution of durations, expected a whole number, or a distribution such as %s",
			what, syntax.ExampleWhole)
		return program.Whole{}, false
	case d.Family == syntax.ByShares:
		return s.wholeShares(d, what)
	}
	return s.wholeFamily(d, what+": "+d.Family)
}

// WholeNumber evaluates a number of individuals.
func (s Scope) WholeNumber(v syntax.Value, what string) (int, bool) {
	x, at, ok := s.Quantity(v, what, quantity.Number)
	switch {
	case !ok:
		return 0, false
	case x == math.Trunc(x) && x >= 0 && x <= syntax.MaxIndividuals:
		return int(x), true
	}
	got, _, _ := s.Resolve(v, what)
	problem := "is not a whole number"
	switch {
	case x < 0:
		problem = "is negative"
	case x > syntax.MaxIndividuals:
		problem = "is more than there can be"
	}
	s.Report(v, at, "%s: %s %s", what, DescribeResolved(v, got), problem)
	return 0, false
}

// wholeShares evaluates {1: 30%, 2: 50%, 3: 20%}.
func (s Scope) wholeShares(d *syntax.Distribution, what string) (program.Whole, bool) {
	first, last := math.MaxInt, 0
	good, sum := true, 0.0
	shares := map[int]float64{}
	var written []syntax.Value
	for _, p := range d.Parts {
		n, ok := s.WholeNumber(p.Of, what)
		share, fine := s.Chance(p.Share, what+": "+p.Of.Text)
		if good = good && ok && fine; !good {
			continue
		}
		if _, twice := shares[n]; twice {
			s.Report(p.Of, p.Of.At, "%s: %d is here twice", what, n)
			return program.Whole{}, false
		}
		shares[n], sum = share, sum+share
		first, last = min(first, n), max(last, n)
		written = append(written, p.Share)
	}
	switch {
	case !good:
		return program.Whole{}, false
	case !IsOne(sum):
		s.ReportTogether(d.Parts[0].Share.At, written, "%s: the shares add up to %.6g, expected 1", what, sum)
		return program.Whole{}, false
	case last-first >= program.MaxWholeTable:
		s.ReportTogether(d.Parts[0].Of.At, written, "%s: from %d to %d there are more than %d numbers", what, first, last,
			program.MaxWholeTable)
		return program.Whole{}, false
	}
	all := make([]float64, last-first+1)
	for n, share := range shares {
		all[n-first] = share
	}
	return program.WholeShares(first, all), true
}

// wholeFamily evaluates a Poisson or a negative binomial distribution.
func (s Scope) wholeFamily(d *syntax.Distribution, what string) (program.Whole, bool) {
	atLeastZero := func(x float64) bool { return x >= 0 && x <= syntax.MaxIndividuals }
	mean, good := s.Within(d.Args["mean"], what+": mean", quantity.Number, atLeastZero, "expected a mean from 0 on")
	dispersion := 0.0
	if d.Family != "poisson" {
		var ok bool
		dispersion, ok = s.PositiveNumber(d.Args["dispersion"], what+": dispersion")
		good = good && ok
	}
	least, most := 0, syntax.MaxIndividuals
	limit := func(name string, n *int) {
		if v, ok := d.Args[name]; ok {
			*n, ok = s.WholeNumber(v, what+": "+name)
			good = good && ok
		}
	}
	limit("least", &least)
	limit("most", &most)
	if !good {
		return program.Whole{}, false
	}
	at, parts := d.Args["mean"].At, []syntax.Value{d.Args["mean"], d.Args["least"], d.Args["most"]}
	switch {
	case least > most:
		s.ReportTogether(d.Args["least"].At, parts, "%s: least, %d, is above most, %d", what, least, most)
		return program.Whole{}, false
	case mean == 0 && least > 0:
		s.ReportTogether(at, parts, "%s: with a mean of 0 it is always 0, below its least, %d", what, least)
		return program.Whole{}, false
	case mean == 0:
		return program.Whole{}, true
	}
	var w program.Whole
	var ok bool
	if d.Family == "poisson" {
		w, ok = program.WholePoisson(mean, least, most)
	} else {
		w, ok = program.WholeNegativeBinomial(mean, dispersion, least, most)
	}
	if !ok {
		s.ReportTogether(at, parts, "%s: it spreads over more than %d numbers; give it a most", what, program.MaxWholeTable)
	}
	return w, ok
}
