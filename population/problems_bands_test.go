package population_test

import "strings"

// bandsModel is a model with age bands and conditions, and nothing wrong with it.
const bandsModel = `name: bands
time: {unit: day, start: 0, end: 100}
population: {size: 100, age: 30 years, start: {a: rest}}
parameters: {grown: 15 years, k: 3}
attributes:
  region: {north: 50%, south: 50%}
  band: {age: {child: 0 years, adult: 15 years}}
states: {a: {race: [{rate: 0.1 per day, to: b, name: step}]}, b: {}}
births: {rate: 0.1 per day, enter: a, inherit: [region]}
immigration: {rate: 1 per day, enter: a, with: {region: north}}
interventions:
  - {when: {a: above 3}, set: {k: 2}}
  - {at: 3 days, who: a, where: {band: adult}, to: b}
record: {every: 10 days, by: [band]}
`

// spoiltBands are wrong in age bands, or in what interventions wait for.
var spoiltBands = func() (all []spoilt) {
	when := func(name, condition, want string) spoilt {
		return spoilt{name: name, swap: []string{"when: {a: above 3}", "when: {" + condition + "}"},
			want: "model.yaml:12:" + want}
	}
	bands := func(name, value, want string) spoilt {
		return spoilt{name: name, swap: []string{"{age: {child: 0 years, adult: 15 years}}", value},
			want: "model.yaml:7:" + want}
	}
	const given = "band follows the age; nothing else can give it"
	all = []spoilt{
		bands("bands that begin late", "{age: {adult: 15 years}}",
			"23: attributes: band: age: the first is 15 years; begin with 0 years"),
		bands("bands that do not ascend", "{age: {child: 0 years, adult: 15 years, teen: 12 years}}",
			"55: attributes: band: age: teen begins at 12 years, not after adult, which begins at 15 years; expected "+
				"ages that ascend"),
		bands("bands without units", "{age: {child: 0, adult: 15}}",
			"23: attributes: band: age: child: 0 has no unit; write 0 days, or whatever the unit is"),
		bands("bands of a distribution", "{age: {child: 0 years, adult: {exponential: {mean: 15 years}}}}",
			"39: attributes: band: age: adult: found a distribution, expected a duration such as 5 days"),
		bands("bands by group", "{age: {child: 0 years, adult: {by: region, north: 1 day, south: 2 days}}}",
			"39: attributes: band: age: adult: a table by region is read for an individual, and there is none here; "+
				"expected one value for all"),
		bands("no bands", "{age: {}}",
			"15: attributes: band: age: expected the age from which on each value holds, such as {child: 0 years, "+
				"adult: 15 years}"),
		bands("bands and shares", "{age: {child: 0 years, adult: 15 years}, north: 40%}",
			"50: attributes: band: north: "+given),
		bands("shares and bands", "{north: 40%, age: {child: 0 years, adult: 15 years}}",
			"10: attributes: band: north: "+given),
		{name: "bands that would change", swap: []string{"adult: 15 years", "adult: grown", "{k: 2}",
			"{grown: 12 years}"}, want: "model.yaml:7:39: attributes: band: age: adult: an intervention sets grown; " +
			"expected a duration that does not change during the run"},
		{name: "band that a clock gives", swap: []string{"births:",
			"always: [{after: 3 days, move: {band: adult}}]\nbirths:"},
			want: "model.yaml:9:33: always: clock 1: move: " + given},
		{name: "band that an intervention gives", swap: []string{"to: b}\nrecord",
			"move: {band: adult}}\nrecord"}, want: "model.yaml:13:55: intervention 2: move: " + given},
		{name: "band that is inherited", swap: []string{"[region]", "[band]"},
			want: "model.yaml:9:49: births: inherit: " + given},
		{name: "band that is given", swap: []string{"{region: north}", "{band: child}"},
			want: "model.yaml:10:49: immigration: with: " + given},
		{name: "band of a group", swap: []string{"start: {a: rest}",
			"groups: [{share: 100%, with: {band: adult}, start: {a: rest}}]"},
			want: "model.yaml:3:70: population: group 1: with: " + given},
		{name: "age by band", swap: []string{"age: 30 years", "age: {by: band, child: 3 years, other: 20 years}"},
			want: "model.yaml:3:30: population: age: a table by band, which follows the age itself; expected a table by " +
				"something else"},
		{name: "age of a group", swap: []string{"start: {a: rest}",
			"groups: [{share: 100%, age: -3 years, start: {a: rest}}]"},
			want: "model.yaml:3:68: population: group 1: age: -3 years: a duration cannot be negative"},
		{name: "age of nobody", swap: []string{"to: b}\nrecord", "to: b, age: 3 days}\nrecord"},
			want: "model.yaml:13:5: intervention 2: age is about those who enter; write enter and count beside it"},

		when("incidence of nothing known", "incidence(stp) over 7 days: above 3",
			`13: intervention 1: when: "incidence(stp) over 7 days": nothing goes by that name; did you mean "step"?`),
		when("incidence of nothing like it", "incidence(flood) over 7 days: above 3",
			`13: intervention 1: when: "incidence(flood) over 7 days": nothing goes by that name; give the name to a clock, `+
				`a contact or an entry, or write a flow such as susceptible->infectious`),
		when("incidence of no flow", "incidence(a->c) over 7 days: above 3",
			`13: intervention 1: when: "incidence(a->c) over 7 days": nothing goes by that name; did you mean "a->b"?`),
		when("incidence without a time", "incidence(step): above 3",
			"13: intervention 1: when: incidence(step): expected what is counted and in how much time, such as "+
				"incidence(infection) over 7 days"),
		when("incidence without a unit", "incidence(step) over 7: above 3",
			`13: intervention 1: when: "incidence(step) over 7": over: 7 has no unit; write 7 days, or whatever the unit is`),
		when("incidence over nothing", "incidence(step) over 0 days: above 3",
			`13: intervention 1: when: "incidence(step) over 0 days": over: expected more than nothing`),
		when("incidence as a share", "incidence(step) over 7 days: above 3%",
			`42: intervention 1: when: "incidence(step) over 7 days": 3% is a share, but incidence is a number of events; `+
				`expected a number such as above 500`),
		when("incidence of too many", "incidence(step) over 7 days: above 1e9",
			`42: intervention 1: when: "incidence(step) over 7 days": 1e9: expected a number of events from 0 to 10,000,000`),
		when("for without a unit", "a: above 3, for: 3",
			"30: intervention 1: when: for: 3 has no unit; write 3 days, or whatever the unit is"),
		when("for less than nothing", "a: above 3, for: -3 days",
			"30: intervention 1: when: for: -3 days: a duration cannot be negative"),
		when("for without a condition", "for: 3 days",
			"12: intervention 1: when: expected a state, or total, and what its number is to be, such as {infectious: "+
				"above 1%}"),
		when("for in a condition", "a: above 3 for 14 days",
			`16: intervention 1: when: a: found "above 3 for 14 days"; write for beside it: {a: above 3, for: 14 days}`),
		when("per so many in a condition", "a: above 5 per 1_000",
			`16: intervention 1: when: a: found "above 5 per 1_000"; numbers per so many individuals are not understood here, `+
				`write above 0.5%`),
		when("per person in a condition", "a: below 5 per person",
			`16: intervention 1: when: a: found "below 5 per person"; numbers per so many individuals are not understood here, `+
				`write a percentage of the living, such as above 1%`),
		when("incidence per so many", "incidence(step) over 7 days: above 5 per 1000",
			`42: intervention 1: when: incidence(step) over 7 days: found "above 5 per 1000"; numbers per so many individuals `+
				`are not understood here, write a number of events`),
		when("incidence of nobody in a group", "incidence(close) over 7 days: above 1, where: {region: north}}, "+
			"set: {k: 2}, name: close}\n  - {when: {a: above 3",
			`13: intervention close: when: "incidence(close) over 7 days": where: "close" only sets parameters, which happens `+
				`to no individual, so no group has any; leave out where`),
		when("for beside when", "a: above 3}, for: {14 days",
			"31: intervention 1: for is part of a condition; write when: {infectious: above 1%, for: 14 days}, for example"),
		when("unknown group of a condition", "a: above 3, where: {region: west}",
			`41: intervention 1: when: where: there is no value of region "west"; expected one of north, south`),
		when("group of a condition without a value", "a: above 3, where: region",
			`32: intervention 1: when: where: found "region", expected a mapping such as {region: north}`),
		{name: "incidence over what would change", swap: []string{"{a: above 3}",
			"{incidence(step) over grown: above 3}", "{k: 2}", "{grown: 2 days}"},
			want: `model.yaml:12:13: intervention 1: when: "incidence(step) over grown": over: an intervention sets grown; ` +
				`expected a duration that does not change during the run`},
	}
	for i := range all { // swaps are of the base
		all[i].source, all[i].swap = strings.NewReplacer(all[i].swap...).Replace(bandsModel), nil
	}
	return all
}()
