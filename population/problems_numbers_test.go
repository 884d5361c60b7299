package population_test

import "strings"

// numbersModel is a model with numbers of individuals, and nothing wrong with it.
const numbersModel = `name: p
time: {unit: day, start: 0, end: 10}
population: {size: 100, start: {ill: 1, well: rest}}
attributes: {region: {north: 40%, south: 60%}, activity: {number: {gamma: {mean: 1, shape: 0.3}}}, ` +
	`risk: {number: {normal: {mean: 1, sd: 1, least: 0, most: 4}}}}
parameters: {R: 2, speed: 1 per day}
states: {well: {}, ill: {race: [{rate: speed, to: well}]}}
births: {rate: 0.1 per day, enter: well, inherit: [activity], with: {risk: 2.5}}
immigration: {rate: 2 per day, enter: well}
transmission:
  - {from: ill, rate: R * activity / 5 days, chance: {value: risk / 4, of: met}, to: {well: ill}}
record: {every: 1 day}
`

// spoiltNumbers are wrong in numbers of individuals.
var spoiltNumbers = func() (all []spoilt) {
	const only = "a number has no values to tell apart; write a table of groups beside it"
	for _, c := range []struct {
		name string
		swap []string
		want string
	}{
		{"rate that could be negative", []string{"least: 0, most: 4}", "most: 4}",
			"chance: {value: risk / 4, of: met}", "chance: 1", "R * activity", "R * risk"},
			"model.yaml:10:23: transmission 1: rate: risk: a normal can be below 0; give it least: 0, or take another"},
		{"rate less a number", []string{"R * activity / 5 days", "(R - activity) / 5 days"},
			"model.yaml:10:23: transmission 1: rate: (R - activity) / 5 days can be negative: a rate cannot be"},
		{"table by a number", []string{"rate: speed, to: well", "rate: {by: activity, other: 1 per day}, to: well"},
			"model.yaml:6:45: states: ill: race: clock 1: rate: by: activity: " + only},
		{"where with a number", []string{"enter: well, inherit", "where: {activity: north}, enter: well, inherit"},
			"model.yaml:7:37: births: where: activity: " + only},
		{"mixing by a number", []string{"to: {well: ill}", "mixing: {by: activity, matrix: [[1]]}, to: {well: ill}"},
			"model.yaml:10:95: transmission 1: mixing: by: activity: " + only},
		{"record by a number", []string{"every: 1 day}", "every: 1 day, by: [activity]}"},
			"model.yaml:11:29: record: by: activity: " + only},
		{"number in immigration", []string{"rate: 2 per day, enter", "rate: 2 per day * activity, enter"},
			"model.yaml:8:21: immigration: rate: a number is that of an individual, and nobody is there yet"},
		{"number in a shape", []string{"rate: speed, to: well", "after: {gamma: {mean: 1 day, shape: activity}}, to: well"},
			"model.yaml:6:70: states: ill: race: clock 1: after: gamma: shape: activity differs between individuals, " +
				"by the number activity, and cannot stand here; rates, means of exponential clocks of race and split, " +
				"and chances of contacts can do so"},
		{"chance of a number without a most", []string{"value: risk / 4, of", "value: activity / 4, of"},
			"model.yaml:10:62: transmission 1: chance: activity may be any number, and a probability is between 0 and 1; give " +
				"its law a most"},
		{"chance of a number above 1", []string{"value: risk / 4, of", "value: risk / 2, of"},
			"model.yaml:10:62: transmission 1: chance: risk / 2 is between 0 and 2: a probability is between 0 and 1, " +
				"or 0% and 100%"},
		{"number of whoever is met in a rate",
			[]string{"rate: R * activity / 5 days", "rate: {value: R * activity / 5 days, of: met}"},
			"model.yaml:10:35: transmission 1: rate: activity of: met is that of the one who is met; only the chance of a " +
				"transmission can have it"},
		{"number that a clock gives", []string{"rate: speed, to: well", "rate: speed, to: well, move: {activity: 2}"},
			"model.yaml:6:64: states: ill: race: clock 1: move: activity is a number, which an individual has from when it " +
				"enters; only with and inherit of those who enter can give it"},
		{"number given as a name", []string{"risk: 2.5", "risk: high"},
			"model.yaml:7:70: births: with: risk is a number; expected one, such as 2.5"},
		{"number with a unit", []string{"{gamma: {mean: 1, shape: 0.3}}", "{gamma: {mean: 1 day, shape: 0.3}}"},
			"model.yaml:4:82: attributes: activity: number: gamma: mean: 1 day is a duration; expected a number such as 2"},
		{"number by a parameter that is set", []string{"mean: 1, shape: 0.3", "mean: R, shape: 0.3",
			"record:", "interventions: [{at: 3 days, set: {R: 1}}]\nrecord:"},
			"model.yaml:4:67: attributes: activity: number: an intervention sets \"R\", and a number has one law all the " +
				"time; expected a value of its own"},
		{"number with the name of a parameter", []string{"parameters: {R: 2,", "parameters: {risk: 2, R: 2,"},
			"model.yaml:4:100: attributes: risk: there is a parameter of that name; names are given once"},
		{"number hardly between its limits", []string{"least: 0, most: 4", "least: 8, most: 9",
			"chance: {value: risk / 4, of: met}", "chance: 1", "with: {risk: 2.5}", "name: n"},
			"model.yaml:4:115: attributes: risk: number: less than one in a hundred lies between least and most; " +
				"take another law"},
		{"recorded number", []string{"every: 1 day}", "every: 1 day, values: {x: risk}}"},
			"model.yaml:11:36: record: values: x: risk is a number of each individual, and a value is one for all; " +
				"write mean(risk)"},
		{"recorded unit", []string{"every: 1 day}", "every: 1 day, values: {x: count(well) * 1 day}}"},
			"model.yaml:11:36: record: values: x: count(well) * 1 day has a unit of time, and a value is a number; " +
				"divide it by 1 day, or multiply it, for example"},
		{"mean in a rate", []string{"rate: 2 per day, enter", "rate: 2 per day * mean(activity), enter"},
			"model.yaml:8:33: immigration: rate: \"2 per day * mean(activity)\": mean(…) may stand only in record: values, " +
				"as in {active: mean(activity)}"},
		{"mean of what is not a number", []string{"every: 1 day}", "every: 1 day, values: {x: mean(rsk)}}"},
			"model.yaml:11:41: record: values: x: \"mean(rsk)\": mean: there is no attribute with number \"rsk\"; " +
				"did you mean \"risk\"?"},
		{"mean of a state that is not there", []string{"every: 1 day}", "every: 1 day, values: {x: \"mean(risk, il)\"}}"},
			"model.yaml:11:42: record: values: x: mean: there is no state \"il\"; did you mean \"ill\"?"},
		{"number without a mean", []string{"normal: {mean: 1, sd: 1, least: 0, most: 4}", "poisson: {most: 4}"},
			"model.yaml:4:125: attributes: risk: number: poisson: \"mean\" is missing; write mean: 2.4, for example"},
		{"sum of a number and a season", []string{"R * activity / 5 days",
			"speed * (activity + w)", "parameters: {R", "parameters: {w: {steps: {0 days: 1, 3 days: 2}}, R"},
			"model.yaml:10:23: transmission 1: rate: speed * (activity + w) has no bound, so that it cannot be drawn: " +
				"activity may be any number; multiply what changes by it, or give its law a most"},
	} {
		text := numbersModel
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
