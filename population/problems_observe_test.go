package population_test

import "strings"

// observeModel is a model that observes and records all that can be, and nothing is wrong with it.
const observeModel = `name: p
time: {unit: day, start: 0, end: 120}
population: {size: 100, start: {ill: 5, well: rest}}
attributes: {age: {child: 25%, adult: 75%}}
parameters: {beta: 0.4 per day, some: 40%}
states:
  well: {race: [{rate: {value: beta * count(ill) / total, most: 1 per day}, to: ill, source: ill, name: infection}]}
  ill: {race: [{after: 5 days, to: immune, name: recovery}]}
  immune: {}
interventions: [{when: {ill: above 50}, set: {beta: 0.1 per day}, name: alarm}]
observe:
  reports: {of: infection, chance: some, after: 6 days}
  survey: {at: 40 days, every: 30 days, count: 50, chance: 90%}
record:
  every: 1 day
  people: {times: [infection, reports], only: infection}
  tree: {of: infection}
`

// spoiltObservations are wrong in observe, source, and record: tree and people.
var spoiltObservations = func() (all []spoilt) {
	for _, c := range []struct {
		name string
		swap []string
		want string
	}{
		{"observation of both", []string{"survey: {at", "survey: {of: infection, at"},
			"model.yaml:13:47: observe: survey: both of and every: an event is seen when it happens, people at times"},
		{"observation of an unknown event", []string{"of: infection, chance", "of: infektion, chance"},
			"model.yaml:12:17: observe: reports: of: nothing goes by the name \"infektion\"; did you mean \"infection\"?"},
		{"observation of an event of nobody", []string{"of: infection, chance", "of: alarm, chance"},
			"model.yaml:12:17: observe: reports: of: alarm: it happens to nobody in particular; " +
				"expected something that happens to individuals"},
		{"survey of a number and a share", []string{"count: 50,", "count: 50, coverage: 10%,"},
			"model.yaml:13:48: observe: survey: both count and coverage"},
		{"survey at no time", []string{"at: 40 days, every: 30 days, count: 50", "count: 50"},
			"model.yaml:13:11: observe: survey: of what, or when? Write of: infection for an event, or at: 40 days for a " +
				"survey, for example"},
		{"observation of some", []string{"of: infection, chance", "of: infection, who: ill, chance"},
			"model.yaml:12:33: observe: reports: both of and who: an event is seen of the one to whom it happens; " +
				"write a table in chance to tell them apart"},
		{"observation with the name of a clock",
			[]string{"  reports: {", "  recovery: {", "[infection, reports]", "[infection]"},
			"model.yaml:12:3: observe: recovery: a name of a clock; take another"},
		{"observation by counts", []string{"chance: some", "chance: {value: count(ill) / total, most: 1}"},
			"model.yaml:12:36: observe: reports: chance: a value with a most depends on how many there are, " +
				"and a chance cannot"},
		{"chance above 1", []string{"chance: some", "chance: 140%"},
			"model.yaml:12:36: observe: reports: chance: 140%: a probability is between 0 and 1, or 0% and 100%"},
		{"tree of an unknown event", []string{"tree: {of: infection}", "tree: {of: infect}"},
			"model.yaml:17:14: record: tree: of: nothing goes by the name \"infect\"; " +
				"expected one of infection, recovery, alarm, well->ill, ill->immune"},
		{"times of an unknown event", []string{"[infection, reports]", "[infection, report]"},
			"model.yaml:16:31: record: people: times: nothing goes by the name \"report\"; did you mean \"reports\"?"},
		{"no times", []string{"[infection, reports]", "[]"},
			"model.yaml:16:19: record: people: times: expected at least one event, such as [infection]; people: true lists " +
				"everybody"},
		{"times twice", []string{"[infection, reports]", "[infection, infection]"},
			"model.yaml:16:31: record: people: times: \"infection\" is here twice"},
		{"people that are nothing", []string{"people: {times: [infection, reports], only: infection}", "people: all"},
			"model.yaml:16:11: record: people: found \"all\", expected true, or {times: [infection]}"},
		{"source of an unknown state", []string{"source: ill", "source: il"},
			"model.yaml:7:94: states: well: race: infection: source: there is no state \"il\"; did you mean \"ill\"?"},
		{"source of no state", []string{"source: ill", "source: {}"},
			"model.yaml:7:94: states: well: race: infection: source: expected at least one state, such as " +
				"{mild: 1, severe: 2}"},
		{"source with a negative weight", []string{"source: ill", "source: {ill: -1}"},
			"model.yaml:7:100: states: well: race: infection: source: ill: -1: a weight cannot be negative"},
	} {
		text := observeModel
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
