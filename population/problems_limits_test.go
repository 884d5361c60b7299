package population_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/almanac-sim/almanac/population"
)

// smallModel is a model with other sections to come.
const smallModel = "name: m\ntime: {unit: day, end: 10}\npopulation: {size: 1, start: {a: 1}}\n"

// mixtures are parameters of which each holds the one before twice: p0 to pn have 2ⁿ parts.
func mixtures(n int) []string {
	all := []string{"  p0: {exactly: 1 day}\n"}
	for i := range n {
		all = append(all, fmt.Sprintf("  p%d: {mixture: [{share: 50%%, of: p%d}, {share: 50%%, of: p%d}]}\n", i+1, i, i))
	}
	return all
}

// TestParametersDoNotMultiply takes distributions that are written in a few lines and have 2¹⁸
// parts by the names of parameters. They are refused by the limit that is there for aliases, at the
// first that is above it, in whatever order they stand.
func TestParametersDoNotMultiply(t *testing.T) {
	const use = "states: {a: {race: [{after: p18, to: a}]}}\n"
	const tooMany = "mixture: more than 1000 distributions in one, by way of the parameters p8, p7, p6, p5, p4, p3, " +
		"p2, p1, p0"
	up := mixtures(18)
	down := slices.Clone(up)
	slices.Reverse(down)
	few := strings.Join(mixtures(8), "")
	for name, c := range map[string]struct {
		source string
		asked  []population.Change
		want   string
	}{
		"upwards": {source: use + "parameters:\n" + strings.Join(up, ""), want: "model.yaml:15:7: parameters: p9: " +
			tooMany},
		"downwards": {source: use + "parameters:\n" + strings.Join(down, ""), want: "model.yaml:15:7: parameters: p9: " +
			tooMany},
		"used nowhere": {source: "states: {a: {}}\nparameters:\n" + strings.Join(up, ""),
			want: "model.yaml:15:7: parameters: p9: " + tooMany},
		"in place": {source: "states: {a: {race: [{after: {mixture: [{share: 50%, of: p8}, {share: 50%, of: p8}]}, to: " +
			"a}]}}\nparameters:\n" + few,
			want: "model.yaml:4:29: states: a: race: clock 1: after: " + tooMany},
		"by an intervention": {source: "states: {a: {race: [{after: last, to: a}]}}\nparameters:\n  last: 1 day\n" + few +
			"interventions: [{at: 1 day, set: {last: {mixture: [{share: 50%, of: p8}, {share: 50%, of: p8}]}}}]\n",
			want: "model.yaml:16:41: states: a: race: clock 1: after: " + tooMany},
		"by --set": {source: "states: {a: {race: [{after: last, to: a}]}}\nparameters:\n  last: 1 day\n" + few,
			asked: []population.Change{population.Set("last", "{mixture: [{share: 50%, of: p8}, {share: 50%, of: p8}]}")},
			want:  "--set last: parameters: last: " + tooMany},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := population.Compile("model.yaml", []byte(smallModel+c.source), c.asked...)
			if err == nil || err.Error() != c.want {
				t.Errorf("got\n%v\nwant\n%s", err, c.want)
			}
		})
	}
	if _, err := population.Compile("model.yaml", []byte(smallModel+"states: {a: {race: [{after: p8, to: a}]}}\n"+
		"parameters:\n"+few)); err != nil {
		t.Errorf("511 distributions are refused: %v", err)
	}
}

// TestParametersDoNotNest takes distributions that are in one another by the names of parameters:
// one in each.
func TestParametersDoNotNest(t *testing.T) {
	nested := func(n int) string {
		var b strings.Builder
		b.WriteString(smallModel + "states: {a: {race: [{after: p0, to: a}]}}\nparameters:\n")
		for i := range n - 1 {
			fmt.Fprintf(&b, "  p%d: {mixture: [{share: 1, of: p%d}]}\n", i, i+1)
		}
		fmt.Fprintf(&b, "  p%d: {exactly: 1 day}\n", n-1)
		return b.String()
	}
	if _, err := population.Compile("model.yaml", []byte(nested(21))); err != nil {
		t.Error(err)
	}
	_, err := population.Compile("model.yaml", []byte(nested(22)))
	if want := "model.yaml:6:7: parameters: p0: mixture: distributions are nested too deeply, by way of the parameters " +
		"p1, p2, p3, p4, p5, p6, p7, p8, p9, p10 and 11 more"; err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	// So many that a stack could not hold them.
	if _, err := population.Compile("model.yaml", []byte(nested(5000))); err == nil || !strings.Contains(err.Error(),
		"nested too deeply") {
		t.Error(err)
	}
}

// TestAliasesDoNotMultiplyEntries takes files in which a list of aliases stands for a list of
// entries, which the YAML library does not count when it hands out nodes.
func TestAliasesDoNotMultiplyEntries(t *testing.T) {
	const n = 800
	again := func(alias string) string { return strings.Repeat(", "+alias, n) }
	for name, source := range map[string]string{
		"rows of a matrix": smallModel + "attributes: {r: {n: 50%, s: 50%}}\nstates: {a: {}}\n" +
			"transmission: [{from: a, rate: 1 per day, to: {a: a}, mixing: {by: r, matrix: [&r [0" +
			strings.Repeat(", 0", n) + "]" + again("*r") + "]}}]\n",
		"clocks": smallModel + "states: {a: &a {race: [" + manyOf(n, "{rate: %d per day, to: a}") + "]}" +
			strings.ReplaceAll(manyOf(200, ", s%d: *a"), ", ,", ",") + "}\n",
		"interventions": smallModel + "states: {a: {}}\nparameters: {b: 1}\ninterventions: [&i {at: 1, set: {" +
			manyOf(n, "b%d: 1") + "}}" + again("*i") + "]\n",
		"contacts": smallModel + "states: {a: {}}\ntransmission: [&c {from: [" + manyOf(n, "x%d") +
			"], rate: 1 per day, to: {a: a}}" + again("*c") + "]\n",
	} {
		_, err := population.Compile("model.yaml", []byte(source))
		if err == nil || !strings.Contains(err.Error(), ": with all its aliases the file has more than ") {
			t.Errorf("%s: %.500v", name, err)
		}
	}
	// What is written once for all states is what aliases are for.
	honest := smallModel + "states: {a: &a {race: [" + manyOf(40, "{rate: %d per day, to: a}") + "]}, " +
		manyOf(249, "s%d: *a") + "}\n"
	if _, err := population.Compile("model.yaml", []byte(honest)); err != nil {
		t.Error(err)
	}
}

