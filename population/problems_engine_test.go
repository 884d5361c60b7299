package population_test

// spoiltGroups are wrong in what depends on whom: where, whom, self and same, and values by group
// that do not go together.
var spoiltGroups = []spoilt{
	{name: "where of an attribute that is not there", swap: []string{"{after: stay, to: recovered}",
		"{after: stay, to: recovered, where: {regoin: north}}"},
		want: `model.yaml:20:46: states: infectious: race: clock 1: where: there is no attribute "regoin"; did you mean ` +
			`"region"?`},
	{name: "where of a value that is not there", swap: []string{"{after: stay, to: recovered}",
		"{after: stay, to: recovered, where: {region: [north, suoth]}}"},
		want: `model.yaml:20:62: states: infectious: race: clock 1: where: there is no value of region "suoth"; did you ` +
			`mean "south"?`},
	{name: "where without an attribute", swap: []string{"to: out, name: death}", "to: out, name: death, where: {}}"},
		want: `model.yaml:21:59: states: infectious: race: death: where: expected an attribute and its values, such as ` +
			`{region: north}`},
	{name: "where without a value", swap: []string{"to: out, name: death}", "to: out, name: death, where: {region: []}}"},
		want: `model.yaml:21:68: states: infectious: race: death: where: region: expected at least one value, such as ` +
			`[north, south]`},
	{name: "where that is a name", swap: []string{"to: out, name: death}", "to: out, name: death, where: north}"},
		want: `model.yaml:21:59: states: infectious: race: death: where: found "north", expected a mapping such as ` +
			`{region: north}`},
	{name: "where of a value that is a list", swap: []string{"to: out, name: death}",
		"to: out, name: death, where: {region: [[north]]}}"},
		want: `model.yaml:21:69: states: infectious: race: death: where: region: found a list, expected a name`},
	{name: "where in a branch", swap: []string{"{chance: 10%, after: 3 days",
		"{chance: 10%, where: {region: north}, after: 3 days"},
		want: `model.yaml:16:23: states: latent: split: there is no key "where"; expected one of after, rate, to, move, ` +
			`name, chance, otherwise, enter, count, with, inherit, uses, full, queue, source`},
	{name: "where for arrivals", swap: []string{"rate: 5 per year", "where: {region: north}, rate: 5 per year"},
		want: `model.yaml:26:15: immigration: there is no key "where"; expected one of rate, per, enter, age, ` +
			`with, count, name`},
	{name: "where of births", swap: []string{"births: {rate: 0.012 per year",
		"births: {where: {region: nort}, rate: 0.012 per year"},
		want: `model.yaml:25:26: births: where: there is no value of region "nort"; did you mean "north"?`},
	{name: "where of always", swap: []string{"shape: 6}}, to: out}", "shape: 6}}, to: out, where: {sex: male}}"},
		want: `model.yaml:24:70: always: clock 1: where: there is no attribute "sex"; expected one of region`},
	{name: "where of contacts", swap: []string{"    chance: 50%", "    chance: 50%\n    where: {region: west}"},
		want: `model.yaml:31:21: transmission 1: where: there is no value of region "west"; expected one of north, south`},
	{name: "whom of nobody", swap: []string{"    chance: 50%", "    chance: 50%\n    whom: {region: west}"},
		want: `model.yaml:31:20: transmission 1: whom: there is no value of region "west"; expected one of north, south`},
	{name: "whom without an attribute", swap: []string{"    chance: 50%", "    chance: 50%\n    whom: {}"},
		want: `model.yaml:31:11: transmission 1: whom: expected an attribute and its values, such as {region: north}`},
	{name: "whom beside a clock", swap: []string{"to: out, name: death}", "to: out, name: death, whom: {region: north}}"},
		want: `model.yaml:21:52: states: infectious: race: there is no key "whom"; expected one of after, rate, to, move, ` +
			`name, where, enter, count, with, inherit, uses, full, queue, source`},
	{name: "self that is no state", swap: []string{"    chance: 50%", "    chance: 50%\n    self: recoverd"},
		want: `model.yaml:31:11: transmission 1: self: there is no state "recoverd"; did you mean "recovered"?`},
	{name: "self that is a list", swap: []string{"    chance: 50%", "    chance: 50%\n    self: [recovered]"},
		want: `model.yaml:31:11: transmission 1: self: found a list, expected a name`},
	{name: "same for nobody", swap: []string{"to: {susceptible: latent}", "to: {susceptible: same}"},
		want: `model.yaml:31:23: transmission 1: to: susceptible: same leaves the one who is met as they are, so that ` +
			`nothing happens; write self: and what becomes of the one who makes the contact`},
	{name: "same for the maker", swap: []string{"to: {susceptible: latent}", "to: {susceptible: same}\n    self: same"},
		want: `model.yaml:32:11: transmission 1: self: there is no state "same"; expected one of susceptible, latent, ` +
			`infectious, recovered, out`},
	{name: "same after a clock", swap: []string{"{after: stay, to: recovered}", "{after: stay, to: same}"},
		want: `model.yaml:20:27: states: infectious: race: clock 1: to: there is no state "same"; expected one of ` +
			`susceptible, latent, infectious, recovered, out`},
	{name: "rate of the one who is met", swap: []string{"rate: beta", "rate: {by: region, of: met, other: 1 per day}"},
		want: `model.yaml:29:11: transmission 1: rate: a table of: met is read for the one who is met; only the chance of ` +
			`a transmission can be`},
	{name: "chance of always of the one who is met", swap: []string{"shape: 6}}, to: out}",
		"shape: 6}}, to: out, chance: {by: region, of: met, other: 1}}"},
		want: `model.yaml:24:70: always: clock 1: chance: a table of: met is read for the one who is met; only the chance ` +
			`of a transmission can be`},
	{name: "chances of a group", swap: []string{"{chance: 10%, after: 3 days",
		"{chance: {by: region, north: 10%, south: 110%}, after: 3 days"},
		want: `model.yaml:16:50: states: latent: split: clock 1: chance: 110% for region south: a probability is between ` +
			`0 and 1, or 0% and 100%`},
	{name: "chances that add up for one group only", swap: []string{"chance: 10%, after: 3 days",
		"chance: {by: region, north: 10%, south: 20%}, after: 3 days", "otherwise: true", "chance: 90%"},
		want: `model.yaml:16:9: states: latent: split: the chances add up to 1.1 for region south, expected 1; or write ` +
			`otherwise: true for one branch`},
	{name: "rate of a group", swap: []string{"rate: 0.01 per day",
		"rate: {by: region, north: 0.01 per day, south: -1 per day}"},
		want: `model.yaml:21:57: states: infectious: race: death: rate: -1 per day for region south: a rate cannot be ` +
			`negative`},
	{name: "mean of a group", swap: []string{"{mean: 5 days, shape: 2}",
		"{mean: {by: region, north: 1 day, south: 0 days}, shape: 2}"},
		want: `model.yaml:8:58: states: infectious: race: clock 1: after: gamma: mean: 0 days for region south: expected ` +
			`more than nothing`},
	{name: "chances that change without a rest", swap: []string{"chance: 10%, after: 3 days",
		"chance: {steps: {0 days: 10%, 5 days: 20%}}, after: 3 days", "otherwise: true", "chance: 90%"},
		want: `model.yaml:16:9: states: latent: split: a chance changes with time, so that one branch must have what is ` +
			`left over; write otherwise: true for it`},
	{name: "chances that change and are more than all", swap: []string{"chance: 10%, after: 3 days",
		"chance: {steps: {0 days: 10%, 5 days: 120%}}, after: 3 days"},
		want: `model.yaml:16:18: states: latent: split: clock 1: chance: a series of steps is 1.2 at day 5: a probability ` +
			`is between 0 and 1, or 0% and 100%`},
	{name: "a season shorter than a trillionth of the run", swap: []string{"rate: 0.01 per day",
		"rate: {seasonal: {mean: 1 per day, amplitude: 10%, peak: 0 days, period: 1e-9 seconds}}"},
		want: `model.yaml:21:83: states: infectious: race: death: rate: seasonal: period: 1e-9 seconds: from the peak or ` +
			`the start to the end there are more than a trillion of them, too many to tell where in one a time is`},
	{name: "a peak a trillion seasons away", swap: []string{"rate: 0.01 per day",
		"rate: {seasonal: {mean: 1 per day, amplitude: 10%, peak: 1e15 days, period: 1 day}}"},
		want: `model.yaml:21:86: states: infectious: race: death: rate: seasonal: period: 1 day: from the peak or the ` +
			`start to the end there are more than a trillion of them, too many to tell where in one a time is`},
	{name: "a value that is always above its most", swap: []string{"rate: 0.01 per day",
		"rate: {value: 3 per day, most: 2 per day}"},
		want: `model.yaml:21:16: states: infectious: race: death: rate: the value is always 3 per day, above its most, 2 ` +
			`per day`},
	{name: "since in a branch that changes", swap: []string{"start: {infectious: 10,",
		"start: {latent: {count: 5, since: 1 day}, infectious: 10,", "otherwise: true, after: 5 days",
		"otherwise: true, rate: {steps: {0 days: 1 per day, 5 days: 2 per day}}"},
		want: `model.yaml:5:37: population: start: latent: since: a branch of latent has a rate that changes, so that it ` +
			`is not known who would still be there; expected a state without one`},
	{name: "a matrix that changes", swap: []string{"[[0.9, 0.1], [0.2, 0.8]]",
		"[[0.9, {steps: {0 days: 0.1, 5 days: 0.1}}], [0.2, 0.8]]"},
		want: `model.yaml:32:41: transmission 1: mixing: matrix: its numbers cannot change with time by themselves; let ` +
			`an intervention set a parameter that stands here`},
	{name: "a chance that depends on counts", swap: []string{"chance: 50%",
		"chance: {value: count(latent) / total, most: 1}"},
		want: `model.yaml:30:13: transmission 1: chance: a value with a most depends on how many there are, and cannot ` +
			`stand here; only the rate of a clock, of births, of immigration or of a transmission can do so`},
	{name: "a duration that changes", swap: []string{"{after: stay, to: recovered}",
		"{after: {steps: {0 days: 5 days, 10 days: 6 days}}, to: recovered}"},
		want: `model.yaml:20:17: states: infectious: race: clock 1: after: a series of steps changes with time, and ` +
			`cannot stand here; rates and chances of clocks, births, immigration and transmissions can do so`},
	{name: "a count of a state that is not there", swap: []string{"rate: 0.01 per day",
		"rate: {value: 0.01 per day * count(infectous) / total, most: 1 per day}"},
		want: `model.yaml:21:45: states: infectious: race: death: rate: value: count: there is no state "infectous"; did ` +
			`you mean "infectious"?`},
	{name: "chance of a contact with a group", swap: []string{"chance: 50%",
		"chance: {by: region, of: met, north: 50%, south: 2}"},
		want: `model.yaml:30:54: transmission 1: chance: 2 for region of the one who is met south: a probability is ` +
			`between 0 and 1, or 0% and 100%`},
}

