package explain

import (
	"strings"
	"testing"
)

// What check says of networks: the links of the start, who makes others, and how they end.
func TestNetworksInWords(t *testing.T) {
	text := explainText(t, `
name: words
time: {unit: year, end: 10}
population: {size: 5_000_000, start: {ill: 5, well: rest}}
attributes: {risk: {high: 10%, low: 90%}}
networks:
  steady: {most: 1, ends: {rate: 0.2 per year}}
  casual: {most: {by: risk, high: 5, low: 1}, ends: {after: {gamma: {mean: 2 years, shape: 2}}}}
  family: {degrees: {poisson: {mean: 4}}}
  market: {random: {mean: 3}}
states: {well: {}, ill: {}}
transmission:
  - {rate: 0.5 per year, link: steady, name: union}
  - {from: ill, rate: 1 per year, to: {well: ill}, link: casual}
  - {from: ill, among: family, rate each: 0.3 per year, to: {well: ill}}
  - {from: ill, among: market, rate: 1 per year, to: {well: ill}}
`)
	for _, want := range []string{
		"\nNetworks\n  steady: at the start nobody is linked\n" +
			"    contacts make links, between two who have none, if each has fewer than 1\n" +
			"    a link ends at 0.2 per year, and when one of the two leaves\n",
		"if each has fewer than 5 for risk high, 1 for risk low\n" +
			"    a link ends after a time that is gamma with mean 2 years and shape 2, drawn when it begins, " +
			"and when one of the two leaves\n",
		"  family: at the start everybody has a Poisson number with mean 4 ends of links, which are paired at random: " +
			"about 10,000,000 links\n" +
			"    of these about 8 are to be expected to be dropped: links with oneself, and all but one between two\n",
		"    the links of the start take about 232 MB of memory\n",
		"  market: at the start any two are linked with the same probability, so that everybody has 3 links on average: " +
			"about 7,500,000 in all\n    a link ends when one of the two leaves\n",
		"    whoever is met is linked with the one who met it\n" +
			"    the two are then linked in steady; nothing of it happens if they are already, " +
			"or if one of them has the most links there\n",
		"meets each of the others linked with it in family at 0.3 per year\n",
		"any of the others linked with it in market may be met, all with the same probability; without others nobody is " +
			"met\n",
		"A run uses one core once it is set up, because people are linked, as in steady.\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
}