// TestTablesDoNotMultiply takes clocks of all states, and of all times between interventions.
func TestTablesDoNotMultiply(t *testing.T) {
	source := smallModel + "states: {a: {}, " + manyOf(249, "s%d: {}") + "}\nalways: [" +
		manyOf(4_001, "{rate: %d per day, to: a}") + "]\n"
	const want = "model.yaml:1:1: the tables of the model have more than 1,000,000 entries: one for each clock, in " +
		"each state that it is in, for each combination of the attributes that matter there, from each intervention on " +
		"that sets a parameter; expected fewer of them"
	if _, err := population.Compile("model.yaml", []byte(source)); err == nil || err.Error() != want {
		t.Errorf("%.500v", err)
	}
}

// TestLongScalars puts something long in the place of each scalar of a model. Whatever is said
// about it is short.
func TestLongScalars(t *testing.T) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(baseModel), &doc); err != nil {
		t.Fatal(err)
	}
	var scalars []*yaml.Node
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		if n.Kind == yaml.ScalarNode {
			scalars = append(scalars, n)
		}
		for _, c := range n.Content {
			walk(c)
		}
	}
	walk(&doc)
	const length = 2000
	refused := 0
	for _, n := range scalars {
		kept := *n
		for _, long := range []string{
			strings.Repeat("x", length), strings.Repeat("ß ", length/2), strings.Repeat("1", length),
			"1 " + strings.Repeat("y", length),
			"1 per " + strings.Repeat("z", length), strings.Repeat("1 ", length/2), "-" + strings.Repeat("%", length),
		} {
			n.Value, n.Tag, n.Style = long, "!!str", yaml.DoubleQuotedStyle
			source, err := yaml.Marshal(&doc)
			if err != nil {
				t.Fatal(err)
			}
			_, err = population.Compile("model.yaml", source)
			var problems population.Problems
			if !errors.As(err, &problems) {
				continue // a text that may be anything
			}
			refused++
			for _, p := range problems {
				if n := utf8.RuneCountInString(p.Message); n > 500 || !utf8.ValidString(p.Message) {
					t.Errorf("%q in place of %q: %d runes: %.300s", long[:10], kept.Value, n, p.Message)
				}
			}
		}
		*n = kept
	}
	if refused < 7*len(scalars)*9/10 {
		t.Errorf("only %d of %d are refused", refused, 7*len(scalars))
	}
}

// TestManyNames has twenty thousand parameters, none of which was meant.
func TestManyNames(t *testing.T) {
	source := smallModel + "states: {a: {race: [{after: whatever, to: a}]}}\nparameters: {" + manyOf(10_000,
		"p%05d: 1 day") + "}\n"
	_, err := population.Compile("model.yaml", []byte(source))
	const want = `model.yaml:4:29: states: a: race: clock 1: after: there is no parameter "whatever"; expected one of ` +
		`p00000, p00001, p00002, p00003, p00004, p00005, p00006, p00007, p00008, p00009 and 9,990 more`
	if err == nil || err.Error() != want {
		t.Errorf("%.500v", err)
	}
}

// TestManyProblems lists the first hundred, in the order of the file, and says that there are more.
// Looking for what was meant by each of as many names as there are others would take hours if they
// were a hundred thousand.
func TestManyProblems(t *testing.T) {
	source := smallModel + "states: {a: {}}\nparameters: {" + manyOf(5000, "p%d: q%[1]dx") + "}\n"
	_, err := population.Compile("model.yaml", []byte(source))
	var problems population.Problems
	if !errors.As(err, &problems) || len(problems) != 101 {
		t.Fatalf("%d problems", len(problems))
	}
	if got := problems[0].String(); !strings.HasPrefix(got, `model.yaml:5:18: parameters: p0: there is no parameter `+
		`"q0x"; expected one of p0, p1, p10,`) {
		t.Error(got)
	}
	if got := problems[100].String(); got !=
		"model.yaml: there are more problems; these are the first 100 that were found" {
		t.Error(got)
	}
	// A chain of names as long as the file is followed only so far.
	chain := smallModel + "states: {a: {}}\nparameters: {" + chainOf(5000) + "}\n"
	if _, err := population.Compile("model.yaml", []byte(chain)); !errors.As(err, &problems) ||
		!strings.HasSuffix(problems[0].Message, `more than 100 parameters stand for one another, down to "p0"; name the `+
			`last one`) {
		t.Errorf("%.500v", err)
	}
	if _, err := population.Compile("model.yaml",
		[]byte(smallModel+"states: {a: {}}\nparameters: {"+chainOf(101)+"}\n")); err != nil {
		t.Error(err)
	}
}

// chainOf is parameters of which each stands for the one before.
func chainOf(n int) string {
	all := []string{"p0: 1 day"}
	for i := range n {
		all = append(all, fmt.Sprintf("p%d: p%d", i+1, i))
	}
	return strings.Join(all, ", ")
}
