package explain

import (
	"strings"
	"testing"
)

// TestValueInWrongWords checks the words for each kind of value.
func TestValueInWrongWords(t *testing.T) {
	said := explainText(t, `name: m
time: {unit: day, start: 2020-03-01, end: 2020-12-31}
population: {size: 1, start: {a: 1}}
states: {a: {}}
attributes: {age: {child: 20%, adult: 80%}, region: {n: 50%, s: 50%}, country: {a: 50%, b: 20%, c: rest}}
parameters:
  beta: 0.5 per day
  half: 0.5 * beta
  eff: 30%
  area: half ^ 2
  season: {seasonal: {mean: 0.4 per day, amplitude: 20%, peak: 2020-03-15, period: 20 days}}
  shut: {steps: {2020-03-01: 1, 2020-03-11: 0.5, 31.5 days: 0.2}}
  slope: {line: {2020-03-01: 0 per day, 2020-03-11: 1 per day}}
  both: shut * season
  logistic: {value: beta * (1 - total / 10), most: beta}
  severity: {by: age, child: 1%, adult: 1 - eff}
  stay: {gamma: {mean: {by: age, child: 2 days, adult: 4 days}, shape: 2}}
  mixed: {by: age, child: season, other: 3.5 per week}
  two: {by: age, child: 1, other: {by: region, n: 2, s: 3}}
  theirs: {by: age, of: met, child: 1, other: 2}
  both ways: {by: age, child: {by: age, of: met, child: 2, other: 4}, other: {by: age, of: met, child: 3, other: 6}}
  alike: {by: age, other: 7}
  one way: {by: age, child: 1, other: {by: age, of: met, child: 2, other: 3}}
  no way: {by: age, other: {by: age, of: met, other: 5}}
  some alike: {by: country, b: 2, other: 1}
  void: {value: beta * (1 - 10_000 / (total - 1)), most: beta}
  yearly: {seasonal: {mean: 0.4 per day, amplitude: 20%, peak: 2020-03-15, period: 1 year}}
  first: 2020-03-20
  many: {steps: {file: many.csv, column: x, unit: per day}}
`)
	for _, want := range []string{
		"m: 1 individual from 2020-03-01 (day 0) to 2020-12-31 (day 305), recorded 101 times.",
		"  half: 0.25 per day",
		"  area: 0.0625, a number in day^-2",
		"  season: 0.4 per day on average, with a season: 20% more at 2020-03-15 (day 14) and every 20 days from " +
			"then, and as much less half-way between",
		"  shut: 1, 0.5 from 2020-03-11 (day 10) on, 0.2 from day 31.5 on",
		"  slope: 0 per day at 2020-03-01 (day 0), 1 per day at 2020-03-11 (day 10), with straight lines between",
		"  both: shut * season, which changes with time between 0.064 per day and 0.4247 per day",
		"  logistic: beta * (1 - total / 10), which is 0.45 per day at the start, never below 0 and " +
			"at most 0.5 per day",
		"  void: beta * (1 - 10_000 / (total - 1)), never below 0 and at most 0.5 per day",
		"  yearly: 0.4 per day on average, with a season: 20% more at 2020-03-15 (day 14) and every year from then, " +
			"and as much less half-way between",
		"  severity: 1% for age child, 0.7 for age adult",
		"  stay: gamma with mean 2 days and shape 2 for age child, gamma with mean 4 days and shape 2 for age adult",
		"  mixed: 0.4 per day on average, with a season: 20% more at 2020-03-15 (day 14) and every 20 days from " +
			"then, and as much less half-way between for age child; 0.5 per day for age adult",
		"  two: 1 for age child, 2 for age adult and region n, 3 for age adult and region s",
		"  one way: 1 for age child, 2 for age adult meeting age child, 3 for age adult meeting age adult",
		"  no way: 5 for everybody",
		"  theirs: 1 for age child, 2 for age adult, of the one who is met",
		"  both ways: 2 for age child meeting age child, 4 for age child meeting age adult, 3 for age adult meeting " +
			"age child, 6 for age adult meeting age adult",
		"  alike: 7 for every age",
		"  some alike: 1 for country a or c, 2 for country b",
		"  first: 2020-03-20",
		"  many: 1 per day, 2 per day from 2020-03-02 (day 1) on, 3 per day from 2020-03-03 (day 2) on, 4 per day " +
			"from 2020-03-04 (day 3) on, 5 per day from 2020-03-05 (day 4) on, 6 per day from 2020-03-06 (day 5) on, " +
			"and so on for 2 more times until 2020-03-09 (day 8)",
	} {
		if !strings.Contains(said, want+"\n") {
			t.Errorf("it does not say\n%s", want)
		}
	}
	if t.Failed() {
		t.Log(said)
	}
}
