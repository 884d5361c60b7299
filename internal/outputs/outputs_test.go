package outputs

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/population"
)

// The model does the same each time: all ten are ill for a day, then well; on the second day one of
// two is hurt.
const clockwork = `
name: clockwork
time: {unit: day, end: 4}
population: {size: 10, start: {ill: 8, hurt-badly: rest}}
states:
  ill: {race: [{after: 30 hours, to: well, name: getting well}]}
  well: {}
  hurt-badly: {race: [{after: 2.5 days, to: well}]}
  never: {}
record: {every: 12 hours}
`

func load(t *testing.T) (*population.Model, *population.Run) {
	m, err := population.Compile("clockwork.yaml", []byte(clockwork))
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Run(t.Context(), population.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m, &r.Runs[0]
}

func TestOutputs(t *testing.T) {
	m, run := load(t)
	for text, want := range map[string]float64{
		"final(well)":                        10,
		"final( total )":                     10,
		"peak(ill)":                          8,
		"time of peak(ill)":                  0,
		"time of  peak(well)":                2.5,
		"peak(never)":                        0,
		"time of peak(never)":                math.NaN(),
		"final(ill->well)":                   8,
		"final(ill -> well)":                 8,
		"peak(ill->well)":                    8,
		"time of peak(ill->well)":            1.5,
		"final([getting well])":              8,
		"final(getting well)":                8,
		"peak(hurt-badly)":                   2,
		"final(hurt-badly->well)":            2,
		"at(well, 2)":                        8,
		"at(well, 48 hours)":                 8,
		"well at 1.5 days":                   8,
		"hurt-badly at 0":                    2,
		"peak(total)":                        10,
		"final(well) / final(total)":         1,
		"1 - 50% * peak(ill) + 2^-1":         -2.5,
		"-2^2":                               -4,
		"2^3^2":                              512,
		"10 - 4 - 3":                         3,
		"max(1, peak(ill), 3) - min(2, 1)":   7,
		"sqrt(exp(log(16)))":                 4,
		"peak(ill) / final(never)":           math.NaN(),
		"log(final(never))":                  math.NaN(),
		"(final(well) - 1) * (2)":            18,
		`final("hurt-badly")`:                0,
		"incidence(getting well)":            8,
		"incidence(ill->well, 0..1)":         0,
		"incidence(ill->well, 24..36 hours)": 8,
		"first time(well above 0)":           1.5,
		"last time(ill above 7.5)":           1,
		"last time(ill above 80%)":           math.NaN(),
		"first time(ill below 8 per 10)":     1.5,
		"first time(getting well above 3)":   1.5,
		"last time(never above 0)":           math.NaN(),
		"final(ill->well) per 100":           80,
		"peak(hurt-badly) per person * 10":   2,
		"at(hurt-badly, 1) per 1_000 / 2":    100,
		strings.Repeat("(", 15) + "8" + strings.Repeat(")", 15): 8,
		strings.Repeat("1^", 47) + "8":                          1,
	} {
		o, err := Parse(m, text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := o.Of(run); math.Abs(got-want) > 1e-12 || math.IsNaN(got) != math.IsNaN(want) {
			t.Errorf("%s is %v, want %v", text, got, want)
		}
	}
}

func TestWrong(t *testing.T) {
	m, _ := load(t)
	for text, want := range map[string]string{
		"":           "an output is empty; expected one such as peak(ill)",
		"final(wel)": `there is no "wel"; did you mean "well"?`,
		"final(zebra)": `there is no "zebra"; there are ill, well, hurt-badly, never, ill->well, ` +
			`hurt-badly->well, getting well, total`,
		"peek(ill)":              "there is no peek(…); did you mean peak(…)?",
		"sum(ill)":               "there is no sum(…); there are final(X), peak(X)",
		"well":                   "well when? Write final(well), peak(well) or at(well, TIME)",
		"final(well":             "the parenthesis after final is not closed",
		"(1 + 2":                 "a parenthesis is not closed",
		"final(well) final(ill)": `did not expect "final(ill)"`,
		"1 +":                    "it ends too early",
		"at(well)":               "at which time?",
		"at(well, 0.7)":          "time 0.7 is not recorded; the nearest are 0.5 and 1",
		"well at 9":              "time 9 is after the end, 4",
		"well at -1":             "time -1 is before the start, 0",
		"well at noon":           `found "noon", expected a time`,
		"incidence(well)": "an incidence is of events, and well is a number at a time; write final(well), or a flow or a " +
			"name: ill->well, hurt-badly->well, getting well",
		"incidence(ill->well, 1..0.5)": "the second time is not after the first",
		"incidence(ill->well, 1..1.2)": "time 1.2 is not recorded; the nearest are 1 and 1.5",
		"first time(ill)": "expected above or below a number or a share of the living, as in first time(ill " +
			"above 100)",
		"last time(ill above)":          "expected above or below",
		"last time(ill above 1e)":       "1e is no number to compare with",
		"last time(ill above 1 per 0)":  "1 per 0 is no number to compare with",
		"first time(il above 3)":        `there is no "il"; did you mean "ill"?`,
		"first time(ill above 3) per 2": "is a time, which is not per person",
		"time of peak(ill) per 100":     "is a time, which is not per person",
		"final(ill) per head":           "expected a number of persons, as in per 100_000, or per person",
		"final(ill) per 0":              "expected a number of persons above 0",
		"2 per 100":                     "per stands directly behind final(…)",
		"final(ill, region=north)":      "region=north: the model has no attributes, so there are no groups",
		"final(ill, north)":             `"north" behind the comma; a group is written ATTRIBUTE=VALUE`,
		"max(1, 2":                      "the parenthesis after max is not closed",
		"exp(1, 2)":                     "the parenthesis after exp is not closed",
		strings.Repeat("(", 16) + "1":   "too many parentheses or signs",
		strings.Repeat("1^", 48) + "8":  "too many parentheses or signs",
		strings.Repeat("(", 40) + "1":   "too many parentheses or signs",
		strings.Repeat("-", 90) + "1":   "too many parentheses or signs",
		strings.Repeat("1+", 600):       "more than 1000 letters",
	} {
		if _, err := Parse(m, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\ngot  %v\nwant %s", text, err, want)
		}
	}
	if _, err := All(m, []string{"final(well)", "final( well)", "final(well)"}); err == nil ||
		!strings.Contains(err.Error(), "stands there twice") {
		t.Error(err)
	}
}

// What is told if nobody says what can be read.
func TestDefaults(t *testing.T) {
	m, run := load(t)
	all, err := All(m, nil)
	if err != nil || len(all) != 4+1+8+2 {
		t.Fatalf("%d outputs, %v", len(all), err)
	}
	for _, o := range all {
		o.Of(run)
	}
}

// Whatever is written, it is read or refused.
func FuzzParse(f *testing.F) {
	m, err := population.Compile("clockwork.yaml", []byte(clockwork))
	if err != nil {
		f.Fatal(err)
	}
	r, err := m.Run(f.Context(), population.Options{})
	if err != nil {
		f.Fatal(err)
	}
	for _, text := range []string{"final(well) / 2", "at(well, 1)", "well at 1", "max(1, -2^3)", "time of peak(ill->well)",
		"((", "1e999", "%", "incidence(ill->well, 0..1) per 100", "first time(ill above 1%, a=b)", "final(a=b) per person",
		"at(ill, 1, a=b)"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if o, err := Parse(m, text); err == nil {
			o.Of(&r.Runs[0])
		}
	})
}

// A group is one of a grouping that is recorded, or a sum of those of a finer one; what is not
// recorded is asked for.
func TestGroups(t *testing.T) {
	const text = `
name: grouped
time: {unit: day, end: 2}
population: {size: 100, start: {ill: rest}}
attributes: {region: {north: 40%, south: 60%}, age: {child: 30%, adult: 70%}, sex: {f: 50%, m: 50%}}
parameters: {k: 1 per day}
states: {ill: {race: [{after: 30 hours, to: well}]}, well: {}}
interventions:
  - {when: {well: above 10%}, set: {k: 2 per day}, name: close}
  - {when: {well: above 10%}, set: {k: 2 per day}, name: open, again: true}
record: {every: 1 day, by: [[region, age]]}
`
	m, err := population.Compile("grouped.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if by, err := Groups(m, []string{"final(ill, age=child)", "peak(well, sex=f) + at(ill, sex=m, 1)",
		"first time(ill above 3, sex=f, age=adult)"}); err != nil || fmt.Sprint(by) != "[[sex] [sex age]]" {
		t.Errorf("%v %v", by, err)
	}
	for text, want := range map[string]string{
		"final(ill, sex=f)":             "nothing is recorded by sex; write record: {by: [sex]} in the model",
		"final(ill, sex=f, age=child)":  "nothing is recorded by sex and age; write record: {by: [[sex, age]]} in the model",
		"final(ill, regoin=north)":      `there is no attribute "regoin"; did you mean "region"?`,
		"final(ill, region=nroth)":      `region has no value "nroth"; did you mean "north"?`,
		"final(ill, region=north|east)": `region has no value "east"; there are north, south`,
		"final(ill, region=north|)":     `region has no value ""`,
		"final(close, age=child)":       "close only sets parameters, which happens to no individual, so no group has any",
		"peak(open begins, age=child)":  "so no group has any; leave out age=child",
		"final(ill, region=east)":       `region has no value "east"; there are north, south`,
		"final(il, region=north)":       `there is no "il"; did you mean "ill"?`,
		"final(ill, age=adult, age=1)":  "age stands there twice; an individual has one age",
		"final(ill, child)":             `"child" behind the comma; a group is written ATTRIBUTE=VALUE`,
		"at(ill, region=north)":         "at which time?",
		"incidence(ill, region=north)":  "an incidence is of events",
		"final(ill, region=north, 2)":   `"2" behind the comma`,
		"first time(ill above 1, x=3)":  `there is no attribute "x"`,
		"peak(ill, region=north":        "the parenthesis after peak is not closed",
		"final(ill, region=north) pear": `did not expect "pear"`,
	} {
		if _, err := Parse(m, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\ngot  %v\nwant %s", text, err, want)
		}
	}
	r, err := m.Run(t.Context(), population.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]float64{
		"at(ill, 1, region=north|south)":                                       100,
		"at(ill, 1, region=north | south, age=child) - at(ill, 1, age=child)":  0,
		"at(ill, 1, age=child|adult, region=south) - at(ill, 1, region=south)": 0,
		"first time(well above 40%, region=north|south)":                       2,
		"final(region=north|south) per 10":                                     10,
	} {
		o, err := Parse(m, text)
		if err != nil {
			t.Error(err)
		} else if got := o.Of(&r.Runs[0]); got != want {
			t.Errorf("%s: %g, want %g", text, got, want)
		}
	}
}

