package population_test

import "strings"

// sinceModel is a model with curves by a time since, and nothing wrong with it.
const sinceModel = `name: p
time: {unit: day, start: 0, end: 10}
population: {size: 100, start: {ill: 1, well: rest}}
parameters:
  shedding: {since: [exposed, ill], density: {gamma: {mean: 5 days, shape: 4}}}
  waned: {since: well, of: met, line: {0 days: 0%, 20 days: 60%}}
states: {well: {}, exposed: {race: [{rate: 1 per day, to: ill}]}, ill: {race: [{rate: 1 per day, to: well}]}}
machines:
  hiv:
    start: {acute: 5%, negative: rest}
    enter: negative
    states: {negative: {}, acute: {race: [{rate: 0.1 per day, to: out}]}}
immigration: {rate: 2 per day, enter: well}
transmission:
  - {from: [exposed, ill], rate: 2 * shedding, chance: waned, to: {well: exposed}}
record: {every: 1 day}
`

// spoiltSince are wrong in curves by a time since.
var spoiltSince = func() (all []spoilt) {
	for _, c := range []struct {
		name string
		swap []string
		want string
	}{
		{"density without a largest value", []string{"shape: 4", "shape: 0.5"},
			"model.yaml:5:46: parameters: shedding: density: a gamma with shape 0.5 has no largest density, so that nothing " +
				"can be drawn from it; take a shape of 1 or more, or a line"},
		{"density of a fixed time", []string{"{gamma: {mean: 5 days, shape: 4}}", "5 days"},
			"model.yaml:5:46: parameters: shedding: density: a fixed time has no density; take a distribution, or steps"},
		{"time since in immigration", []string{"rate: 2 per day, enter", "rate: 2 * shedding, enter"},
			"model.yaml:13:21: immigration: rate: shedding is by time since exposed or ill, and nobody is there yet"},
		{"time since of two machines", []string{"since: [exposed, ill]", "since: [exposed, hiv=acute]"},
			"model.yaml:5:21: parameters: shedding: since: exposed and hiv=acute are of two machines; multiply two curves"},
		{"time since of two machines as a mapping", []string{"since: [exposed, ill]", "since: {state: exposed, hiv: acute}"},
			"model.yaml:5:21: parameters: shedding: since: exposed and hiv=acute are of two machines; multiply two curves"},
		{"time since an unknown state", []string{"since: [exposed, ill]", "since: [exposed, il]"},
			"model.yaml:5:31: parameters: shedding: since: there is no state \"il\"; did you mean \"ill\"?"},
		{"time since a state of a machine", []string{"since: [exposed, ill]", "since: acute"},
			"model.yaml:5:21: parameters: shedding: since: there is no state \"acute\" under states; machine hiv has one: " +
				"write since: {hiv: acute}"},
		{"time since an unknown machine", []string{"since: [exposed, ill]", "since: {hvi: acute}"},
			"model.yaml:5:27: parameters: shedding: since: there is no machine \"hvi\"; did you mean \"hiv\"?"},
		{"time since an unknown state of a machine", []string{"since: [exposed, ill]", "since: {hiv: cute}"},
			"model.yaml:5:27: parameters: shedding: since: there is no state of hiv \"cute\"; did you mean \"acute\"?"},
		{"time since of whoever is met in a rate", []string{"rate: 2 * shedding", "rate: 2 per day * waned"},
			"model.yaml:6:10: transmission 1: rate: the time since well of: met is that of the one who is met; only the " +
				"chance of a transmission can have it"},
		{"time since in a mean",
			[]string{"{rate: 1 per day, to: ill}", "{after: {exponential: {mean: 1 / shedding}}, to: ill}"},
			"model.yaml:7:66: states: exposed: race: clock 1: after: exponential: mean: 1 / shedding changes with the time " +
				"since exposed or ill, and cannot stand here; rates and chances of clocks, births and transmissions can do so"},
		{"time since with a negative rate", []string{"density: {gamma: {mean: 5 days, shape: 4}}",
			"line: {0 days: 1 per day, 2 days: -1 per day}"},
			"model.yaml:15:34: transmission 1: rate: 2 * shedding is -0.5 per day at some time since exposed or ill: a rate " +
				"cannot be negative"},
		{"time since with too high a chance", []string{"20 days: 60%", "20 days: 2"},
			"model.yaml:15:56: transmission 1: chance: parameter waned is 1.25 at some time since well: a probability is " +
				"between 0 and 1, or 0% and 100%"},
		{"time since without a curve", []string{", density: {gamma: {mean: 5 days, shape: 4}}", ""},
			"model.yaml:5:13: parameters: shedding: since: and then? Expected line, steps or density beside it, as in {since: " +
				"infectious, line: {0 days: 0 per day, 2 days: 0.6 per day, 6 days: 0 per day}}"},
		{"density without since", []string{"since: [exposed, ill], density", "density"},
			"model.yaml:5:13: parameters: shedding: a density is by the time since something; write since: and the states, as " +
				"in {since: infectious, density: {gamma: {mean: 5 days, shape: 4}}}"},
		{"time since with two curves", []string{"density: {gamma", "steps: {0 days: 1 per day}, density: {gamma"},
			"model.yaml:5:74: parameters: shedding: both steps and density; expected one of them"},
		{"time since with a period", []string{"20 days: 60%}", "20 days: 60%}, period: 1 year"},
			"model.yaml:6:67: parameters: waned: there is no key \"period\"; expected one of since, of, line, steps, density"},
		{"time since of whom", []string{"of: met, line", "of: us, line"},
			"model.yaml:6:28: parameters: waned: of: found \"us\", expected met: the one who is met; without it the time is " +
				"that of the individual itself"},
		{"time since a date", []string{"{0 days: 0%, 20 days: 60%}", "{0 days: 0%, 2020-03-01: 60%}"},
			"model.yaml:6:52: parameters: waned: line: 2020-03-01 is a date; expected a time since well, such as 5 days"},
		{"time since in a share", []string{"rate: 2 per day, enter: well",
			"rate: 2 per day, enter: {ill: {since: ill, line: {0 days: 0%, 2 days: 9%}}, well: rest}"},
			"model.yaml:13:45: immigration: enter: this is by time since ill, and nobody is there yet"},
		{"state called birth",
			[]string{"well: {}, exposed", "birth: {}, well: {}, exposed", "since: [exposed, ill]", "since: birth"},
			"model.yaml:5:21: parameters: shedding: since: birth is the age, and there is also a state birth; write since: " +
				"{state: birth} for that"},
	} {
		text := sinceModel
		for i := 0; i < len(c.swap); i += 2 {
			if strings.Count(text, c.swap[i]) != 1 {
				panic(c.name + ": " + c.swap[i] + " is not in the model once")
			}
			text = strings.Replace(text, c.swap[i], c.swap[i+1], 1)
		}
		all = append(all, spoilt{name: c.name, source: text, want: c.want})
	}
	return all
}()
