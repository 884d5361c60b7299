package population_test

// spoiltNames are wrong in names, values, the population and time.
var spoiltNames = []spoilt{
	// Keys that there are not, at every level.
	{name: "top key", swap: []string{"record:", "recrod:"},
		want: `model.yaml:37:1: the model: there is no key "recrod"; did you mean "record"?`},
	{name: "top key unlike any", swap: []string{"record: {every: 1 day}", "colour: blue"},
		want: `model.yaml:37:1: the model: there is no key "colour"; expected one of name, about, time, population, ` +
			`parameters, states, machines, places, networks, always and 12 more`},
	{name: "time key", swap: []string{"start: 0", "begin: 0"},
		want: `model.yaml:2:19: time: there is no key "begin"; expected one of unit, start, end`},
	{name: "time key misspelt", swap: []string{"start: 0", "strat: 0"},
		want: `model.yaml:2:19: time: there is no key "strat"; did you mean "start"?`},
	{name: "population key", swap: []string{"  size: 1000\n", "  size: 1000\n  agee: 5 years\n"},
		want: `model.yaml:5:3: population: there is no key "agee"; did you mean "age"?`},
	{name: "state key", swap: []string{"    race:\n", "    races:\n"},
		want: `model.yaml:19:5: states: infectious: there is no key "races"; did you mean "race"?`},
	{name: "race key", swap: []string{"{after: stay, to: recovered}", "{after: stay, to: recovered, chance: 1}"},
		want: `model.yaml:20:38: states: infectious: race: there is no key "chance"; expected one of after, rate, to, ` +
			`move, name, where, enter, count, with, inherit, uses, full, queue, source`},
	{name: "split key", swap: []string{"{otherwise: true, after: 5 days, to: recovered}",
		"{otherwise: true, after: 5 days, to: recovered, form: latent}"},
		want: `model.yaml:17:57: states: latent: split: there is no key "form"; expected one of after, rate, to, move, ` +
			`name, chance, otherwise, enter, count, with, inherit, uses, full, queue, source`},
	{name: "always key", swap: []string{"shape: 6}}, to: out}", "shape: 6}}, to: out, nmae: death}"},
		want: `model.yaml:24:62: always: there is no key "nmae"; did you mean "name"?`},
	{name: "births key", swap: []string{"births: {rate: 0.012 per year, enter: susceptible}",
		"births: {rate: 0.012 per year, enter: susceptible, age: 1 year}"},
		want: `model.yaml:25:52: births: there is no key "age"; expected one of rate, enter, from, where, inherit, ` +
			`with, count, name`},
	{name: "immigration key", swap: []string{"rate: 5 per year, enter: recovered",
		"rate: 5 per year, enter: recovered, ages: 9 years"},
		want: `model.yaml:26:51: immigration: there is no key "ages"; did you mean "age"?`},
	{name: "transmission key", swap: []string{"    chance: 50%\n", "    chanse: 50%\n"},
		want: `model.yaml:30:5: transmission 1: there is no key "chanse"; did you mean "chance"?`},
	{name: "mixing key", swap: []string{"mixing: {by: region,", "mixing: {of: all, by: region,"},
		want: `model.yaml:32:14: transmission 1: mixing: there is no key "of"; expected one of by, matrix`},
	{name: "intervention key", swap: []string{"coverage: 60%", "covrage: 60%"},
		want: `model.yaml:35:37: intervention 2: there is no key "covrage"; did you mean "coverage"?`},
	{name: "record key", swap: []string{"{every: 1 day}", "{every: 1 day, form: csv}"},
		want: `model.yaml:37:24: record: there is no key "form"; expected one of every, by, incidence, values, time, ` +
			`people, tree`},
	{name: "distribution key", swap: []string{"{mean: 5 days, shape: 2}", "{mean: 5 days, shape: 2, sd: 1 day}"},
		want: `model.yaml:8:42: parameters: stay: gamma: there is no key "sd"; expected one of mean, shape`},
	{name: "mixture key", swap: []string{"after: 3 days", "after: {mixture: [{share: 1, of: 2 days, fo: 3 days}]}"},
		want: `model.yaml:16:64: states: latent: split: clock 1: after: mixture: there is no key "fo"; did you mean "of"?`},
	{name: "merge key", swap: []string{"    chance: 50%\n", "    <<: {chance: 50%}\n"},
		want: `model.yaml:30:5: transmission 1: there is no key "<<"; expected one of machine, from, rate, rate each, ` +
			`chance, to, self, where, whom, mixing and 8 more`},
	{name: "misspelt key that is needed", swap: []string{"    rate: beta\n", "    rat: beta\n"},
		want: `model.yaml:29:5: transmission 1: there is no key "rat"; did you mean "rate"?`},
	{name: "misspelt argument that is needed", swap: []string{"shape: 2}", "shpe: 2}"},
		want: `model.yaml:8:32: parameters: stay: gamma: there is no key "shpe"; did you mean "shape"?`},
	{name: "misspelt section that is needed", swap: []string{"states:\n", "stats:\n"},
		want: `model.yaml:12:1: the model: there is no key "stats"; did you mean "states"?`},

	// Names of states.
	{name: "state in start", swap: []string{"start: {infectious: 10", "start: {infectius: 10"},
		want: `model.yaml:5:11: population: start: there is no state "infectius"; did you mean "infectious"?`},
	{name: "two states in start", swap: []string{"start: {infectious: 10, susceptible: rest}",
		"start: {infectius: 10, susceptable: rest}"},
		want: `model.yaml:5:11: population: start: there is no state "infectius"; did you mean "infectious"?
model.yaml:5:26: population: start: there is no state "susceptable"; did you mean "susceptible"?`},
	{name: "state in a race", swap: []string{"{after: stay, to: recovered}", "{after: stay, to: recoverd}"},
		want: `model.yaml:20:27: states: infectious: race: clock 1: to: there is no state "recoverd"; did you mean ` +
			`"recovered"?`},
	{name: "state in a split", swap: []string{"to: infectious}\n", "to: infectios}\n"},
		want: `model.yaml:16:42: states: latent: split: clock 1: to: there is no state "infectios"; did you mean ` +
			`"infectious"?`},
	{name: "state in always", swap: []string{"shape: 6}}, to: out}", "shape: 6}}, to: ouf}"},
		want: `model.yaml:24:57: always: clock 1: to: there is no state "ouf"; did you mean "out"?`},
	{name: "state in always from", swap: []string{"shape: 6}}, to: out}",
		"shape: 6}}, to: out, from: [latnt, susceptible]}"},
		want: `model.yaml:24:69: always: clock 1: from: there is no state "latnt"; did you mean "latent"?`},
	{name: "out in always from", swap: []string{"shape: 6}}, to: out}", "shape: 6}}, to: out, from: out}"},
		want: "model.yaml:24:68: always: clock 1: from: expected a state; out is for leaving the population"},
	{name: "state in births", swap: []string{"enter: susceptible", "enter: suspectible"},
		want: `model.yaml:25:39: births: enter: there is no state "suspectible"; did you mean "susceptible"?`},
	{name: "out in births", swap: []string{"enter: susceptible", "enter: out"},
		want: "model.yaml:25:39: births: enter: expected a state; out is for leaving the population"},
	{name: "state in births from", swap: []string{"enter: susceptible", "enter: susceptible, from: adult"},
		want: `model.yaml:25:58: births: from: there is no state "adult"; expected one of susceptible, latent, ` +
			`infectious, recovered`},
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
		want: `model.yaml:35:56: intervention 2: to: there is no state "everyone"; expected one of susceptible, latent, ` +
			`infectious, recovered, out`},
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
		want: `model.yaml:5:11: population: start: there is no state ""; expected one of susceptible, latent, infectious, ` +
			`recovered`},
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
		want: `model.yaml:29:11: transmission 1: rate: "five per day" is neither a quantity such as 5 days nor the name ` +
			`of a parameter`},
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
	{name: "parameter of a parameter that is used", swap: []string{"stay: {gamma: {mean: 5 days, shape: 2}}",
		"stay: stray"},
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
	{name: "value of an intervention's move", swap: []string{"coverage: 60%, to: recovered",
		"coverage: 60%, move: {region: shouth}"},
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
		want: `model.yaml:16:30: states: latent: split: clock 1: after: "3 wekes": there is no unit "wekes"; did you mean ` +
			`"weeks"?; expected a duration such as 5 days`},
	{name: "unit of a duration, singular", swap: []string{"after: 3 days", "after: 1 weak"},
		want: `model.yaml:16:30: states: latent: split: clock 1: after: "1 weak": there is no unit "weak"; did you mean ` +
			`"week"?; expected a duration such as 5 days`},
	{name: "unit unlike any", swap: []string{"after: 3 days", "after: 3 fortnights"},
		want: `model.yaml:16:30: states: latent: split: clock 1: after: "3 fortnights": there is no unit "fortnights"; ` +
			`the units are second, minute, hour, day, week, month, year; expected a duration such as 5 days`},
	{name: "a third per day", swap: []string{"rate: 0.01 per day", "rate: 1/3 per day"},
		want: `model.yaml:21:16: states: infectious: race: death: rate: 1/3 per day, which is 0.333333 days, is a ` +
			`duration; expected a rate such as 0.5 per day; a unit belongs to the number directly before it, so ` +
			`that 1/3 per day is 1 / (3 per day): write 1 / 3 days for 1/3 per day`},
	{name: "unit of a rate", swap: []string{"rate: 0.01 per day", "rate: 0.01 per yeer"},
		want: `model.yaml:21:16: states: infectious: race: death: rate: "0.01 per yeer": there is no unit "yeer"; did you ` +
			`mean "year"?; expected a rate such as 0.5 per day`},
	{name: "unit of a parameter", swap: []string{"spare: 7 days", "spare: 7 wekes"},
		want: `model.yaml:9:10: parameters: spare: "7 wekes": there is no unit "wekes"; did you mean "weeks"?; expected a ` +
			`value such as 0.5 per day, 5 days or 30%`},
	{name: "unit written to the number", swap: []string{"after: 3 days", "after: 3days"},
		want: `model.yaml:16:30: states: latent: split: clock 1: after: "3days" is not a number; expected a duration such ` +
			`as 5 days`},
	{name: "rate with a slash", swap: []string{"rate: 0.01 per day", "rate: 0.01/day"},
		want: `model.yaml:21:21: states: infectious: race: death: rate: "0.01/day": "day" has no number before it; a rate ` +
			`is written 0.5 per day, and a duration 5 days`},
	{name: "per nothing", swap: []string{"rate: 0.01 per day", "rate: 0.01 per"},
		want: `model.yaml:21:16: states: infectious: race: death: rate: "0.01 per": per what? Write 0.01 per day, for ` +
			`example; expected a rate such as 0.5 per day`},
	{name: "too many words", swap: []string{"rate: 0.01 per day", "rate: 0.01 per day per head"},
		want: `model.yaml:21:16: states: infectious: race: death: rate: "0.01 per day per head" is more than a quantity; ` +
			`write 5 days or 0.5 per day, for example; expected a rate such as 0.5 per day`},
	{name: "percentage with a unit", swap: []string{"after: 3 days", "after: 3% days"},
		want: `model.yaml:16:30: states: latent: split: clock 1: after: "3% days": a percentage has no unit; expected a ` +
			`duration such as 5 days`},
	{name: "percentage with a space", swap: []string{"coverage: 60%", "coverage: 60 %"},
		want: `model.yaml:35:47: intervention 2: coverage: "60 %": there is no unit "%"; the units are second, minute, ` +
			`hour, day, week, month, year; expected a percentage such as 30%`},
	{name: "distribution", swap: []string{"{gamma: {mean: 5 days, shape: 2}}", "{gama: {mean: 5 days, shape: 2}}"},
		want: `model.yaml:8:10: parameters: stay: there is no distribution "gama"; did you mean "gamma"?`},
	{name: "distribution unlike any", swap: []string{"{gamma: {mean: 5 days, shape: 2}}",
		"{pareto: {mean: 5 days, shape: 2}}"},
		want: `model.yaml:8:10: parameters: stay: there is no distribution "pareto"; expected one of exponential, gamma, ` +
			`erlang, weibull, lognormal, gompertz, uniform, exactly, hazard, mixture`},
	{name: "distribution of two names", swap: []string{"{gamma: {mean: 5 days, shape: 2}}", "{mean: 5 days, shape: 2}"},
		want: "model.yaml:8:9: parameters: stay: a distribution has one name and its arguments, such as {gamma: {mean: 5 " +
			"days, shape: 2}}, and a table by group begins with by, such as {by: age, child: 0.1%, adult: 1%, other: 8%}; " +
			"there are 2 names here"},
	{name: "distribution of no name", swap: []string{"{gamma: {mean: 5 days, shape: 2}}", "{}"},
		want: "model.yaml:8:9: parameters: stay: a distribution has one name and its arguments, such as {gamma: {mean: 5 " +
			"days, shape: 2}}, and a table by group begins with by, such as {by: age, child: 0.1%, adult: 1%, other: 8%}; " +
			"there are 0 names here"},
	{name: "distribution that is a template", swap: []string{"{after: stay,", "{after: {{stay}},"},
		want: "model.yaml:20:18: states: infectious: race: clock 1: after: found a mapping as a key, expected a name"},

	// Values of another kind.
	{name: "bare number as a duration", swap: []string{"after: 3 days", "after: 3"},
		want: "model.yaml:16:30: states: latent: split: clock 1: after: 3 has no unit; " +
			"write 3 days, or whatever the unit is"},
	{name: "bare number as a rate", swap: []string{"rate: 0.01 per day", "rate: 0.01"},
		want: "model.yaml:21:16: states: infectious: race: death: rate: 0.01 has no unit; write 0.01 per day, or whatever " +
			"the unit is"},
	{name: "bare number as a parameter", swap: []string{"beta: 0.5 per day", "beta: 0.5"},
		want: "model.yaml:29:11: transmission 1: rate: parameter beta, 0.5, has no unit; write 0.5 per day, or whatever " +
			"the unit is"},
	{name: "bare number in a distribution", swap: []string{"scale: 80 years", "scale: 80"},
		want: "model.yaml:24:31: always: clock 1: after: weibull: scale: 80 has no unit; write 80 days, or whatever the " +
			"unit is"},
	{name: "bare number in the distribution of a parameter", swap: []string{"mean: 5 days", "mean: 5"},
		want: "model.yaml:8:24: parameters: stay: gamma: mean: 5 has no unit; write 5 days, or whatever the unit is"},
	{name: "bare number in record", swap: []string{"every: 1 day", "every: 1"},
		want: "model.yaml:37:17: record: every: 1 has no unit; write 1 day, or whatever the unit is"},
	{name: "duration as a rate", swap: []string{"rate: 0.01 per day", "rate: 3 days"},
		want: "model.yaml:21:16: states: infectious: race: death: rate: 3 days is a duration; expected a rate such as 0.5 " +
			"per day"},
	{name: "rate as a duration", swap: []string{"after: 3 days", "after: 3 per day"},
		want: "model.yaml:16:30: states: latent: split: clock 1: after: 3 per day is a rate; expected a duration such as " +
			"5 days or a distribution such as {gamma: {mean: 5 days, shape: 2}}"},
	{name: "percentage as a duration", swap: []string{"after: 3 days", "after: 3%"},
		want: "model.yaml:16:30: states: latent: split: clock 1: after: 3% is a percentage; expected a duration such as 5 " +
			"days or a distribution such as {gamma: {mean: 5 days, shape: 2}}"},
	{name: "percentage as a rate", swap: []string{"rate: 0.012 per year", "rate: 1.2%"},
		want: "model.yaml:25:16: births: rate: 1.2% is a percentage; expected a rate such as 0.5 per day"},
	{name: "rate as a probability", swap: []string{"chance: 50%", "chance: 0.5 per day"},
		want: "model.yaml:30:13: transmission 1: chance: 0.5 per day is a rate; expected a percentage such as 30%"},
	{name: "duration as a parameter for a rate", swap: []string{"    rate: beta\n", "    rate: spare\n"},
		want: "model.yaml:29:11: transmission 1: rate: parameter spare, 7 days, is a duration; expected a rate such as " +
			"0.5 per day"},
	{name: "rate as a parameter for a duration", swap: []string{"{after: stay,", "{after: beta,"},
		want: "model.yaml:20:17: states: infectious: race: clock 1: after: parameter beta, 0.5 per day, is a rate; " +
			"expected a duration such as 5 days or a distribution such as {gamma: {mean: 5 days, shape: 2}}"},
	{name: "distribution as a rate", swap: []string{"rate: 0.01 per day", "rate: {gamma: {mean: 5 days, shape: 2}}"},
		want: "model.yaml:21:16: states: infectious: race: death: rate: found a distribution, expected a rate such as 0.5 " +
			"per day"},
	{name: "distribution as a parameter for a rate", swap: []string{"    rate: beta\n", "    rate: stay\n"},
		want: "model.yaml:29:11: transmission 1: rate: parameter stay is a distribution; " +
			"expected a rate such as 0.5 per day"},
	{name: "percentage as a shape", swap: []string{"shape: 6", "shape: 60%"},
		want: "model.yaml:24:48: always: clock 1: after: weibull: shape: 60% is a percentage; expected a number such as 2"},
	{name: "rate as record", swap: []string{"every: 1 day", "every: 1 per day"},
		want: "model.yaml:37:17: record: every: 1 per day is a rate; expected a duration such as 5 days"},
	{name: "rate as the start", swap: []string{"start: 0", "start: 1 per day"},
		want: "model.yaml:2:26: time: start: 1 per day is a rate; expected a time such as 160, in the unit of the model, " +
			"or 160 days"},
	{name: "parameter as the time of an intervention", swap: []string{"at: 30 days", "at: spare"},
		want: `model.yaml:34:10: intervention 1: at: found "spare", expected a time such as 160, in the unit of the ` +
			`model, or 160 days; a parameter cannot stand here`},
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
		want: "model.yaml:30:13: transmission 1: chance: parameter spare, 1.5: a probability is between 0 and 1, or 0% " +
			"and 100%"},
	{name: "negative rate", swap: []string{"rate: 0.01 per day", "rate: -0.01 per day"},
		want: "model.yaml:21:16: states: infectious: race: death: rate: -0.01 per day: a rate cannot be negative"},
	{name: "negative rate by a parameter", swap: []string{"beta: 0.5 per day", "beta: -0.5 per day"},
		want: "model.yaml:29:11: transmission 1: rate: parameter beta, -0.5 per day: a rate cannot be negative"},
	{name: "negative duration", swap: []string{"after: 3 days", "after: -3 days"},
		want: "model.yaml:16:30: states: latent: split: clock 1: after: -3 days: a duration cannot be negative"},
	{name: "negative time of an intervention", swap: []string{"at: 30 days", "at: -30 days"},
		want: "model.yaml:34:10: intervention 1: at: -30 days is before the start of the model, 0 days; times are those " +
			"of the model's clock"},
	{name: "negative mean", swap: []string{"mean: 5 days", "mean: -5 days"},
		want: "model.yaml:8:24: parameters: stay: gamma: mean: -5 days: a duration cannot be negative"},
	{name: ".nan", swap: []string{"rate: 0.01 per day", "rate: .nan"},
		want: `model.yaml:21:16: states: infectious: race: death: rate: ".nan" is not a number; expected a rate such as ` +
			`0.5 per day`},
	{name: "NaN", swap: []string{"rate: 0.01 per day", "rate: NaN"},
		want: `model.yaml:21:16: states: infectious: race: death: rate: there is no parameter "NaN"; expected one of ` +
			`beta, spare, stay`},
	{name: ".inf", swap: []string{"rate: 0.01 per day", "rate: .inf"},
		want: `model.yaml:21:16: states: infectious: race: death: rate: ".inf" is not a number; expected a rate such as ` +
			`0.5 per day`},
	{name: "-.inf days", swap: []string{"after: 3 days", "after: -.inf days"},
		want: `model.yaml:16:30: states: latent: split: clock 1: after: "-.inf" is not a number; expected a duration such ` +
			`as 5 days`},
	{name: "1e999", swap: []string{"rate: 0.01 per day", "rate: 1e999 per day"},
		want: `model.yaml:21:16: states: infectious: race: death: rate: "1e999" is not a number; expected a rate such as ` +
			`0.5 per day`},
	{name: "hexadecimal", swap: []string{"rate: 0.01 per day", "rate: 0x10 per day"},
		want: `model.yaml:21:16: states: infectious: race: death: rate: "0x10" is not a number; expected a rate such as ` +
			`0.5 per day`},
	{name: "underscore at an end", swap: []string{"rate: 0.01 per day", "rate: 1_ per day"},
		want: `model.yaml:21:16: states: infectious: race: death: rate: "1_" is not a number; expected a rate such as 0.5 ` +
			`per day`},
	{name: "decimal comma", swap: []string{"rate: 0.01 per day", "rate: '0,01 per day'"},
		want: `model.yaml:21:16: states: infectious: race: death: rate: "0,01" is not a number; expected a rate such as ` +
			`0.5 per day`},
	{name: "minus sign of typography", swap: []string{"rate: 0.01 per day", "rate: −0.01 per day"},
		want: `model.yaml:21:16: states: infectious: race: death: rate: "−0.01 per day" is neither a quantity such as 5 ` +
			`days nor the name of a parameter`},
	{name: "too fast for the unit", swap: []string{"rate: 0.01 per day", "rate: 1e305 per second"},
		want: "model.yaml:21:16: states: infectious: race: death: rate: 1e305 per second is too large or too small for a " +
			"time in days"},
	{name: "too slow for the unit", swap: []string{"unit: day", "unit: second", "rate: 0.01 per day",
		"rate: 1e-320 per year"},
		want: "model.yaml:21:16: states: infectious: race: death: rate: 1e-320 per year is too large or too small for a " +
			"time in seconds"},

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
		want: `model.yaml:4:3: population: "start" is missing; write start: {infectious: 10, susceptible: rest}, ` +
			`for example`},
	{name: "start of nothing", swap: []string{"start: {infectious: 10, susceptible: rest}", "start:"},
		want: "model.yaml:5:9: population: start: 0 of 1000 individuals; give one state the rest, as in susceptible: rest"},
	{name: "start is a list", swap: []string{"start: {infectious: 10, susceptible: rest}",
		"start: [infectious, susceptible]"},
		want: "model.yaml:5:10: population: start: found a list, expected a mapping such as {infectious: 10, " +
			"susceptible: rest}"},
	{name: "nobody of one", swap: []string{"size: 1000", "size: 1", "start: {infectious: 10, susceptible: rest}",
		"start: {}"},
		want: "model.yaml:5:10: population: start: 0 of 1 individual; give one state the rest, as in susceptible: rest"},
	{name: "one of nobody", swap: []string{"size: 1000", "size: 0", "infectious: 10,", "infectious: 1,"},
		want: "model.yaml:5:10: population: start: 1 individual is more than the size, 0"},
	{name: "two rests", swap: []string{"infectious: 10,", "infectious: rest,"},
		want: "model.yaml:5:29: population: start: a second rest; only one state can have those who are left over"},
	{name: "too many at the start", swap: []string{"infectious: 10,", "infectious: 1001,"},
		want: "model.yaml:5:10: population: start: 1001 individuals are more than the size, 1000"},
	{name: "too many by percentage", swap: []string{"infectious: 10, susceptible: rest",
		"infectious: 60%, susceptible: 50%"},
		want: "model.yaml:5:10: population: start: 1100 individuals are more than the size, 1000"},
	{name: "too few at the start", swap: []string{"susceptible: rest", "susceptible: 900"},
		want: "model.yaml:5:10: population: start: 910 of 1000 individuals; give one state the rest, " +
			"as in susceptible: rest"},
	{name: "start share 0.3", swap: []string{"infectious: 10,", "infectious: 0.3,"},
		want: "model.yaml:5:23: population: start: infectious: 0.3 is not a whole number of individuals; write 30% for a " +
			"share of the population"},
	{name: "start share 0.3 without a rest", swap: []string{"infectious: 10, susceptible: rest",
		"infectious: 0.3, susceptible: 700"},
		want: "model.yaml:5:23: population: start: infectious: 0.3 is not a whole number of individuals; write 30% for a " +
			"share of the population"},
	{name: "start 2.5", swap: []string{"infectious: 10,", "infectious: 2.5,"},
		want: `model.yaml:5:23: population: start: infectious: found "2.5", expected a whole number from 0 to 4000000000`},
	{name: "start -5", swap: []string{"infectious: 10,", "infectious: -5,"},
		want: `model.yaml:5:23: population: start: infectious: found "-5", expected a whole number from 0 to 4000000000`},
	{name: "start 5 days", swap: []string{"infectious: 10,", "infectious: 5 days,"},
		want: `model.yaml:5:23: population: start: infectious: found "5 days", expected a number, a percentage, a ` +
			`parameter, or rest`},
	{name: "start some", swap: []string{"infectious: 10,", "infectious: some,"},
		want: `model.yaml:5:23: population: start: infectious: found "some", expected a number, a percentage, a ` +
			`parameter, or rest`},
	{name: "start 150%", swap: []string{"infectious: 10,", "infectious: 150%,"},
		want: "model.yaml:5:23: population: start: infectious: 150% is not between 0% and 100%"},
	{name: "start nothing", swap: []string{"infectious: 10,", "infectious: ,"},
		want: "model.yaml:5:23: population: start: infectious: found nothing, expected a number, a percentage, or rest"},
	{name: "size above the most that is not said", swap: []string{"size: 1000", "size: 600_000_000"},
		want: "model.yaml:4:9: population: size 600000000 is more than the most there may be, 500000000; write most: " +
			"600000000 in population"},
	{name: "size above the most", swap: []string{"  size: 1000\n", "  size: 1000\n  most: 999\n"},
		want: "model.yaml:4:9: population: size 1000 is more than the most there may be, 999; " +
			"write most: 1000 in population"},
	{name: "most is no number", swap: []string{"  size: 1000\n", "  size: 1000\n  most: lots\n"},
		want: `model.yaml:5:9: population: most: found "lots", expected a whole number from 0 to 4000000000`},
	{name: "age without a unit", swap: []string{"  size: 1000\n", "  size: 1000\n  age: 30\n"},
		want: "model.yaml:5:8: population: age: 30 has no unit; write 30 days, or whatever the unit is"},
	{name: "age as a rate", swap: []string{"  size: 1000\n", "  size: 1000\n  age: 30 per year\n"},
		want: "model.yaml:5:8: population: age: 30 per year is a rate; expected a duration such as 5 days or a " +
			"distribution such as {gamma: {mean: 5 days, shape: 2}}"},
	{name: "ages beyond the longest life", swap: []string{"  size: 1000\n",
		"  size: 1000\n  age: {uniform: {low: 0 years, high: 101 years}}\n", "{weibull: {scale: 80 years, shape: 6}}",
		"36525 days"},
		want: "model.yaml:5:8: population: age: ages reach 36890.2 days, but a clock of always ends every life " +
			"by 36525 days"},
	{name: "age of the end of life", swap: []string{"  size: 1000\n", "  size: 1000\n  age: 100 years\n",
		"{weibull: {scale: 80 years, shape: 6}}", "100 years"},
		want: "model.yaml:5:8: population: age: ages reach 36525 days, but a clock of always ends every life by 36525 days"},
	{name: "ages without a bound", swap: []string{"  size: 1000\n",
		"  size: 1000\n  age: {exponential: {mean: 30 years}}\n", "{weibull: {scale: 80 years, shape: 6}}",
		"{uniform: {low: 1 year, high: 100 years}}"},
		want: "model.yaml:5:8: population: age: ages have no bound, but a clock of always ends every life by 36525 days"},
	{name: "ages that may never end", swap: []string{"  size: 1000\n",
		"  size: 1000\n  age: {hazard: {0 years: 0.1 per year, 9 years: 0 per year}}\n"},
		want: "model.yaml:5:8: population: age: a hazard that ends with a rate of 0 has no end, but an age must have one"},
	{name: "age of immigrants", swap: []string{"enter: recovered", "enter: recovered, age: 120 years",
		"{weibull: {scale: 80 years, shape: 6}}", "100 years"},
		want: "model.yaml:26:56: immigration: age: ages reach 43830 days, but a clock of always ends every life " +
			"by 36525 days"},

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
		want: `model.yaml:2:34: time: end: found "never", expected a time such as 160, in the unit of the model, or 160 ` +
			`days; a parameter cannot stand here`},
	{name: "end is a percentage", swap: []string{"end: 160", "end: 50%"},
		want: "model.yaml:2:34: time: end: 50% is a percentage; expected a time such as 160, in the unit of the model, or " +
			"160 days"},
	{name: "end is a list", swap: []string{"end: 160", "end: [160]"},
		want: "model.yaml:2:34: time: end: found a list, expected a time such as 160 or 160 days"},
	{name: "end beyond all numbers", swap: []string{"unit: day, start: 0, end: 160",
		"unit: second, start: 0, end: 1e305 years"},
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
	{name: "run too long for its rows", swap: []string{"start: 0, end: 160", "start: -1.7e308, end: 1.7e308",
		"record: {every: 1 day}\n", ""},
		want: "model.yaml:2:41: time: end: 1.7e308 is too far from the start, -1.7e+308"},
	{name: "run too short for its rows", swap: []string{"end: 160", "end: 5e-324", "record: {every: 1 day}\n", ""},
		want: "model.yaml:2:34: time: end: 5e-324 is too near to the start, 0"},
}
