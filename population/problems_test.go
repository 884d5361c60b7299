package population_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/population"
)

// baseModel is a model with all that a file can hold, and nothing wrong with it. The cases below each spoil a piece of it.
const baseModel = `name: flu
time: {unit: day, start: 0, end: 160}
population:
  size: 1000
  start: {infectious: 10, susceptible: rest}
parameters:
  beta: 0.5 per day
  stay: {gamma: {mean: 5 days, shape: 2}}
  spare: 7 days
attributes:
  region: {north: 40%, south: 60%}
states:
  susceptible: {}
  latent:
    split:
      - {chance: 10%, after: 3 days, to: infectious}
      - {otherwise: true, after: 5 days, to: recovered}
  infectious:
    race:
      - {after: stay, to: recovered}
      - {rate: 0.01 per day, to: out, name: death}
  recovered: {}
always:
  - {after: {weibull: {scale: 80 years, shape: 6}}, to: out}
births: {rate: 0.012 per year, enter: susceptible}
immigration: {rate: 5 per year, enter: recovered}
transmission:
  - from: infectious
    rate: beta
    chance: 50%
    to: {susceptible: latent}
    mixing: {by: region, matrix: [[0.9, 0.1], [0.2, 0.8]]}
interventions:
  - {at: 30 days, set: {beta: 0.2 per day}}
  - {at: 40 days, who: susceptible, coverage: 60%, to: recovered}
  - {at: 50 days, enter: infectious, count: 5}
record: {every: 1 day}
`

// A spoilt model and all that is to be said about it.
type spoilt struct {
	name   string
	swap   []string // of the base: what stands there, and what takes its place, in pairs
	source string   // in place of the base
	empty  bool     // the source is the empty text
	asked  []population.Change
	want   string // the messages, a line each
}

// file is the text of the model. What is swapped must stand in the base once, or the case says nothing.
func (c *spoilt) file(t testing.TB) string {
	if c.source != "" || c.empty {
		return c.source
	}
	text := baseModel
	for i := 0; i < len(c.swap); i += 2 {
		if n := strings.Count(text, c.swap[i]); n != 1 {
			t.Fatalf("%s: %q is in the model %d times, want once", c.name, c.swap[i], n)
		}
		text = strings.Replace(text, c.swap[i], c.swap[i+1], 1)
	}
	return text
}

// TestBaseModel shows that the cases fail for what was done to the model, and for nothing else.
func TestBaseModel(t *testing.T) {
	if _, err := population.Compile("model.yaml", []byte(baseModel)); err != nil {
		t.Fatalf("the base is wrong:\n%v", err)
	}
}

