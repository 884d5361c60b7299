package population_test

import (
	"math"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/population"
)

// Means of numbers that are recorded are those of the events.
func TestMeansOfNumbers(t *testing.T) {
	const text = `name: means
time: {unit: day, start: 0, end: 20}
population: {size: 500, start: {ill: 5, well: rest}}
attributes: {activity: {number: {gamma: {mean: 1, shape: 0.3}}}}
states: {well: {}, ill: {race: [{after: 5 days, to: immune}]}, immune: {}}
machines: {sex: {start: {f: 50%, m: rest}, states: {f: {}, m: {}}}}
transmission: [{from: ill, rate: 2 * activity / 5 days, to: {well: ill}}]
record: {every: 10 days, values: {all: mean(activity), active: 2 * mean(activity, ill), women: "mean(activity, sex=f)"}}
`
	m := compiled(t, text)
	type one struct {
		state, sex string
		activity   float64
	}
	now := map[uint64]one{}
	o := population.Options{Seed: 3}
	o.OnEvent = func(e population.Event) { now[e.Individual] = one{e.To, e.Values[0], e.Numbers[0]} }
	r, err := m.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	mean := func(is func(one) bool) float64 {
		sum, n := 0.0, 0.0
		for _, x := range now {
			if is(x) {
				sum, n = sum+x.activity, n+1
			}
		}
		return sum / n
	}
	last := r.Runs[0].Rows() - 1
	for k, want := range []float64{mean(func(one) bool { return true }), 2 * mean(func(x one) bool { return x.state == "ill" }),
		mean(func(x one) bool { return x.sex == "f" })} {
		if got := r.Runs[0].Value(last, k); math.Abs(got-want) > 1e-9 && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("%s: %v, want %v", m.Values()[k], got, want)
		}
	}
	for from, want := range map[string]string{
		"mean(activty)":      `mean of "activty": there is no attribute with a number called so`,
		"mean(activity, il)": `mean: there is no state "il"; did you mean "ill"?`,
		"mean(activity, ill": `there is no ) for mean(`,
	} {
		_, err := population.Compile("model.yaml", []byte(strings.Replace(text, "all: mean(activity)", `all: "`+from+`"`, 1)))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", from, err, want)
		}
	}
	_, err = population.Compile("model.yaml", []byte(strings.Replace(text, "2 * activity / 5 days", "2 * mean(activity) / 5 days", 1)))
	if err == nil {
		t.Error("a rate has a mean")
	}
}
