package population_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/population"
)

// baseModel is a model with all that a file can hold, and nothing wrong with it. The cases below
// each spoil a piece of it.
const baseModel = `name: flu
time: {unit: day, start: 0, end: 160}
population:
  size: 1000
  start: {infectious: 10, susceptible: rest}
parameters:
  beta: 0.5 per day
  stay: {gamma: {mean: 5 days, shape: 2}}
  spare: 7 days
attributes:
  region: {north: 40%, south: 60%}
states:
  susceptible: {}
  latent:
    split:
      - {chance: 10%, after: 3 days, to: infectious}
      - {otherwise: true, after: 5 days, to: recovered}
  infectious:
    race:
      - {after: stay, to: recovered}
      - {rate: 0.01 per day, to: out, name: death}
  recovered: {}
always:
  - {after: {weibull: {scale: 80 years, shape: 6}}, to: out}
births: {rate: 0.012 per year, enter: susceptible}
immigration: {rate: 5 per year, enter: recovered}
transmission:
  - from: infectious
    rate: beta
    chance: 50%
    to: {susceptible: latent}
    mixing: {by: region, matrix: [[0.9, 0.1], [0.2, 0.8]]}
interventions:
  - {at: 30 days, set: {beta: 0.2 per day}}
  - {at: 40 days, who: susceptible, coverage: 60%, to: recovered}
  - {at: 50 days, enter: infectious, count: 5}
record: {every: 1 day}
`

// A spoilt model and all that is to be said about it.
type spoilt struct {
	name   string
	swap   []string // of the base: what stands there, and what takes its place, in pairs
	source string   // in place of the base
	empty  bool     // the source is the empty text
	asked  []population.Change
	want   string // the messages, a line each
}

// file is the text of the model. What is swapped must stand in the base once, or the case says
// nothing.
func (c *spoilt) file(t testing.TB) string {
	if c.source != "" || c.empty {
		return c.source
	}
	text := baseModel
	for i := 0; i < len(c.swap); i += 2 {
		if n := strings.Count(text, c.swap[i]); n != 1 {
			t.Fatalf("%s: %q is in the model %d times, want once", c.name, c.swap[i], n)
		}
		text = strings.Replace(text, c.swap[i], c.swap[i+1], 1)
	}
	return text
}

// TestBaseModel shows that the cases fail for what was done to the model, and for nothing else.
func TestBaseModel(t *testing.T) {
	if _, err := population.Compile("model.yaml", []byte(baseModel)); err != nil {
		t.Fatalf("the base is wrong:\n%v", err)
	}
}

// fewer replaces limits by those where an int has 32 bits.
var fewer = strings.NewReplacer("to 4000000000", "to 2147483647", "1 to 500000000", "1 to 268435455")

// TestProblems compares all messages with their places: the line and the column, from 1, of what is
// wrong.
func TestProblems(t *testing.T) {
	names := map[string]bool{}
	for _, c := range spoiltModels {
		if names[c.name] {
			t.Errorf("%s: two cases of this name", c.name)
		}
		names[c.name] = true
		t.Run(c.name, func(t *testing.T) {
			m, err := population.Compile("model.yaml", []byte(c.file(t)), c.asked...)
			var problems population.Problems
			switch {
			case err == nil:
				t.Fatalf("it compiles: %v\nwant\n%s", m, c.want)
			case !errors.As(err, &problems):
				t.Fatalf("error of type %T: %v", err, err)
			}
			refusedWell(t, m, err)
			want := c.want
			if strconv.IntSize == 32 {
				want = fewer.Replace(want)
			}
			if got := problems.Error(); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// TestAliasesDoNotMultiply takes a distribution that is written in a few lines and has 3⁴⁰ parts:
// each of its anchors stands for three of the one before. It is refused before they are counted.
func TestAliasesDoNotMultiply(t *testing.T) {
	var b strings.Builder
	b.WriteString("name: m\ntime: {unit: day, end: 10}\npopulation: {size: 1, start: {a: 1}}\nstates: {a: {}}\n" +
		"parameters:\n  p0: &a0 {exactly: 1 day}\n")
	for i := range 40 {
		fmt.Fprintf(&b, "  p%d: &a%d {mixture: [{share: 50%%, of: *a%d}, {share: 25%%, of: *a%d}, "+
			"{share: 25%%, of: *a%d}]}\n", i+1, i+1, i, i, i)
	}
	_, err := population.Compile("model.yaml", []byte(b.String()))
	if want := "model.yaml:12:7: parameters: p6: more than 1000 distributions in one"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// manyOf is n things, each written as the format says, with a comma between them.
func manyOf(n int, format string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(all, ", ")
}

// Models with one more of something than there can be.
var (
	nested = "name: m\ntime: {unit: day, end: 10}\npopulation: {size: 1, start: {a: 1}}\nstates:\n  a:\n    race:\n" +
		"      - {after: " +
		strings.Repeat("{mixture: [{share: 1, of: ", 22) + "1 day" + strings.Repeat("}]}", 22) + ", to: a}\n"
	manyParameters = "name: m\ntime: {unit: day, end: 10}\npopulation: {size: 1, start: {a: 1}}\nstates: {a: {}}\n" +
		"parameters: {z0: 1, " + manyOf(10_000, "y%d: 2") + "}\n"
	manyStates = "name: m\ntime: {unit: day, end: 10}\npopulation: {size: 1, start: {s10000: 1}}\nstates: {" +
		manyOf(10_001, "s%d: {}") + "}\n"
	manyValues = "name: m\ntime: {unit: day, end: 10}\npopulation: {size: 1, start: {a: 1}}\nstates: {a: {}}\n" +
		"attributes: {x: {" + manyOf(10_000, "v%d: 0") + ", last: 1}}\n"
	manyAttributes = "name: m\ntime: {unit: day, end: 10}\npopulation: {size: 1, start: {a: 1}}\nstates: {a: {}}\n" +
		"attributes: {" + manyOf(251, "x%d: {y: 1}") + "}\n"
	manyBranches = "name: m\ntime: {unit: day, end: 10}\npopulation: {size: 1, start: {a: 1}}\n" +
		"states: {a: {split: [{otherwise: true, after: 1 day, to: a}, " +
		manyOf(256, "{chance: 0.001, after: %d days, to: a}") + "]}}\n"
)

// spoiltModels are all cases, from the files beside this one.
var spoiltModels = slices.Concat(
	spoiltNames, spoiltFiles, spoiltParts,
	spoiltLanguage,
	spoiltPeople,
	spoiltStudies,
	spoiltGroups,
	spoiltBands,
	spoiltMachines,
	spoiltOutcomes,
	spoiltObservations,
	spoiltSupplies,
	spoiltTracing,
	spoiltPlaces,
	spoiltNetworks,
	spoiltBatches,
	spoiltSince,
	spoiltNumbers,
)