// What is observed is counted like events, and a value is read at the rows.
func TestObservedOutputs(t *testing.T) {
	m, err := population.Compile("watched.yaml", []byte(`
name: watched
time: {unit: day, end: 4}
population: {size: 10, start: {ill: 8, well: rest}}
attributes: {region: {north: 50%, south: 50%}}
states:
  ill: {race: [{after: 30 hours, to: well, name: getting well}]}
  well: {}
observe:
  reports: {of: getting well, after: 1 day}
  survey: {at: 1 day, who: ill, count: 4}
record: {every: 12 hours, by: [region], values: {balance: count(ill) - count(well) - 10}}
`))
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Run(t.Context(), population.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]float64{
		"final(reports)":               8,
		"at(reports, 2 days)":          0,
		"time of peak(reports)":        2.5,
		"incidence(reports) per 100":   80,
		"final(survey)":                4,
		"first time(reports above 0)":  2.5,
		"final(balance)":               -20,
		"peak(balance)":                -4,
		"time of peak(balance)":        0,
		"last time(balance above -10)": 1,
		"final(reports, region=north) + final(reports, region=south)": 8,
	} {
		if o, err := Parse(m, text); err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got := o.Of(&r.Runs[0]); math.Abs(got-want) > 1e-12 || math.IsNaN(got) {
			t.Errorf("%s is %v, want %v", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"final(balance) per 100":        "balance is a value, and no number of individuals; leave out per",
		"final(balance, region=north)":  "balance is a value of the whole population; leave out region=north",
		"first time(balance above 10%)": "balance is a value, and no number of individuals; compare it with a number",
		"incidence(balance)":            "an incidence is of events, and balance is a number at a time",
		"final(report)":                 `there is no "report"; did you mean "reports"?`,
	} {
		if _, err := Parse(m, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\ngot  %v\nwant %s", text, err, want)
		}
	}
}
