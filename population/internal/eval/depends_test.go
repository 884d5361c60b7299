package eval_test

import (
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/population/internal/eval"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

func TestDependenceMissed(t *testing.T) {
	here, _ := scopeOf(t, `
		plain: 0.1 per day
		severity: {by: age, child: 0.1%, adult: 1%, elder: 8%}
		both: {by: region, north: severity, other: 0}
		stay: {gamma: {mean: {by: region, south: 2 days, other: 3 days}, shape: 2}}
		mixed: {mixture: [{share: 1, of: {by: age, child: stay, other: 1 day}}]}
		meeting: {by: age, of: met, child: both, other: 1}
		settable: 1`)
	number := syntax.Value{Quantity: quantity.Quantity{Kind: quantity.Number}}
	here.Sets = map[string][]syntax.Value{"settable": {{Name: "severity"}, number, {Name: "meeting"}}}
	for name, want := range map[string]eval.Dependence{
		"plain":    {},
		"severity": {Own: []int{0}},
		"both":     {Own: []int{0, 1}},
		"stay":     {Own: []int{1}},
		"mixed":    {Own: []int{0, 1}},
		"meeting":  {Own: []int{0, 1}, Met: []int{0}},
		"settable": {Own: []int{0, 1}, Met: []int{0}},
	} {
		got := here.Dependence(syntax.Value{Name: name})
		if !slices.Equal(got.Own, want.Own) || !slices.Equal(got.Met, want.Met) || got.Time || got.Counts ||
			got.Fixed() != want.Fixed() {
			t.Errorf("%s depends on %+v, want %+v", name, got, want)
		}
	}
	if d := here.Dependence(number); !d.Fixed() {
		t.Errorf("a number depends on %+v", d)
	}
}

// TestDependenceLostInCycle sets parameters to one another in cycles and asks for their dependences
// in every order. All parameters of a cycle have the same, including those of parameters the cycle
// leads to.
func TestDependenceLostInCycle(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e", "f", "g"}
	want := map[string][]int{"a": {0, 1}, "b": {0, 1}, "c": {0, 1}, "d": {1}, "e": {1}, "f": {1}, "g": nil}
	for first := range names {
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
		// Cycles: a, b, c; and d, e.
		here.Sets = map[string][]syntax.Value{"a": to("b"), "b": to("c", "a"), "c": to("a", "f"), "e": to("d", "g")}
		for i := range names {
			name := names[(i+first)%len(names)]
			if got := here.Dependence(syntax.Value{Name: name}); !slices.Equal(got.Own, want[name]) {
				t.Errorf("from %s on: %s depends on %v, want %v", names[first], name, got.Own, want[name])
			}
		}
	}
}
