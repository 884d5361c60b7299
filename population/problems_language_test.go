package population_test

// spoiltLanguage are wrong in what a value is made of: tables by group, expressions, courses,
// counts and dates.
var spoiltLanguage = []spoilt{
	// Tables by group.
	{name: "table by an attribute that is not there", swap: []string{"spare: 7 days",
		"spare: {by: regoin, north: 1 day, south: 2 days}"},
		want: `model.yaml:9:15: parameters: spare: by: there is no attribute "regoin"; did you mean "region"?`},
	{name: "table of a value that is not there", swap: []string{"spare: 7 days",
		"spare: {by: region, nroth: 1 day, south: 2 days}"},
		want: `model.yaml:9:23: parameters: spare: there is no value of region "nroth"; did you mean "north"?`},
	{name: "table without a value", swap: []string{"spare: 7 days", "spare: {by: region, north: 1 day}"},
		want: "model.yaml:9:15: parameters: spare: there is nothing for region south; write south: and what holds for it, " +
			"or other: for all that are not named"},
	{name: "table with a value twice", swap: []string{"spare: 7 days",
		"spare: {by: region, north: 1 day, south: 2 days, north: 3 days}"},
		want: `model.yaml:9:52: parameters: spare: "north" is here twice, first in line 9`},
	{name: "table of somebody else", swap: []string{"spare: 7 days",
		"spare: {by: region, of: parent, north: 1 day, south: 2 days}"},
		want: `model.yaml:9:27: parameters: spare: of: found "parent", expected met: the one who is met; without it the ` +
			`table is read for the individual itself`},
	{name: "table of different kinds", swap: []string{"spare: 7 days", "spare: {by: region, north: beta, south: 2 days}"},
		want: "model.yaml:9:43: parameters: spare: north is parameter beta, 0.5 per day, and south is 2 days; expected " +
			"the same kind of value for all"},
	{name: "table of nothing", swap: []string{"spare: 7 days", "spare: {by: region}"},
		want: "model.yaml:9:10: parameters: spare: a table without values; expected one for each value of region, as in " +
			"{by: age, child: 0.1%, adult: 1%, other: 8%}"},
	{name: "table in a table by the same attribute", swap: []string{"spare: 7 days",
		"spare: {by: region, north: 1 day, south: {by: region, other: 2 days}}"},
		want: "model.yaml:9:49: parameters: spare: a table by region in a table by region; expected another attribute"},
	{name: "table by a list", swap: []string{"spare: 7 days", "spare: {by: [region], north: 1 day, south: 2 days}"},
		want: "model.yaml:9:15: parameters: spare: by: found a list, expected a name"},
	{name: "table that stands for itself", swap: []string{"spare: 7 days",
		"spare: {by: region, north: 1 day, south: spare}"},
		want: `model.yaml:9:10: parameters: spare: the parameter "spare" stands for itself`},
	{name: "table in which a value cannot be read", swap: []string{"spare: 7 days",
		"spare: {by: region, north: 1 day, south: 2 dyas}"},
		want: `model.yaml:9:44: parameters: spare: south: "2 dyas": there is no unit "dyas"; did you mean "days"?; ` +
			`expected a value such as 0.5 per day, 5 days or 30%`},
	{name: "table in an argument of a distribution", swap: []string{"{mean: 5 days, shape: 2}",
		"{mean: {by: region, north: 1 day, sout: 2 days}, shape: 2}"},
		want: `model.yaml:8:51: parameters: stay: there is no value of region "sout"; did you mean "south"?`},
	{name: "table where there is no individual", swap: []string{"every: 1 day", "every: {by: region, other: 1 day}"},
		want: "model.yaml:37:17: record: every: a table by region is read for an individual, and there is none here; " +
			"expected one value for all"},
	{name: "table of shares", swap: []string{"north: 40%", "north: {by: region, other: 40%}"},
		want: "model.yaml:11:19: attributes: region: north: a table by region is read for an individual, and there is " +
			"none here; expected one value for all"},
	{name: "table for arrivals", swap: []string{"rate: 5 per year", "rate: {by: region, other: 5 per year}"},
		want: "model.yaml:26:21: immigration: rate: a table by region is read for an individual, and there is none here; " +
			"expected one value for all"},
	{name: "table by an attribute that is missing", swap: []string{"    rate: beta\n",
		"    rate: {by: regions, other: beta}\n"},
		want: `model.yaml:29:16: transmission 1: rate: by: there is no attribute "regions"; did you mean "region"?`},
	{name: "table without by", swap: []string{"    rate: beta\n", "    rate: {north: beta, south: 1 per day}\n"},
		want: "model.yaml:29:11: transmission 1: rate: a distribution has one name and its arguments, such as {gamma: " +
			"{mean: 5 days, shape: 2}}, and a table by group begins with by, such as {by: age, child: 0.1%, adult: 1%, " +
			"other: 8%}; there are 2 names here"},

	// Expressions, courses, counts and dates.
	{name: "count with a comma in braces", swap: []string{"    rate: beta\n",
		"    rate: {value: beta / max(1, total), most: beta}\n"},
		want: `model.yaml:29:33: transmission 1: rate: there is no key "total)"; if it is the rest of a value, put the ` +
			`whole of it in quotes, as in chance: "min(a, b)"`},
	{name: "set to an expression of itself", swap: []string{"set: {beta: 0.2 per day}", "set: {beta: beta / 2}"},
		want: `model.yaml:34:31: intervention 1: set: beta: the parameter "beta" stands for itself; what it becomes ` +
			`cannot be worked out from what it was: write it out, or give what it was a name of its own`},
	{name: "expression of different kinds", swap: []string{"    rate: beta\n", "    rate: beta + spare\n"},
		want: `model.yaml:29:16: transmission 1: rate: beta is a rate, 0.5 per day, and spare is a duration, 7 days; only ` +
			`things of the same kind can be added or subtracted`},
	{name: "expression of another kind", swap: []string{"    rate: beta\n", "    rate: 2 * spare\n"},
		want: `model.yaml:29:11: transmission 1: rate: 2 * spare, which is 14 days, is a duration; expected a rate such ` +
			`as 0.5 per day`},
	{name: "expression of a power of time", swap: []string{"    rate: beta\n", "    rate: beta * beta\n"},
		want: `model.yaml:29:11: transmission 1: rate: beta * beta, which is 0.25, is a number in day^-2; expected a rate ` +
			`such as 0.5 per day`},
	{name: "expression with a distribution", swap: []string{"    rate: beta\n", "    rate: 1 / stay\n"},
		want: `model.yaml:29:15: transmission 1: rate: parameter stay is a distribution, and cannot be part of ` +
			`an expression`},
	{name: "expression with a parameter that is not there", swap: []string{"    rate: beta\n", "    rate: 0.5 * betta\n"},
		want: `model.yaml:29:17: transmission 1: rate: "0.5 * betta": there is no parameter "betta"; did you mean "beta"?`},
	{name: "expression that ends too early", swap: []string{"    rate: beta\n", "    rate: 0.5 *\n"},
		want: `model.yaml:29:16: transmission 1: rate: "0.5 *": something is missing at the end; expected a quantity or a ` +
			`parameter`},
	{name: "expression with a parenthesis open", swap: []string{"    rate: beta\n", "    rate: 2 * (beta + beta\n"},
		want: `model.yaml:29:15: transmission 1: rate: "2 * (beta + beta": there is no ) for (`},
	{name: "expression in quotes", swap: []string{"chance: 50%", "chance: \"min(1, 2, x)\""},
		want: `model.yaml:30:24: transmission 1: chance: "min(1, 2, x)": there is no parameter "x"; expected one of beta, ` +
			`spare, stay`},
	{name: "expression of a comma in braces", swap: []string{"coverage: 60%", "coverage: min(1, 2)"},
		want: `model.yaml:35:47: intervention 2: coverage: "min(1": there is no ) for min(; ` +
			`inside { } a text with a comma must be in quotes
model.yaml:35:54: intervention 2: there is no key "2)"; if it is the rest of a value, put the whole of it in ` +
			`quotes, as in chance: "min(a, b)"`},
	{name: "expression that is no number", swap: []string{"chance: 50%", "chance: 1 / (1 - 1)"},
		want: `model.yaml:30:15: transmission 1: chance: 1 / (1 - 1) is +Inf, with which one cannot calculate`},
	{name: "probability worked out above 1", swap: []string{"chance: 50%", "chance: 1 + 20%"},
		want: `model.yaml:30:13: transmission 1: chance: 1 + 20%, which is 1.2: a probability is between 0 and 1, or 0% ` +
			`and 100%`},
	{name: "rate worked out below 0", swap: []string{"    rate: beta\n", "    rate: beta - 1 per day\n"},
		want: `model.yaml:29:11: transmission 1: rate: beta - 1 per day, which is -0.5 per day: a rate cannot be negative`},
	{name: "number worked out for a duration", swap: []string{"after: 3 days", "after: spare / 1 day"},
		want: `model.yaml:16:30: states: latent: split: clock 1: after: spare / 1 day, which is 7, is a number; expected ` +
			`a duration such as 5 days`},
	{name: "expression of a parameter that an intervention changes", swap: []string{"    rate: beta\n",
		"    rate: 2 * beta\n", "set: {beta: 0.2 per day}", "set: {beta: 2 days}"},
		want: `model.yaml:34:31: transmission 1: rate: 2 * beta, which is 4 days, is a duration; expected a rate such as ` +
			`0.5 per day (see line 29)`},
	{name: "expressions that stand for one another", swap: []string{"spare: 7 days",
		"spare: 2 * other\n  other: spare / 2"},
		want: `model.yaml:9:10: parameters: spare: the parameter "spare" stands for itself
model.yaml:10:10: parameters: other: the parameter "other" stands for itself`},
	{name: "expression in a distribution", swap: []string{"mean: 5 days", "mean: spare * spare"},
		want: `model.yaml:8:24: parameters: stay: gamma: mean: spare * spare, which is 49, is a number in day^2; expected ` +
			`a duration such as 5 days`},
	{name: "parameter with a dash that was meant", swap: []string{"spare: 7 days", "well-known: 0.1 per day",
		"    rate: beta\n", "    rate: wel-known\n"},
		want: `model.yaml:29:11: transmission 1: rate: there is no parameter "wel-known"; did you mean "well-known"?`},
	{name: "season without a peak", swap: []string{"beta: 0.5 per day",
		"beta: {seasonal: {mean: 0.5 per day, amplitude: 20%, period: 1 year}}"},
		want: `model.yaml:7:20: parameters: beta: seasonal: "peak" is missing; write peak: 15 days, for example`},
	{name: "season of too much", swap: []string{"beta: 0.5 per day",
		"beta: {seasonal: {mean: 0.5 per day, amplitude: 120%, peak: 1 day, period: 1 year}}"},
		want: `model.yaml:7:51: parameters: beta: seasonal: amplitude: 120%: an amplitude is between 0% and 100%`},
	{name: "season of no length", swap: []string{"beta: 0.5 per day",
		"beta: {seasonal: {mean: 0.5 per day, amplitude: 20%, peak: 1 day, period: 0 days}}"},
		want: `model.yaml:7:77: parameters: beta: seasonal: period: 0 days: expected more than nothing`},
	{name: "season with an unknown key", swap: []string{"beta: 0.5 per day",
		"beta: {seasonal: {mean: 0.5 per day, amplitud: 20%, peak: 1 day, period: 1 year}}"},
		want: `model.yaml:7:40: parameters: beta: seasonal: there is no key "amplitud"; did you mean "amplitude"?`},
	{name: "peak that is a rate", swap: []string{"beta: 0.5 per day",
		"beta: {seasonal: {mean: 0.5 per day, amplitude: 20%, peak: 1 per day, period: 1 year}}"},
		want: `model.yaml:7:62: parameters: beta: seasonal: peak: 1 per day is a rate; expected a time such as 160, in ` +
			`the unit of the model, or 160 days`},
	{name: "root of something that becomes negative", swap: []string{"spare: 7 days",
		"spare: {line: {0 days: 1, 100 days: -1}}", "    rate: beta\n", "    rate: beta * sqrt(spare)\n"},
		want: `model.yaml:29:11: transmission 1: rate: beta * sqrt(spare) is NaN per day at day 100: expected a rate`},
	{name: "steps that do not ascend", swap: []string{"beta: 0.5 per day",
		"beta: {steps: {0 days: 0.5 per day, 30 days: 0.2 per day, 2 weeks: 0.3 per day}}"},
		want: `model.yaml:7:61: parameters: beta: steps: 2 weeks does not come after 30 days, the time before it`},
	{name: "steps of different kinds", swap: []string{"beta: 0.5 per day",
		"beta: {steps: {0 days: 0.5 per day, 30 days: 5 days}}"},
		want: `model.yaml:7:48: parameters: beta: steps: 30 days: 5 days is a duration, and 0.5 per day, of the first ` +
			`time, is a rate; expected the same kind of value for all`},
	{name: "steps of nothing", swap: []string{"beta: 0.5 per day", "beta: {steps: {}}"},
		want: `model.yaml:7:17: parameters: beta: steps: expected times and what holds from each on, such as {0 days: 0.5 ` +
			`per day, 30 days: 0.2 per day}, or a file, such as {file: beta.csv, column: beta, unit: per day}`},
	{name: "steps at no time", swap: []string{"beta: 0.5 per day",
		"beta: {steps: {soon: 0.5 per day, 30 days: 0.2 per day}}"},
		want: `model.yaml:7:18: parameters: beta: steps: "soon" is not a number; expected a time of the model's clock, ` +
			`such as 30 days or 2020-03-01`},
	{name: "steps at a rate", swap: []string{"beta: 0.5 per day",
		"beta: {steps: {1 per day: 0.5 per day, 30 days: 0.2 per day}}"},
		want: `model.yaml:7:18: parameters: beta: steps: 1 per day is a rate; expected a time of the model's clock, such ` +
			`as 30 days or 2020-03-01`},
	{name: "steps beside a line", swap: []string{"beta: 0.5 per day",
		"beta: {steps: {0 days: 0.5 per day}, line: {0 days: 0.5 per day}}"},
		want: `model.yaml:7:9: parameters: beta: a value that changes with time is one of seasonal, steps and line, such ` +
			`as {steps: {0 days: 0.5 per day, 30 days: 0.2 per day}}; there are 2 names here`},
	{name: "steps of something that changes", swap: []string{"beta: 0.5 per day",
		"beta: {steps: {0 days: 0.5 per day, 30 days: {line: {0: 1 per day, 9: 2 per day}}}}"},
		want: `model.yaml:7:48: parameters: beta: steps: 30 days: a line through points changes with time by itself, and ` +
			`cannot be one of the steps; multiply the two in an expression`},
	{name: "steps of a distribution", swap: []string{"beta: 0.5 per day",
		"beta: {steps: {0 days: 0.5 per day, 30 days: stay}}"},
		want: `model.yaml:7:48: parameters: beta: steps: 30 days: found a distribution, expected a value such as 0.5 per ` +
			`day, 5 days or 30%`},
	{name: "steps at a date without a calendar", swap: []string{"beta: 0.5 per day",
		"beta: {steps: {2020-03-01: 0.5 per day, 2020-04-01: 0.2 per day}}"},
		want: `model.yaml:7:18: parameters: beta: steps: 2020-03-01 is a date, but the clock of the model does not start ` +
			`at one; write start: 2020-03-01 in time, for example`},
	{name: "duration that changes with time", swap: []string{"after: 3 days",
		"after: {line: {0 days: 3 days, 10 days: 4 days}}"},
		want: `model.yaml:16:30: states: latent: split: clock 1: after: a line through points changes with time, and ` +
			`cannot stand here; rates and chances of clocks, births, immigration and transmissions can do so`},
	{name: "mean that changes with time", swap: []string{"mean: 5 days",
		"mean: {steps: {0 days: 5 days, 10 days: 4 days}}"},
		want: `model.yaml:8:24: parameters: stay: gamma: mean: a series of steps changes with time, and cannot stand ` +
			`here; rates and chances of clocks, births, immigration and transmissions can do so`},
	{name: "records that change with time", swap: []string{"every: 1 day",
		"every: {steps: {0 days: 1 day, 10 days: 2 days}}"},
		want: `model.yaml:37:17: record: every: a series of steps changes with time, and cannot stand here; rates and ` +
			`chances of clocks, births, immigration and transmissions can do so`},
	{name: "share that changes with time", swap: []string{"north: 40%", "north: {steps: {0 days: 40%, 10 days: 50%}}"},
		want: `model.yaml:11:19: attributes: region: north: a series of steps changes with time, and cannot stand here; ` +
			`rates and chances of clocks, births, immigration and transmissions can do so`},
	{name: "total without a most", swap: []string{"    rate: beta\n", "    rate: beta * (1 - total / 1000)\n"},
		want: `model.yaml:29:23: transmission 1: rate: "beta * (1 - total / 1000)": total may stand only in the value of ` +
			`a rate, as in {value: r * (1 - total / 10_000), most: r}`},
	{name: "count without a most", swap: []string{"    rate: beta\n", "    rate: beta * count(latent) / 1000\n"},
		want: `model.yaml:29:18: transmission 1: rate: "beta * count(latent) / 1000": count(…) may stand only in the ` +
			`value of a rate, as in {value: r * count(prey) / 1000, most: r}`},
	{name: "most without a value", swap: []string{"    rate: beta\n", "    rate: {most: beta}\n"},
		want: `model.yaml:29:11: transmission 1: rate: "value" is missing; write value: r * (1 - total / 10_000), ` +
			`for example`},
	{name: "value without a most", swap: []string{"    rate: beta\n", "    rate: {value: beta / total}\n"},
		want: `model.yaml:29:11: transmission 1: rate: no bound of beta / total follows from the file, ` +
			`so that it cannot be drawn; write most: and what it never exceeds`},
	{name: "count of a state that is not there", swap: []string{"spare: 7 days",
		"spare: {value: 1 per day * count(latnt) / 1000, most: 1 per day}"},
		want: `model.yaml:9:36: parameters: spare: value: count: there is no state "latnt"; did you mean "latent"?`},
	{name: "count of no state", swap: []string{"spare: 7 days",
		"spare: {value: 1 per day * count() / 1000, most: 1 per day}"},
		want: `model.yaml:9:30: parameters: spare: value: "1 per day * count() / 1000": count of whom? Name a state, as ` +
			`in count(infectious)`},
	{name: "value with a most that is no rate", swap: []string{"spare: 7 days",
		"spare: {value: total / 1000, most: 1 per day}"},
		want: `model.yaml:9:10: parameters: spare: total / 1000 is a number; expected a rate such as 0.5 per day`},
	{name: "most that is no rate", swap: []string{"spare: 7 days", "spare: {value: 1 per day * total / 1000, most: 3}"},
		want: `model.yaml:9:50: parameters: spare: most: 3 has no unit; write 3 per day, or whatever the unit is`},
	{name: "parameter named total beside the total", swap: []string{"spare: 7 days", "total: 7 days", "beta: 0.5 per day",
		"beta: {value: 1 per day * total / 1000, most: 1 per day}"},
		want: `model.yaml:7:29: parameters: beta: value: "1 per day * total / 1000": total is the number of the living ` +
			`here, and also a parameter; give the parameter another name`},
	{name: "value with a most in an expression", swap: []string{"beta: 0.5 per day",
		"beta: {value: 1 per day * total / 1000, most: 1 per day}", "    rate: beta\n", "    rate: 2 * beta\n"},
		want: `model.yaml:29:15: transmission 1: rate: parameter beta has a most, and cannot be part of an expression; ` +
			`write the expression into its value and its most`},
	{name: "chance that depends on counts", swap: []string{"chance: 50%",
		"chance: {value: total / 1000, most: 1 per day}"},
		want: `model.yaml:30:13: transmission 1: chance: a value with a most depends on how many there are, and cannot ` +
			`stand here; only the rate of a clock, of births, of immigration or of a transmission can do so`},
	{name: "date as a rate", swap: []string{"    rate: beta\n", "    rate: 2020-03-01\n"},
		want: `model.yaml:29:11: transmission 1: rate: 2020-03-01 is a date; expected a rate such as 0.5 per day`},
	{name: "date that there is not", swap: []string{"start: 0, end: 160", "start: 2021-02-29, end: 2021-12-31"},
		want: `model.yaml:2:26: time: start: "2021-02-29" is not a date; expected one such as 2020-03-01: the year, the ` +
			`month and the day`},
	{name: "date without a calendar", swap: []string{"end: 160", "end: 2020-12-31"},
		want: `model.yaml:2:34: time: end: 2020-12-31 is a date, but the clock of the model does not start at one; write ` +
			`start: 2020-03-01 in time, for example`},
	{name: "date of an intervention without a calendar", swap: []string{"at: 30 days", "at: 2020-03-01"},
		want: `model.yaml:34:10: intervention 1: at: 2020-03-01 is a date, but the clock of the model does not start at ` +
			`one; write start: 2020-03-01 in time, for example`},
	{name: "date before the start", swap: []string{"start: 0, end: 160", "start: 2020-03-01, end: 2020-12-31",
		"at: 30 days", "at: 2020-02-01"},
		want: `model.yaml:34:10: intervention 1: at: 2020-02-01 is before the start of the model, 2020-03-01; times are ` +
			`those of the model's clock`},
	{name: "end before the date of the start", swap: []string{"start: 0, end: 160", "start: 2020-03-01, end: 2020-02-01"},
		want: `model.yaml:2:43: time: end: 2020-02-01 is not after the start, 2020-03-01`},
	{name: "end after all dates", swap: []string{"start: 0, end: 160", "start: 2020-03-01, end: 10_000_000"},
		want: `model.yaml:2:43: time: end: 10_000_000 is after the year 9999, too far from the start, 2020-03-01`},
	{name: "date with a time of day", swap: []string{"start: 0, end: 160", "start: 2020-03-01T12:00, end: 2020-12-31"},
		want: `model.yaml:2:26: time: start: "2020-03-01T12:00" is not a date; expected one such as 2020-03-01: the year, ` +
			`the month and the day`},
	{name: "date of one digit", swap: []string{"start: 0, end: 160", "start: 2020-3-1, end: 2020-12-31"},
		want: `model.yaml:2:26: time: start: "2020-3-1" is not a date; expected one such as 2020-03-01: the year, the ` +
			`month and the day`},
}
