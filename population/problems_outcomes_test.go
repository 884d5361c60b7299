package population_test

import "strings"

// outcomesModel is a model with outcomes, and nothing wrong with it.
const outcomesModel = `name: p
time: {unit: year, start: 0, end: 10}
population: {size: 100, start: {ill: 1, well: rest}}
attributes: {region: {north: 40%, south: 60%}}
parameters: {season: {seasonal: {mean: 2 per year, amplitude: 50%, peak: 0, period: 1 year}}, ` +
	`drug: 40 per year, late: 2 years}
states: {well: {race: [{rate: season, to: ill}]}, ill: {race: [{rate: 1 per year, to: out, name: death}]}}
interventions: [{at: 1 year, set: {drug: 30 per year, late: 3 years}}, ` +
	`{when: {ill: above 5}, set: {drug: 20 per year}, name: alarm}]
outcomes:
  cost: {time: 50 per year, events: {death: 900}, discount: 3% per year}
record: {every: 1 year}
`

// spoiltOutcomes are wrong in outcomes.
var spoiltOutcomes = func() (all []spoilt) {
	for _, c := range []struct {
		name string
		swap []string
		want string
	}{
		{"outcome without a unit", []string{"time: 50 per year", "time: 50"},
			"model.yaml:9:16: outcomes: cost: time: 50 has no unit; write 50 per year"},
		{"outcome without a unit in a table",
			[]string{"time: 50 per year", "time: {by: region, north: 50 per year, south: 20}"},
			"model.yaml:9:56: outcomes: cost: time: north is 50 per year, and south is 20; " +
				"expected the same kind of value for all"},
		{"outcome at a duration", []string{"time: 50 per year", "time: 50 years"},
			"model.yaml:9:16: outcomes: cost: time: 50 years is a duration; expected a rate such as 0.5 per day"},
		{"discount of no time", []string{"discount: 3% per year", "discount: 3%"},
			"model.yaml:9:61: outcomes: cost: discount: 3% of what time? write 3% per year"},
		{"discount as a number", []string{"discount: 3% per year", "discount: 0.03"},
			"model.yaml:9:61: outcomes: cost: discount: 0.03 of what time? write 3% per year"},
		{"discount without its percent", []string{"discount: 3% per year", "discount: 3 per year"},
			"model.yaml:9:61: outcomes: cost: discount: 3 per year is 300% per year; write 3% per year if that is meant"},
		{"outcome by a state alone", []string{"time: 50 per year", "time: {ill: 50 per year}"},
			"model.yaml:9:16: outcomes: cost: time: a table says by what, such as {by: state, ill: 50 per year, other: …}"},
		{"outcome of a flow twice", []string{"{death: 900}", "{ill->out: 1, ill -> out: 2}"},
			"model.yaml:9:51: outcomes: cost: events: ill -> out: it is here twice"},
		{"discount below nothing", []string{"discount: 3% per year", "discount: -3% per year"},
			"model.yaml:9:61: outcomes: cost: discount: -3% per year: expected a discount from 0% to 1000%"},
		{"discount for a time", []string{"discount: 3% per year", "discount: 3 years"},
			"model.yaml:9:61: outcomes: cost: discount: 3 years is a duration; expected a discount such as 3% per year"},
		{"discount that is worked out", []string{"discount: 3% per year", "discount: 2 * drug"},
			"model.yaml:9:61: outcomes: cost: discount: 2 * drug, which is 80 per year, is worked out, and it is not known " +
				"after which time it is to be compounded; write it out, as in 3% per year"},
		{"discount that is set", []string{"discount: 3% per year", "discount: drug"},
			"model.yaml:9:61: outcomes: cost: discount: interventions set drug; expected one value for the whole run"},
		{"outcome of an unknown event", []string{"{death: 900}", "{deaht: 900}"},
			"model.yaml:9:38: outcomes: cost: events: nothing goes by the name \"deaht\"; did you mean \"death\"?"},
		{"outcome of an unknown flow", []string{"{death: 900}", "{ill->wel: 900}"},
			"model.yaml:9:38: outcomes: cost: events: nothing goes by the name \"ill->wel\"; expected one of death, alarm, " +
				"well->ill, ill->out"},
		{"outcome that changes with time", []string{"time: 50 per year", "time: season"},
			"model.yaml:9:16: outcomes: cost: time: season changes with time; let interventions set a parameter"},
		{"outcome by a season", []string{"time: 50 per year", "time: {by: region, north: 2 * season, other: 3 per year}"},
			"model.yaml:9:16: outcomes: cost: time: season changes with time; let interventions set a parameter"},
		{"outcome by counts", []string{"time: 50 per year", "time: {value: 1 per year * count(ill), most: 100 per year}"},
			"model.yaml:9:16: outcomes: cost: time: a value with a most depends on how many there are, and an outcome cannot"},
		{"outcome with the name of a clock", []string{"  cost: {", "  death: {"},
			"model.yaml:9:3: outcomes: death: a name of a clock; take another"},
		{"outcome with the name of a state", []string{"  cost: {", "  ill: {"},
			"model.yaml:9:3: outcomes: ill: the name of a state; take another"},
		{"outcome with the name of an intervention", []string{"  cost: {", "  alarm: {"},
			"model.yaml:9:3: outcomes: alarm: the name of an intervention; take another"},
		{"outcome with the name of an attribute", []string{"  cost: {", "  region: {"},
			"model.yaml:9:3: outcomes: region: the name of an attribute; take another"},
		{"outcome called total", []string{"  cost: {", "  total: {"},
			"model.yaml:9:3: outcomes: total: the name of the whole population; take another"},
		{"amount with a unit", []string{"{death: 900}", "{death: 900 per year}"},
			"model.yaml:9:45: outcomes: cost: events: death: 900 per year is a rate; expected a number such as 2"},
		{"amount of nobody by group", []string{"{death: 900}", "{alarm: {by: region, north: 1, south: 2}}"},
			"model.yaml:9:38: outcomes: cost: events: alarm: it happens to nobody in particular; expected one value for all"},
		{"outcome from after the end", []string{"discount: 3% per year", "from: 11 years"},
			"model.yaml:9:57: outcomes: cost: from: 11 years is not within the run"},
		{"outcome from what is set", []string{"discount: 3% per year", "from: late"},
			"model.yaml:9:57: outcomes: cost: from: interventions set late; expected one value for the whole run"},
		{"outcome key", []string{"discount: 3% per year", "discout: 3% per year"},
			"model.yaml:9:51: outcomes: cost: there is no key \"discout\"; did you mean \"discount\"?"},
		{"outcome that is no mapping", []string{
			"{time: 50 per year, events: {death: 900}, discount: 3% per year}", "50 per year",
		},
			"model.yaml:9:9: outcomes: cost: found \"50 per year\", expected a mapping such as {time: 50 per year, " +
				"events: {death: 900}, discount: 3% per year}"},
		{"outcome that is too large", []string{"time: 50 per year", "time: 1e40 per year"},
			"model.yaml:9:16: outcomes: cost: time: 1e40 per year: expected a number up to 1e30"},
		{"record time", []string{"record: {every: 1 year}", "record: {every: 1 year, time: yes}"},
			"model.yaml:10:31: record: time: found \"yes\", expected true or false"},
	} {
		text := outcomesModel
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
