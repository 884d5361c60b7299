// This file is longer than others because it is one table, of what can be wrong in the parts of a
// model.

package population_test

import (
	"strings"

	"github.com/almanac-sim/almanac/population"
)

// spoiltParts are wrong in clocks, splits, mixing, distributions, interventions, and changes that
// are asked for.
var spoiltParts = []spoilt{
	// Clocks.
	{name: "rate and after", swap: []string{"{after: stay, to: recovered}", "{after: stay, rate: beta, to: recovered}"},
		want: "model.yaml:20:9: states: infectious: race: clock 1: both rate and after; a clock has one of them"},
	{name: "neither rate nor after", swap: []string{"{after: stay, to: recovered}", "{to: recovered}"},
		want: "model.yaml:20:9: states: infectious: race: clock 1: when? Write rate: 0.2 per day or after: 5 days, for " +
			"example"},
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
	{name: "births without rate", swap: []string{"births: {rate: 0.012 per year, enter: susceptible}",
		"births: {enter: susceptible}"},
		want: `model.yaml:25:9: births: "rate" is missing; write rate: 500 per year, for example`},
	{name: "births without enter", swap: []string{"births: {rate: 0.012 per year, enter: susceptible}",
		"births: {rate: 0.012 per year}"},
		want: `model.yaml:25:9: births: "enter" is missing; write enter: susceptible, for example`},
	{name: "immigration as a list", swap: []string{"immigration: {rate: 5 per year, enter: recovered}",
		"immigration: [{rate: 5 per year, enter: recovered}, {rate: 5, enter: recovered}]"},
		want: "model.yaml:26:60: immigration: rate: 5 has no unit; write 5 per day, or whatever the unit is"},
	{name: "births enter nothing", swap: []string{"enter: susceptible", "enter: "},
		want: "model.yaml:25:39: births: enter: found nothing, expected a name"},
	{name: "births from nobody", swap: []string{"enter: susceptible", "enter: susceptible, from: []"},
		want: "model.yaml:25:58: births: from: expected at least one state, such as [latent, infectious]"},

	// Splits.
	{name: "chances that do not add up", swap: []string{"{otherwise: true, after: 5 days", "{chance: 80%, after: 5 days"},
		want: "model.yaml:16:9: states: latent: split: the chances add up to 0.9, expected 1; or write otherwise: true " +
			"for one branch"},
	{name: "chances above 1", swap: []string{"{otherwise: true, after: 5 days", "{chance: 95%, after: 5 days"},
		want: "model.yaml:16:9: states: latent: split: the chances add up to 1.05, expected 1; or write otherwise: true " +
			"for one branch"},
	{name: "chances above 1 with otherwise", swap: []string{"      - {chance: 10%, after: 3 days, to: infectious}\n",
		"      - {chance: 60%, after: 3 days, to: infectious}\n      - {chance: 60%, after: 4 days, to: infectious}\n"},
		want: "model.yaml:16:9: states: latent: split: the chances add up to 1.2, more than 1"},
	{name: "two otherwise", swap: []string{"{chance: 10%, after: 3 days", "{otherwise: true, after: 3 days"},
		want: "model.yaml:17:9: states: latent: split: clock 2: a second otherwise; only one branch can have what is " +
			"left over"},
	{name: "chance and otherwise", swap: []string{"{otherwise: true, after: 5 days",
		"{chance: 90%, otherwise: true, after: 5 days"},
		want: "model.yaml:17:34: states: latent: split: clock 2: both chance and otherwise; a branch has one of them"},
	{name: "neither chance nor otherwise", swap: []string{"{otherwise: true, after: 5 days", "{after: 5 days"},
		want: "model.yaml:17:9: states: latent: split: clock 2: how probable? Write chance: 10%, for example, or " +
			"otherwise: true"},
	{name: "otherwise false", swap: []string{"{otherwise: true, after: 5 days", "{otherwise: false, after: 5 days"},
		want: `model.yaml:17:21: states: latent: split: clock 2: otherwise: found "false", expected true`},
	{name: "chance that cannot be read", swap: []string{"chance: 10%, after: 3 days", "chance: 1O%, after: 3 days",
		"{otherwise: true, after: 5 days", "{chance: 90%, after: 5 days"},
		want: `model.yaml:16:18: states: latent: split: clock 1: chance: "1O%" is not a number; expected a percentage ` +
			`such as 30%`},
	{name: "branch without a clock", swap: []string{"{otherwise: true, after: 5 days, to", "{otherwise: true, to"},
		want: "model.yaml:17:9: states: latent: split: clock 2: when? Write rate: 0.2 per day or after: 5 days, for example"},
	{name: "branch of chance 200%", swap: []string{"chance: 10%", "chance: 200%"},
		want: "model.yaml:16:18: states: latent: split: clock 1: chance: 200%: a probability is between 0 and 1, or 0% " +
			"and 100%"},

	// Attributes and mixing.
	{name: "shares that do not add up", swap: []string{"north: 40%", "north: 30%"},
		want: "model.yaml:11:3: attributes: region: the shares add up to 0.9, expected 1; or write rest for one of them"},
	{name: "share above 1", swap: []string{"north: 40%", "north: 140%"},
		want: "model.yaml:11:19: attributes: region: north: 140%: a probability is between 0 and 1, or 0% and 100%"},
	{name: "share that cannot be read", swap: []string{"north: 40%", "north: 4O%"},
		want: `model.yaml:11:19: attributes: region: north: "4O%" is not a number; expected a percentage such as 30%`},
	{name: "attribute without values", swap: []string{"region: {north: 40%, south: 60%}",
		"region: {north: 40%, south: 60%}\n  sex: {}"},
		want: "model.yaml:12:8: attributes: sex: expected at least one value with its share, " +
			"such as {north: 40%, south: 60%}"},
	{name: "attribute that is a list", swap: []string{"region: {north: 40%, south: 60%}",
		"region: {north: 40%, south: 60%}\n  sex: [female, male]"},
		want: "model.yaml:12:8: attributes: sex: found a list, expected a mapping such as {north: 40%, south: 60%}"},
	{name: "matrix with too few rows", swap: []string{"[[0.9, 0.1], [0.2, 0.8]]", "[[0.9, 0.1]]"},
		want: "model.yaml:32:34: transmission 1: mixing: matrix: 1 row, expected 2, one for each of north, south"},
	{name: "matrix with a short row", swap: []string{"[[0.9, 0.1], [0.2, 0.8]]", "[[0.9, 0.1], [1]]"},
		want: "model.yaml:32:47: transmission 1: mixing: matrix: row 2 has 1 number, expected 2, one for each of north, " +
			"south"},
	{name: "matrix with a row that does not add up", swap: []string{"[[0.9, 0.1], [0.2, 0.8]]",
		"[[0.9, 0.1], [0.2, 0.7]]"},
		want: "model.yaml:32:48: transmission 1: mixing: matrix: row 2 adds up to 0.9, expected 1"},
	{name: "matrix with two rows that do not add up", swap: []string{"[[0.9, 0.1], [0.2, 0.8]]",
		"[[0.9, 0.2], [0.2, 0.7]]"},
		want: `model.yaml:32:36: transmission 1: mixing: matrix: row 1 adds up to 1.1, expected 1
model.yaml:32:48: transmission 1: mixing: matrix: row 2 adds up to 0.9, expected 1`},
	{name: "matrix with a number above 1", swap: []string{"[[0.9, 0.1], [0.2, 0.8]]", "[[0.9, 0.1], [20, 0.8]]"},
		want: "model.yaml:32:48: transmission 1: mixing: matrix: 20: a probability is between 0 and 1, or 0% and 100%"},
	{name: "matrix with a number that cannot be read", swap: []string{"[[0.9, 0.1], [0.2, 0.8]]",
		"[[0.9, 0.1], [0.2, 0.8.1]]"},
		want: `model.yaml:32:53: transmission 1: mixing: matrix: "0.8.1" is not a number; expected a percentage such as 30%`},
	{name: "matrix that is one row", swap: []string{"[[0.9, 0.1], [0.2, 0.8]]", "[0.9, 0.1]"},
		want: `model.yaml:32:35: transmission 1: mixing: matrix: found "0.9", expected a list such as [0.9, 0.1]
model.yaml:32:40: transmission 1: mixing: matrix: found "0.1", expected a list such as [0.9, 0.1]`},
	{name: "matrix that is a number", swap: []string{"[[0.9, 0.1], [0.2, 0.8]]", "0.9"},
		want: `model.yaml:32:34: transmission 1: mixing: matrix: found "0.9", expected a list such as [[0.9, 0.1], ` +
			`[0.1, 0.9]]`},
	{name: "mixing without a matrix", swap: []string{"by: region, matrix: [[0.9, 0.1], [0.2, 0.8]]", "by: region"},
		want: `model.yaml:32:13: transmission 1: mixing: "matrix" is missing; write matrix: [[0.9, 0.1], [0.1, 0.9]], for ` +
			`example`},
	{name: "mixing without by", swap: []string{"by: region, ", ""},
		want: `model.yaml:32:13: transmission 1: mixing: "by" is missing; write by: region, for example`},
	{name: "matrix of nothing", swap: []string{"matrix: [[0.9, 0.1], [0.2, 0.8]]", "matrix: "},
		want: "model.yaml:32:34: transmission 1: mixing: matrix: 0 rows, expected 2, one for each of north, south"},
	{name: "mixing is nothing", swap: []string{"mixing: {by: region, matrix: [[0.9, 0.1], [0.2, 0.8]]}", "mixing:"},
		want: "model.yaml:32:12: transmission 1: mixing: found nothing, expected a mapping such as {by: region, matrix: " +
			"[[0.9, 0.1], [0.1, 0.9]]}"},
	{name: "transmission without from", swap: []string{"  - from: infectious\n    rate: beta\n", "  - rate: beta\n"},
		want: `model.yaml:28:5: transmission 1: "from" is missing; write from: infectious, for example`},
	{name: "transmission without anything", swap: []string{"  - from: infectious\n    rate: beta\n    chance: 50%\n" +
		"    to: {susceptible: latent}\n    mixing: {by: region, matrix: [[0.9, 0.1], [0.2, 0.8]]}\n", "  - {}\n"},
		want: `model.yaml:28:5: transmission 1: "from" is missing; write from: infectious, for example
model.yaml:28:5: transmission 1: "rate" is missing; write rate: 0.5 per day, for example
model.yaml:28:5: transmission 1: "to" is missing; write to: {susceptible: infectious}, for example`},
	{name: "transmission from nobody", swap: []string{"from: infectious\n", "from: []\n"},
		want: "model.yaml:28:11: transmission 1: from: expected at least one state, such as [latent, infectious]"},
	{name: "transmission to nobody", swap: []string{"to: {susceptible: latent}", "to: {}"},
		want: "model.yaml:31:9: transmission 1: to: expected what becomes of whom, such as {susceptible: infectious}"},

	// Distributions.
	{name: "erlang with k 2.5", swap: []string{"after: 3 days", "after: {erlang: {mean: 5 days, k: 2.5}}"},
		want: "model.yaml:16:57: states: latent: split: clock 1: after: erlang: k: 2.5: expected a whole number of " +
			"stages; gamma takes any shape"},
	{name: "erlang with k 0", swap: []string{"after: 3 days", "after: {erlang: {mean: 5 days, k: 0}}"},
		want: "model.yaml:16:57: states: latent: split: clock 1: after: erlang: k: 0: expected a number above 0"},
	{name: "uniform upside down", swap: []string{"after: 3 days", "after: {uniform: {low: 3 days, high: 2 days}}"},
		want: "model.yaml:16:60: states: latent: split: clock 1: after: uniform: high is 2 days, which is not above " +
			"low, 3 days"},
	{name: "uniform of no width", swap: []string{"after: 3 days", "after: {uniform: {low: 48 hours, high: 2 days}}"},
		want: "model.yaml:16:62: states: latent: split: clock 1: after: uniform: high is 2 days, which is not above low, " +
			"48 hours"},
	{name: "uniform without high", swap: []string{"after: 3 days", "after: {uniform: {low: 3 days}}"},
		want: `model.yaml:16:40: states: latent: split: clock 1: after: uniform: "high" is missing; write uniform: {low: ` +
			`1 day, high: 3 days}, for example`},
	{name: "gamma with shape 0", swap: []string{"after: 3 days", "after: {gamma: {mean: 5 days, shape: 0}}"},
		want: "model.yaml:16:60: states: latent: split: clock 1: after: gamma: shape: 0: expected a number above 0"},
	{name: "gamma with mean 0", swap: []string{"after: 3 days", "after: {gamma: {mean: 0 days, shape: 2}}"},
		want: "model.yaml:16:45: states: latent: split: clock 1: after: gamma: mean: 0 days: expected more than nothing"},
	{name: "gamma with a shape in days", swap: []string{"after: 3 days", "after: {gamma: {mean: 5 days, shape: 2 days}}"},
		want: "model.yaml:16:60: states: latent: split: clock 1: after: gamma: shape: 2 days is a duration; expected a " +
			"number such as 2"},
	{name: "gamma of nothing", swap: []string{"after: 3 days", "after: {gamma: }"},
		want: "model.yaml:16:38: states: latent: split: clock 1: after: gamma: found nothing, expected a mapping such as " +
			"{mean: 5 days, shape: 2}"},
	{name: "gamma beyond all numbers", swap: []string{"after: 3 days",
		"after: {gamma: {mean: 1e300 days, shape: 1e-300}}"},
		want: "model.yaml:16:30: states: latent: split: clock 1: after: gamma: its arguments are too large or too small " +
			"to work with"},
	{name: "lognormal with sd 0", swap: []string{"after: 3 days", "after: {lognormal: {mean: 5 days, sd: 0 days}}"},
		want: "model.yaml:16:61: states: latent: split: clock 1: after: lognormal: sd: 0 days: expected more than nothing"},
	{name: "lognormal beyond all numbers", swap: []string{"after: 3 days",
		"after: {lognormal: {mean: 1e-200 days, sd: 1e200 days}}"},
		want: "model.yaml:16:30: states: latent: split: clock 1: after: lognormal: its arguments are too large or too " +
			"small to work with"},
	{name: "weibull with a negative scale", swap: []string{"after: 3 days", "after: {weibull: {scale: -1 day, shape: 2}}"},
		want: "model.yaml:16:48: states: latent: split: clock 1: after: weibull: scale: -1 day: a duration " +
			"cannot be negative"},
	{name: "weibull that is a number", swap: []string{"after: 3 days", "after: {weibull: 2}"},
		want: `model.yaml:16:40: states: latent: split: clock 1: after: weibull: found "2", expected a mapping such as ` +
			`{scale: 80 years, shape: 6}`},
	{name: "exactly a rate", swap: []string{"after: 3 days", "after: {exactly: 2 per day}"},
		want: "model.yaml:16:40: states: latent: split: clock 1: after: exactly: 2 per day is a rate; expected a duration " +
			"such as 5 days"},
	{name: "exactly nothing", swap: []string{"after: 3 days", "after: {exactly: }"},
		want: "model.yaml:16:40: states: latent: split: clock 1: after: exactly: found nothing, expected a duration such " +
			"as 5 days"},
	{name: "exponential with mean and rate", swap: []string{"after: 3 days",
		"after: {exponential: {mean: 2 days, rate: 0.5 per day}}"},
		want: "model.yaml:16:44: states: latent: split: clock 1: after: exponential: expected either mean or rate, such " +
			"as {mean: 2 days}"},
	{name: "exponential with neither", swap: []string{"after: 3 days", "after: {exponential: {}}"},
		want: "model.yaml:16:44: states: latent: split: clock 1: after: exponential: expected either mean or rate, such " +
			"as {mean: 2 days}"},
	{name: "exponential with rate 0", swap: []string{"after: 3 days", "after: {exponential: {rate: 0 per day}}"},
		want: "model.yaml:16:51: states: latent: split: clock 1: after: exponential: rate: 0 per day: expected " +
			"a rate above 0"},
	{name: "exponential with a negative rate", swap: []string{"after: 3 days", "after: {exponential: {rate: -1 per day}}"},
		want: "model.yaml:16:51: states: latent: split: clock 1: after: exponential: rate: -1 per day: a rate cannot be " +
			"negative"},
	{name: "exponential with a duration as its rate", swap: []string{"after: 3 days",
		"after: {exponential: {rate: 2 days}}"},
		want: "model.yaml:16:51: states: latent: split: clock 1: after: exponential: rate: 2 days is a duration; expected " +
			"a rate such as 0.5 per day"},
	{name: "exponential with a rate as its mean", swap: []string{"after: 3 days",
		"after: {exponential: {mean: 0.5 per day}}"},
		want: "model.yaml:16:51: states: latent: split: clock 1: after: exponential: mean: 0.5 per day is a rate; " +
			"expected a duration such as 5 days"},
	{name: "hazard that does not start at 0", swap: []string{"after: 3 days",
		"after: {hazard: {1 year: 0.1 per year, 2 years: 0.2 per year}}"},
		want: "model.yaml:16:40: states: latent: split: clock 1: after: hazard: the first age is 1 year; expected 0 " +
			"years, since there must be a rate from the beginning"},
	{name: "hazard that does not ascend", swap: []string{"after: 3 days",
		"after: {hazard: {0 years: 0.1 per year, 2 years: 0.2 per year, 12 months: 0.3 per year}}"},
		want: "model.yaml:16:86: states: latent: split: clock 1: after: hazard: 12 months does not come after the age " +
			"before it"},
	{name: "hazard with a negative rate", swap: []string{"after: 3 days",
		"after: {hazard: {0 years: 0.1 per year, 2 years: -0.2 per year}}"},
		want: "model.yaml:16:72: states: latent: split: clock 1: after: hazard: from 2 years: -0.2 per year: a rate " +
			"cannot be negative"},
	{name: "hazard with bare ages", swap: []string{"after: 3 days", "after: {hazard: {0: 0.1 per year, 2: 0.2 per year}}"},
		want: `model.yaml:16:40: states: latent: split: clock 1: after: hazard: 0 has no unit; ` +
			`write 0 days, or whatever the unit is
model.yaml:16:57: states: latent: split: clock 1: after: hazard: 2 has no unit; write 2 days, or whatever the unit is`},
	{name: "hazard with bare rates", swap: []string{"after: 3 days",
		"after: {hazard: {0 years: 0.1, 2 years: 0.2 per year}}"},
		want: "model.yaml:16:49: states: latent: split: clock 1: after: hazard: from 0 years: 0.1 has no unit; write 0.1 " +
			"per day, or whatever the unit is"},
	{name: "hazard that is empty", swap: []string{"after: 3 days", "after: {hazard: {}}"},
		want: "model.yaml:16:39: states: latent: split: clock 1: after: hazard: expected ages and the rates from each on, " +
			"such as {0 years: 0.005 per year, 1 year: 0.0004 per year}"},
	{name: "hazard that is a list", swap: []string{"after: 3 days", "after: {hazard: [1 per year]}"},
		want: "model.yaml:16:39: states: latent: split: clock 1: after: hazard: found a list, expected a mapping such as " +
			"{0 years: 0.005 per year, 1 year: 0.0004 per year}"},
	{name: "mixture whose shares do not add up", swap: []string{"after: 3 days",
		"after: {mixture: [{share: 30%, of: 2 days}, {share: 60%, of: 3 days}]}"},
		want: "model.yaml:16:49: states: latent: split: clock 1: after: mixture: the shares add up to 0.9, expected 1"},
	{name: "mixture with a share above 1", swap: []string{"after: 3 days",
		"after: {mixture: [{share: 150%, of: 2 days}, {share: 50%, of: 3 days}]}"},
		want: "model.yaml:16:49: states: latent: split: clock 1: after: mixture: share: 150%: a probability is between 0 " +
			"and 1, or 0% and 100%"},
	{name: "mixture without of", swap: []string{"after: 3 days",
		"after: {mixture: [{share: 30%}, {share: 70%, of: 3 days}]}"},
		want: `model.yaml:16:41: states: latent: split: clock 1: after: mixture: "of" is missing; write of: 2 days, for ` +
			`example`},
	{name: "mixture of a rate", swap: []string{"after: 3 days",
		"after: {mixture: [{share: 30%, of: 2 per day}, {share: 70%, of: 3 days}]}"},
		want: "model.yaml:16:58: states: latent: split: clock 1: after: mixture: of: 2 per day is a rate; expected a " +
			"duration such as 5 days or a distribution such as {gamma: {mean: 5 days, shape: 2}}"},
	{name: "mixture of texts", swap: []string{"after: 3 days", "after: {mixture: [fast, slow]}"},
		want: `model.yaml:16:41: states: latent: split: clock 1: after: mixture: found "fast", expected a mapping such as ` +
			`{share: 30%, of: 2 days}
model.yaml:16:47: states: latent: split: clock 1: after: mixture: found "slow", expected a mapping such as ` +
			`{share: 30%, of: 2 days}`},
	{name: "mixture that is empty", swap: []string{"after: 3 days", "after: {mixture: []}"},
		want: "model.yaml:16:40: states: latent: split: clock 1: after: mixture: expected a list such as [{share: 30%, " +
			"of: 2 days}, {share: 70%, of: {exponential: {mean: 9 days}}}]"},
	{name: "mixture that is a mapping", swap: []string{"after: 3 days", "after: {mixture: {share: 100%, of: 2 days}}"},
		want: "model.yaml:16:40: states: latent: split: clock 1: after: mixture: found a mapping, expected a list such as " +
			"[{share: 30%, of: 2 days}, {share: 70%, of: {exponential: {mean: 9 days}}}]"},

	// Things that stand for themselves.
	{name: "parameters that stand for each other", swap: []string{"spare: 7 days", "spare: other\n  other: spare"},
		want: `model.yaml:9:10: parameters: spare: the parameter "spare" stands for itself
model.yaml:10:10: parameters: other: the parameter "other" stands for itself`},
	{name: "parameter that stands for itself", swap: []string{"spare: 7 days", "spare: spare"},
		want: `model.yaml:9:10: parameters: spare: the parameter "spare" stands for itself`},
	{name: "parameters that stand for each other, and are used", swap: []string{"beta: 0.5 per day",
		"beta: gamma\n  gamma: beta"},
		want: `model.yaml:7:9: parameters: beta: the parameter "beta" stands for itself
model.yaml:8:10: parameters: gamma: the parameter "gamma" stands for itself`},
	{name: "set to what there is not", swap: []string{"set: {beta: 0.2 per day}", "set: {beta: bet}"},
		want: `model.yaml:34:31: transmission 1: rate: there is no parameter "bet"; did you mean "beta"?`},
	{name: "set to itself", swap: []string{"set: {beta: 0.2 per day}", "set: {beta: beta}"},
		want: `model.yaml:34:31: transmission 1: rate: the parameter "beta" stands for itself`},
	{name: "alias that contains itself", swap: []string{"after: 3 days", "after: &a {mixture: [{share: 100%, of: *a}]}"},
		want: "model.yaml:16:30: states: latent: split: clock 1: after: mixture: of: a distribution cannot contain itself"},
	{name: "alias that contains itself twice", swap: []string{"after: 3 days",
		"after: &a {mixture: [{share: 50%, of: *a}, {share: 50%, of: *a}]}"},
		want: "model.yaml:16:30: states: latent: split: clock 1: after: mixture: of: a distribution cannot contain itself"},
	{name: "distributions in one another", source: nested,
		want: "model.yaml:7:563: states: a: race: clock 1: after: " + strings.Repeat("mixture: of: ", 21) +
			"distributions are nested too deeply"},
	{name: "section that contains itself", swap: []string{"parameters:\n", "parameters: &p\n  self: *p\n"},
		want: "model.yaml:6:13: parameters: self: a distribution has one name and its arguments, such as {gamma: {mean: 5 " +
			"days, shape: 2}}, and a table by group begins with by, such as {by: age, child: 0.1%, adult: 1%, other: 8%}; " +
			"there are 4 names here"},

	{name: "parameter that contains itself", swap: []string{"spare: 7 days", "spare: {mixture: [{share: 1, of: spare}]}"},
		want: "model.yaml:9:10: parameters: spare: mixture: a distribution cannot contain itself, by way of the " +
			"parameter spare"},
	{name: "parameters that contain each other", swap: []string{"spare: 7 days",
		"spare: {mixture: [{share: 1, of: other}]}\n  other: same\n  same: {mixture: [{share: 1, of: spare}]}"},
		want: "model.yaml:9:10: parameters: spare: mixture: a distribution cannot contain itself, by way of the " +
			"parameters same, spare"},
	{name: "set to contain itself", swap: []string{"set: {beta: 0.2 per day}",
		"set: {stay: {mixture: [{share: 1, of: stay}]}}"},
		want: "model.yaml:34:31: intervention 1: set: stay: mixture: a distribution cannot contain itself, by way of the " +
			"parameter stay"},

	// What an intervention breaks is reported where it does.
	{name: "set breaks a row", swap: []string{"spare: 7 days", "spare: 0.1", "[[0.9, 0.1], [0.2, 0.8]]",
		"[[0.9, spare], [0.2, 0.8]]", "set: {beta: 0.2 per day}", "set: {spare: 0.2}"},
		want: "model.yaml:34:32: transmission 1: mixing: matrix: row 1 adds up to 1.1, expected 1 (see line 32)"},
	{name: "set breaks two rows", swap: []string{"spare: 7 days", "spare: 0.1", "[[0.9, 0.1], [0.2, 0.8]]",
		"[[0.9, spare], [spare, 0.9]]", "set: {beta: 0.2 per day}", "set: {spare: 0.2}"},
		want: `model.yaml:34:32: transmission 1: mixing: matrix: row 1 adds up to 1.1, expected 1 (see line 32)
model.yaml:34:32: transmission 1: mixing: matrix: row 2 adds up to 1.1, expected 1 (see line 32)`},
	{name: "the later of two breaks a row", swap: []string{"spare: 7 days", "spare: 0.1\n  other: 0.9",
		"[[0.9, 0.1], [0.2, 0.8]]", "[[other, spare], [0.2, 0.8]]",
		"  - {at: 30 days, set: {beta: 0.2 per day}}\n", "  - {at: 30 days, set: {spare: 0.2, other: 0.8}}\n" +
			"  - {at: 31 days, set: {other: 0.7}}\n  - {at: 32 days, set: {beta: 0.2 per day}}\n"},
		want: "model.yaml:36:32: transmission 1: mixing: matrix: row 1 adds up to 0.9, expected 1 (see line 33)"},
	{name: "set breaks a row by a name", swap: []string{"spare: 7 days", "spare: other\n  other: 0.1",
		"[[0.9, 0.1], [0.2, 0.8]]", "[[0.9, spare], [0.2, 0.8]]", "set: {beta: 0.2 per day}", "set: {other: 0.2}"},
		want: "model.yaml:35:32: transmission 1: mixing: matrix: row 1 adds up to 1.1, expected 1 (see line 33)"},
	{name: "set beside a row that is wrong", swap: []string{"[[0.9, 0.1], [0.2, 0.8]]", "[[0.9, 0.2], [0.2, 0.8]]"},
		want: "model.yaml:32:36: transmission 1: mixing: matrix: row 1 adds up to 1.1, expected 1"},
	{name: "set breaks a split", swap: []string{"spare: 7 days", "spare: 10%", "chance: 10%, after: 3 days",
		"chance: spare, after: 3 days", "{otherwise: true, after: 5 days", "{chance: 90%, after: 5 days",
		"set: {beta: 0.2 per day}", "set: {spare: 20%}"},
		want: "model.yaml:34:32: states: latent: split: the chances add up to 1.1, expected 1; or write otherwise: true " +
			"for one branch (see line 16)"},
	{name: "set breaks a split with otherwise", swap: []string{"spare: 7 days", "spare: 10%",
		"      - {chance: 10%, after: 3 days, to: infectious}\n",
		"      - {chance: spare, after: 3 days, to: infectious}\n      - {chance: 60%, after: 4 days, to: infectious}\n",
		"set: {beta: 0.2 per day}", "set: {spare: 50%}"},
		want: "model.yaml:35:32: states: latent: split: the chances add up to 1.1, more than 1 (see line 16)"},
	{name: "set breaks shares", swap: []string{"spare: 7 days", "spare: 40%", "north: 40%", "north: spare",
		"set: {beta: 0.2 per day}", "set: {spare: 50%}"},
		want: "model.yaml:34:32: attributes: region: the shares add up to 1.1, expected 1; or write rest for one of them " +
			"(see line 11)"},
	{name: "set breaks a mixture", swap: []string{"spare: 7 days", "spare: 40%", "after: 3 days",
		"after: {mixture: [{share: spare, of: 1 day}, {share: 60%, of: 2 days}]}", "set: {beta: 0.2 per day}",
		"set: {spare: 50%}"},
		want: "model.yaml:34:32: states: latent: split: clock 1: after: mixture: the shares add up to 1.1, expected 1 " +
			"(see line 16)"},
	{name: "set breaks a uniform", swap: []string{"after: 3 days", "after: {uniform: {low: spare, high: 8 days}}",
		"set: {beta: 0.2 per day}", "set: {spare: 9 days}"},
		want: "model.yaml:34:32: states: latent: split: clock 1: after: uniform: high is 8 days, which is not above low, " +
			"parameter spare, 9 days (see line 16)"},
	{name: "set breaks a hazard", swap: []string{"after: 3 days",
		"after: {hazard: {0 days: 1 per day, 3 days: 2 per day, spare: 3 per day}}", "set: {beta: 0.2 per day}",
		"set: {spare: 2 days}"},
		want: "model.yaml:34:32: states: latent: split: clock 1: after: hazard: parameter spare, 2 days does not come " +
			"after the age before it (see line 16)"},
	{name: "set breaks an erlang", swap: []string{"spare: 7 days", "spare: 2", "after: 3 days",
		"after: {erlang: {mean: 1 day, k: spare}}", "set: {beta: 0.2 per day}", "set: {spare: 2.5}"},
		want: "model.yaml:34:32: states: latent: split: clock 1: after: erlang: k: 2.5: expected a whole number of " +
			"stages; gamma takes any shape (see line 16)"},
	{name: "set breaks an exponential", swap: []string{"after: 3 days", "after: {exponential: {rate: beta}}",
		"set: {beta: 0.2 per day}", "set: {beta: 0 per day}"},
		want: "model.yaml:34:31: states: latent: split: clock 1: after: exponential: rate: parameter beta, 0 per day: " +
			"expected a rate above 0 (see line 16)"},
	{name: "set breaks a mean", swap: []string{"after: 3 days", "after: {gamma: {mean: spare, shape: 2}}",
		"set: {beta: 0.2 per day}", "set: {spare: 0 days}"},
		want: "model.yaml:34:32: states: latent: split: clock 1: after: gamma: mean: parameter spare, 0 days: expected " +
			"more than nothing (see line 16)"},
	{name: "set breaks a probability", swap: []string{"spare: 7 days", "spare: 40%", "chance: 50%", "chance: spare",
		"set: {beta: 0.2 per day}", "set: {spare: 2}"},
		want: "model.yaml:34:32: transmission 1: chance: parameter spare, 2: a probability is between 0 and 1, or 0% and " +
			"100% (see line 30)"},
	{name: "set beyond all numbers", swap: []string{"spare: 7 days", "spare: 1", "after: 3 days",
		"after: {gamma: {mean: 1e300 days, shape: spare}}", "set: {beta: 0.2 per day}", "set: {spare: 1e-300}"},
		want: "model.yaml:34:32: states: latent: split: clock 1: after: gamma: its arguments are too large or too small " +
			"to work with (see line 16)"},
	{name: "set shortens lives below the age of immigrants", swap: []string{"spare: 7 days", "spare: 100 years",
		"enter: recovered", "enter: recovered, age: 50 years", "{weibull: {scale: 80 years, shape: 6}}", "spare",
		"set: {beta: 0.2 per day}", "set: {spare: 40 years}"},
		want: "model.yaml:34:32: immigration: age: ages reach 18262.5 days, but a clock of always ends every life by " +
			"14610 days (see line 26)"},
	{name: "--set breaks a row", swap: []string{"spare: 7 days", "spare: 0.1", "[[0.9, 0.1], [0.2, 0.8]]",
		"[[0.9, spare], [0.2, 0.8]]"}, asked: []population.Change{population.Set("spare", "0.2")},
		want: "--set spare: transmission 1: mixing: matrix: row 1 adds up to 1.1, expected 1 (see line 32)"},

	// Interventions.
	{name: "without unit, before the start", swap: []string{"start: 0, end: 160", "start: 1981, end: 2011", "at: 30 days",
		"at: 9", "at: 40 days", "at: 2005", "at: 50 days", "at: 2006"},
		want: "model.yaml:34:10: intervention 1: at: 9 is before the start of the model, 1981 days; times are those of " +
			"the model's clock"},
	{name: "until without unit, before at", swap: []string{"at: 30 days,", "at: 30, every: 7 days, until: 10,"},
		want: "model.yaml:34:36: intervention 1: until: 10 is before at, 30"},
	{name: "at a rate", swap: []string{"at: 30 days", "at: 30 per day"},
		want: "model.yaml:34:10: intervention 1: at: 30 per day is a rate; expected a time such as 160, in the unit of " +
			"the model, or 160 days"},
	{name: "before a start of one", swap: []string{"start: 0, end: 160", "start: 1, end: 160", "at: 30 days", "at: 0"},
		want: "model.yaml:34:10: intervention 1: at: 0 is before the start of the model, 1 day; times are those of the " +
			"model's clock"},
	{name: "before the start", swap: []string{"start: 0, end: 160", "start: 35, end: 160"},
		want: "model.yaml:34:10: intervention 1: at: 30 days is before the start of the model, 35 days; times are those " +
			"of the model's clock"},
	{name: "without at", swap: []string{"{at: 30 days, set", "{set"},
		want: `model.yaml:34:5: intervention 1: "at" is missing; write at: 30 days, for example`},
	{name: "at nothing", swap: []string{"at: 30 days", "at: "},
		want: "model.yaml:34:10: intervention 1: at: found nothing, expected a time such as 160 or 160 days"},
	{name: "doing nothing", swap: []string{"{at: 30 days, set: {beta: 0.2 per day}}", "{at: 30 days}"},
		want: "model.yaml:34:5: intervention 1: it does nothing; write set: {beta: 0.2 per day}, or who and to, or enter " +
			"and count"},
	{name: "setting nothing", swap: []string{"set: {beta: 0.2 per day}", "set: {}"},
		want: "model.yaml:34:5: intervention 1: it does nothing; write set: {beta: 0.2 per day}, or who and to, or enter " +
			"and count"},
	{name: "set is a list", swap: []string{"set: {beta: 0.2 per day}", "set: [beta]"},
		want: "model.yaml:34:24: intervention 1: set: found a list, expected a mapping such as {beta: 0.2 per day}"},
	{name: "who without to", swap: []string{"coverage: 60%, to: recovered", "coverage: 60%"},
		want: "model.yaml:35:5: intervention 2: what becomes of them? Write to: recovered, for example"},
	{name: "to without who", swap: []string{"who: susceptible, ", ""},
		want: "model.yaml:35:5: intervention 2: who? Write who: susceptible, for example, or who: everyone"},
	{name: "to nothing", swap: []string{"coverage: 60%, to: recovered", "coverage: 60%, to: "},
		want: "model.yaml:35:56: intervention 2: to: found nothing, expected a name"},
	{name: "coverage without who and to", swap: []string{"who: susceptible, coverage: 60%, to: recovered",
		"coverage: 60%"},
		want: "model.yaml:35:5: intervention 2: coverage and where are about individuals; write who and to beside them"},
	{name: "where without who and to", swap: []string{"set: {beta: 0.2 per day}",
		"set: {beta: 0.2 per day}, where: {region: north}"},
		want: "model.yaml:34:5: intervention 1: coverage and where are about individuals; write who and to beside them"},
	{name: "coverage of 1.2", swap: []string{"coverage: 60%", "coverage: 1.2"},
		want: "model.yaml:35:47: intervention 2: coverage: 1.2: a probability is between 0 and 1, or 0% and 100%"},
	{name: "coverage in days", swap: []string{"coverage: 60%", "coverage: 60 days"},
		want: "model.yaml:35:47: intervention 2: coverage: 60 days is a duration; expected a percentage such as 30%"},
	{name: "set of an unknown parameter", swap: []string{"set: {beta:", "set: {betta:"},
		want: `model.yaml:34:25: intervention 1: set: there is no parameter "betta"; did you mean "beta"?`},
	{name: "set to another kind", swap: []string{"set: {beta: 0.2 per day}", "set: {beta: 5 days}"},
		want: "model.yaml:34:31: transmission 1: rate: parameter beta, 5 days, is a duration; expected a rate such as 0.5 " +
			"per day (see line 29)"},
	{name: "set to a bare number", swap: []string{"set: {beta: 0.2 per day}", "set: {beta: 0.2}"},
		want: "model.yaml:34:31: transmission 1: rate: parameter beta, 0.2, has no unit; write 0.2 per day, or whatever " +
			"the unit is (see line 29)"},
	{name: "set to a negative rate", swap: []string{"set: {beta: 0.2 per day}", "set: {beta: -0.2 per day}"},
		want: "model.yaml:34:31: transmission 1: rate: parameter beta, -0.2 per day: a rate cannot be negative " +
			"(see line 29)"},
	{name: "set a distribution to a rate", swap: []string{"set: {beta: 0.2 per day}", "set: {stay: 0.2 per day}"},
		want: "model.yaml:34:31: states: infectious: race: clock 1: after: parameter stay, 0.2 per day, is a rate; " +
			"expected a duration such as 5 days or a distribution such as {gamma: {mean: 5 days, shape: 2}} (see line 20)"},
	{name: "set to what cannot be read", swap: []string{"set: {beta: 0.2 per day}", "set: {beta: 0.2.1 per day}"},
		want: `model.yaml:34:31: intervention 1: set: beta: "0.2.1" is not a number; expected a value such as 0.5 per ` +
			`day, 5 days or 30%`},
	{name: "set to nothing", swap: []string{"set: {beta: 0.2 per day}", "set: {beta: }"},
		want: "model.yaml:34:31: intervention 1: set: beta: found nothing, expected a value such as 0.5 per day, 5 " +
			"days or 30%"},
	{name: "enter without count", swap: []string{", count: 5", ""},
		want: `model.yaml:36:5: intervention 3: "count" is missing; write count: 10, for example`},
	{name: "count without enter", swap: []string{"enter: infectious, count: 5", "count: 5"},
		want: "model.yaml:36:26: intervention 3: count of whom? Write who and to beside it, or enter: infectious, " +
			"for example"},
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
		want: "model.yaml:34:41: intervention 1: until: found nothing, expected a time such as 160 or 160 days"},
	{name: "who is nothing", swap: []string{"who: susceptible", "who: "},
		want: "model.yaml:35:5: intervention 2: who? Write who: susceptible, for example, or who: everyone"},
	{name: "coverage of nothing", swap: []string{"coverage: 60%", "coverage: "},
		want: "model.yaml:35:47: intervention 2: coverage: found nothing, expected a percentage such as 30%"},
	{name: "with a name", swap: []string{"at: 40 days, who: susceptible,",
		"at: 40 days, name: vaccination, who: susceptable,"},
		want: `model.yaml:35:43: intervention vaccination: who: there is no state "susceptable"; ` +
			`did you mean "susceptible"?`},
	{name: "not a mapping", swap: []string{"  - {at: 50 days, enter: infectious, count: 5}", "  - infectious"},
		want: `model.yaml:36:5: intervention 3: found "infectious", expected a mapping such as {at: 30 days, set: {beta: ` +
			`0.2 per day}}`},

	// What is asked for beside the file.
	{name: "--set an unknown parameter", asked: []population.Change{population.Set("bet", "1 per day")},
		want: `--set bet: there is no parameter "bet"; did you mean "beta"?`},
	{name: "--set to another kind", asked: []population.Change{population.Set("beta", "5 days")},
		want: "--set beta: transmission 1: rate: parameter beta, 5 days, is a duration; expected a rate such as 0.5 per " +
			"day (see line 29)"},
	{name: "--set to a bare number", asked: []population.Change{population.Set("beta", "0.4")},
		want: "--set beta: transmission 1: rate: parameter beta, 0.4, has no unit; write 0.4 per day, or whatever the " +
			"unit is (see line 29)"},
	{name: "--set to a negative rate", asked: []population.Change{population.Set("beta", "-0.4 per day")},
		want: "--set beta: transmission 1: rate: parameter beta, -0.4 per day: a rate cannot be negative (see line 29)"},
	{name: "--set to a misspelt unit", asked: []population.Change{population.Set("beta", "0.4 per dya")},
		want: `--set beta: the value: "0.4 per dya": there is no unit "dya"; did you mean "day"?; expected a value such ` +
			`as 0.5 per day, 5 days or 30%`},
	{name: "--set to nothing", asked: []population.Change{population.Set("beta", "")},
		want: "--set beta: the value: found nothing, expected a value such as 0.5 per day, 5 days or 30%"},
	{name: "--set to what is not YAML", asked: []population.Change{population.Set("beta", "{gamma")},
		want: "--set beta: this is not YAML: did not find expected ',' or '}'"},
	{name: "--set to a distribution that is wrong", asked: []population.Change{
		population.Set("stay", "{gamma: {mean: 5, shape: 2}}")},
		want: "--set stay: parameters: stay: gamma: mean: 5 has no unit; write 5 days, or whatever the unit is"},
	{name: "--set to an unknown parameter", asked: []population.Change{population.Set("beta", "betta")},
		want: `--set beta: parameters: beta: there is no parameter "betta"; did you mean "beta"?`},
	{name: "--set to two documents", asked: []population.Change{population.Set("spare", "1 day\n---\n2 days")},
		want: "--set spare: a second document begins; expected one value"},
	{name: "--until before the start", asked: []population.Change{population.Until("0")},
		want: "--until: 0 is not after the start of the model, 0"},
	{name: "--until in another unit, before the start", swap: []string{"start: 0", "start: 30"},
		asked: []population.Change{population.Until("4 weeks")},
		want:  "--until: 4 weeks is not after the start of the model, 30"},
	{name: "--until never", asked: []population.Change{population.Until("never")},
		want: `--until: the end: found "never", expected a time such as 160, in the unit of the model, or 160 days; a ` +
			`parameter cannot stand here`},
	{name: "--until a rate", asked: []population.Change{population.Until("2 per day")},
		want: "--until: the end: 2 per day is a rate; expected a time such as 160, in the unit of the model, or 160 days"},
	{name: "--until nothing", asked: []population.Change{population.Until("")},
		want: `--until: the end: found "", expected a time such as 160 or 160 days`},
	{name: "--size -1", asked: []population.Change{population.Size(-1)},
		want: "--size: -1: expected a number from 0 to 4000000000"},
	{name: "--size below what starts", asked: []population.Change{population.Size(9)},
		want: "--size: population: start: 10 individuals are more than the size, 9"},
	{name: "--size above the most", swap: []string{"  size: 1000\n", "  size: 1000\n  most: 5000\n"},
		asked: []population.Change{population.Size(5001)},
		want:  "--size: population: size 5001 is more than the most there may be, 5000; write most: 5001 in population"},
	{name: "several changes", asked: []population.Change{population.Set("bet", "1 per day"), population.Until("x"),
		population.Set("stay", "30%")},
		want: `--until: the end: found "x", expected a time such as 160, in the unit of the model, or 160 days; ` +
			`a parameter cannot stand here
--set bet: there is no parameter "bet"; did you mean "beta"?
--set stay: states: infectious: race: clock 1: after: parameter stay, 30%, is a percentage; ` +
			`expected a duration such as 5 days or a distribution such as {gamma: {mean: 5 days, shape: 2}} (see line 20)`},

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
model.yaml:9:3: attributes: region: the shares add up to 0.9, expected 1; or write rest for one of them
model.yaml:14:17: states: infectious: race: clock 1: after: 5 has no unit; write 5 days, or whatever the unit is
model.yaml:15:33: states: infectious: race: clock 2: to: there is no state "recoverd"; did you mean "recovered"?
model.yaml:18:5: always: clock 1: when? Write rate: 0.2 per day or after: 5 days, for example
model.yaml:19:16: births: rate: 1 day is a duration; expected a rate such as 0.5 per day
model.yaml:21:12: transmission 1: from: there is no state "infectius"; did you mean "infectious"?
model.yaml:21:29: transmission 1: rate: parameter beta, 0.5, has no unit; write 0.5 per day, or whatever the unit is
model.yaml:21:43: transmission 1: chance: 1.5: a probability is between 0 and 1, or 0% and 100%
model.yaml:23:25: intervention 1: set: there is no parameter "betta"; did you mean "beta"?
model.yaml:24:17: record: every: 0 days: expected more than nothing
model.yaml:25:1: the model: there is no key "colour"; expected one of name, about, time, population, parameters, ` +
			`states, machines, places, networks, always and 12 more`},
}
