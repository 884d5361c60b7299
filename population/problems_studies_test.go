package population_test

import "github.com/almanac-sim/almanac/population"

// withStudies is the base with scenarios and a fit.
var withStudies = baseModel + `scenarios:
  usual: {}
  slow: {beta: 0.2 per day, population.start.infectious: 20}
fit:
  data: nowhere.csv
  unknown:
    beta: {uniform: {low: 0.1 per day, high: 1 per day}}
  match:
    - {column: cases, incidence: susceptible->latent, observed: 30%, error: {poisson: {}}}
    - {column: ill, state: infectious, error: {normal: {sd: 10%}}}
`

// spoiltStudies are wrong in what is recorded, in scenarios, and in what is asked for in place of
// what the file says.
var spoiltStudies = []spoilt{
	{name: "record by an unknown attribute", swap: []string{"record: {every: 1 day}",
		"record: {every: 1 day, by: [regoin]}"},
		want: `model.yaml:37:29: record: by: there is no attribute "regoin"; did you mean "region"?`},
	{name: "record by nothing", swap: []string{"record: {every: 1 day}", "record: {every: 1 day, by: []}"},
		want: "model.yaml:37:28: record: by: expected at least one attribute, such as [region], or combinations, such as " +
			"[[region, age]]"},
	{name: "record by an empty combination", swap: []string{"record: {every: 1 day}",
		"record: {every: 1 day, by: [region, []]}"},
		want: "model.yaml:37:37: record: by: expected at least one attribute in a combination, such as [region, age]"},
	{name: "record by a mapping", swap: []string{"record: {every: 1 day}", "record: {every: 1 day, by: {region: north}}"},
		want: "model.yaml:37:28: record: by: found a mapping, expected a name"},
	{name: "record twice by the same", swap: []string{"record: {every: 1 day}",
		"record: {every: 1 day, by: [region, [region]]}"},
		want: `model.yaml:37:37: record: by: "region" is here twice`},
	{name: "record by an attribute with itself", swap: []string{"record: {every: 1 day}",
		"record: {every: 1 day, by: [[region, region]]}"},
		want: `model.yaml:37:38: record: by: "region" is twice in one combination`},
	{name: "record by a list in a list in a list", swap: []string{"record: {every: 1 day}",
		"record: {every: 1 day, by: [[[region]]]}"},
		want: "model.yaml:37:30: record: by: found a list, expected a name"},
	{name: "too much is recorded", swap: []string{"record: {every: 1 day}", "record: {every: 2 seconds, by: [region]}"},
		want: "model.yaml:37:33: record: by: 2 groups with 4 states, 12 flows and 1 name in 6912001 rows make 2.35e+08 " +
			"numbers in each replica, more than the 100,000,000 there can be; record less often, or by fewer"},
	{name: "incidence that is neither", swap: []string{"record: {every: 1 day}",
		"record: {every: 1 day, incidence: daily}"},
		want: `model.yaml:37:35: record: incidence: found "daily", expected true or false`},
	{name: "incidence that is nothing", swap: []string{"record: {every: 1 day}", "record: {every: 1 day, incidence: }"},
		want: "model.yaml:37:35: record: incidence: found nothing, expected true or false"},
	{name: "incidence misspelt", swap: []string{"record: {every: 1 day}", "record: {every: 1 day, incidense: true}"},
		want: `model.yaml:37:24: record: there is no key "incidense"; did you mean "incidence"?`},

	{name: "scenario of an unknown parameter", source: baseModel + "scenarios: {slow: {bta: 0.2 per day}}\n",
		want: `model.yaml:38:20: scenarios: slow: there is no parameter "bta"; did you mean "beta"?`},
	{name: "scenario that is a list", source: baseModel + "scenarios: [slow]\n",
		want: "model.yaml:38:12: scenarios: found a list, expected a mapping such as {lockdown: {beta: 0.2 per day}}"},
	{name: "scenario that is a value", source: baseModel + "scenarios: {slow: 0.2 per day}\n",
		want: `model.yaml:38:19: scenarios: slow: found "0.2 per day", expected a mapping such as {beta: 0.2 per day}`},
	{name: "scenario whose value cannot be read", source: baseModel + "scenarios: {slow: {beta: 0.2 per dya}}\n",
		want: `model.yaml:38:26: scenarios: slow: beta: "0.2 per dya": there is no unit "dya"; did you mean "day"?; ` +
			`expected a value such as 0.5 per day, 5 days or 30%`},
	{name: "scenario that begins with a digit", source: baseModel + "scenarios: {2020 low: {}}\n",
		want: `model.yaml:38:13: scenarios: "2020 low" ` + noName + `scenario_2020_low, for example`},
	{name: "scenario with a name that means something", source: baseModel + "scenarios: {out: {}}\n",
		want: `model.yaml:38:13: scenarios: "out" cannot be a name: it means leaving the population; ` +
			`write another, such as scenario_out`},
	{name: "unknown scenario", source: withStudies, asked: []population.Change{population.Scenario("slwo")},
		want: `--scenario: there is no scenario "slwo"; did you mean "slow"?`},
	{name: "no scenarios", source: baseModel, asked: []population.Change{population.Scenario("slow")},
		want: `--scenario: there is no scenario "slow"; none is defined`},
	{name: "scenario with a value of the wrong kind", source: baseModel + "scenarios: {slow: {beta: 5 days}}\n",
		asked: []population.Change{population.Scenario("slow")},
		want: "model.yaml:38:26: scenario slow: transmission 1: rate: parameter beta, 5 days, is a duration; expected a " +
			"rate such as 0.5 per day (see line 29)"},
	{name: "scenario and what is wrong anyway", source: baseModel + "scenarios: {slow: {beta: 5 days}}\nabut: 1\n",
		asked: []population.Change{population.Scenario("slow")},
		want: "model.yaml:38:26: scenario slow: transmission 1: rate: parameter beta, 5 days, is a duration; expected a " +
			"rate such as 0.5 per day (see line 29)\n" +
			`model.yaml:39:1: the model: there is no key "abut"; did you mean "about"?`},
	{name: "too many scenarios", source: baseModel + "scenarios: {" + manyOf(1001, "s%d: {}") + "}\n",
		want: "model.yaml:38:12: scenarios: 1001 are more than the 1000 there can be; give values that are many by --set"},
	{name: "scenario with too many", source: baseModel + "scenarios: {many: {population.start.infectious: 2000}}\n",
		asked: []population.Change{population.Scenario("many")},
		want:  "model.yaml:5:10: scenario many: population: start: 2000 individuals are more than the size, 1000"},

	{name: "set of an unknown section", asked: []population.Change{population.Set("time.end", "5 days")},
		want: `--set time.end: there is no parameter "time.end"; expected one of beta, stay, spare`},
	{name: "set of the whole population", asked: []population.Change{population.Set("population.", "5")},
		want: `--set population.: population: there is no key ""; expected one of size, start, groups, age, most, people`},
	{name: "set of an unknown key", asked: []population.Change{population.Set("population.siz", "5")},
		want: `--set population.siz: population: there is no key "siz"; did you mean "size"?`},
	{name: "set of a size that is none", asked: []population.Change{population.Set("population.size", "some")},
		want: `--set population.size: population: size: found "some", expected a whole number from 0 to 4000000000`},
	{name: "set of an unknown state", asked: []population.Change{population.Set("population.start.infectous", "5")},
		want: `--set population.start.infectous: population: start: there is no state "infectous"; ` +
			`did you mean "infectious"?`},
	{name: "set of a part of a number", asked: []population.Change{population.Set("population.size.x", "5")},
		want: `--set population.size.x: population.size is "1000", which has no parts`},
	{name: "set of a part of what is not there", asked: []population.Change{population.Set("population.most.x", "5")},
		want: `--set population.most.x: there is no population.most`},
	{name: "set of too many at the start", asked: []population.Change{population.Set("population.start.infectious",
		"5000")},
		want: "--set population.start.infectious: population: start: 5000 individuals are more than the size, 1000"},
	{name: "set of one group alone", swap: []string{"start: {infectious: 10, susceptible: rest}",
		"groups: [{share: 40%, start: {infectious: 10, susceptible: rest}}, {share: 60%, start: {susceptible: rest}}]"},
		asked: []population.Change{population.Set("population.groups.2.share", "50%")},
		want:  "--set population.groups.2.share: population: groups: the shares add up to 0.9, expected 1"},
	{name: "set of an unknown attribute", asked: []population.Change{population.Set("attributes.regoin.north", "5%")},
		want: `--set attributes.regoin.north: there is no attribute "regoin"; did you mean "region"?`},
	{name: "set of an unknown value", asked: []population.Change{population.Set("attributes.region.nord", "5%")},
		want: `--set attributes.region.nord: there is no value of region "nord"; expected one of north, south`},
	{name: "set of a whole attribute", asked: []population.Change{population.Set("attributes.region", "{east: 100%}")},
		want: `--set attributes.region: attributes.region is more than one value; name one of them, as in ` +
			`attributes.region.north`},
	{name: "set of a share alone", asked: []population.Change{population.Set("attributes.region.north", "50%")},
		want: "--set attributes.region.north: attributes: region: the shares add up to 1.1, expected 1; or write rest for " +
			"one of them (see line 11)"},
	{name: "set of a share above 1", asked: []population.Change{population.Set("attributes.region.north", "150%"),
		population.Set("attributes.region.south", "rest")},
		want: "--set attributes.region.north: attributes: region: north: 150%: a probability is between 0 and 1, or 0% " +
			"and 100%"},
	{name: "set of nothing", asked: []population.Change{population.Set("population.size", " ")},
		want: "--set population.size: the value: found nothing, expected a value such as 0.5 per day, 5 days or 30%"},
	{name: "two rests of an attribute", swap: []string{"{north: 40%, south: 60%}", "{north: rest, south: rest}"},
		want: "model.yaml:11:32: attributes: region: south: a second rest; only one value can have what is left over"},
	{name: "nothing left for the rest", swap: []string{"{north: 40%, south: 60%}", "{north: 70%, south: 60%, west: rest}",
		"[[0.9, 0.1], [0.2, 0.8]]", "[[1, 0, 0], [0, 1, 0], [0, 0, 1]]"},
		want: "model.yaml:11:3: attributes: region: the shares add up to 1.3, and nothing is left for west"},
}
