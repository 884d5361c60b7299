package population_test

// spoiltPeople are wrong in who is there, who comes, and what is planned.
var spoiltPeople = []spoilt{
	// Lifetimes.
	{name: "gompertz without growth", swap: []string{"after: 3 days", "after: {gompertz: {rate: 0.01 per year}}"},
		want: "model.yaml:16:41: states: latent: split: clock 1: after: gompertz: \"growth\" is missing; write gompertz: " +
			"{rate: 0.00005 per year, growth: 0.09 per year}, for example"},
	{name: "gompertz of rate 0", swap: []string{"after: 3 days",
		"after: {gompertz: {rate: 0 per year, growth: 0.1 per year}}"},
		want: "model.yaml:16:48: states: latent: split: clock 1: after: gompertz: rate: 0 per year: expected a rate above 0"},
	{name: "gompertz with a makeham below 0", swap: []string{"after: 3 days",
		"after: {gompertz: {rate: 0.1 per year, growth: -0.1 per year, makeham: -1 per day}}"},
		want: "model.yaml:16:94: states: latent: split: clock 1: after: gompertz: makeham: -1 per day: a rate cannot be " +
			"negative"},
	{name: "gompertz with a growth in days", swap: []string{"after: 3 days",
		"after: {gompertz: {rate: 0.1 per year, growth: 3 days}}"},
		want: "model.yaml:16:70: states: latent: split: clock 1: after: gompertz: growth: 3 days is a duration; expected " +
			"a rate such as 0.5 per day"},
	{name: "gompertz beyond numbers", swap: []string{"after: 3 days",
		"after: {gompertz: {rate: 1e-200 per day, growth: 1e200 per day}}"},
		want: "model.yaml:16:30: states: latent: split: clock 1: after: gompertz: its arguments are too large or too " +
			"small to work with"},
	{name: "ages that may have no end", swap: []string{"size: 1000",
		"size: 1000\n  age: {gompertz: {rate: 0.1 per year, growth: -0.1 per year}}"},
		want: "model.yaml:5:8: population: age: a hazard whose growth is negative may have no end, but an age must have one"},

	// Groups.
	{name: "start and groups", swap: []string{"  start: {infectious: 10, susceptible: rest}\n",
		"  start: {infectious: 10, susceptible: rest}\n  groups: [{share: 1, start: {susceptible: rest}}]\n"},
		want: `model.yaml:5:10: population: both start and groups; each group has a start of its own`},
	{name: "no groups", swap: []string{"  start: {infectious: 10, susceptible: rest}\n", "  groups: []\n"},
		want: `model.yaml:5:11: population: groups: expected at least one, such as {share: 40%, with: {region: north}, ` +
			`start: {susceptible: rest}}`},
	{name: "group without a number", swap: []string{"  start: {infectious: 10, susceptible: rest}\n",
		"  groups: [{with: {region: north}, start: {susceptible: rest}}]\n"},
		want: `model.yaml:5:12: population: group 1: how many? Write share: 40% or count: 400, for example`},
	{name: "group with two numbers", swap: []string{"  start: {infectious: 10, susceptible: rest}\n",
		"  groups: [{share: 1, count: 1000, start: {susceptible: rest}}]\n"},
		want: `model.yaml:5:30: population: group 1: both share and count; a group has one of them`},
	{name: "group without start", swap: []string{"  start: {infectious: 10, susceptible: rest}\n",
		"  groups: [{share: 1}]\n"},
		want: `model.yaml:5:12: population: group 1: "start" is missing; write start: {susceptible: rest}, for example`},
	{name: "group with an unknown key", swap: []string{"  start: {infectious: 10, susceptible: rest}\n",
		"  groups: [{share: 1, wiht: {region: north}, start: {susceptible: rest}}]\n"},
		want: `model.yaml:5:23: population: group 1: there is no key "wiht"; did you mean "with"?`},
	{name: "group of a share above 1", swap: []string{"  start: {infectious: 10, susceptible: rest}\n",
		"  groups: [{share: 140%, start: {susceptible: rest}}]\n"},
		want: `model.yaml:5:20: population: group 1: share: 140% is not between 0% and 100%`},
	{name: "group of a share in days", swap: []string{"  start: {infectious: 10, susceptible: rest}\n",
		"  groups: [{share: 4 days, start: {susceptible: rest}}]\n"},
		want: `model.yaml:5:20: population: group 1: share: found "4 days", expected a percentage such as 40%`},
	{name: "groups that do not add up", swap: []string{"  start: {infectious: 10, susceptible: rest}\n",
		"  groups: [{share: 40%, start: {susceptible: rest}}, {share: 50%, start: {susceptible: rest}}]\n"},
		want: `model.yaml:5:11: population: groups: the shares add up to 0.9, expected 1`},
	{name: "counts of groups that do not add up", swap: []string{"  start: {infectious: 10, susceptible: rest}\n",
		"  groups: [{count: 400, start: {susceptible: rest}}, {count: 500, start: {susceptible: rest}}]\n"},
		want: `model.yaml:5:11: population: groups: they have 900 individuals, and the size is 1000; expected the same`},
	{name: "more than the group has", swap: []string{"  start: {infectious: 10, susceptible: rest}\n",
		"  groups: [{share: 1%, start: {infectious: 11, susceptible: rest}}, {share: 99%, start: {susceptible: rest}}]\n"},
		want: `model.yaml:5:12: population: group 1: start: 11 individuals are more than the group has, 10`},
	{name: "fewer than the group has", swap: []string{"  start: {infectious: 10, susceptible: rest}\n",
		"  groups: [{share: 1%, start: {infectious: 50%}}, {share: 99%, start: {susceptible: rest}}]\n"},
		want: `model.yaml:5:12: population: group 1: start: 5 of 10 individuals; give one state the rest, as in ` +
			`susceptible: rest`},
	{name: "two rests in a group", swap: []string{"  start: {infectious: 10, susceptible: rest}\n",
		"  groups: [{share: 1, start: {infectious: rest, susceptible: rest}}]\n"},
		want: `model.yaml:5:49: population: group 1: start: a second rest; only one state can have those who are left over`},
	{name: "group of an unknown value", swap: []string{"  start: {infectious: 10, susceptible: rest}\n",
		"  groups: [{share: 1, with: {region: nroth}, start: {susceptible: rest}}]\n"},
		want: `model.yaml:5:38: population: group 1: with: there is no value of region "nroth"; did you mean "north"?`},
	{name: "group of an unknown attribute", swap: []string{"  start: {infectious: 10, susceptible: rest}\n",
		"  groups: [{share: 1, with: {age: 5}, start: {susceptible: rest}}]\n"},
		want: `model.yaml:5:30: population: group 1: with: there is no attribute "age"; expected one of region`},
	{name: "group in an unknown state", swap: []string{"  start: {infectious: 10, susceptible: rest}\n",
		"  groups: [{share: 1, start: {suspectible: rest}}]\n"},
		want: `model.yaml:5:31: population: group 1: start: there is no state "suspectible"; did you mean "susceptible"?`},
	{name: "groups that are a mapping", swap: []string{"  start: {infectious: 10, susceptible: rest}\n",
		"  groups: {share: 1}\n"},
		want: `model.yaml:5:11: population: groups: found a mapping, expected a list such as [{share: 40%, with: {region: ` +
			`north}, start: {susceptible: rest}}]`},

	// Numbers by parameters.
	{name: "start by a rate", swap: []string{"infectious: 10", "infectious: beta"},
		want: `model.yaml:5:23: population: start: infectious: parameter beta, 0.5 per day, is a rate; expected a number ` +
			`such as 2`},
	{name: "start by an expression that is not whole", swap: []string{"infectious: 10", "infectious: 5 / 2"},
		want: `model.yaml:5:23: population: start: infectious: 5 / 2, which is 2.5: expected a whole number from 0 to ` +
			`4000000000, or a percentage`},
	{name: "start by a parameter that was not defined", swap: []string{"infectious: 10", "infectious: bta"},
		want: `model.yaml:5:23: population: start: infectious: there is no parameter "bta"; did you mean "beta"?`},
	{name: "share of a state by a rate", swap: []string{"infectious: 10", "infectious: {share: beta, since: 2 days}"},
		want: `model.yaml:5:31: population: start: infectious: parameter beta, 0.5 per day, is a rate; expected a ` +
			`percentage such as 30%`},

	// Since.
	{name: "since that has no number", swap: []string{"infectious: 10", "infectious: {since: 2 days}"},
		want: `model.yaml:5:23: population: start: infectious: how many? Write share: 5%, share: rest or count: 50, for ` +
			`example`},
	{name: "since with two numbers", swap: []string{"infectious: 10", "infectious: {share: 1%, count: 10, since: 2 days}"},
		want: `model.yaml:5:42: population: start: infectious: both share and count; write one of them`},
	{name: "since with an unknown key", swap: []string{"infectious: 10", "infectious: {count: 10, sicne: 2 days}"},
		want: `model.yaml:5:35: population: start: infectious: there is no key "sicne"; did you mean "since"?`},
	{name: "since at a rate", swap: []string{"infectious: 10", "infectious: {count: 10, since: 2 per day}"},
		want: `model.yaml:5:42: population: start: infectious: since: 2 per day is a rate; expected a duration such as 5 ` +
			`days or a distribution such as {gamma: {mean: 5 days, shape: 2}}`},
	{name: "since longer than every branch", swap: []string{"infectious: 10",
		"latent: {count: 10, since: {uniform: {low: 1 day, high: 6 days}}}"},
		want: `model.yaml:5:38: population: start: latent: since: it may be 6 days, but every branch of latent has fired ` +
			`by 5 days`},
	{name: "since as long as every branch", swap: []string{"infectious: 10", "latent: {count: 10, since: 5 days}"},
		want: `model.yaml:5:38: population: start: latent: since: it is 5 days, but every branch of latent has fired ` +
			`by 5 days`},
	{name: "since without bound", swap: []string{"infectious: 10",
		"latent: {count: 10, since: {exponential: {mean: 2 days}}}"},
		want: `model.yaml:5:38: population: start: latent: since: it has no bound, but every branch of latent has fired ` +
			`by 5 days`},
	{name: "since without end", swap: []string{"infectious: 10",
		"infectious: {count: 10, since: {hazard: {0 days: 0.1 per day, 5 days: 0 per day}}}"},
		want: `model.yaml:5:42: population: start: infectious: since: a hazard that ends with a rate of 0 has no end, but ` +
			`those who are there have come at some time`},
	{name: "share of a state above 1", swap: []string{"infectious: 10", "infectious: {share: 1.5, since: 2 days}"},
		want: `model.yaml:5:31: population: start: infectious: share: 1.5 is not between 0% and 100%`},

	// Entering.
	{name: "births enter nothing at all", swap: []string{"enter: susceptible}", "enter: {}}"},
		want: `model.yaml:25:39: births: enter: expected a state, or the shares of several, such as {vaccinated: 80%, ` +
			`susceptible: rest}`},
	{name: "births enter more than all", swap: []string{"enter: susceptible}",
		"enter: {latent: 80%, recovered: 30%, susceptible: rest}}"},
		want: `model.yaml:25:39: births: enter: the shares add up to 1.1, more than 1`},
	{name: "births enter less than all", swap: []string{"enter: susceptible}", "enter: {latent: 80%, recovered: 10%}}"},
		want: `model.yaml:25:39: births: enter: the shares add up to 0.9, expected 1; or write rest for one state`},
	{name: "births enter two rests", swap: []string{"enter: susceptible}", "enter: {latent: rest, susceptible: rest}}"},
		want: `model.yaml:25:54: births: enter: a second rest; only one state can have those who are left over`},
	{name: "births enter out", swap: []string{"enter: susceptible}", "enter: {latent: 80%, out: rest}}"},
		want: `model.yaml:25:53: births: enter: expected a state; out is for leaving the population`},
	{name: "births enter an unknown state", swap: []string{"enter: susceptible}",
		"enter: {latnet: 80%, susceptible: rest}}"},
		want: `model.yaml:25:40: births: enter: there is no state "latnet"; did you mean "latent"?`},
	{name: "births enter by a rate", swap: []string{"enter: susceptible}", "enter: {latent: beta, susceptible: rest}}"},
		want: `model.yaml:25:48: births: enter: latent: parameter beta, 0.5 per day, is a rate; expected a percentage ` +
			`such as 30%`},
	{name: "immigration enters a list", swap: []string{"enter: recovered", "enter: [recovered]"},
		want: `model.yaml:26:40: immigration: enter: found a list, expected a name`},
	{name: "inherit an unknown attribute", swap: []string{"enter: susceptible}", "enter: susceptible, inherit: [regoin]}"},
		want: `model.yaml:25:62: births: inherit: there is no attribute "regoin"; did you mean "region"?`},
	{name: "inherit nothing", swap: []string{"enter: susceptible}", "enter: susceptible, inherit: []}"},
		want: `model.yaml:25:61: births: inherit: expected at least one attribute, such as [region], or all`},
	{name: "inherit from elsewhere", swap: []string{"enter: recovered", "enter: recovered, inherit: all"},
		want: `model.yaml:26:51: immigration: there is no key "inherit"; expected one of rate, per, enter, age, ` +
			`with, count, name`},
	{name: "immigration with an unknown value", swap: []string{"enter: recovered",
		"enter: recovered, with: {region: east}"},
		want: `model.yaml:26:66: immigration: with: there is no value of region "east"; expected one of north, south`},
	{name: "with where nobody enters", swap: []string{"set: {beta: 0.2 per day}",
		"set: {beta: 0.2 per day}, with: {region: north}"},
		want: `model.yaml:34:5: intervention 1: with is about those who enter; write enter and count beside it`},

	// Interventions that pick, and that wait.
	{name: "coverage and count", swap: []string{"{at: 40 days, who: susceptible, coverage: 60%, to: recovered}",
		"{at: 40 days, who: susceptible, coverage: 60%, count: 5, to: recovered}"},
		want: `model.yaml:35:59: intervention 2: both coverage and count; a share of those whom it is about is reached, ` +
			`or a number of them`},
	{name: "count of nobody", swap: []string{"{at: 40 days, who: susceptible, coverage: 60%, to: recovered}",
		"{at: 40 days, count: 5, to: recovered}"},
		want: `model.yaml:35:26: intervention 2: count of whom? Write who and to beside it, or enter: infectious, ` +
			`for example`},
	{name: "count of a half", swap: []string{"{at: 40 days, who: susceptible, coverage: 60%, to: recovered}",
		"{at: 40 days, who: susceptible, count: 0.5, to: recovered}"},
		want: `model.yaml:35:44: intervention 2: count: found "0.5", expected a whole number from 0 to 4000000000`},
	{name: "number of whom that is worked out and not whole", swap: []string{"coverage: 60%", "count: 3 / 2"},
		want: `model.yaml:35:44: intervention 2: count: 3 / 2, which is 1.5: expected a whole number from 0 to 4000000000`},
	{name: "count by a rate", swap: []string{"{at: 40 days, who: susceptible, coverage: 60%, to: recovered}",
		"{at: 40 days, who: susceptible, count: beta, to: recovered}"},
		want: `model.yaml:34:31: intervention 2: count: parameter beta, 0.2 per day, is a rate; expected a number such as ` +
			`2 (see line 35)`},
	{name: "count by an unknown parameter", swap: []string{"{at: 40 days, who: susceptible, coverage: 60%, to: recovered}",
		"{at: 40 days, who: susceptible, count: dosse, to: recovered}"},
		want: `model.yaml:35:44: intervention 2: count: there is no parameter "dosse"; expected one of beta, spare, stay`},
	{name: "count that goes nowhere", swap: []string{"{at: 40 days, who: susceptible, coverage: 60%, to: recovered}",
		"{at: 40 days, who: susceptible, count: 5}"},
		want: `model.yaml:35:5: intervention 2: what becomes of them? Write to: recovered, for example`},
	{name: "coverage by group of an unknown value", swap: []string{"{at: 40 days, who: susceptible, coverage: 60%, to: " +
		"recovered}", "{at: 40 days, who: susceptible, coverage: {by: region, north: 1, suoth: 0}, to: recovered}"},
		want: `model.yaml:35:70: intervention 2: coverage: there is no value of region "suoth"; did you mean "south"?`},
	{name: "every until before the start", swap: []string{"{at: 30 days, set: {beta: 0.2 per day}}",
		"{every: 7 days, until: -5, set: {beta: 0.2 per day}}"},
		want: `model.yaml:34:28: intervention 1: until: -5 is before the start`},
	{name: "when and at", swap: []string{"{at: 30 days, set: {beta: 0.2 per day}}",
		"{at: 30 days, when: {infectious: above 1%}, set: {beta: 0.2 per day}}"},
		want: `model.yaml:34:10: intervention 1: both when and at; it happens when its condition becomes true, or at ` +
			`times that are known`},
	{name: "when and every", swap: []string{"{at: 30 days, set: {beta: 0.2 per day}}",
		"{every: 30 days, until: 100 days, when: {infectious: above 1%}, set: {beta: 0.2 per day}}"},
		want: `model.yaml:34:13: intervention 1: both when and every; it happens when its condition becomes true, ` +
			`or at times that are known
model.yaml:34:29: intervention 1: both when and until; it happens when its condition becomes true, ` +
			`or at times that are known`},
	{name: "again without when", swap: []string{"{at: 30 days, set: {beta: 0.2 per day}}",
		"{at: 30 days, again: true, set: {beta: 0.2 per day}}"},
		want: `model.yaml:34:26: intervention 1: again without when; write every: 7 days for something that happens at ` +
			`known times`},
	{name: "again of nothing sure", swap: []string{"{at: 30 days, set: {beta: 0.2 per day}}",
		"{when: {infectious: above 1%}, again: perhaps, set: {beta: 0.2 per day}}"},
		want: `model.yaml:34:43: intervention 1: again: found "perhaps", expected true or false`},
	{name: "when nothing", swap: []string{"{at: 30 days, set: {beta: 0.2 per day}}",
		"{when: {}, set: {beta: 0.2 per day}}"},
		want: `model.yaml:34:12: intervention 1: when: expected a state, or total, and what its number is to be, such as ` +
			`{infectious: above 1%}`},
	{name: "when a word", swap: []string{"{at: 30 days, set: {beta: 0.2 per day}}",
		"{when: infectious, set: {beta: 0.2 per day}}"},
		want: `model.yaml:34:12: intervention 1: when: found "infectious", expected a mapping such as ` +
			`{infectious: above 1%}`},
	{name: "when at least", swap: []string{"{at: 30 days, set: {beta: 0.2 per day}}",
		"{when: {infectious: at least 1%}, set: {beta: 0.2 per day}}"},
		want: `model.yaml:34:25: intervention 1: when: infectious: found "at least 1%", expected above or below and a ` +
			`number or a percentage, such as above 1%`},
	{name: "when above nothing", swap: []string{"{at: 30 days, set: {beta: 0.2 per day}}",
		"{when: {infectious: above}, set: {beta: 0.2 per day}}"},
		want: `model.yaml:34:25: intervention 1: when: infectious: found "above", expected above or below and a number or ` +
			`a percentage, such as above 1%`},
	{name: "when a number", swap: []string{"{at: 30 days, set: {beta: 0.2 per day}}",
		"{when: {infectious: 5}, set: {beta: 0.2 per day}}"},
		want: `model.yaml:34:25: intervention 1: when: infectious: found "5", expected above or below and a number or a ` +
			`percentage, such as above 1%`},
	{name: "when an unknown state", swap: []string{"{at: 30 days, set: {beta: 0.2 per day}}",
		"{when: {infectuous: above 5}, set: {beta: 0.2 per day}}"},
		want: `model.yaml:34:13: intervention 1: when: there is no state "infectuous"; did you mean "infectious"?`},
	{name: "when out", swap: []string{"{at: 30 days, set: {beta: 0.2 per day}}",
		"{when: {out: above 5}, set: {beta: 0.2 per day}}"},
		want: `model.yaml:34:13: intervention 1: when: expected a state; out is for leaving the population`},
	{name: "when above 200%", swap: []string{"{at: 30 days, set: {beta: 0.2 per day}}",
		"{when: {infectious: above 200%}, set: {beta: 0.2 per day}}"},
		want: `model.yaml:34:25: intervention 1: when: infectious: 200%: a probability is between 0 and 1, or 0% and 100%`},
	{name: "when above a half", swap: []string{"{at: 30 days, set: {beta: 0.2 per day}}",
		"{when: {infectious: above 0.5}, set: {beta: 0.2 per day}}"},
		want: `model.yaml:34:25: intervention 1: when: infectious: 0.5 is not a number of individuals; write 50% for a ` +
			`share of the living`},
	{name: "when below a duration", swap: []string{"{at: 30 days, set: {beta: 0.2 per day}}",
		"{when: {infectious: below 5 days}, set: {beta: 0.2 per day}}"},
		want: `model.yaml:34:25: intervention 1: when: infectious: 5 days is a duration; expected a number such as 2`},
	{name: "when above an unknown parameter", swap: []string{"{at: 30 days, set: {beta: 0.2 per day}}",
		"{when: {infectious: above limit}, set: {beta: 0.2 per day}}"},
		want: `model.yaml:34:25: intervention 1: when: infectious: there is no parameter "limit"; expected one of beta, ` +
			`spare, stay`},
	{name: "when below less than nobody", swap: []string{"{at: 30 days, set: {beta: 0.2 per day}}",
		"{when: {infectious: below -3}, set: {beta: 0.2 per day}}"},
		want: `model.yaml:34:25: intervention 1: when: infectious: -3: a number of individuals cannot be negative`},
	{name: "when a share of all", swap: []string{"{at: 30 days, set: {beta: 0.2 per day}}",
		"{when: {total: above 50%}, set: {beta: 0.2 per day}}"},
		want: `model.yaml:34:20: intervention 1: when: total: 50%: all of the living are always 100% of them; ` +
			`write a number`},
	{name: "when it does nothing", swap: []string{"{at: 30 days, set: {beta: 0.2 per day}}", "{when: {total: above 50}}"},
		want: `model.yaml:34:5: intervention 1: it does nothing; write set: {beta: 0.2 per day}, or who and to, or enter ` +
			`and count`},
	{name: "when it sets the wrong kind", swap: []string{"{at: 30 days, set: {beta: 0.2 per day}}",
		"{when: {total: above 50}, set: {beta: 3 days}}"},
		want: `model.yaml:34:43: transmission 1: rate: parameter beta, 3 days, is a duration; expected a rate such as 0.5 ` +
			`per day (see line 29)`},
	{name: "settings that are wrong together", source: `name: m
time: {unit: day, end: 10}
population: {size: 1, start: {a: 1}}
parameters: {p: 10%, q: 10%}
states: {a: {split: [{chance: p, after: 1 day, to: a}, {chance: q, after: 2 days, to: a},
  {otherwise: true, after: 3 days, to: a}]}}
interventions:
  - {when: {a: above 0}, set: {p: 60%}}
  - {when: {a: below 1}, set: {q: 70%}}
`,
		want: `model.yaml:9:35: states: a: split: the chances add up to 1.3, more than 1 (see line 5)`},
	{name: "a state called total", source: `name: m
time: {unit: day, end: 10}
population: {size: 1, start: {total: 1}}
states: {total: {}}
interventions: [{when: {total: above 0}, who: total, to: out}]
`,
		want: `model.yaml:5:25: intervention 1: when: total: there is a state of this name, and it also means all of the ` +
			`living; give the state another name`},
	{name: "too many combinations", source: "name: m\ntime: {unit: day, end: 10}\n" +
		"population: {size: 1, start: {a: 1}}\nstates: {a: {}}\nparameters: {" + manyOf(11, "p%d: 1") +
		"}\ninterventions: [" + manyOf(11, "{when: {a: above 0}, set: {p%d: 2}}") + "]\n",
		want: `model.yaml:6:17: interventions: those with when can set the parameters in more than 1000 combinations; ` +
			`expected fewer that set something else each`},
	{name: "shares that change without a rest", swap: []string{"enter: susceptible}",
		"enter: {latent: {steps: {0 days: 10%, 5 days: 20%}}, susceptible: 80%}}"},
		want: `model.yaml:25:39: births: enter: a share that changes with time; write rest for one state, so that they ` +
			`always add up to 1`},
	{name: "shares that come to be too much", swap: []string{"enter: susceptible}",
		"enter: {latent: {line: {0 days: 10%, 5 days: 90%}}, recovered: 20%, susceptible: rest}}"},
		want: `model.yaml:25:39: births: enter: the shares add up to 1.1 at day 5, more than 1`},
	{name: "chances that come to be too much", source: `name: m
time: {unit: day, start: 10, end: 100}
population: {size: 1, start: {a: 1}}
states: {a: {split: [{chance: {line: {0 days: 10%, 50 days: 80%}}, after: 1 day, to: a},
  {chance: 50%, after: 2 days, to: a}, {otherwise: true, after: 3 days, to: a}]}}
`,
		want: `model.yaml:4:22: states: a: split: the chances add up to 1.02 at day 30, more than 1`},
	{name: "ages beyond the longest life of their group", source: `name: m
time: {unit: year, end: 5}
population: {size: 10, start: {a: rest}, age: {by: sex, m: {uniform: {low: 0 years, high: 81 years}},
  f: {uniform: {low: 0 years, high: 90 years}}}}
attributes: {sex: {m: 50%, f: rest}}
states: {a: {}}
always: [{after: {by: sex, m: 80 years, f: 100 years}, to: out}]
`,
		want: `model.yaml:3:47: population: age: ages reach 81 years, but a clock of always ends every life by 80 years`},
	{name: "ages of immigrants beyond the longest life of their group", source: `name: m
time: {unit: year, end: 5}
population: {size: 10, start: {a: rest}}
attributes: {sex: {m: 50%, f: rest}}
states: {a: {}}
always: [{after: {by: sex, m: 80 years, f: 100 years}, to: out}]
immigration:
  - {rate: 1 per year, enter: a, with: {sex: f}, age: 90 years}
  - {rate: 1 per year, enter: a, with: {sex: m}, age: 90 years}
`,
		want: `model.yaml:9:55: immigration: age: ages reach 90 years, but a clock of always ends every life by 80 years`},
	{name: "coverage that changes beyond 1", swap: []string{"coverage: 60%",
		"coverage: {line: {0 days: 10%, 5 days: 110%}}"},
		want: `model.yaml:35:47: intervention 2: coverage: a line through points is 1.1 at day 5: a probability is ` +
			`between 0 and 1, or 0% and 100%`},
	{name: "coverage by counts", swap: []string{"coverage: 60%", "coverage: {value: total / 1000, most: 1}"},
		want: `model.yaml:35:47: intervention 2: coverage: a value with a most depends on how many there are, and cannot ` +
			`stand here; only the rate of a clock, of births, of immigration or of a transmission can do so`},
	{name: "where of an unknown value in a list", swap: []string{"coverage: 60%",
		"where: {region: [north, suoth]}, coverage: 60%"},
		want: `model.yaml:35:61: intervention 2: where: there is no value of region "suoth"; did you mean "south"?`},
	{name: "everything by an attribute without values", source: `name: t
time: {unit: year, end: 20}
population: {size: 10, age: {by: age, other: 5 years},
  groups: [{count: 10, with: {age: x}, start: {a: {share: rest, since: {by: age, other: 1 day}}}}]}
attributes: {age}
parameters: {p: {by: age, other: 5%}}
states: {a: {race: [{rate: {by: age, other: 1 per day}, to: b}]}, b: {}}
births: {rate: 0.1 per year, enter: {b: p, a: rest}, inherit: [age], where: {age: x}}
transmission: [{from: a, rate: 1 per day, chance: {by: age, of: met, other: 5%}, to: {a: b}}]
interventions: [{every: 1 year, who: b, coverage: p, to: a}]
record: {every: 1 year, by: [age]}
`,
		want: `model.yaml:5:17: attributes: age: expected at least one value with its share, such as {north: 40%, ` +
			`south: 60%}`},
}
