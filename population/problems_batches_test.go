package population_test

import "strings"

// batchesModel is a model with batches, and nothing wrong with it.
const batchesModel = `name: p
time: {unit: day, start: 0, end: 10}
population: {size: 100, start: {a: rest}}
attributes: {sex: {f: 50%, m: 50%}}
states: {a: {race: [{rate: 1 per day, enter: a, count: 2, inherit: [sex]}, {rate: 2 per day, to: out}]}, b: {}}
births: {rate: 0.1 per day, enter: a, count: 3}
immigration: {rate: 1 per day, enter: a, count: {1: 50%, 3: 50%}}
transmission: [{from: a, rate each: 0.001 per day, to: {a: b}}]
record: {every: 1 day, values: {share: count(a) / total}}
`

// spoiltBatches are wrong in batches, in rates of pairs, or in values.
var spoiltBatches = func() (all []spoilt) {
	const whole = "count: {1: 50%, 3: 50%}"
	for _, c := range []struct {
		name string
		swap []string
		want string
	}{
		{"part of a child", []string{"count: 3}\n", "count: 1.5}\n"},
			"model.yaml:6:46: births: count: 1.5 is not a whole number"},
		{"fewer than no children", []string{"count: 3}\n", "count: -1}\n"}, "model.yaml:6:46: births: count: -1 is negative"},
		{"children by percent", []string{"count: 3}\n", "count: 30%}\n"},
			"model.yaml:6:46: births: count: 30% is a percentage; expected a number such as 2"},
		{"children counted without enter", []string{"enter: a, count: 2, inherit: [sex]", "to: b, count: 2"},
			"model.yaml:5:53: states: a: race: clock 1: count without enter: who?"},
		{"with and inherit without enter",
			[]string{"enter: a, count: 2, inherit: [sex]", "to: b, with: {sex: f}, inherit: [sex]"},
			"model.yaml:5:52: states: a: race: clock 1: with without enter: who?\n" +
				"model.yaml:5:71: states: a: race: clock 1: inherit without enter: who?"},
		{"children of a state that is not there", []string{"enter: a, count: 2", "enter: c, count: 2"},
			`model.yaml:5:46: states: a: race: clock 1: enter: there is no state "c"; expected one of a, b`},
		{"children who inherit what is not there", []string{"inherit: [sex]", "inherit: [six]"},
			`model.yaml:5:69: states: a: race: clock 1: inherit: there is no attribute "six"; did you mean "sex"?`},
		{"arrivals by group", []string{whole, "count: {by: sex, f: 1, m: 2}"},
			"model.yaml:7:49: immigration: count: a table by group, and nobody is there yet"},
		{"shares of a batch", []string{whole, "count: {1: 50%, 3: 40%}"},
			"model.yaml:7:53: immigration: count: the shares add up to 0.9, expected 1"},
		{"share of part of an individual", []string{whole, "count: {1: 50%, 2.5: 50%}"},
			"model.yaml:7:58: immigration: count: 2.5 is not a whole number"},
		{"batch by a duration", []string{whole, "count: {exponential: {mean: 3 days}}"},
			"model.yaml:7:49: immigration: count: found a distribution of durations, expected a whole number, or a " +
				"distribution such as {poisson: {mean: 2.4}}"},
		{"clock by a whole number", []string{"{rate: 2 per day, to: out}", "{after: {poisson: {mean: 2}}, to: out}"},
			"model.yaml:5:84: states: a: race: clock 2: after: found whole numbers, expected a duration such as 5 days or a " +
				"distribution such as {gamma: {mean: 5 days, shape: 2}}"},
		{"Poisson without a mean", []string{whole, "count: {poisson: {least: 2}}"},
			`model.yaml:7:59: immigration: count: poisson: "mean" is missing; write poisson: {mean: 2.4}, for example`},
		{"Poisson with a negative mean", []string{whole, "count: {poisson: {mean: -2}}"},
			"model.yaml:7:66: immigration: count: poisson: mean: -2: expected a mean from 0 on"},
		{"least above most", []string{whole, "count: {poisson: {mean: 2, least: 5, most: 3}}"},
			"model.yaml:7:76: immigration: count: poisson: least, 5, is above most, 3"},
		{"negative binomial without a dispersion", []string{whole, "count: {negative binomial: {mean: 2}}"},
			`model.yaml:7:69: immigration: count: negative binomial: "dispersion" is missing; write negative binomial: ` +
				`{mean: 6, dispersion: 0.5}, for example`},
		{"whole number that spreads too far",
			[]string{whole, "count: {negative binomial: {mean: 10_000_000, dispersion: 0.1}}"},
			"model.yaml:7:76: immigration: count: negative binomial: it spreads over more than 1048576 numbers; give it a most"},
		{"both rates", []string{"rate each: 0.001 per day", "rate: 1 per day, rate each: 0.001 per day"},
			"model.yaml:8:54: transmission 1: both rate and rate each; a contact has one of them"},
		{"rate each that mixes", []string{"to: {a: b}}", "to: {a: b}, mixing: {by: sex, matrix: [[1, 0], [0, 1]]}}"},
			"model.yaml:8:37: transmission 1: rate each with mixing: the matrix says with whom, rate each is with everybody"},
		{"among nothing", []string{"to: {a: b}}", "to: {a: b}, among: sx}"},
			"model.yaml:8:71: transmission 1: among: there is no kind of places, network or attribute \"sx\"; did you mean " +
				"\"sex\"?"},
		{"among and mixing", []string{"rate each: 0.001 per day, to: {a: b}}",
			"rate: 1 per day, to: {a: b}, among: sex, mixing: {by: sex, matrix: [[1, 0], [0, 1]]}}"},
			"model.yaml:8:62: transmission 1: both among and mixing; among says with whom"},
		{"size without a most", []string{"rate each: 0.001 per day", "among: sex, rate each: 0.3 per day / size"},
			"model.yaml:8:63: transmission 1: rate each: \"0.3 per day / size\": size may stand only in the value of a rate " +
				"that has a most"},
		{"rate each below 0", []string{"rate each: 0.001 per day", "rate each: -0.001 per day"},
			"model.yaml:8:37: transmission 1: rate each: -0.001 per day is -0.001 per day at day 0: a rate cannot be negative"},
		{"rate each without a bound", []string{"rate each: 0.001 per day", "rate each: {value: 0.001 per day / total}"},
			"model.yaml:8:37: transmission 1: rate each: no bound of 0.001 per day / total follows from the file, so that it " +
				"cannot be drawn; write most: and what it never exceeds"},
		{"rate each that is a number", []string{"rate each: 0.001 per day", "rate each: 0.001"},
			"model.yaml:8:37: transmission 1: rate each: 0.001 is a number; expected a rate such as 0.5 per day"},
		{"value of a state that is not there", []string{"count(a) / total", "count(c) / total"},
			`model.yaml:9:46: record: values: share: count: there is no state "c"; expected one of a, b`},
		{"value with the name of a state", []string{"{share: count(a) / total}", "{b: count(a) / total}"},
			"model.yaml:9:33: record: values: b: there is a state, a flow or a name called so; expected another name"},
		{"no values", []string{"{share: count(a) / total}", "{}"},
			"model.yaml:9:32: record: values: expected at least one, such as {prevalence: count(infectious) / total}"},
	} {
		text := batchesModel
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
