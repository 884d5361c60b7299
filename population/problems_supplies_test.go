package population_test

import "strings"

// suppliesModel is a model with a supply, and nothing wrong with it.
const suppliesModel = `name: p
time: {unit: day, start: 0, end: 10}
population: {size: 100, start: {ill: 1, well: rest}}
parameters: {amount: 20, share: 30%}
supplies: {doses: {at: 1 day, every: 1 day, count: amount, keep: 60}}
states: {well: {}, ill: {race: [{rate: 1 per day, to: well, uses: doses, full: late}]}, late: {}}
machines: {hiv: {start: {no: rest}, enter: no, states: {no: {race: [{after: 1 day, to: yes, uses: doses}]}, yes: {}}}}
transmission: [{from: ill, rate: 1 per day, to: {well: ill}, uses: doses, full: late}]
interventions:
  - {at: 2 days, set: {amount: 30}}
  - {at: 2 days, who: well, count: doses, to: late}
`

// spoiltSupplies are wrong in supplies, or in what uses them.
var spoiltSupplies = func() (all []spoilt) {
	const section = "{at: 1 day, every: 1 day, count: amount, keep: 60}"
	for _, c := range []struct{ name, old, now, want string }{
		{"unknown supply in a count", "count: doses", "count: dosis",
			`model.yaml:11:36: intervention 2: count: there is no supply or parameter "dosis"; did you mean ` +
				`"doses"?`},
		{"count that is like nothing", "count: doses", "count: beds",
			`model.yaml:11:36: intervention 2: count: there is no supply or parameter "beds"; expected one ` +
				`of doses, amount, share`},
		{"supply for those who enter", "who: well, count: doses, to: late", "enter: well, count: doses",
			"model.yaml:11:38: intervention 2: count: doses is a supply, and one is taken for each of those " +
				"who are there; those who enter need a number"},
		{"supply and coverage", "count: doses, to: late", "count: doses, coverage: 30%, to: late",
			"model.yaml:11:36: intervention 2: both coverage and count; a share of those whom it is about is" +
				" reached, or a number of them"},
		{"supply with the name of a parameter", "share: 30%", "doses: 30%",
			"model.yaml:5:12: supplies: doses: there is a parameter of that name; names are given once"},
		{"supply without an amount", ", count: amount, keep: 60", "",
			`model.yaml:5:19: supplies: doses: "count" is missing; write count: 150, for example`},
		{"supply without a time", "at: 1 day, every: 1 day, ", "",
			`model.yaml:5:19: supplies: doses: "at" is missing; write at: 30 days, for example`},
		{"supply of a fraction", "count: amount", "count: 1.5",
			`model.yaml:5:52: supplies: doses: count: found "1.5", expected a whole number from 0 to ` +
				`4000000000`},
		{"supply of a share", "count: amount", "count: share",
			"model.yaml:5:52: supplies: doses: count: parameter share, 30%, is a percentage; expected a " +
				"number such as 2"},
		{"supply that keeps less than nothing", "keep: 60", "keep: -3",
			"model.yaml:5:66: supplies: doses: keep: -3: expected a whole number from 0 to 4000000000"},
		{"supply that keeps a fraction", "keep: 60", "keep: 2.5",
			"model.yaml:5:66: supplies: doses: keep: 2.5: expected a whole number from 0 to 4000000000"},
		{"supply that is set to a fraction", "{amount: 30}", "{amount: 30.5}",
			"model.yaml:10:32: supplies: doses: count: parameter amount, 30.5: expected a whole number from " +
				"0 to 4000000000 (see line 5)"},
		{"supply before the start", "at: 1 day, every", "at: -1 day, every",
			"model.yaml:5:24: supplies: doses: at: -1 day is before the start of the model, 0 days; times " +
				"are those of the model's clock"},
		{"supply with a key that is none", section, "{at: 1 day, count: 3, keeps: 3}",
			`model.yaml:5:41: supplies: doses: there is no key "keeps"; did you mean "keep"?`},
		{"supply that is no mapping", section, "150",
			`model.yaml:5:19: supplies: doses: found "150", expected a mapping such as {at: 10 days, every: 1 day, count: 150}`},
		{"unknown supply at a clock", "to: well, uses: doses", "to: well, uses: dosis",
			`model.yaml:6:67: states: ill: race: clock 1: uses: there is no supply "dosis"; did you mean ` +
				`"doses"?`},
		{"unknown supply at a contact", "ill}, uses: doses", "ill}, uses: beds",
			`model.yaml:8:68: transmission 1: uses: there is no supply "beds"; expected one of doses`},
		{"full without uses", "to: well, uses: doses, full", "to: well, full",
			"model.yaml:6:67: states: ill: race: clock 1: full without uses: what would have run out? Write " +
				"uses: and a supply beside it"},
		{"full in a state that is none", "uses: doses, full: late}]}, late", "uses: doses, full: lat}]}, late",
			`model.yaml:6:80: states: ill: race: clock 1: full: there is no state "lat"; did you mean ` +
				`"late"?`},
		{"full of a machine in a state of states", "to: yes, uses: doses", "to: yes, uses: doses, full: late",
			`model.yaml:7:112: machines: hiv: no: race: clock 1: full: there is no state of hiv "late"; ` +
				`expected one of no, yes`},
		{"full of a contact in a state that is none", "doses, full: late}]\n", "doses, full: sick}]\n",
			`model.yaml:8:81: transmission 1: full: there is no state "sick"; expected one of well, ill, ` +
				`late, out`},
		{"supplies in a list", "supplies: {doses: " + section + "}", "supplies: [doses]",
			"model.yaml:5:11: supplies: found a list, expected a mapping such as {doses: {at: 10 days, " +
				"every: 1 day, count: 150}}\n" +
				"model.yaml:6:67: states: ill: race: clock 1: uses: there is no supply \"doses\"; none is " +
				"defined\n" +
				"model.yaml:7:99: machines: hiv: no: race: clock 1: uses: there is no supply \"doses\"; none is " +
				"defined\n" +
				"model.yaml:8:68: transmission 1: uses: there is no supply \"doses\"; none is defined\n" +
				"model.yaml:11:36: intervention 2: count: there is no parameter \"doses\"; expected one of " +
				"amount, share"},
		{"supply that comes too often", "every: 1 day, count", "every: 1 second, count",
			"model.yaml:5:12: supplies: doses: it would happen more than 100000 times"},
	} {
		if strings.Count(suppliesModel, c.old) != 1 {
			panic(c.name + ": " + c.old + " is not in the model once")
		}
		all = append(all, spoilt{name: c.name, source: strings.Replace(suppliesModel, c.old, c.now, 1), want: c.want})
	}
	return all
}()