// TestProblems compares all messages with their places: the line and the column, from 1, of what is wrong.
func TestProblems(t *testing.T) {
	names := map[string]bool{}
	for _, c := range spoiltModels {
		if names[c.name] {
			t.Errorf("%s: two cases of this name", c.name)
		}
		names[c.name] = true
		t.Run(c.name, func(t *testing.T) {
			m, err := population.Compile("model.yaml", []byte(c.file(t)), c.asked...)
			var problems population.Problems
			switch {
			case err == nil:
				t.Fatalf("it compiles: %v\nwant\n%s", m, c.want)
			case m != nil:
				t.Error("there is a model beside the problems")
			case !errors.As(err, &problems) || len(problems) == 0:
				t.Fatalf("error of type %T: %v", err, err)
			}
			if got := problems.Error(); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// TestAliasesDoNotMultiply takes a distribution that is written in a few lines and has 3⁴⁰ parts: each of its anchors
// stands for three of the one before. It is refused before they are counted.
func TestAliasesDoNotMultiply(t *testing.T) {
	var b strings.Builder
	b.WriteString("name: m\ntime: {unit: day, end: 10}\npopulation: {size: 1, start: {a: 1}}\nstates: {a: {}}\nparameters:\n  p0: &a0 {exactly: 1 day}\n")
	for i := range 40 {
		fmt.Fprintf(&b, "  p%d: &a%d {mixture: [{share: 50%%, of: *a%d}, {share: 25%%, of: *a%d}, {share: 25%%, of: *a%d}]}\n", i+1, i+1, i, i, i)
	}
	_, err := population.Compile("model.yaml", []byte(b.String()))
	if want := "model.yaml:12:7: parameters: p6: more than 1000 distributions in one"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// manyOf is n things, each written as the format says, with a comma between them.
func manyOf(n int, format string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(all, ", ")
}

// Models with one more of something than there can be.
var (
	nested = "name: m\ntime: {unit: day, end: 10}\npopulation: {size: 1, start: {a: 1}}\nstates:\n  a:\n    race:\n      - {after: " +
		strings.Repeat("{mixture: [{share: 1, of: ", 22) + "1 day" + strings.Repeat("}]}", 22) + ", to: a}\n"
	manyStates     = "name: m\ntime: {unit: day, end: 10}\npopulation: {size: 1, start: {s250: 1}}\nstates: {" + manyOf(251, "s%d: {}") + "}\n"
	manyValues     = "name: m\ntime: {unit: day, end: 10}\npopulation: {size: 1, start: {a: 1}}\nstates: {a: {}}\nattributes: {x: {" + manyOf(250, "v%d: 0") + ", last: 1}}\n"
	manyAttributes = "name: m\ntime: {unit: day, end: 10}\npopulation: {size: 1, start: {a: 1}}\nstates: {a: {}}\nattributes: {" + manyOf(251, "x%d: {y: 1}") + "}\n"
	manyBranches   = "name: m\ntime: {unit: day, end: 10}\npopulation: {size: 1, start: {a: 1}}\nstates: {a: {split: [{otherwise: true, after: 1 day, to: a}, " +
		manyOf(256, "{chance: 0.001, after: %d days, to: a}") + "]}}\n"
)

var spoiltModels = []spoilt{
	// Keys that there are not, at every level.
	{name: "top key", swap: []string{"record:", "recrod:"},
		want: `model.yaml:37:1: the model: there is no key "recrod"; did you mean "record"?`},
	{name: "top key unlike any", swap: []string{"record: {every: 1 day}", "colour: blue"},
		want: `model.yaml:37:1: the model: there is no key "colour"; expected one of name, about, time, population, parameters, states, always, births, immigration, transmission, interventions, attributes, record`},
	{name: "time key", swap: []string{"start: 0", "begin: 0"},
		want: `model.yaml:2:19: time: there is no key "begin"; expected one of unit, start, end`},
	{name: "time key misspelt", swap: []string{"start: 0", "strat: 0"},
		want: `model.yaml:2:19: time: there is no key "strat"; did you mean "start"?`},
	{name: "population key", swap: []string{"  size: 1000\n", "  size: 1000\n  agee: 5 years\n"},
		want: `model.yaml:5:3: population: there is no key "agee"; did you mean "age"?`},
	{name: "state key", swap: []string{"    race:\n", "    races:\n"},
		want: `model.yaml:19:5: states: infectious: there is no key "races"; did you mean "race"?`},
	{name: "race key", swap: []string{"{after: stay, to: recovered}", "{after: stay, to: recovered, chance: 1}"},
		want: `model.yaml:20:38: states: infectious: race: there is no key "chance"; expected one of after, rate, to, name`},
	{name: "split key", swap: []string{"{otherwise: true, after: 5 days, to: recovered}", "{otherwise: true, after: 5 days, to: recovered, form: latent}"},
		want: `model.yaml:17:57: states: latent: split: there is no key "form"; expected one of after, rate, to, name, chance, otherwise`},
	{name: "always key", swap: []string{"shape: 6}}, to: out}", "shape: 6}}, to: out, nmae: death}"},
		want: `model.yaml:24:62: always: there is no key "nmae"; did you mean "name"?`},
	{name: "births key", swap: []string{"births: {rate: 0.012 per year, enter: susceptible}", "births: {rate: 0.012 per year, enter: susceptible, age: 1 year}"},
		want: `model.yaml:25:52: births: there is no key "age"; expected one of rate, enter, from, name`},
	{name: "immigration key", swap: []string{"rate: 5 per year, enter: recovered", "rate: 5 per year, enter: recovered, ages: 9 years"},
		want: `model.yaml:26:51: immigration: there is no key "ages"; did you mean "age"?`},
	{name: "transmission key", swap: []string{"    chance: 50%\n", "    chanse: 50%\n"},
		want: `model.yaml:30:5: transmission 1: there is no key "chanse"; did you mean "chance"?`},
	{name: "mixing key", swap: []string{"mixing: {by: region,", "mixing: {of: all, by: region,"},
		want: `model.yaml:32:14: transmission 1: mixing: there is no key "of"; expected one of by, matrix`},
	{name: "intervention key", swap: []string{"coverage: 60%", "covrage: 60%"},
		want: `model.yaml:35:37: intervention 2: there is no key "covrage"; did you mean "coverage"?`},
	{name: "record key", swap: []string{"{every: 1 day}", "{every: 1 day, form: csv}"},
		want: `model.yaml:37:24: record: there is no key "form"; expected one of every`},
	{name: "distribution key", swap: []string{"{mean: 5 days, shape: 2}", "{mean: 5 days, shape: 2, sd: 1 day}"},
		want: `model.yaml:8:42: parameters: stay: gamma: there is no key "sd"; expected one of mean, shape`},
	{name: "mixture key", swap: []string{"after: 3 days", "after: {mixture: [{share: 1, of: 2 days, fo: 3 days}]}"},
		want: `model.yaml:16:64: states: latent: split: clock 1: after: mixture: there is no key "fo"; did you mean "of"?`},
	{name: "merge key", swap: []string{"    chance: 50%\n", "    <<: {chance: 50%}\n"},
		want: `model.yaml:30:5: transmission 1: there is no key "<<"; expected one of from, rate, chance, to, mixing, name`},
	{name: "misspelt key that is needed", swap: []string{"    rate: beta\n", "    rat: beta\n"},
		want: `model.yaml:29:5: transmission 1: there is no key "rat"; did you mean "rate"?`},
	{name: "misspelt argument that is needed", swap: []string{"shape: 2}", "shpe: 2}"},
		want: `model.yaml:8:32: parameters: stay: gamma: there is no key "shpe"; did you mean "shape"?`},
	{name: "misspelt section that is needed", swap: []string{"states:\n", "stats:\n"},
		want: `model.yaml:12:1: the model: there is no key "stats"; did you mean "states"?`},

	// Names of states.
	{name: "state in start", swap: []string{"start: {infectious: 10", "start: {infectius: 10"},
		want: `model.yaml:5:11: population: start: there is no state "infectius"; did you mean "infectious"?`},
	{name: "two states in start", swap: []string{"start: {infectious: 10, susceptible: rest}", "start: {infectius: 10, susceptable: rest}"},
		want: `model.yaml:5:11: population: start: there is no state "infectius"; did you mean "infectious"?
model.yaml:5:26: population: start: there is no state "susceptable"; did you mean "susceptible"?`},
	{name: "state in a race", swap: []string{"{after: stay, to: recovered}", "{after: stay, to: recoverd}"},
		want: `model.yaml:20:27: states: infectious: race: clock 1: to: there is no state "recoverd"; did you mean "recovered"?`},
	{name: "state in a split", swap: []string{"to: infectious}\n", "to: infectios}\n"},
		want: `model.yaml:16:42: states: latent: split: clock 1: to: there is no state "infectios"; did you mean "infectious"?`},
	{name: "state in always", swap: []string{"shape: 6}}, to: out}", "shape: 6}}, to: ouf}"},
		want: `model.yaml:24:57: always: clock 1: to: there is no state "ouf"; did you mean "out"?`},
	{name: "state in always from", swap: []string{"shape: 6}}, to: out}", "shape: 6}}, to: out, from: [latnt, susceptible]}"},
		want: `model.yaml:24:69: always: clock 1: from: there is no state "latnt"; did you mean "latent"?`},
	{name: "out in always from", swap: []string{"shape: 6}}, to: out}", "shape: 6}}, to: out, from: out}"},
		want: "model.yaml:24:68: always: clock 1: from: expected a state; out is for leaving the population"},
	{name: "state in births", swap: []string{"enter: susceptible", "enter: suspectible"},
		want: `model.yaml:25:39: births: enter: there is no state "suspectible"; did you mean "susceptible"?`},
	{name: "out in births", swap: []string{"enter: susceptible", "enter: out"},
		want: "model.yaml:25:39: births: enter: expected a state; out is for leaving the population"},
	{name: "state in births from", swap: []string{"enter: susceptible", "enter: susceptible, from: adult"},
		want: `model.yaml:25:58: births: from: there is no state "adult"; expected one of susceptible, latent, infectious, recovered`},
	{name: "state in immigration", swap: []string{"enter: recovered", "enter: recoverd"},
		want: `model.yaml:26:40: immigration: enter: there is no state "recoverd"; did you mean "recovered"?`},
	{name: "state in transmission from", swap: []string{"from: infectious\n", "from: [infectious, latnet]\n"},
		want: `model.yaml:28:24: transmission 1: from: there is no state "latnet"; did you mean "latent"?`},
	{name: "both sides of a transmission", swap: []string{"to: {susceptible: latent}", "to: {suceptible: lattent}"},
		want: `model.yaml:31:10: transmission 1: to: there is no state "suceptible"; did you mean "susceptible"?
model.yaml:31:22: transmission 1: to: suceptible: there is no state "lattent"; did you mean "latent"?`},
	{name: "out on the left of a transmission", swap: []string{"to: {susceptible: latent}", "to: {out: latent}"},
		want: "model.yaml:31:10: transmission 1: to: expected a state; out is for leaving the population"},
	{name: "state in who", swap: []string{"who: susceptible", "who: [susceptible, recoverde]"},
		want: `model.yaml:35:38: intervention 2: who: there is no state "recoverde"; did you mean "recovered"?`},
	{name: "everyone as a goal", swap: []string{"coverage: 60%, to: recovered", "coverage: 60%, to: everyone"},
		want: `model.yaml:35:56: intervention 2: to: there is no state "everyone"; expected one of susceptible, latent, infectious, recovered, out`},
	{name: "state in an intervention", swap: []string{"coverage: 60%, to: recovered", "coverage: 60%, to: recoverred"},
		want: `model.yaml:35:56: intervention 2: to: there is no state "recoverred"; did you mean "recovered"?`},
	{name: "state that an intervention lets in", swap: []string{"enter: infectious, count", "enter: out, count"},
		want: "model.yaml:36:26: intervention 3: enter: expected a state; out is for leaving the population"},
	{name: "empty goal", swap: []string{"{after: stay, to: recovered}", `{after: stay, to: ""}`},
		want: `model.yaml:20:27: states: infectious: race: clock 1: to: found "", expected a name`},
	{name: "empty state of births", swap: []string{"enter: susceptible", `enter: ""`},
		want: `model.yaml:25:39: births: enter: found "", expected a name`},
	{name: "empty state of immigration", swap: []string{"enter: recovered", `enter: ""`},
		want: `model.yaml:26:40: immigration: enter: found "", expected a name`},
	{name: "empty state in start", swap: []string{"start: {infectious: 10", `start: {"": 10`},
		want: `model.yaml:5:11: population: start: there is no state ""; expected one of susceptible, latent, infectious, recovered`},
	{name: "empty state in transmission", swap: []string{"from: infectious\n", "from: \"\"\n"},
		want: `model.yaml:28:11: transmission 1: from: found "", expected a name`},
	{name: "empty goal of a contact", swap: []string{"to: {susceptible: latent}", `to: {susceptible: ""}`},
		want: `model.yaml:31:23: transmission 1: to: susceptible: found "", expected a name`},
	{name: "empty who", swap: []string{"who: susceptible", `who: ""`},
		want: `model.yaml:35:24: intervention 2: who: found "", expected a name`},

	// Names of parameters, attributes, values, units and distributions.
	{name: "parameter", swap: []string{"    rate: beta\n", "    rate: betta\n"},
		want: `model.yaml:29:11: transmission 1: rate: there is no parameter "betta"; did you mean "beta"?`},
	{name: "parameter of more than one word", swap: []string{"    rate: beta\n", "    rate: five per day\n"},
		want: `model.yaml:29:11: transmission 1: rate: "five per day" is neither a quantity such as 5 days nor the name of a parameter`},
	{name: "parameter where there are none", source: `name: m
time: {unit: day, end: 10}
population: {size: 1, start: {a: 1}}
states:
  a:
    race: [{rate: b, to: a}]
`,
		want: `model.yaml:6:19: states: a: race: clock 1: rate: there is no parameter "b"; none is defined`},
	{name: "parameter of a parameter", swap: []string{"spare: 7 days", "spare: spar"},
		want: `model.yaml:9:10: parameters: spare: there is no parameter "spar"; did you mean "spare"?`},
	{name: "parameter of a parameter that is used", swap: []string{"stay: {gamma: {mean: 5 days, shape: 2}}", "stay: stray"},
		want: `model.yaml:8:9: parameters: stay: there is no parameter "stray"; did you mean "stay"?`},
	{name: "attribute of mixing", swap: []string{"by: region", "by: regoin"},
		want: `model.yaml:32:18: transmission 1: mixing: by: there is no attribute "regoin"; did you mean "region"?`},
	{name: "attribute of a move", swap: []string{"shape: 6}}, to: out}", "shape: 6}}, move: {area: north}}"},
		want: `model.yaml:24:60: always: clock 1: move: there is no attribute "area"; expected one of region`},
	{name: "value of a move", swap: []string{"shape: 6}}, to: out}", "shape: 6}}, move: {region: nroth}}"},
		want: `model.yaml:24:68: always: clock 1: move: there is no value of region "nroth"; did you mean "north"?`},
	{name: "attribute of where", swap: []string{"who: susceptible,", "who: susceptible, where: {regio: north},"},
		want: `model.yaml:35:45: intervention 2: where: there is no attribute "regio"; did you mean "region"?`},
	{name: "value of where", swap: []string{"who: susceptible,", "who: susceptible, where: {region: west},"},
		want: `model.yaml:35:53: intervention 2: where: there is no value of region "west"; expected one of north, south`},
	{name: "value of an intervention's move", swap: []string{"coverage: 60%, to: recovered", "coverage: 60%, move: {region: shouth}"},
		want: `model.yaml:35:67: intervention 2: move: there is no value of region "shouth"; did you mean "south"?`},
	{name: "no value of a move", swap: []string{"shape: 6}}, to: out}", "shape: 6}}, move: {region: }}"},
		want: "model.yaml:24:68: always: clock 1: move: region: found nothing, expected a name"},
	{name: "no moves", swap: []string{"shape: 6}}, to: out}", "shape: 6}}, move: {}}"},
		want: "model.yaml:24:59: always: clock 1: move: expected an attribute and a value, such as {region: south}"},
	{name: "unit of the model", swap: []string{"unit: day", "unit: mintues"},
		want: `model.yaml:2:14: time: unit: there is no unit "mintues"; did you mean "minutes"?`},
	{name: "unit of the model, singular", swap: []string{"unit: day", "unit: yaer"},
		want: `model.yaml:2:14: time: unit: there is no unit "yaer"; did you mean "year"?`},
	{name: "unit of a duration", swap: []string{"after: 3 days", "after: 3 wekes"},
		want: `model.yaml:16:30: states: latent: split: clock 1: after: "3 wekes": there is no unit "wekes"; did you mean "weeks"?; expected a duration such as 5 days`},
	{name: "unit of a duration, singular", swap: []string{"after: 3 days", "after: 1 weak"},
		want: `model.yaml:16:30: states: latent: split: clock 1: after: "1 weak": there is no unit "weak"; did you mean "week"?; expected a duration such as 5 days`},
	{name: "unit unlike any", swap: []string{"after: 3 days", "after: 3 fortnights"},
		want: `model.yaml:16:30: states: latent: split: clock 1: after: "3 fortnights": there is no unit "fortnights"; the units are second, minute, hour, day, week, month, year; expected a duration such as 5 days`},
	{name: "unit of a rate", swap: []string{"rate: 0.01 per day", "rate: 0.01 per yeer"},
		want: `model.yaml:21:16: states: infectious: race: death: rate: "0.01 per yeer": there is no unit "yeer"; did you mean "year"?; expected a rate such as 0.5 per day`},
	{name: "unit of a parameter", swap: []string{"spare: 7 days", "spare: 7 wekes"},
		want: `model.yaml:9:10: parameters: spare: "7 wekes": there is no unit "wekes"; did you mean "weeks"?; expected a value such as 0.5 per day, 5 days or 30%`},
	{name: "unit written to the number", swap: []string{"after: 3 days", "after: 3days"},
		want: `model.yaml:16:30: states: latent: split: clock 1: after: "3days" is not a number; expected a duration such as 5 days`},
	{name: "rate with a slash", swap: []string{"rate: 0.01 per day", "rate: 0.01/day"},
		want: `model.yaml:21:16: states: infectious: race: death: rate: "0.01/day" is not a number; expected a rate such as 0.5 per day`},
	{name: "per nothing", swap: []string{"rate: 0.01 per day", "rate: 0.01 per"},
		want: `model.yaml:21:16: states: infectious: race: death: rate: "0.01 per": per what? Write 0.01 per day, for example; expected a rate such as 0.5 per day`},
	{name: "too many words", swap: []string{"rate: 0.01 per day", "rate: 0.01 per day per head"},
		want: `model.yaml:21:16: states: infectious: race: death: rate: "0.01 per day per head" is more than a quantity; write 5 days or 0.5 per day, for example; expected a rate such as 0.5 per day`},
	{name: "percentage with a unit", swap: []string{"after: 3 days", "after: 3% days"},
		want: `model.yaml:16:30: states: latent: split: clock 1: after: "3% days": a percentage has no unit; expected a duration such as 5 days`},
	{name: "percentage with a space", swap: []string{"coverage: 60%", "coverage: 60 %"},
		want: `model.yaml:35:47: intervention 2: coverage: "60 %": there is no unit "%"; the units are second, minute, hour, day, week, month, year; expected a percentage such as 30%`},
	{name: "distribution", swap: []string{"{gamma: {mean: 5 days, shape: 2}}", "{gama: {mean: 5 days, shape: 2}}"},
		want: `model.yaml:8:10: parameters: stay: there is no distribution "gama"; did you mean "gamma"?`},
	{name: "distribution unlike any", swap: []string{"{gamma: {mean: 5 days, shape: 2}}", "{pareto: {mean: 5 days, shape: 2}}"},
		want: `model.yaml:8:10: parameters: stay: there is no distribution "pareto"; expected one of exponential, gamma, erlang, weibull, lognormal, uniform, exactly, hazard, mixture`},
	{name: "distribution of two names", swap: []string{"{gamma: {mean: 5 days, shape: 2}}", "{mean: 5 days, shape: 2}"},
		want: "model.yaml:8:9: parameters: stay: a distribution has one name and its arguments, such as {gamma: {mean: 5 days, shape: 2}}; there are 2 names here"},
	{name: "distribution of no name", swap: []string{"{gamma: {mean: 5 days, shape: 2}}", "{}"},
		want: "model.yaml:8:9: parameters: stay: a distribution has one name and its arguments, such as {gamma: {mean: 5 days, shape: 2}}; there are 0 names here"},
	{name: "distribution that is a template", swap: []string{"{after: stay,", "{after: {{stay}},"},
		want: "model.yaml:20:18: states: infectious: race: clock 1: after: found a mapping as a key, expected a name"},

	// Values of another kind.
	{name: "bare number as a duration", swap: []string{"after: 3 days", "after: 3"},
		want: "model.yaml:16:30: states: latent: split: clock 1: after: 3 has no unit; write 3 days, or whatever the unit is"},
	{name: "bare number as a rate", swap: []string{"rate: 0.01 per day", "rate: 0.01"},
		want: "model.yaml:21:16: states: infectious: race: death: rate: 0.01 has no unit; write 0.01 per day, or whatever the unit is"},
	{name: "bare number as a parameter", swap: []string{"beta: 0.5 per day", "beta: 0.5"},
		want: "model.yaml:29:11: transmission 1: rate: parameter beta, 0.5, has no unit; write 0.5 per day, or whatever the unit is"},
	{name: "bare number in a distribution", swap: []string{"scale: 80 years", "scale: 80"},
		want: "model.yaml:24:31: always: clock 1: after: weibull: scale: 80 has no unit; write 80 days, or whatever the unit is"},
	{name: "bare number in the distribution of a parameter", swap: []string{"mean: 5 days", "mean: 5"},
		want: "model.yaml:8:24: parameters: stay: gamma: mean: 5 has no unit; write 5 days, or whatever the unit is"},
	{name: "bare number in record", swap: []string{"every: 1 day", "every: 1"},
		want: "model.yaml:37:17: record: every: 1 has no unit; write 1 day, or whatever the unit is"},
	{name: "bare number as the time of an intervention", swap: []string{"at: 30 days", "at: 30"},
		want: "model.yaml:34:10: intervention 1: at: 30 has no unit; write 30 days, or whatever the unit is"},
	{name: "duration as a rate", swap: []string{"rate: 0.01 per day", "rate: 3 days"},
		want: "model.yaml:21:16: states: infectious: race: death: rate: 3 days is a duration; expected a rate such as 0.5 per day"},
	{name: "rate as a duration", swap: []string{"after: 3 days", "after: 3 per day"},
		want: "model.yaml:16:30: states: latent: split: clock 1: after: 3 per day is a rate; expected a duration such as 5 days or a distribution such as {gamma: {mean: 5 days, shape: 2}}"},
	{name: "percentage as a duration", swap: []string{"after: 3 days", "after: 3%"},
		want: "model.yaml:16:30: states: latent: split: clock 1: after: 3% is a percentage; expected a duration such as 5 days or a distribution such as {gamma: {mean: 5 days, shape: 2}}"},
	{name: "percentage as a rate", swap: []string{"rate: 0.012 per year", "rate: 1.2%"},
		want: "model.yaml:25:16: births: rate: 1.2% is a percentage; expected a rate such as 0.5 per day"},
	{name: "rate as a probability", swap: []string{"chance: 50%", "chance: 0.5 per day"},
		want: "model.yaml:30:13: transmission 1: chance: 0.5 per day is a rate; expected a percentage such as 30%"},
	{name: "duration as a parameter for a rate", swap: []string{"    rate: beta\n", "    rate: spare\n"},
		want: "model.yaml:29:11: transmission 1: rate: parameter spare, 7 days, is a duration; expected a rate such as 0.5 per day"},
	{name: "rate as a parameter for a duration", swap: []string{"{after: stay,", "{after: beta,"},
		want: "model.yaml:20:17: states: infectious: race: clock 1: after: parameter beta, 0.5 per day, is a rate; expected a duration such as 5 days or a distribution such as {gamma: {mean: 5 days, shape: 2}}"},
	{name: "distribution as a rate", swap: []string{"rate: 0.01 per day", "rate: {gamma: {mean: 5 days, shape: 2}}"},
		want: "model.yaml:21:16: states: infectious: race: death: rate: found a distribution, expected a rate such as 0.5 per day"},
	{name: "distribution as a parameter for a rate", swap: []string{"    rate: beta\n", "    rate: stay\n"},
		want: "model.yaml:29:11: transmission 1: rate: parameter stay is a distribution; expected a rate such as 0.5 per day"},
	{name: "percentage as a shape", swap: []string{"shape: 6", "shape: 60%"},
		want: "model.yaml:24:48: always: clock 1: after: weibull: shape: 60% is a percentage; expected a number such as 2"},
	{name: "rate as record", swap: []string{"every: 1 day", "every: 1 per day"},
		want: "model.yaml:37:17: record: every: 1 per day is a rate; expected a duration such as 5 days"},
	{name: "rate as the start", swap: []string{"start: 0", "start: 1 per day"},
		want: "model.yaml:2:26: time: start: 1 per day is a rate; expected a time, as a number in the unit of the model"},
	{name: "parameter as the time of an intervention", swap: []string{"at: 30 days", "at: spare"},
		want: `model.yaml:34:10: intervention 1: at: found "spare", expected a duration such as 5 days; a parameter cannot stand here`},
	{name: "list as a value", swap: []string{"rate: 0.01 per day", "rate: [1, 2]"},
		want: "model.yaml:21:16: states: infectious: race: death: rate: found a list, expected a rate such as 0.5 per day"},
	{name: "nothing as a value", swap: []string{"rate: 0.01 per day", "rate: "},
		want: "model.yaml:21:16: states: infectious: race: death: rate: found nothing, expected a rate such as 0.5 per day"},
	{name: "empty text as a value", swap: []string{"rate: 0.01 per day", `rate: ""`},
		want: `model.yaml:21:16: states: infectious: race: death: rate: found "", expected a rate such as 0.5 per day`},
	{name: "nothing as a parameter", swap: []string{"spare: 7 days", "spare:"},
		want: "model.yaml:9:9: parameters: spare: found nothing, expected a value such as 0.5 per day, 5 days or 30%"},

	// Numbers that are out of range, or are none.
	{name: "probability of 1.5", swap: []string{"chance: 50%", "chance: 1.5"},
		want: "model.yaml:30:13: transmission 1: chance: 1.5: a probability is between 0 and 1, or 0% and 100%"},
	{name: "probability of 150%", swap: []string{"chance: 50%", "chance: 150%"},
		want: "model.yaml:30:13: transmission 1: chance: 150%: a probability is between 0 and 1, or 0% and 100%"},
	{name: "probability of -0.1", swap: []string{"chance: 50%", "chance: -0.1"},
		want: "model.yaml:30:13: transmission 1: chance: -0.1: a probability is between 0 and 1, or 0% and 100%"},
	{name: "coverage of 101%", swap: []string{"coverage: 60%", "coverage: 101%"},
		want: "model.yaml:35:47: intervention 2: coverage: 101%: a probability is between 0 and 1, or 0% and 100%"},
	{name: "probability by a parameter", swap: []string{"spare: 7 days", "spare: 1.5", "chance: 50%", "chance: spare"},
		want: "model.yaml:30:13: transmission 1: chance: parameter spare, 1.5: a probability is between 0 and 1, or 0% and 100%"},
	{name: "negative rate", swap: []string{"rate: 0.01 per day", "rate: -0.01 per day"},
		want: "model.yaml:21:16: states: infectious: race: death: rate: -0.01 per day: a rate cannot be negative"},
	{name: "negative rate by a parameter", swap: []string{"beta: 0.5 per day", "beta: -0.5 per day"},
		want: "model.yaml:29:11: transmission 1: rate: parameter beta, -0.5 per day: a rate cannot be negative"},
	{name: "negative duration", swap: []string{"after: 3 days", "after: -3 days"},
		want: "model.yaml:16:30: states: latent: split: clock 1: after: -3 days: a duration cannot be negative"},
	{name: "negative time of an intervention", swap: []string{"at: 30 days", "at: -30 days"},
		want: "model.yaml:34:10: intervention 1: at: -30 days: a duration cannot be negative"},
	{name: "negative mean", swap: []string{"mean: 5 days", "mean: -5 days"},
		want: "model.yaml:8:24: parameters: stay: gamma: mean: -5 days: a duration cannot be negative"},
	{name: ".nan", swap: []string{"rate: 0.01 per day", "rate: .nan"},
		want: `model.yaml:21:16: states: infectious: race: death: rate: ".nan" is not a number; expected a rate such as 0.5 per day`},
	{name: "NaN", swap: []string{"rate: 0.01 per day", "rate: NaN"},
		want: `model.yaml:21:16: states: infectious: race: death: rate: there is no parameter "NaN"; expected one of beta, spare, stay`},
	{name: ".inf", swap: []string{"rate: 0.01 per day", "rate: .inf"},
		want: `model.yaml:21:16: states: infectious: race: death: rate: ".inf" is not a number; expected a rate such as 0.5 per day`},
	{name: "-.inf days", swap: []string{"after: 3 days", "after: -.inf days"},
		want: `model.yaml:16:30: states: latent: split: clock 1: after: "-.inf" is not a number; expected a duration such as 5 days`},
	{name: "1e999", swap: []string{"rate: 0.01 per day", "rate: 1e999 per day"},
		want: `model.yaml:21:16: states: infectious: race: death: rate: "1e999" is not a number; expected a rate such as 0.5 per day`},
	{name: "hexadecimal", swap: []string{"rate: 0.01 per day", "rate: 0x10 per day"},
		want: `model.yaml:21:16: states: infectious: race: death: rate: "0x10" is not a number; expected a rate such as 0.5 per day`},
	{name: "underscore at an end", swap: []string{"rate: 0.01 per day", "rate: 1_ per day"},
		want: `model.yaml:21:16: states: infectious: race: death: rate: "1_" is not a number; expected a rate such as 0.5 per day`},
	{name: "decimal comma", swap: []string{"rate: 0.01 per day", "rate: '0,01 per day'"},
		want: `model.yaml:21:16: states: infectious: race: death: rate: "0,01" is not a number; expected a rate such as 0.5 per day`},
	{name: "minus sign of typography", swap: []string{"rate: 0.01 per day", "rate: −0.01 per day"},
		want: `model.yaml:21:16: states: infectious: race: death: rate: "−0.01 per day" is neither a quantity such as 5 days nor the name of a parameter`},
	{name: "too fast for the unit", swap: []string{"rate: 0.01 per day", "rate: 1e305 per second"},
		want: "model.yaml:21:16: states: infectious: race: death: rate: 1e305 per second is too large or too small for a time in days"},
	{name: "too slow for the unit", swap: []string{"unit: day", "unit: second", "rate: 0.01 per day", "rate: 1e-320 per year"},
		want: "model.yaml:21:16: states: infectious: race: death: rate: 1e-320 per year is too large or too small for a time in seconds"},

	// The population.
	{name: "size 2.5", swap: []string{"size: 1000", "size: 2.5"},
		want: `model.yaml:4:9: population: size: found "2.5", expected a whole number from 0 to 4000000000`},
	{name: "size -1", swap: []string{"size: 1000", "size: -1"},
		want: `model.yaml:4:9: population: size: found "-1", expected a whole number from 0 to 4000000000`},
	{name: "size many", swap: []string{"size: 1000", "size: many"},
		want: `model.yaml:4:9: population: size: found "many", expected a whole number from 0 to 4000000000`},
	{name: "size hexadecimal", swap: []string{"size: 1000", "size: 0x10"},
		want: `model.yaml:4:9: population: size: found "0x10", expected a whole number from 0 to 4000000000`},
	{name: "size beyond all ids", swap: []string{"size: 1000", "size: 4_000_000_001"},
		want: `model.yaml:4:9: population: size: found "4_000_000_001", expected a whole number from 0 to 4000000000`},
	{name: "size nothing", swap: []string{"size: 1000", "size:"},
		want: "model.yaml:4:8: population: size: found nothing, expected a whole number"},
	{name: "no size", swap: []string{"  size: 1000\n", ""},
		want: `model.yaml:4:3: population: "size" is missing; write size: 100_000, for example`},
	{name: "no start", swap: []string{"  start: {infectious: 10, susceptible: rest}\n", ""},
		want: `model.yaml:4:3: population: "start" is missing; write start: {infectious: 10, susceptible: rest}, for example`},
	{name: "start of nothing", swap: []string{"start: {infectious: 10, susceptible: rest}", "start:"},
		want: "model.yaml:5:9: population: start: 0 of 1000 individuals; give one state the rest, as in susceptible: rest"},
	{name: "start is a list", swap: []string{"start: {infectious: 10, susceptible: rest}", "start: [infectious, susceptible]"},
		want: "model.yaml:5:10: population: start: found a list, expected a mapping such as {infectious: 10, susceptible: rest}"},
	{name: "two rests", swap: []string{"infectious: 10,", "infectious: rest,"},
		want: "model.yaml:5:29: population: start: a second rest; only one state can have those who are left over"},
	{name: "too many at the start", swap: []string{"infectious: 10,", "infectious: 1001,"},
		want: "model.yaml:5:10: population: start: 1001 individuals are more than the size, 1000"},
	{name: "too many by percentage", swap: []string{"infectious: 10, susceptible: rest", "infectious: 60%, susceptible: 50%"},
		want: "model.yaml:5:10: population: start: 1100 individuals are more than the size, 1000"},
	{name: "too few at the start", swap: []string{"susceptible: rest", "susceptible: 900"},
		want: "model.yaml:5:10: population: start: 910 of 1000 individuals; give one state the rest, as in susceptible: rest"},
	{name: "start share 0.3", swap: []string{"infectious: 10,", "infectious: 0.3,"},
		want: "model.yaml:5:23: population: start: infectious: 0.3 is not a whole number of individuals; write 30% for a share of the population"},
	{name: "start share 0.3 without a rest", swap: []string{"infectious: 10, susceptible: rest", "infectious: 0.3, susceptible: 700"},
		want: "model.yaml:5:23: population: start: infectious: 0.3 is not a whole number of individuals; write 30% for a share of the population"},
	{name: "start 2.5", swap: []string{"infectious: 10,", "infectious: 2.5,"},
		want: `model.yaml:5:23: population: start: infectious: found "2.5", expected a whole number from 0 to 4000000000`},
	{name: "start -5", swap: []string{"infectious: 10,", "infectious: -5,"},
		want: `model.yaml:5:23: population: start: infectious: found "-5", expected a whole number from 0 to 4000000000`},
	{name: "start 5 days", swap: []string{"infectious: 10,", "infectious: 5 days,"},
		want: `model.yaml:5:23: population: start: infectious: found "5 days", expected a number, a percentage, or rest`},
	{name: "start some", swap: []string{"infectious: 10,", "infectious: some,"},
		want: `model.yaml:5:23: population: start: infectious: found "some", expected a number, a percentage, or rest`},
	{name: "start 150%", swap: []string{"infectious: 10,", "infectious: 150%,"},
		want: "model.yaml:5:23: population: start: infectious: 150% is not between 0% and 100%"},
	{name: "start nothing", swap: []string{"infectious: 10,", "infectious: ,"},
		want: "model.yaml:5:23: population: start: infectious: found nothing, expected a number, a percentage, or rest"},
	{name: "size above the most that is not said", swap: []string{"size: 1000", "size: 600_000_000"},
		want: "model.yaml:4:9: population: size 600000000 is more than the most there may be, 500000000; write most: 600000000 in population"},
	{name: "size above the most", swap: []string{"  size: 1000\n", "  size: 1000\n  most: 999\n"},
		want: "model.yaml:4:9: population: size 1000 is more than the most there may be, 999; write most: 1000 in population"},
	{name: "most is no number", swap: []string{"  size: 1000\n", "  size: 1000\n  most: lots\n"},
		want: `model.yaml:5:9: population: most: found "lots", expected a whole number from 0 to 4000000000`},
	{name: "age without a unit", swap: []string{"  size: 1000\n", "  size: 1000\n  age: 30\n"},
		want: "model.yaml:5:8: population: age: 30 has no unit; write 30 days, or whatever the unit is"},
	{name: "age as a rate", swap: []string{"  size: 1000\n", "  size: 1000\n  age: 30 per year\n"},
		want: "model.yaml:5:8: population: age: 30 per year is a rate; expected a duration such as 5 days or a distribution such as {gamma: {mean: 5 days, shape: 2}}"},
	{name: "ages beyond the longest life", swap: []string{"  size: 1000\n", "  size: 1000\n  age: {uniform: {low: 0 years, high: 101 years}}\n", "{weibull: {scale: 80 years, shape: 6}}", "36525 days"},
		want: "model.yaml:5:8: population: age: ages reach 36890.2 days, but a clock of always ends every life by 36525 days"},
	{name: "age of the end of life", swap: []string{"  size: 1000\n", "  size: 1000\n  age: 100 years\n", "{weibull: {scale: 80 years, shape: 6}}", "100 years"},
		want: "model.yaml:5:8: population: age: ages reach 36525 days, but a clock of always ends every life by 36525 days"},
	{name: "ages without a bound", swap: []string{"  size: 1000\n", "  size: 1000\n  age: {exponential: {mean: 30 years}}\n", "{weibull: {scale: 80 years, shape: 6}}", "{uniform: {low: 1 year, high: 100 years}}"},
		want: "model.yaml:5:8: population: age: ages have no bound, but a clock of always ends every life by 36525 days"},
	{name: "ages that may never end", swap: []string{"  size: 1000\n", "  size: 1000\n  age: {hazard: {0 years: 0.1 per year, 9 years: 0 per year}}\n"},
		want: "model.yaml:5:8: population: age: a hazard that ends with a rate of 0 has no end, but an age must have one"},
	{name: "age of immigrants", swap: []string{"enter: recovered", "enter: recovered, age: 120 years", "{weibull: {scale: 80 years, shape: 6}}", "100 years"},
		want: "model.yaml:26:56: immigration: age: ages reach 43830 days, but a clock of always ends every life by 36525 days"},

	// Time and records.
	{name: "end before the start", swap: []string{"start: 0, end: 160", "start: 25, end: 20"},
		want: "model.yaml:2:35: time: end: 20 is not after the start, 25"},
	{name: "end at the start", swap: []string{"start: 0, end: 160", "start: 20, end: 20 days"},
		want: "model.yaml:2:35: time: end: 20 days is not after the start, 20"},
	{name: "no end", swap: []string{", end: 160", ""},
		want: `model.yaml:2:7: time: "end" is missing; write end: 160, for example`},
	{name: "no unit", swap: []string{"unit: day, ", ""},
		want: `model.yaml:2:7: time: "unit" is missing; write unit: day, for example`},
	{name: "end never", swap: []string{"end: 160", "end: never"},
		want: `model.yaml:2:34: time: end: "never" is not a number; expected a number in the unit of the model`},
	{name: "end is a percentage", swap: []string{"end: 160", "end: 50%"},
		want: "model.yaml:2:34: time: end: 50% is a percentage; expected a time, as a number in the unit of the model"},
	{name: "end is a list", swap: []string{"end: 160", "end: [160]"},
		want: "model.yaml:2:34: time: end: found a list, expected a time such as 160"},
	{name: "end beyond all numbers", swap: []string{"unit: day, start: 0, end: 160", "unit: second, start: 0, end: 1e305 years"},
		want: "model.yaml:2:37: time: end: 1e305 years is too large for a time in seconds"},
	{name: "time is a list", swap: []string{"time: {unit: day, start: 0, end: 160}", "time: [0, 160]"},
		want: "model.yaml:2:7: time: found a list, expected a mapping such as {unit: day, start: 0, end: 160}"},
	{name: "time is nothing", swap: []string{"time: {unit: day, start: 0, end: 160}", "time:"},
		want: "model.yaml:2:6: time: found nothing, expected a mapping such as {unit: day, start: 0, end: 160}"},
	{name: "record every 0 days", swap: []string{"every: 1 day", "every: 0 days"},
		want: "model.yaml:37:17: record: every: 0 days: expected more than nothing"},
	{name: "record every -1 day", swap: []string{"every: 1 day", "every: -1 day"},
		want: "model.yaml:37:17: record: every: -1 day: a duration cannot be negative"},
	{name: "too many rows", swap: []string{"every: 1 day", "every: 1 second"},
		want: "model.yaml:37:17: record: every: 1 second would make more than 10000000 rows"},
	{name: "record without every", swap: []string{"{every: 1 day}", "{}"},
		want: `model.yaml:37:9: record: "every" is missing; write every: 1 day, for example`},
	{name: "record is nothing", swap: []string{"record: {every: 1 day}", "record:"},
		want: "model.yaml:37:8: record: found nothing, expected a mapping such as {every: 1 day}"},
	{name: "run too long for its rows", swap: []string{"start: 0, end: 160", "start: -1.7e308, end: 1.7e308", "record: {every: 1 day}\n", ""},
		want: "model.yaml:2:41: time: end: 1.7e308 is too far from the start, -1.7e+308"},
	{name: "run too short for its rows", swap: []string{"end: 160", "end: 5e-324", "record: {every: 1 day}\n", ""},
		want: "model.yaml:2:34: time: end: 5e-324 is too near to the start, 0"},

	// The file as a whole.
	{name: "empty file", source: "", empty: true,
		want: "model.yaml:1:1: the file is empty; a model is expected: name, time, population, states"},
	{name: "only a comment", source: `# nothing yet
`,
		want: "model.yaml:1:1: the file is empty; a model is expected: name, time, population, states"},
	{name: "only a line of dashes", source: `---
`,
		want: "model.yaml:2:1: the model: found nothing, expected a mapping such as name: sir"},
	{name: "a list", source: `- name: flu
`,
		want: "model.yaml:1:1: the model: found a list, expected a mapping such as name: sir"},
	{name: "a text", source: `flu
`,
		want: `model.yaml:1:1: the model: found "flu", expected a mapping such as name: sir`},
	{name: "no sections", source: `{}
`,
		want: `model.yaml:1:1: the model: "name" is missing; write name: sir, for example
model.yaml:1:1: the model: "time" is missing; write time: {unit: day, start: 0, end: 160}, for example
model.yaml:1:1: the model: "population" is missing; write population: {size: 1000, start: {susceptible: rest}}, for example
model.yaml:1:1: the model: "states" is missing; write states: {susceptible: {}, infectious: {}}, for example`},
	{name: "only a name", source: `# a model
name: flu
`,
		want: `model.yaml:2:1: the model: "time" is missing; write time: {unit: day, start: 0, end: 160}, for example
model.yaml:2:1: the model: "population" is missing; write population: {size: 1000, start: {susceptible: rest}}, for example
model.yaml:2:1: the model: "states" is missing; write states: {susceptible: {}, infectious: {}}, for example`},
	{name: "tab", swap: []string{"  size: 1000", "\tsize: 1000"},
		want: "model.yaml:4:1: this is not YAML: found character that cannot start any token"},
	{name: "unclosed bracket", swap: []string{"every: 1 day}", "every: 1 day"},
		want: "model.yaml:37:1: this is not YAML: did not find expected ',' or '}'"},
	{name: "unclosed bracket in the middle", swap: []string{"start: {infectious: 10, susceptible: rest}", "start: {infectious: 10, susceptible: rest"},
		want: "model.yaml:5:1: this is not YAML: did not find expected ',' or '}'"},
	{name: "unclosed quote", swap: []string{"name: flu", `name: "flu`},
		want: "model.yaml:38:1: this is not YAML: found unexpected end of stream"},
	{name: "unknown anchor", swap: []string{"{after: stay, to: recovered}", "{after: *stay, to: recovered}"},
		want: "model.yaml:20:17: this is not YAML: unknown anchor 'stay' referenced"},
	{name: "colon in a value", swap: []string{"rate: beta", "rate: beta: gamma"},
		want: "model.yaml:29:1: this is not YAML: mapping values are not allowed in this context"},
	{name: "control character", swap: []string{"spare: 7 days", "spare: 7\x01days"},
		want: "model.yaml:9:11: this is not YAML: control characters are not allowed"},
	{name: "not UTF-8", swap: []string{"spare: 7 days", "spare: 7 \xffdays"},
		want: "model.yaml:9:12: this is not YAML: invalid leading UTF-8 octet"},
	{name: "two documents", swap: []string{"record: {every: 1 day}\n", "record: {every: 1 day}\n---\nname: another\n"},
		want: "model.yaml:38:1: a second document begins; a file holds one model"},
	{name: "second document that is not YAML", swap: []string{"record: {every: 1 day}\n", "record: {every: 1 day}\n---\nname: [another\n"},
		want: "model.yaml:39:1: this is not YAML: did not find expected ',' or ']'"},
	{name: "key twice", swap: []string{"births:", "name: flu\nbirths:"},
		want: `model.yaml:25:1: the model: "name" is here twice, first in line 1`},
	{name: "state twice", swap: []string{"  recovered: {}\n", "  recovered: {}\n  latent: {}\n"},
		want: `model.yaml:23:3: states: "latent" is here twice, first in line 14`},
	{name: "parameter twice", swap: []string{"spare: 7 days", "beta: 7 days"},
		want: `model.yaml:9:3: parameters: "beta" is here twice, first in line 7`},
	{name: "age twice in a hazard", swap: []string{"{weibull: {scale: 80 years, shape: 6}}", "{hazard: {0 years: 1 per year, 0 years: 2 per year}}"},
		want: `model.yaml:24:44: always: clock 1: after: hazard: "0 years" is here twice, first in line 24`},
	{name: "list as a key", swap: []string{"record:", "[a, b]: 1\nrecord:"},
		want: "model.yaml:37:1: the model: found a list as a key, expected a name"},
	{name: "no name", swap: []string{"name: flu\n", ""},
		want: `model.yaml:1:1: the model: "name" is missing; write name: sir, for example`},
	{name: "name is nothing", swap: []string{"name: flu", "name:"},
		want: "model.yaml:1:6: name: found nothing, expected a name"},
	{name: "name is empty", swap: []string{"name: flu", `name: ""`}, want: `model.yaml:1:7: name: found "", expected a name`},
	{name: "name is a list", swap: []string{"name: flu", "name: [flu]"},
		want: "model.yaml:1:7: name: found a list, expected a name"},
	{name: "about is a mapping", swap: []string{"name: flu", "name: flu\nabout: {by: me}"},
		want: "model.yaml:2:8: about: found a mapping, expected a text"},
	{name: "no states", swap: []string{"states:\n", "states: {}\nabout: |\n"},
		want: "model.yaml:12:9: states: expected at least one state, such as susceptible: {}"},
	{name: "states is a list", source: `name: m
time: {unit: day, end: 10}
population: {size: 0, start: {}}
states: [susceptible, infectious]
`,
		want: "model.yaml:4:9: states: found a list, expected a mapping such as {susceptible: {}, infectious: {}}"},
	{name: "states is nothing", source: `name: m
time: {unit: day, end: 10}
population: {size: 0, start: {}}
states:
`,
		want: "model.yaml:4:8: states: expected at least one state, such as susceptible: {}"},
	{name: "population is a number", source: `name: m
time: {unit: day, end: 10}
population: 1000
states: {a: {}}
`,
		want: `model.yaml:3:13: population: found "1000", expected a mapping such as {size: 1000, start: {susceptible: rest}}`},
	{name: "parameters is a list", source: `name: m
time: {unit: day, end: 10}
population: {size: 0, start: {}}
parameters: [beta]
states: {a: {}}
`,
		want: "model.yaml:4:13: parameters: found a list, expected a mapping such as {beta: 0.5 per day}"},
	{name: "transmission is a mapping", source: `name: m
time: {unit: day, end: 10}
population: {size: 0, start: {}}
states: {a: {}}
transmission: {from: a, rate: 1 per day, to: {a: a}}
`,
		want: "model.yaml:5:15: transmission: found a mapping, expected a list such as [{from: infectious, rate: 0.5 per day, to: {susceptible: infectious}}]"},
	{name: "interventions is a mapping", source: `name: m
time: {unit: day, end: 10}
population: {size: 0, start: {}}
states: {a: {}}
interventions: {at: 3 days, enter: a, count: 1}
`,
		want: "model.yaml:5:16: interventions: found a mapping, expected a list such as [{at: 30 days, set: {beta: 0.2 per day}}]"},
	{name: "always is a mapping", source: `name: m
time: {unit: day, end: 10}
population: {size: 0, start: {}}
states: {a: {}}
always: {rate: 1 per day, to: out}
`,
		want: "model.yaml:5:9: always: found a mapping, expected a list such as [{rate: 0.2 per day, to: recovered}]"},
	{name: "births is a text", swap: []string{"births: {rate: 0.012 per year, enter: susceptible}", "births: many"},
		want: `model.yaml:25:9: births: found "many", expected a mapping such as {rate: 0.012 per year, enter: susceptible}`},
	{name: "a clock is a text", swap: []string{"- {after: stay, to: recovered}", "- stay"},
		want: `model.yaml:20:9: states: infectious: race: found "stay", expected a mapping such as {after: 5 days, to: recovered}`},
	{name: "a state is a list", swap: []string{"  recovered: {}\n", "  recovered: []\n"},
		want: "model.yaml:22:14: states: recovered: found a list, expected a mapping such as {race: [{rate: 0.2 per day, to: recovered}]}"},
	{name: "race is a mapping", swap: []string{"    race:\n      - {after: stay, to: recovered}\n      - {rate: 0.01 per day, to: out, name: death}\n", "    race: {after: stay, to: recovered}\n"},
		want: "model.yaml:19:11: states: infectious: race: found a mapping, expected a list such as [{rate: 0.2 per day, to: recovered}]"},
	{name: "a contact is a text", swap: []string{"  - from: infectious\n    rate: beta\n    chance: 50%\n    to: {susceptible: latent}\n    mixing: {by: region, matrix: [[0.9, 0.1], [0.2, 0.8]]}\n", "  - infectious\n"},
		want: `model.yaml:28:5: transmission 1: found "infectious", expected a mapping such as {from: infectious, rate: 0.5 per day, to: {susceptible: infectious}}`},
	{name: "to of a contact is a name", swap: []string{"to: {susceptible: latent}", "to: latent"},
		want: `model.yaml:31:9: transmission 1: to: found "latent", expected a mapping such as {susceptible: infectious}`},

	// Names that cannot be.
	{name: "state out", swap: []string{"  recovered: {}\n", "  recovered: {}\n  out: {}\n"},
		want: `model.yaml:23:3: states: "out" cannot be a name: it means leaving the population`},
	{name: "state rest", swap: []string{"  recovered: {}\n", "  recovered: {}\n  rest: {}\n"},
		want: `model.yaml:23:3: states: "rest" cannot be a name: it means those who are left over`},
	{name: "state everyone", swap: []string{"  recovered: {}\n", "  recovered: {}\n  everyone: {}\n"},
		want: `model.yaml:23:3: states: "everyone" cannot be a name: it means all states`},
	{name: "state immigration", swap: []string{"  recovered: {}\n", "  recovered: {}\n  immigration: {}\n"},
		want: `model.yaml:23:3: states: "immigration" cannot be a name: it means coming from elsewhere`},
	{name: "state interventions", swap: []string{"  recovered: {}\n", "  recovered: {}\n  interventions: {}\n"},
		want: `model.yaml:23:3: states: "interventions" cannot be a name: it means being let in by an intervention`},
	{name: "state births", swap: []string{"  recovered: {}\n", "  recovered: {}\n  births: {}\n"},
		want: `model.yaml:23:3: states: "births" cannot be a name: it means being born`},
	{name: "state that begins with a digit", swap: []string{"  recovered: {}\n", "  recovered: {}\n  2nd: {}\n"},
		want: `model.yaml:23:3: states: "2nd" cannot be a name; expected letters, digits and _, beginning with a letter`},
	{name: "state that begins with a digit, and is used", swap: []string{"  recovered: {}\n", "  recovered: {}\n  2nd: {}\n", "{after: stay, to: recovered}", "{after: stay, to: 2nd}"},
		want: `model.yaml:23:3: states: "2nd" cannot be a name; expected letters, digits and _, beginning with a letter`},
	{name: "state with an arrow", swap: []string{"  recovered: {}\n", "  recovered: {}\n  a->b: {}\n"},
		want: `model.yaml:23:3: states: "a->b" cannot be a name; expected letters, digits and _, beginning with a letter`},
	{name: "state that ends with a space", swap: []string{"  recovered: {}\n", "  recovered: {}\n  'gone ': {}\n"},
		want: `model.yaml:23:3: states: "gone " cannot be a name; expected letters, digits and _, beginning with a letter`},
	{name: "state without a name", swap: []string{"  recovered: {}\n", "  recovered: {}\n  '': {}\n"},
		want: `model.yaml:23:3: states: "" cannot be a name; expected letters, digits and _, beginning with a letter`},
	{name: "parameter that looks like a number", swap: []string{"spare: 7 days", "7up: 7 days"},
		want: `model.yaml:9:3: parameters: "7up" cannot be a name; expected letters, digits and _, beginning with a letter`},
	{name: "attribute with a colon", swap: []string{"region: {north: 40%, south: 60%}", "region: {north: 40%, south: 60%}\n  'a:b': {c: 1}"},
		want: `model.yaml:12:3: attributes: "a:b" cannot be a name; expected letters, digits and _, beginning with a letter`},
	{name: "value with a percent sign", swap: []string{"north: 40%, south: 60%", "north: 40%, south: 60%, '%': 0"},
		want: `model.yaml:11:36: attributes: region: "%" cannot be a name; expected letters, digits and _, beginning with a letter`},
	{name: "too many states", source: manyStates,
		want: "model.yaml:4:9: states: 251 states are more than the 250 there can be"},
	{name: "too many values", source: manyValues,
		want: "model.yaml:5:17: attributes: x: 251 values are more than the 250 there can be"},
	{name: "too many attributes", source: manyAttributes,
		want: "model.yaml:5:3404: attributes: 251 are more than the 250 there can be"},
	{name: "too many branches", source: manyBranches,
		want: "model.yaml:4:21: states: a: split: 257 branches are more than the 250 there can be"},

	// Clocks.
	{name: "rate and after", swap: []string{"{after: stay, to: recovered}", "{after: stay, rate: beta, to: recovered}"},
		want: "model.yaml:20:9: states: infectious: race: clock 1: both rate and after; a clock has one of them"},
	{name: "neither rate nor after", swap: []string{"{after: stay, to: recovered}", "{to: recovered}"},
		want: "model.yaml:20:9: states: infectious: race: clock 1: when? Write rate: 0.2 per day or after: 5 days, for example"},
	{name: "no goal", swap: []string{"{after: stay, to: recovered}", "{after: stay}"},
		want: `model.yaml:20:9: states: infectious: race: clock 1: "to" is missing; write to: recovered, for example`},
	{name: "no goal, with a name", swap: []string{"to: out, name: death", "name: death"},
		want: `model.yaml:21:9: states: infectious: race: death: "to" is missing; write to: recovered, for example`},
	{name: "goal is nothing", swap: []string{"{after: stay, to: recovered}", "{after: stay, to: }"},
		want: "model.yaml:20:27: states: infectious: race: clock 1: to: found nothing, expected a name"},
	{name: "goal is a list", swap: []string{"{after: stay, to: recovered}", "{after: stay, to: [recovered]}"},
		want: "model.yaml:20:27: states: infectious: race: clock 1: to: found a list, expected a name"},
	{name: "name of a clock is a list", swap: []string{"name: death", "name: [death]"},
		want: "model.yaml:21:45: states: infectious: race: name: found a list, expected a name"},
	{name: "always with neither", swap: []string{"{after: {weibull: {scale: 80 years, shape: 6}}, to: out}", "{to: out}"},
		want: "model.yaml:24:5: always: clock 1: when? Write rate: 0.2 per day or after: 5 days, for example"},
	{name: "chance of always", swap: []string{"shape: 6}}, to: out}", "shape: 6}}, to: out, chance: 2}"},
		want: "model.yaml:24:70: always: clock 1: chance: 2: a probability is between 0 and 1, or 0% and 100%"},
	{name: "births without rate", swap: []string{"births: {rate: 0.012 per year, enter: susceptible}", "births: {enter: susceptible}"},
		want: `model.yaml:25:9: births: "rate" is missing; write rate: 500 per year, for example`},
	{name: "births without enter", swap: []string{"births: {rate: 0.012 per year, enter: susceptible}", "births: {rate: 0.012 per year}"},
		want: `model.yaml:25:9: births: "enter" is missing; write enter: susceptible, for example`},
	{name: "immigration as a list", swap: []string{"immigration: {rate: 5 per year, enter: recovered}", "immigration: [{rate: 5 per year, enter: recovered}, {rate: 5, enter: recovered}]"},
		want: "model.yaml:26:60: immigration: rate: 5 has no unit; write 5 per day, or whatever the unit is"},
	{name: "births enter nothing", swap: []string{"enter: susceptible", "enter: "},
		want: "model.yaml:25:39: births: enter: found nothing, expected a name"},
	{name: "births from nobody", swap: []string{"enter: susceptible", "enter: susceptible, from: []"},
		want: "model.yaml:25:58: births: from: expected at least one state, such as [latent, infectious]"},

	// Splits.
	{name: "chances that do not add up", swap: []string{"{otherwise: true, after: 5 days", "{chance: 80%, after: 5 days"},
		want: "model.yaml:16:9: states: latent: split: the chances add up to 0.9, expected 1; or write otherwise: true for one branch"},
	{name: "chances above 1", swap: []string{"{otherwise: true, after: 5 days", "{chance: 95%, after: 5 days"},
		want: "model.yaml:16:9: states: latent: split: the chances add up to 1.05, expected 1; or write otherwise: true for one branch"},
	{name: "chances above 1 with otherwise", swap: []string{"      - {chance: 10%, after: 3 days, to: infectious}\n", "      - {chance: 60%, after: 3 days, to: infectious}\n      - {chance: 60%, after: 4 days, to: infectious}\n"},
		want: "model.yaml:16:9: states: latent: split: the chances add up to 1.2, more than 1"},
	{name: "two otherwise", swap: []string{"{chance: 10%, after: 3 days", "{otherwise: true, after: 3 days"},
		want: "model.yaml:17:9: states: latent: split: clock 2: a second otherwise; only one branch can have what is left over"},
	{name: "chance and otherwise", swap: []string{"{otherwise: true, after: 5 days", "{chance: 90%, otherwise: true, after: 5 days"},
		want: "model.yaml:17:34: states: latent: split: clock 2: both chance and otherwise; a branch has one of them"},
	{name: "neither chance nor otherwise", swap: []string{"{otherwise: true, after: 5 days", "{after: 5 days"},
		want: "model.yaml:17:9: states: latent: split: clock 2: how probable? Write chance: 10%, for example, or otherwise: true"},
	{name: "otherwise false", swap: []string{"{otherwise: true, after: 5 days", "{otherwise: false, after: 5 days"},
		want: `model.yaml:17:21: states: latent: split: clock 2: otherwise: found "false", expected true`},
	{name: "chance that cannot be read", swap: []string{"chance: 10%, after: 3 days", "chance: 1O%, after: 3 days", "{otherwise: true, after: 5 days", "{chance: 90%, after: 5 days"},
		want: `model.yaml:16:18: states: latent: split: clock 1: chance: "1O%" is not a number; expected a percentage such as 30%`},
	{name: "branch without a clock", swap: []string{"{otherwise: true, after: 5 days, to", "{otherwise: true, to"},
		want: "model.yaml:17:9: states: latent: split: clock 2: when? Write rate: 0.2 per day or after: 5 days, for example"},
	{name: "branch of chance 200%", swap: []string{"chance: 10%", "chance: 200%"},
		want: "model.yaml:16:18: states: latent: split: clock 1: chance: 200%: a probability is between 0 and 1, or 0% and 100%"},

	// Attributes and mixing.
	{name: "shares that do not add up", swap: []string{"north: 40%", "north: 30%"},
		want: "model.yaml:11:3: attributes: region: the shares add up to 0.9, expected 1"},
	{name: "share above 1", swap: []string{"north: 40%", "north: 140%"},
		want: "model.yaml:11:19: attributes: region: north: 140%: a probability is between 0 and 1, or 0% and 100%"},
	{name: "share that cannot be read", swap: []string{"north: 40%", "north: 4O%"},
		want: `model.yaml:11:19: attributes: region: north: "4O%" is not a number; expected a percentage such as 30%`},
	{name: "attribute without values", swap: []string{"region: {north: 40%, south: 60%}", "region: {north: 40%, south: 60%}\n  sex: {}"},
		want: "model.yaml:12:8: attributes: sex: expected at least one value with its share, such as {north: 40%, south: 60%}"},
	{name: "attribute that is a list", swap: []string{"region: {north: 40%, south: 60%}", "region: {north: 40%, south: 60%}\n  sex: [female, male]"},
		want: "model.yaml:12:8: attributes: sex: found a list, expected a mapping such as {north: 40%, south: 60%}"},
	{name: "matrix with too few rows", swap: []string{"[[0.9, 0.1], [0.2, 0.8]]", "[[0.9, 0.1]]"},
		want: "model.yaml:32:34: transmission 1: mixing: matrix: 1 rows, expected 2, one for each of north, south"},
	{name: "matrix with a short row", swap: []string{"[[0.9, 0.1], [0.2, 0.8]]", "[[0.9, 0.1], [1]]"},
		want: "model.yaml:32:47: transmission 1: mixing: matrix: row 2 has 1 numbers, expected 2, one for each of north, south"},
	{name: "matrix with a row that does not add up", swap: []string{"[[0.9, 0.1], [0.2, 0.8]]", "[[0.9, 0.1], [0.2, 0.7]]"},
		want: "model.yaml:32:48: transmission 1: mixing: matrix: row 2 adds up to 0.9, expected 1"},
	{name: "matrix with two rows that do not add up", swap: []string{"[[0.9, 0.1], [0.2, 0.8]]", "[[0.9, 0.2], [0.2, 0.7]]"},
		want: `model.yaml:32:36: transmission 1: mixing: matrix: row 1 adds up to 1.1, expected 1
model.yaml:32:48: transmission 1: mixing: matrix: row 2 adds up to 0.9, expected 1`},
	{name: "matrix with a number above 1", swap: []string{"[[0.9, 0.1], [0.2, 0.8]]", "[[0.9, 0.1], [20, 0.8]]"},
		want: "model.yaml:32:48: transmission 1: mixing: matrix: 20: a probability is between 0 and 1, or 0% and 100%"},
	{name: "matrix with a number that cannot be read", swap: []string{"[[0.9, 0.1], [0.2, 0.8]]", "[[0.9, 0.1], [0.2, 0.8.1]]"},
		want: `model.yaml:32:53: transmission 1: mixing: matrix: "0.8.1" is not a number; expected a percentage such as 30%`},
	{name: "matrix that is one row", swap: []string{"[[0.9, 0.1], [0.2, 0.8]]", "[0.9, 0.1]"},
		want: `model.yaml:32:35: transmission 1: mixing: matrix: found "0.9", expected a list such as [0.9, 0.1]
model.yaml:32:40: transmission 1: mixing: matrix: found "0.1", expected a list such as [0.9, 0.1]`},
	{name: "matrix that is a number", swap: []string{"[[0.9, 0.1], [0.2, 0.8]]", "0.9"},
		want: `model.yaml:32:34: transmission 1: mixing: matrix: found "0.9", expected a list such as [[0.9, 0.1], [0.1, 0.9]]`},
	{name: "mixing without a matrix", swap: []string{"by: region, matrix: [[0.9, 0.1], [0.2, 0.8]]", "by: region"},
		want: `model.yaml:32:13: transmission 1: mixing: "matrix" is missing; write matrix: [[0.9, 0.1], [0.1, 0.9]], for example`},
	{name: "mixing without by", swap: []string{"by: region, ", ""},
		want: `model.yaml:32:13: transmission 1: mixing: "by" is missing; write by: region, for example`},
	{name: "matrix of nothing", swap: []string{"matrix: [[0.9, 0.1], [0.2, 0.8]]", "matrix: "},
		want: "model.yaml:32:34: transmission 1: mixing: matrix: 0 rows, expected 2, one for each of north, south"},
	{name: "mixing is nothing", swap: []string{"mixing: {by: region, matrix: [[0.9, 0.1], [0.2, 0.8]]}", "mixing:"},
		want: "model.yaml:32:12: transmission 1: mixing: found nothing, expected a mapping such as {by: region, matrix: [[0.9, 0.1], [0.1, 0.9]]}"},
	{name: "transmission without from", swap: []string{"  - from: infectious\n    rate: beta\n", "  - rate: beta\n"},
		want: `model.yaml:28:5: transmission 1: "from" is missing; write from: infectious, for example`},
	{name: "transmission without anything", swap: []string{"  - from: infectious\n    rate: beta\n    chance: 50%\n    to: {susceptible: latent}\n    mixing: {by: region, matrix: [[0.9, 0.1], [0.2, 0.8]]}\n", "  - {}\n"},
		want: `model.yaml:28:5: transmission 1: "from" is missing; write from: infectious, for example
model.yaml:28:5: transmission 1: "rate" is missing; write rate: 0.5 per day, for example
model.yaml:28:5: transmission 1: "to" is missing; write to: {susceptible: infectious}, for example`},
	{name: "transmission from nobody", swap: []string{"from: infectious\n", "from: []\n"},
		want: "model.yaml:28:11: transmission 1: from: expected at least one state, such as [latent, infectious]"},
	{name: "transmission to nobody", swap: []string{"to: {susceptible: latent}", "to: {}"},
		want: "model.yaml:31:9: transmission 1: to: expected what becomes of whom, such as {susceptible: infectious}"},

	// Distributions.
	{name: "erlang with k 2.5", swap: []string{"after: 3 days", "after: {erlang: {mean: 5 days, k: 2.5}}"},
		want: "model.yaml:16:57: states: latent: split: clock 1: after: erlang: k: 2.5: expected a whole number of stages; gamma takes any shape"},
	{name: "erlang with k 0", swap: []string{"after: 3 days", "after: {erlang: {mean: 5 days, k: 0}}"},
		want: "model.yaml:16:57: states: latent: split: clock 1: after: erlang: k: 0: expected a number above 0"},
	{name: "uniform upside down", swap: []string{"after: 3 days", "after: {uniform: {low: 3 days, high: 2 days}}"},
		want: "model.yaml:16:60: states: latent: split: clock 1: after: uniform: high is 2 days, which is not above low, 3 days"},
	{name: "uniform of no width", swap: []string{"after: 3 days", "after: {uniform: {low: 48 hours, high: 2 days}}"},
		want: "model.yaml:16:62: states: latent: split: clock 1: after: uniform: high is 2 days, which is not above low, 48 hours"},
	{name: "uniform without high", swap: []string{"after: 3 days", "after: {uniform: {low: 3 days}}"},
		want: `model.yaml:16:40: states: latent: split: clock 1: after: uniform: "high" is missing; write uniform: {low: 1 day, high: 3 days}, for example`},
	{name: "gamma with shape 0", swap: []string{"after: 3 days", "after: {gamma: {mean: 5 days, shape: 0}}"},
		want: "model.yaml:16:60: states: latent: split: clock 1: after: gamma: shape: 0: expected a number above 0"},
	{name: "gamma with mean 0", swap: []string{"after: 3 days", "after: {gamma: {mean: 0 days, shape: 2}}"},
		want: "model.yaml:16:45: states: latent: split: clock 1: after: gamma: mean: 0 days: expected more than nothing"},
	{name: "gamma with a shape in days", swap: []string{"after: 3 days", "after: {gamma: {mean: 5 days, shape: 2 days}}"},
		want: "model.yaml:16:60: states: latent: split: clock 1: after: gamma: shape: 2 days is a duration; expected a number such as 2"},
	{name: "gamma of nothing", swap: []string{"after: 3 days", "after: {gamma: }"},
		want: "model.yaml:16:38: states: latent: split: clock 1: after: gamma: found nothing, expected a mapping such as {mean: 5 days, shape: 2}"},
	{name: "gamma beyond all numbers", swap: []string{"after: 3 days", "after: {gamma: {mean: 1e300 days, shape: 1e-300}}"},
		want: "model.yaml:16:30: states: latent: split: clock 1: after: gamma: its arguments are too large or too small to work with"},
	{name: "lognormal with sd 0", swap: []string{"after: 3 days", "after: {lognormal: {mean: 5 days, sd: 0 days}}"},
		want: "model.yaml:16:61: states: latent: split: clock 1: after: lognormal: sd: 0 days: expected more than nothing"},
	{name: "lognormal beyond all numbers", swap: []string{"after: 3 days", "after: {lognormal: {mean: 1e-200 days, sd: 1e200 days}}"},
		want: "model.yaml:16:30: states: latent: split: clock 1: after: lognormal: its arguments are too large or too small to work with"},
	{name: "weibull with a negative scale", swap: []string{"after: 3 days", "after: {weibull: {scale: -1 day, shape: 2}}"},
		want: "model.yaml:16:48: states: latent: split: clock 1: after: weibull: scale: -1 day: a duration cannot be negative"},
	{name: "weibull that is a number", swap: []string{"after: 3 days", "after: {weibull: 2}"},
		want: `model.yaml:16:40: states: latent: split: clock 1: after: weibull: found "2", expected a mapping such as {scale: 80 years, shape: 6}`},
	{name: "exactly a rate", swap: []string{"after: 3 days", "after: {exactly: 2 per day}"},
		want: "model.yaml:16:40: states: latent: split: clock 1: after: exactly: 2 per day is a rate; expected a duration such as 5 days"},
	{name: "exactly nothing", swap: []string{"after: 3 days", "after: {exactly: }"},
		want: "model.yaml:16:40: states: latent: split: clock 1: after: exactly: found nothing, expected a duration such as 5 days"},
	{name: "exponential with mean and rate", swap: []string{"after: 3 days", "after: {exponential: {mean: 2 days, rate: 0.5 per day}}"},
		want: "model.yaml:16:44: states: latent: split: clock 1: after: exponential: expected either mean or rate, such as {mean: 2 days}"},
	{name: "exponential with neither", swap: []string{"after: 3 days", "after: {exponential: {}}"},
		want: "model.yaml:16:44: states: latent: split: clock 1: after: exponential: expected either mean or rate, such as {mean: 2 days}"},
	{name: "exponential with rate 0", swap: []string{"after: 3 days", "after: {exponential: {rate: 0 per day}}"},
		want: "model.yaml:16:51: states: latent: split: clock 1: after: exponential: rate: 0 per day: expected a rate above 0"},
	{name: "exponential with a negative rate", swap: []string{"after: 3 days", "after: {exponential: {rate: -1 per day}}"},
		want: "model.yaml:16:51: states: latent: split: clock 1: after: exponential: rate: -1 per day: a rate cannot be negative"},
	{name: "exponential with a duration as its rate", swap: []string{"after: 3 days", "after: {exponential: {rate: 2 days}}"},
		want: "model.yaml:16:51: states: latent: split: clock 1: after: exponential: rate: 2 days is a duration; expected a rate such as 0.5 per day"},
	{name: "exponential with a rate as its mean", swap: []string{"after: 3 days", "after: {exponential: {mean: 0.5 per day}}"},
		want: "model.yaml:16:51: states: latent: split: clock 1: after: exponential: mean: 0.5 per day is a rate; expected a duration such as 5 days"},
	{name: "hazard that does not start at 0", swap: []string{"after: 3 days", "after: {hazard: {1 year: 0.1 per year, 2 years: 0.2 per year}}"},
		want: "model.yaml:16:40: states: latent: split: clock 1: after: hazard: the first age is 1 year; expected 0 years, since there must be a rate from the beginning"},
	{name: "hazard that does not ascend", swap: []string{"after: 3 days", "after: {hazard: {0 years: 0.1 per year, 2 years: 0.2 per year, 12 months: 0.3 per year}}"},
		want: "model.yaml:16:86: states: latent: split: clock 1: after: hazard: 12 months does not come after the age before it"},
	{name: "hazard with a negative rate", swap: []string{"after: 3 days", "after: {hazard: {0 years: 0.1 per year, 2 years: -0.2 per year}}"},
		want: "model.yaml:16:72: states: latent: split: clock 1: after: hazard: from 2 years: -0.2 per year: a rate cannot be negative"},
	{name: "hazard with bare ages", swap: []string{"after: 3 days", "after: {hazard: {0: 0.1 per year, 2: 0.2 per year}}"},
		want: `model.yaml:16:40: states: latent: split: clock 1: after: hazard: 0 has no unit; write 0 days, or whatever the unit is
model.yaml:16:57: states: latent: split: clock 1: after: hazard: 2 has no unit; write 2 days, or whatever the unit is`},
	{name: "hazard with bare rates", swap: []string{"after: 3 days", "after: {hazard: {0 years: 0.1, 2 years: 0.2 per year}}"},
		want: "model.yaml:16:49: states: latent: split: clock 1: after: hazard: from 0 years: 0.1 has no unit; write 0.1 per day, or whatever the unit is"},
	{name: "hazard that is empty", swap: []string{"after: 3 days", "after: {hazard: {}}"},
		want: "model.yaml:16:39: states: latent: split: clock 1: after: hazard: expected ages and the rates from each on, such as {0 years: 0.005 per year, 1 year: 0.0004 per year}"},
	{name: "hazard that is a list", swap: []string{"after: 3 days", "after: {hazard: [1 per year]}"},
		want: "model.yaml:16:39: states: latent: split: clock 1: after: hazard: found a list, expected a mapping such as {0 years: 0.005 per year, 1 year: 0.0004 per year}"},
	{name: "mixture whose shares do not add up", swap: []string{"after: 3 days", "after: {mixture: [{share: 30%, of: 2 days}, {share: 60%, of: 3 days}]}"},
		want: "model.yaml:16:49: states: latent: split: clock 1: after: mixture: the shares add up to 0.9, expected 1"},
	{name: "mixture with a share above 1", swap: []string{"after: 3 days", "after: {mixture: [{share: 150%, of: 2 days}, {share: 50%, of: 3 days}]}"},
		want: "model.yaml:16:49: states: latent: split: clock 1: after: mixture: share: 150%: a probability is between 0 and 1, or 0% and 100%"},
	{name: "mixture without of", swap: []string{"after: 3 days", "after: {mixture: [{share: 30%}, {share: 70%, of: 3 days}]}"},
		want: `model.yaml:16:41: states: latent: split: clock 1: after: mixture: "of" is missing; write of: 2 days, for example`},
	{name: "mixture of a rate", swap: []string{"after: 3 days", "after: {mixture: [{share: 30%, of: 2 per day}, {share: 70%, of: 3 days}]}"},
		want: "model.yaml:16:58: states: latent: split: clock 1: after: mixture: of: 2 per day is a rate; expected a duration such as 5 days or a distribution such as {gamma: {mean: 5 days, shape: 2}}"},
	{name: "mixture of texts", swap: []string{"after: 3 days", "after: {mixture: [fast, slow]}"},
		want: `model.yaml:16:41: states: latent: split: clock 1: after: mixture: found "fast", expected a mapping such as {share: 30%, of: 2 days}
model.yaml:16:47: states: latent: split: clock 1: after: mixture: found "slow", expected a mapping such as {share: 30%, of: 2 days}`},
	{name: "mixture that is empty", swap: []string{"after: 3 days", "after: {mixture: []}"},
		want: "model.yaml:16:40: states: latent: split: clock 1: after: mixture: expected a list such as [{share: 30%, of: 2 days}, {share: 70%, of: {exponential: {mean: 9 days}}}]"},
	{name: "mixture that is a mapping", swap: []string{"after: 3 days", "after: {mixture: {share: 100%, of: 2 days}}"},
		want: "model.yaml:16:40: states: latent: split: clock 1: after: mixture: found a mapping, expected a list such as [{share: 30%, of: 2 days}, {share: 70%, of: {exponential: {mean: 9 days}}}]"},

	// Things that stand for themselves.
	{name: "parameters that stand for each other", swap: []string{"spare: 7 days", "spare: other\n  other: spare"},
		want: `model.yaml:9:10: parameters: spare: the parameter "spare" stands for itself
model.yaml:10:10: parameters: other: the parameter "other" stands for itself`},
	{name: "parameter that stands for itself", swap: []string{"spare: 7 days", "spare: spare"},
		want: `model.yaml:9:10: parameters: spare: the parameter "spare" stands for itself`},
	{name: "parameters that stand for each other, and are used", swap: []string{"beta: 0.5 per day", "beta: gamma\n  gamma: beta"},
		want: `model.yaml:7:9: parameters: beta: the parameter "beta" stands for itself
model.yaml:8:10: parameters: gamma: the parameter "gamma" stands for itself`},
	{name: "set to itself", swap: []string{"set: {beta: 0.2 per day}", "set: {beta: beta}"},
		want: `model.yaml:34:31: transmission 1: rate: the parameter "beta" stands for itself`},
	{name: "alias that contains itself", swap: []string{"after: 3 days", "after: &a {mixture: [{share: 100%, of: *a}]}"},
		want: "model.yaml:16:30: states: latent: split: clock 1: after: mixture: of: a distribution cannot contain itself"},
	{name: "alias that contains itself twice", swap: []string{"after: 3 days", "after: &a {mixture: [{share: 50%, of: *a}, {share: 50%, of: *a}]}"},
		want: "model.yaml:16:30: states: latent: split: clock 1: after: mixture: of: a distribution cannot contain itself"},
	{name: "distributions in one another", source: nested,
		want: "model.yaml:7:563: states: a: race: clock 1: after: " + strings.Repeat("mixture: of: ", 21) + "distributions are nested too deeply"},
	{name: "section that contains itself", swap: []string{"parameters:\n", "parameters: &p\n  self: *p\n"},
		want: "model.yaml:6:13: parameters: self: a distribution has one name and its arguments, such as {gamma: {mean: 5 days, shape: 2}}; there are 4 names here"},

	// Interventions.
	{name: "before the start", swap: []string{"start: 0, end: 160", "start: 35, end: 160"},
		want: "model.yaml:34:10: intervention 1: at: 30 days is before the start of the model, 35 days; times are those of the model's clock"},
	{name: "without at", swap: []string{"{at: 30 days, set", "{set"},
		want: `model.yaml:34:5: intervention 1: "at" is missing; write at: 30 days, for example`},
	{name: "at nothing", swap: []string{"at: 30 days", "at: "},
		want: "model.yaml:34:10: intervention 1: at: found nothing, expected a duration such as 5 days"},
	{name: "doing nothing", swap: []string{"{at: 30 days, set: {beta: 0.2 per day}}", "{at: 30 days}"},
		want: "model.yaml:34:5: intervention 1: it does nothing; write set: {beta: 0.2 per day}, or who and to, or enter and count"},
	{name: "setting nothing", swap: []string{"set: {beta: 0.2 per day}", "set: {}"},
		want: "model.yaml:34:5: intervention 1: it does nothing; write set: {beta: 0.2 per day}, or who and to, or enter and count"},
	{name: "set is a list", swap: []string{"set: {beta: 0.2 per day}", "set: [beta]"},
		want: "model.yaml:34:24: intervention 1: set: found a list, expected a mapping such as {beta: 0.2 per day}"},
	{name: "who without to", swap: []string{"coverage: 60%, to: recovered", "coverage: 60%"},
		want: "model.yaml:35:5: intervention 2: what becomes of them? Write to: recovered, for example"},
	{name: "to without who", swap: []string{"who: susceptible, ", ""},
		want: "model.yaml:35:5: intervention 2: who? Write who: susceptible, for example, or who: everyone"},
	{name: "to nothing", swap: []string{"coverage: 60%, to: recovered", "coverage: 60%, to: "},
		want: "model.yaml:35:56: intervention 2: to: found nothing, expected a name"},
	{name: "coverage without who and to", swap: []string{"who: susceptible, coverage: 60%, to: recovered", "coverage: 60%"},
		want: "model.yaml:35:5: intervention 2: coverage and where are about individuals; write who and to beside them"},
	{name: "where without who and to", swap: []string{"set: {beta: 0.2 per day}", "set: {beta: 0.2 per day}, where: {region: north}"},
		want: "model.yaml:34:5: intervention 1: coverage and where are about individuals; write who and to beside them"},
	{name: "coverage of 1.2", swap: []string{"coverage: 60%", "coverage: 1.2"},
		want: "model.yaml:35:47: intervention 2: coverage: 1.2: a probability is between 0 and 1, or 0% and 100%"},
	{name: "coverage in days", swap: []string{"coverage: 60%", "coverage: 60 days"},
		want: "model.yaml:35:47: intervention 2: coverage: 60 days is a duration; expected a percentage such as 30%"},
	{name: "set of an unknown parameter", swap: []string{"set: {beta:", "set: {betta:"},
		want: `model.yaml:34:25: intervention 1: set: there is no parameter "betta"; did you mean "beta"?`},
	{name: "set to another kind", swap: []string{"set: {beta: 0.2 per day}", "set: {beta: 5 days}"},
		want: "model.yaml:34:31: transmission 1: rate: parameter beta, 5 days, is a duration; expected a rate such as 0.5 per day"},
	{name: "set to a bare number", swap: []string{"set: {beta: 0.2 per day}", "set: {beta: 0.2}"},
		want: "model.yaml:34:31: transmission 1: rate: parameter beta, 0.2, has no unit; write 0.2 per day, or whatever the unit is"},
	{name: "set to a negative rate", swap: []string{"set: {beta: 0.2 per day}", "set: {beta: -0.2 per day}"},
		want: "model.yaml:34:31: transmission 1: rate: parameter beta, -0.2 per day: a rate cannot be negative"},
	{name: "set a distribution to a rate", swap: []string{"set: {beta: 0.2 per day}", "set: {stay: 0.2 per day}"},
		want: "model.yaml:34:31: states: infectious: race: clock 1: after: parameter stay, 0.2 per day, is a rate; expected a duration such as 5 days or a distribution such as {gamma: {mean: 5 days, shape: 2}}"},
	{name: "set to what cannot be read", swap: []string{"set: {beta: 0.2 per day}", "set: {beta: 0.2.1 per day}"},
		want: `model.yaml:34:31: intervention 1: set: beta: "0.2.1" is not a number; expected a value such as 0.5 per day, 5 days or 30%`},
	{name: "set to nothing", swap: []string{"set: {beta: 0.2 per day}", "set: {beta: }"},
		want: "model.yaml:34:31: intervention 1: set: beta: found nothing, expected a value such as 0.5 per day, 5 days or 30%"},
	{name: "enter without count", swap: []string{", count: 5", ""},
		want: `model.yaml:36:5: intervention 3: "count" is missing; write count: 10, for example`},
	{name: "count without enter", swap: []string{"enter: infectious, count: 5", "count: 5"},
		want: "model.yaml:36:26: intervention 3: count without enter; write enter: infectious, for example"},
	{name: "count of 2.5", swap: []string{"count: 5", "count: 2.5"},
		want: `model.yaml:36:45: intervention 3: count: found "2.5", expected a whole number from 0 to 4000000000`},
	{name: "every 0 days", swap: []string{"at: 30 days,", "at: 30 days, every: 0 days,"},
		want: "model.yaml:34:26: intervention 1: every: 0 days: expected more than nothing"},
	{name: "every second", swap: []string{"at: 30 days,", "at: 30 days, every: 1 second,"},
		want: "model.yaml:34:5: intervention 1: it would happen more than 100000 times"},
	{name: "every without unit", swap: []string{"at: 30 days,", "at: 30 days, every: 7,"},
		want: "model.yaml:34:26: intervention 1: every: 7 has no unit; write 7 days, or whatever the unit is"},
	{name: "until without every", swap: []string{"at: 30 days,", "at: 30 days, until: 60 days,"},
		want: "model.yaml:34:26: intervention 1: until without every; something that happens once needs no end"},
	{name: "until before at", swap: []string{"at: 30 days,", "at: 30 days, every: 7 days, until: 10 days,"},
		want: "model.yaml:34:41: intervention 1: until: 10 days is before at, 30 days"},
	{name: "until nothing", swap: []string{"at: 30 days,", "at: 30 days, every: 7 days, until: ,"},
		want: "model.yaml:34:41: intervention 1: until: found nothing, expected a duration such as 5 days"},
	{name: "who is nothing", swap: []string{"who: susceptible", "who: "},
		want: "model.yaml:35:5: intervention 2: who? Write who: susceptible, for example, or who: everyone"},
	{name: "coverage of nothing", swap: []string{"coverage: 60%", "coverage: "},
		want: "model.yaml:35:47: intervention 2: coverage: found nothing, expected a percentage such as 30%"},
	{name: "with a name", swap: []string{"at: 40 days, who: susceptible,", "at: 40 days, name: vaccination, who: susceptable,"},
		want: `model.yaml:35:43: intervention vaccination: who: there is no state "susceptable"; did you mean "susceptible"?`},
	{name: "not a mapping", swap: []string{"  - {at: 50 days, enter: infectious, count: 5}", "  - infectious"},
		want: `model.yaml:36:5: intervention 3: found "infectious", expected a mapping such as {at: 30 days, set: {beta: 0.2 per day}}`},

	// What is asked for beside the file.
	{name: "--set an unknown parameter", asked: []population.Change{population.Set("bet", "1 per day")},
		want: `--set bet: there is no parameter "bet"; did you mean "beta"?`},
	{name: "--set to another kind", asked: []population.Change{population.Set("beta", "5 days")},
		want: "--set beta: transmission 1: rate: parameter beta, 5 days, is a duration; expected a rate such as 0.5 per day"},
	{name: "--set to a bare number", asked: []population.Change{population.Set("beta", "0.4")},
		want: "--set beta: transmission 1: rate: parameter beta, 0.4, has no unit; write 0.4 per day, or whatever the unit is"},
	{name: "--set to a negative rate", asked: []population.Change{population.Set("beta", "-0.4 per day")},
		want: "--set beta: transmission 1: rate: parameter beta, -0.4 per day: a rate cannot be negative"},
	{name: "--set to a misspelt unit", asked: []population.Change{population.Set("beta", "0.4 per dya")},
		want: `--set beta: the value: "0.4 per dya": there is no unit "dya"; did you mean "day"?; expected a value such as 0.5 per day, 5 days or 30%`},
	{name: "--set to nothing", asked: []population.Change{population.Set("beta", "")},
		want: "--set beta: the value: found nothing, expected a value such as 0.5 per day, 5 days or 30%"},
	{name: "--set to what is not YAML", asked: []population.Change{population.Set("beta", "{gamma")},
		want: "--set beta: this is not YAML: did not find expected ',' or '}'"},
	{name: "--set to a distribution that is wrong", asked: []population.Change{population.Set("stay", "{gamma: {mean: 5, shape: 2}}")},
		want: "--set stay: parameters: stay: gamma: mean: 5 has no unit; write 5 days, or whatever the unit is"},
	{name: "--set to an unknown parameter", asked: []population.Change{population.Set("beta", "betta")},
		want: `--set beta: parameters: beta: there is no parameter "betta"; did you mean "beta"?`},
	{name: "--set to two documents", asked: []population.Change{population.Set("spare", "1 day\n---\n2 days")},
		want: "--set spare: a second document begins; expected one value"},
	{name: "--until before the start", asked: []population.Change{population.Until("0")},
		want: "--until: 0 is not after the start of the model, 0"},
	{name: "--until in another unit, before the start", swap: []string{"start: 0", "start: 30"}, asked: []population.Change{population.Until("4 weeks")},
		want: "--until: 4 weeks is not after the start of the model, 30"},
	{name: "--until never", asked: []population.Change{population.Until("never")},
		want: `--until: the end: "never" is not a number; expected a number in the unit of the model`},
	{name: "--until a rate", asked: []population.Change{population.Until("2 per day")},
		want: "--until: the end: 2 per day is a rate; expected a time, as a number in the unit of the model"},
	{name: "--until nothing", asked: []population.Change{population.Until("")},
		want: `--until: the end: found "", expected a time such as 160`},
	{name: "--size -1", asked: []population.Change{population.Size(-1)},
		want: "--size: -1: expected a number from 0 to 4000000000"},
	{name: "--size below what starts", asked: []population.Change{population.Size(9)},
		want: "model.yaml:5:10: population: start: 10 individuals are more than the size, 9"},
	{name: "--size above the most", swap: []string{"  size: 1000\n", "  size: 1000\n  most: 5000\n"}, asked: []population.Change{population.Size(5001)},
		want: "--size: population: size 5001 is more than the most there may be, 5000; write most: 5001 in population"},
	{name: "several changes", asked: []population.Change{population.Set("bet", "1 per day"), population.Until("x"), population.Set("stay", "30%")},
		want: `--until: the end: "x" is not a number; expected a number in the unit of the model
--set bet: there is no parameter "bet"; did you mean "beta"?
--set stay: states: infectious: race: clock 1: after: parameter stay, 30%, is a percentage; expected a duration such as 5 days or a distribution such as {gamma: {mean: 5 days, shape: 2}}`},

	// Several at once, in the order of the file.
	{name: "twelve mistakes", source: `name: many
time: {unit: day, start: 0, end: 160}
population:
  size: 1000
  start: {infectious: 1001, susceptible: rest}
parameters:
  beta: 0.5
attributes:
  region: {north: 40%, south: 50%}
states:
  susceptible: {}
  infectious:
    race:
      - {after: 5, to: recovered}
      - {rate: 0.1 per day, to: recoverd}
  recovered: {}
always:
  - {to: out}
births: {rate: 1 day, enter: susceptible}
transmission:
  - {from: infectius, rate: beta, chance: 1.5, to: {susceptible: infectious}}
interventions:
  - {at: 30 days, set: {betta: 0.2 per day}}
record: {every: 0 days}
colour: blue
`,
		want: `model.yaml:5:10: population: start: 1001 individuals are more than the size, 1000
model.yaml:9:3: attributes: region: the shares add up to 0.9, expected 1
model.yaml:14:17: states: infectious: race: clock 1: after: 5 has no unit; write 5 days, or whatever the unit is
model.yaml:15:33: states: infectious: race: clock 2: to: there is no state "recoverd"; did you mean "recovered"?
model.yaml:18:5: always: clock 1: when? Write rate: 0.2 per day or after: 5 days, for example
model.yaml:19:16: births: rate: 1 day is a duration; expected a rate such as 0.5 per day
model.yaml:21:12: transmission 1: from: there is no state "infectius"; did you mean "infectious"?
model.yaml:21:29: transmission 1: rate: parameter beta, 0.5, has no unit; write 0.5 per day, or whatever the unit is
model.yaml:21:43: transmission 1: chance: 1.5: a probability is between 0 and 1, or 0% and 100%
model.yaml:23:25: intervention 1: set: there is no parameter "betta"; did you mean "beta"?
model.yaml:24:17: record: every: 0 days: expected more than nothing
model.yaml:25:1: the model: there is no key "colour"; expected one of name, about, time, population, parameters, states, always, births, immigration, transmission, interventions, attributes, record`},
}
