package explain

import (
	"strings"
	"testing"
)

// TestClockWarnings compares what is said about clocks of always that do not fire for somebody.
func TestClockWarnings(t *testing.T) {
	const model = `
name: warned
time: {unit: year, end: 10}
population: {size: 100, age: AGE, start: {a: rest}}
attributes:
  age: {child: rest, adult: 0%}
  v: {none: rest, one: 0%}
  sex: {f: 50%, m: 50%}
  band: {age: {x: 0 years, y: 20 years, z: 60 years}}
states: {a: {}, b: {}}
always: [CLOCK]
births: {rate: 0.1 per year, enter: a, inherit: INHERIT}
immigration: {rate: 1 per year, enter: a, with: {v: none}, age: 5 years}
interventions:
  - {at: 1 year, who: everyone, where: {v: none}, move: {v: one}}
  - {at: 2 years, enter: b, count: 3, age: 50 years}
record: {every: 1 year}
`
	const start, coming = "those at the start", "those who immigrate"
	past := func(clock, whom, remedy string) string {
		return "  always: " + clock + ": its time is past for " + whom + ", because of their age; for them it never " +
			"fires; " + remedy + "\n"
	}
	const left = "let them begin as it would have left them, if they do not"
	never := func(with, attribute, value, after string) string {
		return "  always: clock 1 never fires: it starts when somebody enters, and nobody enters with " + with +
			". To count the time from a change on, write states in place of " + attribute + ": {" + value +
			": {race: [{after: " + after + ", to: …}]}}; or write rate in place of after, which follows " + attribute +
			" as it changes\n"
	}
	for _, c := range []struct{ name, age, clock, inherit, want string }{
		{"a fixed time that is past", "30 years", "{after: 15 years, move: {age: adult}}", "[sex]",
			past("clock 1", start+" and those who enter by intervention 2", "an attribute that follows the age is right "+
				"for all: attributes: {age: {age: {child: 0 years, adult: 15 years}}}")},
		{"for some", "{uniform: {low: 0 years, high: 40 years}}", "{after: 15 years, move: {age: adult}, name: grown}",
			"[sex]",
			past("grown", "62.5% of "+start+" and those who enter by intervention 2", "an attribute that follows the age is "+
				"right for all: attributes: {age: {age: {child: 0 years, adult: 15 years}}}")},
		{"for immigrants", "0 years", "{after: 3 years, to: b}", "[sex]",
			past("clock 1", coming+" and those who enter by intervention 2", left)},
		{"at random", "0 years", "{after: {uniform: {low: 0 years, high: 100 years}}, to: b}", "[sex]",
			past("clock 1", "5% of "+coming+" and 50% of those who enter by intervention 2", left)},
		{"ages and clock at random", "{uniform: {low: 0 years, high: 9 years}}",
			"{after: {gamma: {mean: 60 years, shape: 3}}, to: b}", "[sex]", "some of those at the start"},
		{"a time that is past for nobody", "{uniform: {low: 0 years, high: 60 years}}",
			"{after: 60 years, move: {age: adult}}", "[sex]", ""},
		{"a life", "30 years", "{after: {weibull: {scale: 80 years, shape: 6}}, to: out}", "[sex]", ""},
		{"a life by where", "30 years", "{after: 90 years, to: out, where: {sex: f}}", "[sex]", ""},
		{"a life by where that may be over", "95 years", "{after: 90 years, to: out, where: {sex: f}}", "[sex]",
			past("clock 1", start+" with sex f", "write after as a table by sex, without where, and the rest of each "+
				"life is drawn given the age")},
		{"a rate", "30 years", "{rate: 0.1 per year, move: {age: adult}}", "[sex]", ""},
		{"a second dose", "0 years", "{after: 28 days, where: {v: one}, move: {v: none}}", "[sex]",
			never("v one", "v", "one", "28 days")},
		{"a second dose of women", "0 years", "{after: 28 days, where: {v: one, sex: f}, move: {v: none}}", "[sex]",
			never("v one and sex f", "v", "one", "28 days")},
		{"a second dose that is exponential", "0 years",
			"{after: {exponential: {mean: 100 years}}, where: {v: one}, move: {v: none}}", "[sex]", ""},
		{"a second dose of children of those who have it", "0 years",
			"{after: 99 years, where: {v: one}, move: {v: none}}", "[v]", ""},
		{"a band that nobody enters with", "0 years", "{after: 99 years, where: {band: z}, to: b}", "all",
			never("band z", "band", "z", "99 years")},
		{"a band that somebody enters with", "61 years", "{after: 99 years, where: {band: z}, to: b}", "all", ""},
	} {
		text := explainText(t, strings.NewReplacer("AGE", c.age, "CLOCK", c.clock, "INHERIT", c.inherit).Replace(model))
		_, warnings, _ := strings.Cut(text, "Is this meant?\n")
		n := strings.Count(warnings, "  always:")
		if !strings.Contains(warnings, c.want) || (n > 0) != (c.want != "") || n > 1 {
			t.Errorf("%s: it says\n%s\nwant\n%s", c.name, warnings, c.want)
		}
	}
}