// groupsModel has values by group, clocks and contacts for some, contacts that change who makes
// them, and rates that change.
const groupsModel = `
name: groups
time: {unit: day, end: 20}
attributes: {age: {child: 20%, adult: 80%}, region: {north: 1, south: 0}}
parameters:
  beta: {seasonal: {mean: 0.5 per day, amplitude: 20%, peak: 15 days, period: 10 days}}
  likely: {by: age, child: 20%, adult: {steps: {0 days: 10%, 7 days: 50%}}}
population: {size: 100, start: {i: 10, s: rest}}
states:
  s: {race: [{rate: {line: {0 days: 0 per day, 10 days: 0.1 per day}}, where: {age: child}, to: r}]}
  i:
    split:
      - {chance: likely, rate: beta, to: r}
      - {otherwise: true, after: {by: age, child: 2 days, adult: {exponential: {mean: 4 days}}}, to: s}
    race:
      - {after: {gamma: {mean: {by: region, other: 3 days}, shape: 2}}, where: {region: [north, south], age: adult},
         to: r}
  r: {}
always:
  - {rate: {value: 0.1 per day * total / 200, most: 0.3 per day}, to: out}
  - {after: {exponential: {mean: 5 days}}, where: {region: south}, chance: likely, to: r}
  - {rate: 0.2 per day, move: {region: south}}
births: {rate: {value: 0.2 per day * (1 - total / 200), most: 0.2 per day}, where: {age: adult}, inherit: all, enter: s}
immigration: {rate: {steps: {0 days: 1 per day, 5 days: 3 per day}}, enter: s}
transmission:
  - {from: i, rate: beta, chance: {by: age, of: met, child: 20%, adult: likely}, to: {s: i}, whom: {age: child}}
  - {from: s, where: {age: [child, adult]}, rate: 0.1 * beta, to: {i: same, r: s}, self: i}
interventions: [{at: 10 days, set: {beta: {by: age, child: 1 per day, adult: 0.2 per day}}}]
record: {every: 1 day, by: [age, region]}
`
