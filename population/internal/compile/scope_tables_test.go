package compile

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/law"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// scopeOf compiles a model with the given parameters and attributes of age and region, and returns its scope and the parameters by name.
func scopeOf(t *testing.T, parameters string) (Scope, *diag.List) {
	t.Helper()
	source := "name: m\ntime: {unit: day, end: 10}\npopulation: {size: 1, start: {a: 1}}\nstates: {a: {}, b: {}}\n" +
		"attributes: {age: {child: 20%, adult: 60%, elder: 20%}, region: {north: 50%, south: 50%}}\nparameters:\n"
	for line := range strings.Lines(parameters) {
		source += "  " + strings.TrimSpace(line) + "\n"
	}
	m, err := compiledText(source)
	if err != nil {
		t.Fatal(err)
	}
	list := &diag.List{}
	here := m.Quietly()
	here.List = list
	return here, list
}

func TestTables(t *testing.T) {
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
			cell := here.In([]uint16{age, region})
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
			if l, ok := cell.Law(name("stay"), ""); !ok || l.A != shape || math.Abs(l.Mean()-mean) > 1e-12 {
				t.Errorf("stay at %d, %d is %+v, want shape %v and mean %v", age, region, l, shape, mean)
			}
			if l, ok := cell.Law(name("length"), ""); !ok || age > 0 && !(l.Family == law.LawExactly && l.A == 4) || age == 0 && math.Abs(l.Mean()-mean) > 1e-12 {
				t.Errorf("length at %d, %d is %+v", age, region, l)
			}
			for theirs := range uint16(3) {
				want := 0.5
				if theirs > 0 {
					want = []float64{1, 1, 0.2}[age]
				}
				if x, ok := cell.Met([]uint16{theirs, unset}).Chance(name("meeting"), ""); !ok || x != want {
					t.Errorf("meeting of %d and %d is %v, want %v", age, theirs, x, want)
				}
			}
		}
	}
	if len(list.All) > 0 {
		t.Error(list.Err())
	}
	// Without an individual there is nothing to read them for.
	here.Rate(name("leaving"), "here")
	here.In([]uint16{1, 1}).Chance(name("meeting"), "there")
	const want = "model.yaml:9:12: here: a table by age is read for an individual, and there is none here; expected one value for all\n" +
		"model.yaml:14:12: there: a table of: met is read for the one who is met; only the chance of a transmission can be"
	if got := fmt.Sprint(list.Err()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	// A distribution that could not be worked out without one can be with one.
	if _, ok := here.Law(name("stay"), ""); ok {
		t.Error("the mean of everybody's stay is known")
	}
	if l, ok := here.In([]uint16{1, 1}).Law(name("stay"), ""); !ok || math.Abs(l.Mean()-2) > 1e-12 {
		t.Errorf("stay is %+v, %v", l, ok)
	}
}

func TestDepends(t *testing.T) {
	here, _ := scopeOf(t, `
		plain: 0.1 per day
		severity: {by: age, child: 0.1%, adult: 1%, elder: 8%}
		both: {by: region, north: severity, other: 0}
		stay: {gamma: {mean: {by: region, south: 2 days, other: 3 days}, shape: 2}}
		mixed: {mixture: [{share: 1, of: {by: age, child: stay, other: 1 day}}]}
		meeting: {by: age, of: met, child: both, other: 1}
		settable: 1`)
	here.sets = map[string][]syntax.Value{"settable": {{Name: "severity"}, {Quantity: syntax.Quantity{Kind: syntax.KindNumber}}, {Name: "meeting"}}}
	for name, want := range map[string]dependence{
		"plain": {}, "severity": {Own: []int{0}}, "both": {Own: []int{0, 1}}, "stay": {Own: []int{1}}, "mixed": {Own: []int{0, 1}},
		"meeting": {Own: []int{0, 1}, Met: []int{0}}, "settable": {Own: []int{0, 1}, Met: []int{0}},
	} {
		got := here.Depends(syntax.Value{Name: name})
		if !slices.Equal(got.Own, want.Own) || !slices.Equal(got.Met, want.Met) || got.Time || got.Counts || got.Fixed() != want.Fixed() {
			t.Errorf("%s depends on %+v, want %+v", name, got, want)
		}
	}
	if d := here.Depends(syntax.Value{Quantity: syntax.Quantity{Kind: syntax.KindNumber}}); !d.Fixed() {
		t.Errorf("a number depends on %+v", d)
	}
}

// TestDependsInRings sets parameters to one another, so that they lead back to where they came from, and asks for them in every order: those of a
// ring depend on the same, and on what those depend on that the ring leads to.
func TestDependsInRings(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e", "f", "g"}
	want := map[string][]int{"a": {0, 1}, "b": {0, 1}, "c": {0, 1}, "d": {1}, "e": {1}, "f": {1}, "g": nil}
	for turn := range names {
		here, _ := scopeOf(t, `
			a: 1
			b: {by: age, child: 1%, other: 2%}
			c: 1
			d: {by: region, north: 1, other: e}
			e: 1
			f: d
			g: 1`)
		to := func(names ...string) (set []syntax.Value) {
			for _, name := range names {
				set = append(set, syntax.Value{Name: name})
			}
			return set
		}
		here.sets = map[string][]syntax.Value{"a": to("b"), "b": to("c", "a"), "c": to("a", "f"), "e": to("d", "g")} // a, b and c are a ring, and d and e
		for i := range names {
			name := names[(i+turn)%len(names)]
			if got := here.Depends(syntax.Value{Name: name}); !slices.Equal(got.Own, want[name]) {
				t.Errorf("from %s on: %s depends on %v, want %v", names[turn], name, got.Own, want[name])
			}
		}
	}
}

// TestTablesDoNotMultiplyByNames takes tables of which each holds the one before twice, and parameters that stand for one another in tables.
func TestTablesDoNotMultiplyByNames(t *testing.T) {
	var b strings.Builder
	b.WriteString("p0: {exactly: 1 day}\n")
	for i := range 60 {
		fmt.Fprintf(&b, "p%d: {by: age, child: p%d, other: p%d}\n", i+1, i, i)
	}
	b.WriteString("last: {mixture: [{share: 50%, of: p40}, {share: 50%, of: p40}]}\n")
	here, list := scopeOf(t, b.String())
	for _, name := range []string{"p40", "last"} {
		if l, ok := here.In([]uint16{1, 0}).Law(syntax.Value{Name: name}, name); !ok || l.Mean() != 1 {
			t.Errorf("%s is %+v: %v", name, l, list.Err())
		}
	}
	if _, ok := here.In([]uint16{1, 0}).Law(syntax.Value{Name: "p60"}, ""); ok {
		t.Error("121 names and tables in a row are not too many")
	}
}
