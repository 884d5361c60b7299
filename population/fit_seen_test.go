package population_test

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/modelfit"
	"github.com/almanac-sim/almanac/population"
)

// seenModel is fitted to what is seen of it, to a survey and to a value.
const seenModel = `name: seen
time: {unit: day, start: 0, end: 40}
population: {size: 400, start: {ill: 10, well: rest}}
attributes: {age: {child: 25%, adult: 75%}}
parameters: {beta: 0.5 per day}
states:
  well: {}
  ill: {race: [{after: {gamma: {mean: 5 days, shape: 3}}, to: immune}]}
  immune: {}
transmission: [{from: ill, rate: beta, to: {well: ill}, name: infection}]
observe:
  reports: {of: infection, chance: {by: age, child: 20%, adult: 40%}, after: {lognormal: {mean: 6 days, sd: 4 days}}}
  survey: {at: 20 days, count: 50, chance: {by: state, immune: 90%, other: 2%}}
record: {every: 1 day, values: {prevalence: count(ill) / total}, tree: {of: infection}, people: true}
fit:
  data: cases.csv
  unknown: {beta: {uniform: {low: 0.1 per day, high: 1 per day}}}
  match:
    - {column: cases, seen: reports, error: {negative binomial: {dispersion: 10}}}
    - {column: positive, of: tested, survey: survey}
    - {column: share, value: prevalence, error: {normal: {sd: 10%}}}
    - {column: children, seen: reports, where: {age: child}, error: poisson}
`

// A trial tells what was seen since the row before, the mean of a survey's chance and a value at
// the times of the data, as the run does that records then; and so does a run that is followed, and
// forked.
func TestTrialsOfObservations(t *testing.T) {
	times := []float64{1, 2.5, 7, 20, 35}
	m := compiled(t, seenModel)
	f, err := m.Fit(population.FitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	daily := compiled(t, strings.Replace(seenModel, "every: 1 day", "every: 12 hours, by: [age]", 1),
		population.Set("beta", "0.7 per day"))
	r, err := daily.Run(t.Context(), population.Options{Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	run := &r.Runs[0]
	want := make([][]float64, 4)
	before, children := 0.0, 0.0
	for _, at := range times {
		row := int(2 * at)
		seen, child := float64(run.Seen(row, 0)), float64(run.In(0).Seen(row, 0))
		immune := float64(run.Count(row, 2)) / float64(run.Total(row))
		want[0] = append(want[0], seen-before)
		want[1] = append(want[1], 0.9*immune+0.02*(1-immune))
		want[2] = append(want[2], float64(run.Count(row, 1))/400)
		want[3] = append(want[3], child-children)
		before, children = seen, child
	}
	trial, err := modelfit.Of(f).Trials(times).Run(t.Context(), []float64{0.7}, 5)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		for row := range times {
			if math.Abs(trial.Means[i][row]-want[i][row]) > 1e-9 {
				t.Errorf("column %d, row %d: %v, want %v", i, row, trial.Means[i][row], want[i][row])
			}
		}
	}
	if want[0][3] == 0 || want[1][4] < 0.5 || trial.Observations[1].Error != "binomial" {
		t.Fatalf("nothing happens: %v, %v", want, trial.Observations)
	}
	w, err := modelfit.Of(f).Follow(t.Context(), times, []float64{0.7}, 5)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var fork modelfit.Followed
	for row := range times {
		means, err := w.Step(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i := range means {
			if means[i] != trial.Means[i][row] {
				t.Errorf("followed: column %d, row %d: %v, want %v", i, row, means[i], trial.Means[i][row])
			}
		}
		if row == 2 {
			if fork, err = w.Fork(1); err != nil {
				t.Fatal(err)
			}
			defer fork.Close()
		} else if row > 2 {
			if others, err := fork.Step(t.Context()); err != nil || reflect.DeepEqual(others, means) {
				t.Errorf("a fork has %v; %v", others, err)
			}
		}
	}
}

// Tables of surveys have how many were tested.
func TestReadTested(t *testing.T) {
	f, err := compiled(t, seenModel).Fit(population.FitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := f.Read("cases.csv", []byte("time,cases,positive,tested,share,children\n1,2,,,0.1,1\n2,3,4,10,0.2,0\n"))
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Tested) != 4 || d.Tested[0] != nil || !math.IsNaN(d.Tested[1][0]) || d.Tested[1][1] != 10 {
		t.Errorf("%v", d.Tested)
	}
	for table, want := range map[string]string{
		"time,cases,positive,tested,share,children\n1,2,4,3,0.1,1\n": "tested: 3 were tested, and positive has 4; " +
			"expected no more",
		"time,cases,positive,tested,share,children\n1,2,4,,0.1,1\n": "tested: a gap beside 4 in positive; " +
			"expected how many were tested",
		"time,cases,positive,test,share,children\n1,2,4,7,0.1,1\n": "there is no column \"tested\"; " +
			"did you mean \"test\"?",
		"time,cases,positive,tested,share,children\n1,2,4,7.5,0.1,1\n": "tested: 7.5 is not a whole number",
	} {
		if _, err := f.Read("cases.csv", []byte(table)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// What cannot be matched is refused.
func TestMatchesOfObservations(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"of: tested, survey: survey", "survey: survey", "fit: match 2: survey without of: how many were tested?"},
		{"survey: survey}", "survey: reports}",
			"fit: match 2: survey: reports is an observation of an event; write seen: reports"},
		{"seen: reports, error: {neg", "seen: report, error: {neg",
			`fit: match 1: seen: there is no observation "report"; did you mean "reports"?`},
		{"value: prevalence", "value: prevalenc",
			`fit: match 3: value: there is no value "prevalenc"; did you mean "prevalence"?`},
		{"value: prevalence,", "value: prevalence, where: {age: child},",
			"fit: match 3: both value and where: a value is of the whole population"},
		{"survey: survey}", "survey: survey, error: poisson}",
			"fit: match 2: both survey and error: positives are binomial, of those whom the survey asks"},
		{"{column: share, value", "{column: share, of: tested, value",
			"fit: match 3: of is the column of how many a survey tested; write survey: beside it"},
	} {
		text := strings.Replace(seenModel, c.from, c.to, 1)
		m, err := population.Compile("model.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if _, err = m.Fit(population.FitOptions{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.to, err, c.want)
		}
	}
}
