package population_test

import "strings"

// spoiltFiles are wrong in the file as a whole, and names that cannot be.
// noName is what is said of what cannot be a name.
const noName = "cannot be a name; expected letters, digits and _, beginning with a letter: write "

var spoiltFiles = []spoilt{
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
model.yaml:1:1: the model: "population" is missing; write population: {size: 1000, start: {susceptible: rest}}, ` +
			`for example
model.yaml:1:1: the model: "states" is missing; write states: {susceptible: {}, infectious: {}}, for example`},
	{name: "only a name", source: `# a model
name: flu
`,
		want: `model.yaml:2:1: the model: "time" is missing; write time: {unit: day, start: 0, end: 160}, for example
model.yaml:2:1: the model: "population" is missing; write population: {size: 1000, start: {susceptible: rest}}, ` +
			`for example
model.yaml:2:1: the model: "states" is missing; write states: {susceptible: {}, infectious: {}}, for example`},
	{name: "tab", swap: []string{"  size: 1000", "\tsize: 1000"},
		want: "model.yaml:4:1: a tab cannot indent YAML; use spaces"},
	{name: "tab after spaces", swap: []string{"  size: 1000", "  \tsize: 1000"},
		want: "model.yaml:4:3: a tab cannot indent YAML; use spaces"},
	{name: "tab in the second line", swap: []string{"  start: {inf", "\tstart: {inf"},
		want: "model.yaml:5:1: a tab cannot indent YAML; use spaces"},
	{name: "tab before a dash", swap: []string{"      - {after: stay", "\t- {after: stay"},
		want: "model.yaml:20:1: a tab cannot indent YAML; use spaces"},
	{name: "tab after a value", swap: []string{"  size: 1000\n", "  size:\n    1000\n\tmost: 5\n"},
		want: "model.yaml:6:1: a tab cannot indent YAML; use spaces"},
	{name: "tab that is not at fault", swap: []string{"every: 1 day}", "every:\t1 day"},
		want: "model.yaml:37:1: this is not YAML: did not find expected ',' or '}'"},
	{name: "unclosed bracket", swap: []string{"every: 1 day}", "every: 1 day"},
		want: "model.yaml:37:1: this is not YAML: did not find expected ',' or '}'"},
	{name: "unclosed bracket in the middle", swap: []string{"start: {infectious: 10, susceptible: rest}",
		"start: {infectious: 10, susceptible: rest"},
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
	{name: "second document that is not YAML", swap: []string{"record: {every: 1 day}\n",
		"record: {every: 1 day}\n---\nname: [another\n"},
		want: "model.yaml:39:1: this is not YAML: did not find expected ',' or ']'"},
	{name: "key twice", swap: []string{"births:", "name: flu\nbirths:"},
		want: `model.yaml:25:1: the model: "name" is here twice, first in line 1`},
	{name: "state twice", swap: []string{"  recovered: {}\n", "  recovered: {}\n  latent: {}\n"},
		want: `model.yaml:23:3: states: "latent" is here twice, first in line 14`},
	{name: "parameter twice", swap: []string{"spare: 7 days", "beta: 7 days"},
		want: `model.yaml:9:3: parameters: "beta" is here twice, first in line 7`},
	{name: "age twice in a hazard", swap: []string{"{weibull: {scale: 80 years, shape: 6}}",
		"{hazard: {0 years: 1 per year, 0 years: 2 per year}}"},
		want: `model.yaml:24:44: always: clock 1: after: hazard: "0 years" is here twice, first in line 24`},
	{name: "list as a key", swap: []string{"record:", "[a, b]: 1\nrecord:"},
		want: "model.yaml:37:1: the model: found a list as a key, expected a name"},
	{name: "no name", swap: []string{"name: flu\n", ""},
		want: `model.yaml:1:1: the model: "name" is missing; write name: sir, for example`},
	{name: "name is nothing", swap: []string{"name: flu", "name:"},
		want: "model.yaml:1:6: name: found nothing, expected a name"},
	{name: "name is empty", swap: []string{"name: flu", `name: ""`}, want: `model.yaml:1:7: name: found "", ` +
		`expected a name`},
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
		want: `model.yaml:3:13: population: found "1000", expected a mapping such as {size: 1000, ` +
			`start: {susceptible: rest}}`},
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
		want: "model.yaml:5:15: transmission: found a mapping, expected a list such as [{from: infectious, rate: 0.5 per " +
			"day, to: {susceptible: infectious}}]"},
	{name: "interventions is a mapping", source: `name: m
time: {unit: day, end: 10}
population: {size: 0, start: {}}
states: {a: {}}
interventions: {at: 3 days, enter: a, count: 1}
`,
		want: "model.yaml:5:16: interventions: found a mapping, expected a list such as [{at: 30 days, set: {beta: 0.2 " +
			"per day}}]"},
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
		want: `model.yaml:20:9: states: infectious: race: found "stay", expected a mapping such as {after: 5 days, to: ` +
			`recovered}`},
	{name: "a state is a list", swap: []string{"  recovered: {}\n", "  recovered: []\n"},
		want: "model.yaml:22:14: states: recovered: found a list, expected a mapping such as {race: [{rate: 0.2 per day, " +
			"to: recovered}]}"},
	{name: "race is a mapping", swap: []string{"    race:\n      - {after: stay, to: recovered}\n" +
		"      - {rate: 0.01 per day, to: out, name: death}\n", "    race: {after: stay, to: recovered}\n"},
		want: "model.yaml:19:11: states: infectious: race: found a mapping, expected a list such as [{rate: 0.2 per day, " +
			"to: recovered}]"},
	{name: "a contact is a text", swap: []string{"  - from: infectious\n    rate: beta\n    chance: 50%\n" +
		"    to: {susceptible: latent}\n    mixing: {by: region, matrix: [[0.9, 0.1], [0.2, 0.8]]}\n", "  - infectious\n"},
		want: `model.yaml:28:5: transmission 1: found "infectious", expected a mapping such as {from: infectious, rate: ` +
			`0.5 per day, to: {susceptible: infectious}}`},
	{name: "to of a contact is a name", swap: []string{"to: {susceptible: latent}", "to: latent"},
		want: `model.yaml:31:9: transmission 1: to: found "latent", expected a mapping such as {susceptible: infectious}`},

	// Names that cannot be.
	{name: "state out", swap: []string{"  recovered: {}\n", "  recovered: {}\n  out: {}\n"},
		want: `model.yaml:23:3: states: "out" cannot be a name: it means leaving the population; ` +
			`write another, such as state_out`},
	{name: "state rest", swap: []string{"  recovered: {}\n", "  recovered: {}\n  rest: {}\n"},
		want: `model.yaml:23:3: states: "rest" cannot be a name: it means those who are left over; ` +
			`write another, such as state_rest`},
	{name: "state everyone", swap: []string{"  recovered: {}\n", "  recovered: {}\n  everyone: {}\n"},
		want: `model.yaml:23:3: states: "everyone" cannot be a name: it means all states; ` +
			`write another, such as state_everyone`},
	{name: "state immigration", swap: []string{"  recovered: {}\n", "  recovered: {}\n  immigration: {}\n"},
		want: `model.yaml:23:3: states: "immigration" cannot be a name: it means coming from elsewhere; ` +
			`write another, such as state_immigration`},
	{name: "state interventions", swap: []string{"  recovered: {}\n", "  recovered: {}\n  interventions: {}\n"},
		want: `model.yaml:23:3: states: "interventions" cannot be a name: it means being let in by an intervention; ` +
			`write another, such as state_interventions`},
	{name: "state births", swap: []string{"  recovered: {}\n", "  recovered: {}\n  births: {}\n"},
		want: `model.yaml:23:3: states: "births" cannot be a name: it means being born; ` +
			`write another, such as state_births`},
	{name: "state that begins with a digit", swap: []string{"  recovered: {}\n", "  recovered: {}\n  2nd: {}\n"},
		want: `model.yaml:23:3: states: "2nd" ` + noName + `state_2nd, for example`},
	{name: "state that begins with a digit, and is used", swap: []string{"  recovered: {}\n",
		"  recovered: {}\n  2nd: {}\n", "{after: stay, to: recovered}", "{after: stay, to: 2nd}"},
		want: `model.yaml:23:3: states: "2nd" ` + noName + `state_2nd, for example`},
	{name: "state with an arrow", swap: []string{"  recovered: {}\n", "  recovered: {}\n  a->b: {}\n"},
		want: `model.yaml:23:3: states: "a->b" ` + noName + `state_a__b, for example`},
	{name: "state that ends with a space", swap: []string{"  recovered: {}\n", "  recovered: {}\n  'gone ': {}\n"},
		want: `model.yaml:23:3: states: "gone " ` + noName + `state_gone, for example`},
	{name: "state without a name", swap: []string{"  recovered: {}\n", "  recovered: {}\n  '': {}\n"},
		want: `model.yaml:23:3: states: "" ` + noName + `state_a, for example`},
	{name: "parameter that looks like a number", swap: []string{"spare: 7 days", "7up: 7 days"},
		want: `model.yaml:9:3: parameters: "7up" ` + noName + `parameter_7up, for example`},
	{name: "value that is a code", swap: []string{"region: {north: 40%", "sex: {0: 40%, m: 60%}\n  region: {north: 40%"},
		want: `model.yaml:11:3: attributes: sex: the shares add up to 0.6, expected 1; or write rest for one of them
model.yaml:11:9: attributes: sex: "0" ` + noName + `sex_0, for example, and that in place of 0 in files, too`},
	{name: "attribute with a colon", swap: []string{"region: {north: 40%, south: 60%}",
		"region: {north: 40%, south: 60%}\n  'a:b': {c: 1}"},
		want: `model.yaml:12:3: attributes: "a:b" ` + noName + `attribute_a_b, for example`},
	{name: "value with a percent sign", swap: []string{"north: 40%, south: 60%", "north: 40%, south: 60%, '%': 0"},
		want: `model.yaml:11:36: attributes: region: "%" ` + noName + `region_a, for example`},
	{name: "state with a long name", swap: []string{"  recovered: {}\n", "  recovered: {}\n  " + strings.Repeat("x", 201) +
		": {}\n"},
		want: `model.yaml:23:3: states: "` + strings.Repeat("x", 59) +
			`…" is too long for a name; expected at most 200 letters`},
	{name: "clock with a long name", swap: []string{"name: death", "name: " + strings.Repeat("ß", 201)},
		want: `model.yaml:21:45: states: infectious: race: name: "` + strings.Repeat("ß", 59) +
			`…" is too long for a name; expected at most 200 letters`},
	{name: "too many states", source: manyStates,
		want: "model.yaml:4:9: states: 10001 states are more than the 10000 there can be"},
	{name: "too many parameters", source: manyParameters,
		want: "model.yaml:5:13: parameters: 10001 parameters are more than the 10000 there can be"},
	{name: "too many values", source: manyValues,
		want: "model.yaml:5:17: attributes: x: 10001 values are more than the 10000 there can be"},
	{name: "too many attributes", source: manyAttributes,
		want: "model.yaml:5:3404: attributes: 251 are more than the 250 there can be"},
	{name: "too many branches", source: manyBranches,
		want: "model.yaml:4:21: states: a: split: 257 branches are more than the 250 there can be"},
}
