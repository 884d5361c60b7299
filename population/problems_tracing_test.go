package population_test

import (
	"fmt"
	"strings"
)

// tracingModel is a model with tracing, and nothing wrong with it.
const tracingModel = `name: t
time: {unit: day, start: 0, end: 10}
population: {size: 100, start: {ill: 1, well: rest}}
attributes: {region: {north: 40%, south: 60%}}
places: {household: {size: 2}}
networks: {steady: {degrees: 1, ends: {rate: 1 per day}}, friends: {random: {mean: 1}}}
machines:
  care:
    start: {none: rest}
    states: {none: {race: [{rate: 1 per day, to: seen, name: visit}]}, seen: {}}
states:
  well: {}
  ill: {race: [{rate: 0.3 per day, to: isolated, name: test}]}
  isolated: {}
transmission: [{from: ill, rate: 0.3 per day, to: {well: ill}, name: meeting}]
tracing:
  - {when: isolated, through: {household: 90%, meeting: 50%},
     back: 5 days, after: 1 day, to: {ill: isolated}, name: traced}
  - {when: {care: seen}, through: {household: {by: region, of: met, north: 90%, south: 10%}}, machine: care,
     to: {none: seen}}
`

// spoiltTracing are wrong in tracing.
var spoiltTracing = func() (all []spoilt) {
	for _, c := range []struct{ name, old, now, at, want string }{
		{"unknown state or name", "when: isolated", "when: isolatd", "isolatd",
			`tracing 1: when: there is neither a state nor a name "isolatd"; did you mean "isolated"?`},
		{"a state and a name", "name: traced", "name: isolated", "isolated, through",
			`tracing 1: when: "isolated" is a state and a name; write when: {state: isolated} for the state`},
		{"unknown layer", "through: {household: 90%", "through: {houshold: 90%", "houshold",
			`tracing 1: through: there is no kind of places, no network and no contact named "houshold"; did you mean ` +
				`"household"?`},
		{"layer like nothing", "through: {household: 90%", "through: {xyzxyz: 90%", "xyzxyz",
			`tracing 1: through: there is no kind of places, no network and no contact named "xyzxyz"`},
		{"no back", "back: 5 days, ", "", "{when: isolated",
			"tracing 1: back is missing: contacts named meeting are remembered for that long"},
		{"no back of links", "household: {by: region, of: met, north: 90%, south: 10%}", "friends: 50%, steady: 50%",
			"{when: {care", "tracing 2: back is missing: links of steady that have ended are remembered for that long"},
		{"a network and a contact", "{random: {mean: 1}}", "{random: {mean: 1}}, meeting: {random: {mean: 1}}",
			"meeting: 50%", `tracing 1: through: "meeting" is a network and the name of a contact; rename one of them`},
		{"neither to nor move", "to: {ill: isolated}, ", "", "{when: isolated",
			"tracing 1: neither to nor move: nothing would become of those who are found"},
		{"same", "to: {ill: isolated}", "to: {ill: same}", "same",
			"tracing 1: to: ill: same leaves the one who is reached as they are, so that nothing happens; write move: beside " +
				"it, or leave it out"},
		{"a kind and a contact", "{household: {size: 2}}", "{household: {size: 2}, meeting: {size: 2}}", "meeting: 50%",
			`tracing 1: through: "meeting" is a kind of places and the name of a contact; rename one of them`},
		{"entering an attribute", "{care: seen}", "{region: north}", "region: north}, through",
			`tracing 2: when: "region" is no machine; expected state, or a machine, and what is entered`},
		{"entering no state of a machine", "{care: seen}", "{care: [seen, sen]}", "sen]",
			`tracing 2: when: there is no state of care "sen"; did you mean "seen"?`},
		{"unknown state in state", "when: isolated", "when: {state: isolatd}", "isolatd",
			`tracing 1: when: there is no state "isolatd"; did you mean "isolated"?`},
		{"chance above 1", "household: 90%", "household: 190%", "190%",
			"tracing 1: through: household: 190%: a probability is between 0 and 1, or 0% and 100%"},
		{"unknown key", "back: 5 days", "bak: 5 days", "bak",
			`tracing 1: there is no key "bak"; did you mean "back"?`},
		{"unknown machine", "machine: care", "machine: cure", "cure",
			`tracing 2: machine: there is no machine "cure"; did you mean "care"?`},
		{"unknown state of to", "to: {ill: isolated}", "to: {il: isolated}", "il:",
			`tracing 1: to: there is no state "il"; did you mean "ill"?`},
		{"full without room", "to: {ill: isolated}", "to: {ill: isolated}, full: well", "well, name: traced",
			"tracing 1: full: household has no number and capacity, so that nothing can be full"},
		{"unknown supply", "to: {ill: isolated}", "to: {ill: isolated}, uses: doses", "doses",
			`tracing 1: uses: there is no supply "doses"; none is defined`},
		{"back of nothing", "back: 5 days", "back: 5", "5, after",
			"tracing 1: back: 5 has no unit; write 5 days, or whatever the unit is"},
	} {
		if strings.Count(tracingModel, c.old) != 1 {
			panic(c.name + ": " + c.old + " is not in the model once")
		}
		source := strings.Replace(tracingModel, c.old, c.now, 1)
		i := strings.Index(source, c.at)
		if i < 0 {
			panic(c.name + ": " + c.at + " is not in the model")
		}
		line := 1 + strings.Count(source[:i], "\n")
		column := i - strings.LastIndex(source[:i], "\n")
		all = append(all, spoilt{name: "tracing: " + c.name, source: source,
			want: fmt.Sprintf("model.yaml:%d:%d: %s", line, column, c.want)})
	}
	return all
}()
