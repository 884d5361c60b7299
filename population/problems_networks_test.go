package population_test

import (
	"fmt"
	"strings"
)

// networksModel is a model with networks, and nothing wrong with it.
const networksModel = `name: n
time: {unit: year, start: 0, end: 10}
population: {size: 100, start: {ill: 1, well: rest}}
attributes: {risk: {high: 20%, low: 80%}}
places: {household: {size: 2}}
networks:
  steady: {most: 1, ends: {rate: 0.2 per year}}
  casual: {most: {by: risk, high: 5, low: 1}, ends: {after: {gamma: {mean: 2 months, shape: 2}}}}
  family: {degrees: {negative binomial: {mean: 2, dispersion: 1}}}
  market: {random: {mean: 4}}
states: {well: {}, ill: {}}
transmission:
  - {rate: 0.5 per year, link: steady}
  - {rate: 5 per year, link: casual}
  - {from: ill, among: market, rate each: 0.3 per year, to: {well: ill}}
`

// spoiltNetworks are wrong in networks, or in what refers to them.
var spoiltNetworks = func() (all []spoilt) {
	for _, c := range []struct{ name, old, now, at, want string }{
		{"nothing makes links", "link: steady", "link: casual", "steady: {most",
			"networks: steady: nothing makes its links; give it file, random or degrees, or a transmission with link: steady"},
		{"ends by group", "rate: 0.2 per year}", "rate: {by: risk, high: 1 per year, low: 0.2 per year}}",
			"{by: risk, high: 1",
			"networks: steady: ends: rate: a table by group would be of two people; write one rate, or make two networks"},
		{"ends after by group", "after: {gamma: {mean: 2 months, shape: 2}}",
			"after: {by: risk, high: 1 year, low: {gamma: {mean: 2 months, shape: 2}}}", "{by: risk, high: 1 year",
			"networks: casual: ends: after: a table by group would be of two people; write one duration, or make two networks"},
		{"ends after by group, exponential", "after: {gamma: {mean: 2 months, shape: 2}}",
			"after: {exponential: {mean: {by: risk, high: 1 year, low: 2 years}}}", "{exponential",
			"networks: casual: ends: after: a table by group would be of two people; write one duration, or make two networks"},
		{"most below degrees", "dispersion: 1}}", "dispersion: 1}}, most: 3", "3}\n  market",
			"networks: family: most: 3, but degrees may be more; write most: 3 into its law"},
		{"most of a group below degrees", "{degrees: {negative binomial: {mean: 2, dispersion: 1}}",
			"{degrees: 3, most: {by: risk, high: 5, low: 2}", "{by: risk, high: 5, low: 2",
			"networks: family: most: 2, but degrees may be more for risk low; write most: 2 into its law"},
		{"two ways", "{random: {mean: 4}}", "{random: {mean: 4}, degrees: 3}", "3}\nstates",
			"networks: market: both random and degrees"},
		{"more links than people", "{random: {mean: 4}}", "{random: {mean: 1e6}}", "1e6}",
			"networks: market: random: mean: 1e6, but of 100 people each has at most 99 links"},
		{"negative mean", "{random: {mean: 4}}", "{random: {mean: -4}}", "-4}",
			"networks: market: random: mean: -4: expected a mean from 0 on"},
		{"far too many links", "{negative binomial: {mean: 2, dispersion: 1}}", "400_000_000", "400_000_000",
			"networks: family: about 2e+10 links; expected at most 4294967296"},
		{"fraction of a link", "{most: 1,", "{most: 1.5,", "1.5,", "networks: steady: most: 1.5 is not a whole number"},
		{"unknown network", "link: steady", "link: steddy", "steddy}",
			`transmission 1: link: there is no network "steddy"; did you mean "steady"?`},
		{"among an unknown network", "among: market", "among: markt", "markt,",
			`transmission 3: among: there is no kind of places, network or attribute "markt"; did you mean "market"?`},
		{"name of a kind of places", "family: {", "household: {", "household: {degrees",
			"networks: household: there is a kind of places of that name; names are given once"},
		{"name of an attribute", "family: {", "risk: {", "risk: {degrees",
			"networks: risk: there is an attribute of that name; names are given once"},
		{"move to a network", "{rate: 5 per year, link: casual}", "{rate: 5 per year, link: casual, move: {family: any}}",
			"family: any", "transmission 2: move: family is a network; expected an attribute or a machine"},
		{"mixing by a network", "{rate: 5 per year, link: casual}",
			"{rate: 5 per year, link: casual, mixing: {by: family, matrix: [[1, 0], [0, 1]]}}", "family, matrix",
			"transmission 2: mixing: by: family is a network; expected an attribute or a machine"},
		{"by a network", "states:", "record: {every: 1 year, by: family}\nstates:", "family}\nstates",
			"record: by: family is a network; networks.csv has its links"},
		{"neither none nor any", "{rate: 5 per year, link: casual}", "{rate: 5 per year, where: {family: one}, link: casual}",
			"one}", `transmission 2: where: there is no value of family "one"; did you mean "none"?`},
		{"rate and after", "{rate: 0.2 per year}", "{rate: 0.2 per year, after: 1 year}", "{rate: 0.2 per year, after",
			"networks: steady: ends: both rate and after; a link ends by one of them"},
		{"ends without a time", "{rate: 0.2 per year}", "{}", "{}}\n",
			"networks: steady: ends: when? Write rate: 0.2 per year or after: 5 years, for example"},
		{"queue of a contact that links", "transmission:\n  - {rate: 0.5 per year, link: steady}",
			"supplies: {doses: {at: 1 year, count: 3}}\ntransmission:\n" +
				"  - {rate: 0.5 per year, link: steady, move: {risk: low}, uses: doses, full: ill, queue: true}", "ill, queue",
			"transmission 1: queue beside link: when there is room the other may have changed, or left"},
		{"random without a mean", "{random: {mean: 4}}", "{random: {}}", "{}}\nstates",
			`networks: market: random: "mean" is missing; write mean: 4, for example`},
	} {
		if strings.Count(networksModel, c.old) != 1 {
			panic(c.name + ": " + c.old + " is not in the model once")
		}
		source := strings.Replace(networksModel, c.old, c.now, 1)
		i := strings.Index(source, c.at)
		if i < 0 {
			panic(c.name + ": " + c.at + " is not in the model")
		}
		line := 1 + strings.Count(source[:i], "\n")
		column := i - strings.LastIndex(source[:i], "\n")
		all = append(all, spoilt{name: "networks: " + c.name, source: source,
			want: fmt.Sprintf("model.yaml:%d:%d: %s", line, column, c.want)})
	}
	return all
}()
