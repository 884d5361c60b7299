package population

import (
	"bytes"
	"context"
	"math"
	"slices"
	"strings"
	"testing"
)

const withFunctions = `
name: functions
time: {unit: day, end: 10}
population: {size: 4000, start: {ill: 10%, well: rest}}
attributes: {age: {young: 40%, old: 60%}}
parameters: {illness: {gamma: {mean: 3 days, shape: 2}}}
states: {well: {}, ill: {race: [{after: illness, to: over}]}, over: {}}
transmission: [{from: ill, rate: 1 per day, to: {well: ill}, name: infection}]
record: {every: 1 day}
`

func compiledWith(t *testing.T, text string, changes ...Change) *Model {
	t.Helper()
	m, err := Compile("functions.yaml", []byte(text), changes...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func jsonOf(t *testing.T, m *Model, o Options) string {
	t.Helper()
	r, err := m.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	r.Seconds, r.Version = 0, ""
	var b bytes.Buffer
	if err := r.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A rule in Go and the same rule in the file give the same bytes.
func TestChanceInGo(t *testing.T) {
	inGo := compiledWith(t, withFunctions, WithChance("infection", func(maker, met Individual, time float64) float64 {
		if maker.State() != "ill" || met.State() != "well" || time < 0 || time > 10 {
			t.Errorf("%s meets %s at %g", maker.State(), met.State(), time)
		}
		if met.Attribute("age") == "old" {
			return 0.25
		}
		return 0.75
	}))
	inFile := compiledWith(t, strings.Replace(withFunctions, "rate: 1 per day,",
		"rate: 1 per day, chance: {by: age, of: met, old: 25%, young: 75%},", 1))
	o := Options{Seed: 4, Replicas: 3}
	if a, b := jsonOf(t, inGo, o), jsonOf(t, inFile, o); a != b {
		t.Error("another result than that of the file")
	}
	if a, b := jsonOf(t, compiledWith(t, withFunctions), o), jsonOf(t, inFile, o); a == b {
		t.Error("the rule makes no difference")
	}
}

// Of 4,000 individuals that begin ill, as many still are as the survival function says.
func TestDurationInGo(t *testing.T) {
	survival := func(x float64) float64 { return 1 / (1 + x*x/4) } // log-logistic, which no file can say
	m := compiledWith(t, `
name: durations
time: {unit: day, end: 10}
population: {size: 4000, start: {ill: rest}}
parameters: {illness: 3 days}
states: {ill: {race: [{after: illness, to: over}]}, over: {}}
record: {every: 1 day}
`, WithDuration("illness", survival))
	const replicas = 5
	r, err := m.Run(context.Background(), Options{Seed: 1, Replicas: replicas})
	if err != nil {
		t.Fatal(err)
	}
	for row := range r.Rows() {
		p := survival(float64(row))
		want, sd := 4000*p, math.Sqrt(4000*p*(1-p)/replicas)
		if got := r.State(0).Mean[row]; math.Abs(got-want) > 4*sd {
			t.Errorf("day %d: %g are ill, want %g ± %g", row, got, want, sd)
		}
	}
	// Those who have been ill for two days recover as the function says beyond two days.
	since := strings.Replace(string(m.Source()), "ill: rest", "ill: {share: 100%, since: 2 days}", 1)
	r, err = compiledWith(t, since, WithDuration("illness", survival)).Run(context.Background(),
		Options{Seed: 2, Replicas: replicas})
	if err != nil {
		t.Fatal(err)
	}
	for row := range r.Rows() {
		p := survival(float64(row)+2) / survival(2)
		want, sd := 4000*p, math.Sqrt(4000*p*(1-p)/replicas)
		if got := r.State(0).Mean[row]; math.Abs(got-want) > 4*sd {
			t.Errorf("after two days, day %d: %g are ill, want %g ± %g", row, got, want, sd)
		}
	}
}

// A value sees what is recorded, on one core and on several, and travels with the run.
func TestValueInGo(t *testing.T) {
	changes := []Change{
		WithValue("counted", func(s Snapshot) float64 { return float64(s.Count("ill")) }),
		WithValue("old and ill", func(s Snapshot) (n float64) {
			s.Each(func(i Individual) {
				if i.State() == "ill" && i.Attribute("age") == "old" {
					n++
				}
			})
			return n
		}),
		WithValue("time", Snapshot.Time),
	}
	m := compiledWith(t, withFunctions+"", changes...)
	grouped := compiledWith(t, strings.Replace(withFunctions, "every: 1 day", "every: 1 day, by: age", 1))
	o := Options{Seed: 3}
	r, err := m.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	by, err := grouped.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	for row := range r.Rows() {
		if got, want := r.Value(0).Mean[row], r.State(1).Mean[row]; got != want {
			t.Errorf("row %d: %g are counted, want %g", row, got, want)
		}
		if got, want := r.Value(1).Mean[row], by.In(1).State(1).Mean[row]; got != want {
			t.Errorf("row %d: %g are old and ill, want %g", row, got, want)
		}
		if got := r.Value(2).Mean[row]; got != float64(row) {
			t.Errorf("row %d: the time is %g", row, got)
		}
	}
	o.windows = 1
	windowed, err := m.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if windowed.Runs[0].Windows == 0 || !slices.Equal(windowed.Value(1).Mean, r.Value(1).Mean) {
		t.Errorf("%d windows, and the old and ill are %v, want %v", windowed.Runs[0].Windows, windowed.Value(1).Mean,
			r.Value(1).Mean)
	}
	data, err := r.Runs[0].MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	again, err := m.ReadRun(data)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := again.Value(7, 1), r.Runs[0].Value(7, 1); got != want {
		t.Errorf("%g after reading, want %g", got, want)
	}
}

func TestFunctionProblems(t *testing.T) {
	half := func(float64) float64 { return 0.5 }
	for want, c := range map[string]Change{
		`WithDuration ilness: there is no parameter "ilness"; did you mean "illness"?`: WithDuration("ilness", half),
		`WithChance infektion: there is no contact "infektion"; did you mean "infection"?`: WithChance("infektion",
			func(_, _ Individual, _ float64) float64 { return 1 }),
		`its survival function is not between 0 and 1 everywhere`: WithDuration("illness",
			func(float64) float64 { return math.NaN() }),
		`its survival function rises somewhere`: WithDuration("illness",
			func(x float64) float64 { return min(x, 1) }),
	} {
		if _, err := Compile("functions.yaml", []byte(withFunctions), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