// TestPastForSome compares for whom the time of a clock is said to be past, if groups at the start
// differ in their ages or in what the clock is for.
func TestPastForSome(t *testing.T) {
	const model = `
name: warned
time: {unit: year, end: 10}
population: {size: 100, groups: [GROUPS]}
attributes: {sex: {f: 40%, m: 60%}}
states: {a: {}, b: {}}
always: [{after: 15 years, to: b, WHERE}]
record: {every: 1 year}
`
	for _, c := range []struct{ groups, where, want string }{
		{"{share: 50%, age: 30 years, start: {a: rest}}, {share: 50%, start: {a: rest}}", "", "50% of those at the start"},
		{"{share: 50%, start: {a: rest}}, {share: 50%, age: 30 years, start: {a: 20, b: rest}}", "",
			"50% of those at the start"},
		{"{share: 25%, age: 30 years, start: {a: rest}}, {share: 75%, age: 20 years, start: {a: rest}}", "",
			"those at the start"},
		{"{share: 50%, age: 30 years, start: {a: rest}}, {share: 50%, age: 1 year, start: {a: rest}}", "where: {sex: f}",
			"50% of those at the start with sex f"},
		// Of women there are 20 and 50, and of the 50 every second is older than 15.
		{"{share: 50%, age: 30 years, start: {a: rest}}, {share: 50%, with: {sex: f}, age: {uniform: {low: 10 years, " +
			"high: 20 years}}, start: {a: rest}}", "where: {sex: f}", "64.29% of those at the start with sex f"},
		{"{share: 50%, with: {sex: m}, age: 30 years, start: {a: rest}}, {share: 50%, with: {sex: f}, start: {a: rest}}",
			"where: {sex: m}", "those at the start with sex m"},
		{"{share: 50%, with: {sex: m}, age: 30 years, start: {a: rest}}, {share: 50%, with: {sex: f}, start: {a: rest}}",
			"where: {sex: f}", ""},
	} {
		text := explainText(t, strings.NewReplacer("GROUPS", c.groups, "WHERE", c.where).Replace(model))
		_, got, _ := strings.Cut(text, "its time is past for ")
		if got, _, _ = strings.Cut(got, ", because"); got != c.want {
			t.Errorf("%s, %s: it is past for %q, want %q", c.groups, c.where, got, c.want)
		}
	}
}

// TestBandsInWords compares what is said about age bands and conditions.
func TestBandsInWords(t *testing.T) {
	text := explainText(t, `
name: words
time: {unit: day, end: 10}
population:
  size: 5_000_000
  groups:
    - {share: 50%, age: 30 years, start: {a: rest}}
    - {share: 50%, start: {a: rest}}
parameters: {grown: 15 years, week: 7 days, k: 1}
attributes: {band: {age: {child: 0 years, adult: grown, elder: 65 years}}, region: {north: 50%, south: 50%}}
states: {a: {race: [{rate: 1 per day, to: b}]}, b: {}}
births: {rate: 0.01 per year, enter: a, inherit: all}
interventions:
  - {when: {incidence(a->b) over week: above 500, b: above 3, where: {region: north}, for: 14 days}, set: {k: 2},
     again: true}
  - {when: {b: below 10%, for: week}, set: {k: 3}}
  - {at: 1 day, enter: b, count: 2, age: {uniform: {low: 1 year, high: 2 years}}}
record: {every: 1 day}
`)
	for _, want := range []string{
		"  band: follows the age, and changes by itself: child from 0 years on, adult from 5479 days (grown) on, elder " +
			"from 65 years on\n",
		"  2,500,000: 2,500,000 a\n    their age is exactly 1.096e+04 days\n  2,500,000: 2,500,000 a\n",
		"    they have all attributes of the parent, but not those that follow the age\n",
		"  each time it has been true for 14 days that a->b happened more than 500 times in the 7 days (week) before and " +
			"more than 3 are b, counting only individuals of region north; once then, not again while it stays true\n",
		"  as soon as it has been true for 7 days (week) that fewer than 10% of the living are b, once\n",
		"    2 individuals enter as b\n    their age is uniform between 365.2 days and 730.5 days\n",
		"A run uses one core once it is set up, because band changes while it goes on.\n",
		"  attributes: band follows the age, and individuals begin newborn, as child; write age: in population or in its " +
			"groups if they are older\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say\n%s", want)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}

// A rate by the time since states is 0 outside of them, also in the state whose clock it is.
func TestClockOutsideItsCurve(t *testing.T) {
	const model = `
name: outside
time: {unit: day, end: 10}
population: {size: 100, start: {ill: rest}}
states:
  ill: {race: [{rate: 1 per day, to: well}]}
  well: {race: [{rate: {since: SINCE, line: {0 days: 1 per day}}, to: ill}]}
`
	for since, warns := range map[string]bool{"ill": true, "well": false, "[ill, well]": false, "birth": false} {
		text := explainText(t, strings.Replace(model, "SINCE", since, 1))
		const want = "states: well: race: clock 1: the time since ill is asked of nobody who is well, " +
			"so that it never fires"
		if strings.Contains(text, want) != warns {
			t.Errorf("since %s: it says\n%s", since, text)
		}
	}
}
