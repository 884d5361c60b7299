package compile

import (
	"fmt"
	"strings"
	"testing"
)

// TestTooManyCellsAccepted checks that a few lines cannot ask for more cells than the tables may
// have.
func TestTooManyCellsAccepted(t *testing.T) {
	text := `
name: cells
time: {unit: day, end: 1}
population: {size: 10, start: {a: rest}}
attributes:
`
	rate := "1 per day"
	for k := range 5 {
		text += fmt.Sprintf("  x%d: {", k)
		for i := range 20 {
			text += fmt.Sprintf("v%d: 0.05, ", i)
		}
		text += "}\n"
		rate = fmt.Sprintf("{by: x%d, v0: 2 per day, other: %s}", k, rate)
	}
	text += "states: {a: {race: [{rate: " + rate + ", to: a}]}}\n"
	const want = "the tables of the model have more than 1,000,000 entries"
	if _, err := compileText(text); err == nil || !strings.Contains(err.Error(), want) {
		t.Error(err)
	}
}

// A file with too many of something is refused, whatever else in it refers to them.
func TestTooManyAreRefused(t *testing.T) {
	many := func(n int, one string) string {
		var all []string
		for i := range n {
			all = append(all, strings.ReplaceAll(one, "#", fmt.Sprint(i)))
		}
		return strings.Join(all, ", ")
	}
	for section, want := range map[string]string{
		"places: {" + many(252, "x#: {size: 3, join: any}") + "}":                                            "places: 252 are more than the 250 there can be",
		"networks: {" + many(252, "x#: {random: {mean: 1}}") + "}":                                           "networks: 252 are more than the 250 there can be",
		"machines: {" + many(252, "x#: {start: {any: rest}, enter: any, states: {any: {}, none: {}}}") + "}": "machines: 252 are more than the 250 there can be",
		"attributes: {" + many(252, "x#: {any: 40%, none: 60%}") + "}":                                       "attributes: 252 are more than the 250 there can be",
		"supplies: {" + many(252, "x#: {at: 0 days, count: 3}") + "}":                                        "supplies: 252 are more than the 250 there can be",
		"tracing: [" + many(1001, "{when: t, through: {x251: 50%}, to: {s: t}}") + "]":                       "tracing: 1001 are more than the 1000 there can be",
	} {
		for _, clock := range []string{
			"{rate: 1 per day, move: {x251: any}, to: t}", "{rate: 1 per day, where: {x251: none}, to: t}",
			"{rate: {by: x251, any: 1 per day, none: 0 per day}, to: t}",
			"{after: {by: x251, any: 1 day, none: 2 days}, to: t}", "{rate: 1 per day, uses: x251, full: s, to: t}",
		} {
			_, err := compileText("name: many\ntime: {unit: day, end: 1}\npopulation: {size: 9, start: {s: rest}}\n" + section +
				"\nstates: {s: {race: [" + clock + "]}, t: {}}\ntransmission: [{from: s, among: x251, rate each: 1 per day, " +
				"to: {t: s}}, {rate: 1 per day, link: x251}]\nbirths: {rate: 1 per day, enter: s, inherit: [x251, x3]}\n")
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %.200v", want, err)
			}
		}
	}
}
