package eval_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/almanac-sim/almanac/population/internal/eval"
	"github.com/almanac-sim/almanac/population/internal/law"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

func TestTableEntryOfWrongCell(t *testing.T) {
	here, list := scopeOf(t, `
		severity: {by: age, child: 0.1%, adult: 1%, elder: 8%}
		leaving: {by: age, elder: {by: region, north: 0.3 per day, other: 0.4 per day}, other: base}
		base: 0.1 per day
		stay: {gamma: {mean: {by: region, south: 2 days, other: 3 days}, shape: {by: age, child: 1, other: 2}}}
		length: {by: age, child: stay, other: {exactly: 4 days}}
		again: severity
		meeting: {by: age, of: met, child: 50%, other: {by: age, elder: 20%, other: 1}}`)
	name := func(s string) syntax.Value { return syntax.Value{Name: s} }
	for age := range uint16(3) {
		for region := range uint16(2) {
			cell := here.ForCell([]uint16{age, region})
			severity := []float64{0.001, 0.01, 0.08}[age]
			for _, p := range []string{"severity", "again"} {
				if x, ok := cell.Chance(name(p), p); !ok || x != severity {
					t.Errorf("%s at %d is %v, want %v", p, age, x, severity)
				}
			}
			leaving := 0.1
			if age == 2 {
				leaving = []float64{0.3, 0.4}[region]
			}
			if x, ok := cell.Rate(name("leaving"), ""); !ok || x != leaving {
				t.Errorf("leaving at %d, %d is %v, want %v", age, region, x, leaving)
			}
			mean, shape := []float64{3, 2}[region], []float64{1, 2, 2}[age]
			if l, ok := cell.Law(name("stay"), ""); !ok || !l.Equal(ptr(law.Gamma(mean, shape))) || math.Abs(l.Mean()-mean) >
				1e-12 {
				t.Errorf("stay at %d, %d is %+v, want shape %v and mean %v", age, region, l, shape, mean)
			}
			if l, ok := cell.Law(name("length"), ""); !ok || age > 0 && !(l.Fixed() && l.Mean() == 4) ||
				age == 0 && math.Abs(l.Mean()-mean) > 1e-12 {
				t.Errorf("length at %d, %d is %+v", age, region, l)
			}
			for theirs := range uint16(3) {
				want := 0.5
				if theirs > 0 {
					want = []float64{1, 1, 0.2}[age]
				}
				if x, ok := cell.Meeting([]uint16{theirs, eval.Unset}).Chance(name("meeting"), ""); !ok || x != want {
					t.Errorf("meeting of %d and %d is %v, want %v", age, theirs, x, want)
				}
			}
		}
	}
	if len(list.All) > 0 {
		t.Error(list.Err())
	}
	// Without an individual, a table cannot be read.
	here.Rate(name("leaving"), "here")
	here.ForCell([]uint16{1, 1}).Chance(name("meeting"), "there")
	const want = "model.yaml:9:12: here: a table by age is read for an individual, and there is none here; " +
		"expected one value for all\n" +
		"model.yaml:14:12: there: a table of: met is read for the one who is met; " +
		"only the chance of a transmission can be"
	if got := fmt.Sprint(list.Err()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	// A distribution that cannot be evaluated without an individual can be evaluated with one.
	if _, ok := here.Law(name("stay"), ""); ok {
		t.Error("the mean of everybody's stay is known")
	}
	if l, ok := here.ForCell([]uint16{1, 1}).Law(name("stay"), ""); !ok || math.Abs(l.Mean()-2) > 1e-12 {
		t.Errorf("stay is %+v, %v", l, ok)
	}
}

func ptr[T any](x T) *T { return &x }
