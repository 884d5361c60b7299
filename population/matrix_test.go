package population_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/population"
)

// matrixModel has three ages, of 200, 500 and 300, and a matrix in place of MATRIX.
const matrixModel = `
name: matrix
time: {unit: day, end: 20}
population: {size: 1000, start: {ill: 100, well: rest}}
attributes: {age: {child: 20%, adult: 50%, elder: 30%}}
states: {well: {}, ill: {race: [{after: 5 days, to: well}]}}
transmission:
  - {from: ill, RATE to: {well: ill}, chance: 10%, mixing: {by: age, matrix: MATRIX}, name: infection}
record: {every: 1 day, by: [age]}
`

// withMatrix compiles the model with a matrix, a rate ("rate: 8 per day,", or nothing) and tables.
func withMatrix(matrix, rate string, files map[string]string) (*population.Model, error) {
	text := strings.NewReplacer("MATRIX", matrix, "RATE", rate).Replace(matrixModel)
	return population.Compile("model.yaml", []byte(text),
		population.Files(func(name string) ([]byte, error) {
			if text, ok := files[name]; ok {
				return []byte(text), nil
			}
			return nil, fmt.Errorf("there is no %s", name)
		}))
}

// sameRuns wants two models to do the same.
func sameRuns(t *testing.T, a, b *population.Model) {
	t.Helper()
	var texts [2]string
	for i, m := range []*population.Model{a, b} {
		r, err := m.Run(t.Context(), population.Options{Seed: 7, Replicas: 2})
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = fmt.Sprint(r.Named(0).Mean, r.In(0).State(1).Mean, r.In(2).State(1).Mean)
	}
	if texts[0] != texts[1] {
		t.Errorf("the runs differ:\n%s\n%s", texts[0], texts[1])
	}
}

// A table has the groups in any order, as chances, in percent or as numbers of contacts; the last
// are the rate, too.
func TestMatrixFromFile(t *testing.T) {
	must := func(m *population.Model, err error) *population.Model {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	const rate = "rate: 8 per day,"
	inline := must(withMatrix("[[0.5, 0.25, 0.25], [0.125, 0.75, 0.125], [0, 0.5, 0.5]]", rate, nil))
	files := map[string]string{
		"plain.csv": "age,child,adult,elder\nchild,0.5,0.25,0.25\nadult,0.125,0.75,0.125\nelder,0,0.5,0.5\n",
		"shuffled.csv": "# who meets whom\n,elder,child,adult\nelder,0.5,0,0.5\nchild, 0.25, 0.5, " +
			"0.25\nadult,12.5%,12.5%,75%\n",
		"percent.csv": "x,child,adult,elder\nchild,50,25,25\nadult,12.5,75,12.5\nelder,0,50,50\n",
		"daily.csv":   "x,child,adult,elder\nchild,4,2,2\nadult,1,6,1\nelder,0,4,4\n",
		"weekly.csv":  "x,child,adult,elder\nchild,28,14,14\nadult,7,42,7\nelder,0,28,28\n",
	}
	sameRuns(t, inline, must(withMatrix("{file: plain.csv}", rate, files)))
	sameRuns(t, inline, must(withMatrix("{file: shuffled.csv}", rate, files)))
	sameRuns(t, inline, must(withMatrix("{file: percent.csv, unit: '%'}", rate, files)))
	byAge := must(withMatrix("{file: plain.csv}", "rate: {by: age, other: 8 per day},", files))
	sameRuns(t, byAge, must(withMatrix("{file: daily.csv, unit: per day}", "", files)))
	sameRuns(t, byAge, must(withMatrix("{file: weekly.csv, unit: per week}", "", files)))
	sameRuns(t, byAge, must(withMatrix("{rows: [[4, 2, 2], [1, 6, 1], [0, 4, 4]], unit: per day}", "", files)))
	sameRuns(t, inline, must(withMatrix("{rows: [[0.5, 0.25, 0.25], [0.125, 0.75, 0.125], [0, 0.5, 0.5]]}", rate, nil)))
}

// Contacts of two groups with each other are compared with how many there are of each, and made
// equal on request. Expected values are worked out by hand: 200 children with 4, 3, 1 contacts, 500
// adults with 1, 6, 1, 300 elders with 1, 2, 4.
func TestMatrixReciprocal(t *testing.T) {
	const rows = "rows: [[4, 3, 1], [1, 6, 1], [1, 2, 4]], unit: per day"
	plain, err := withMatrix("{"+rows+"}", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	text := plain.Explain()
	for _, want := range []string{
		"a rate by age (child: 8 per day; adult: 8 per day; elder: 7 per day)",
		"someone of age child meets 50% child, 37.5% adult, 12.5% elder",
		"transmission 1: mixing: matrix: contacts are not reciprocal in 3 pairs of groups, least in: 200 contacts per day " +
			"of " +
			"child with elder, and 300 of elder with child; reciprocal: true takes the mean of both",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	even, err := withMatrix("{"+rows+", reciprocal: true}", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	text = even.Explain()
	// Child and adult: (600 + 500) / 2 = 550; child and elder: (200 + 300) / 2 = 250; adult and elder:
	// (500 + 600) / 2 = 550.
	byHand := fmt.Sprintf("{rows: [[4, %v, %v], [%v, 6, %v], [%v, %v, 4]], unit: per day}", 550/200., 250/200.,
		550/500., 550/500., 250/300., 550/300.)
	hand, err := withMatrix(byHand, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	sameRuns(t, even, hand)
	if !strings.Contains(text, "contacts are made reciprocal in 3 pairs of groups, most in: 200 contacts per day of "+
		"child with "+
		"elder, and 300 of elder with child") || strings.Contains(text, "not reciprocal") ||
		strings.Contains(hand.Explain(), "reciprocal") {
		t.Errorf("%s", text)
	}
	// Sizes that groups give count, not the shares of the attribute.
	grouped := strings.NewReplacer("MATRIX", "{"+rows+"}", "RATE", "", "start: {ill: 100, well: rest}}",
		"groups: [{share: 30%, with: {age: child}, start: {ill: rest}}, {share: 70%, with: {age: adult}, start: {well: "+
			"rest}}]}").
		Replace(matrixModel)
	m, err := population.Compile("model.yaml", []byte(grouped))
	if err != nil {
		t.Fatal(err)
	}
	if text := m.Explain(); !strings.Contains(text, "in 1 pair of groups, least in: 900 contacts per day of child with "+
		"adult, "+
		"and 700 of adult with child") {
		t.Errorf("%s", text)
	}
}

// Of age bands, the expected numbers at the start count: again 200, 500 and 300, from a
// distribution of ages, and from groups with an age at the border of two bands and one that depends
// on another attribute. A band in which nobody is expected keeps its numbers.
func TestMatrixReciprocalBands(t *testing.T) {
	const rows = "rows: [[4, 3, 1], [1, 6, 1], [1, 2, 4]], unit: per day"
	compiled := func(people, matrix string, bands ...string) *population.Model {
		t.Helper()
		text := strings.NewReplacer("MATRIX", matrix, "RATE", "", "start: {ill: 100, well: rest}}", people,
			"{age: {child: 20%, adult: 50%, elder: 30%}}", "{sex: {f: 40%, m: 60%}, age: {age: {child: 0 years, adult: "+
				"8 years, elder: 28 years"+strings.Join(bands, "")+"}}}").Replace(matrixModel)
		m, err := population.Compile("model.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	byHand := fmt.Sprintf("{rows: [[4, %v, %v], [%v, 6, %v], [%v, %v, 4]], unit: per day}", 550/200., 250/200.,
		550/500., 550/500., 250/300., 550/300.)
	for _, people := range []string{
		"age: {uniform: {low: 0 years, high: 40 years}}, start: {ill: 100, well: rest}}",
		"groups: [{share: 20%, age: 3 years, start: {ill: 30, well: rest}}, {share: 50%, age: 8 years, start: {ill: 30, " +
			"well: rest}}, {share: 30%, age: {by: sex, f: 28 years, m: {uniform: {low: 30 years, high: 90 years}}}, start: " +
			"{well: rest}}]}",
		// Of 500, 40 % have sex f and are 3 years old, the others 8; then 300 and 200 as given.
		"age: {by: sex, f: 3 years, m: 8 years}, groups: [{count: 500, start: {ill: 30, well: rest}}, {count: 300, with: " +
			"{sex: m}, age: 40 years, start: {well: rest}}, {count: 200, with: {sex: m}, start: {well: rest}}]}",
	} {
		text := compiled(people, "{"+rows+"}").Explain()
		if !strings.Contains(text, "contacts are not reciprocal in 3 pairs of groups, least in: 200 contacts per day "+
			"of child with elder, and 300 of elder with child") {
			t.Errorf("%s:\n%s", people, text)
		}
		even := compiled(people, "{"+rows+", reciprocal: true}")
		text = even.Explain()
		want := "a rate by age (child: 8 per day; adult: 8.2 per day; elder: 6.667 per day)"
		if !strings.Contains(text, want) {
			t.Errorf("%s: no %q in\n%s", people, want, text)
		}
		sameRuns(t, even, compiled(people, byHand))
	}
	old := compiled("age: 3 years, start: {ill: 100, well: rest}}", "{"+rows+", reciprocal: true}")
	if text := old.Explain(); strings.Contains(text, "reciprocal") || !strings.Contains(text, "elder: 7 per day") {
		t.Errorf("%s", text)
	}
}

// Everybody makes as many contacts as the matrix says, with whom it says: the expected number of
// infections of each age in a short time is worked out from the matrix.
func TestMatrixContactsLaw(t *testing.T) {
	const model = `
name: law
time: {unit: day, end: 0.01}
population:
  size: 20_000
  groups:
    - {count: 2000, with: {age: child}, start: {ill: 1000, well: rest}}
    - {count: 18000, with: {age: adult}, start: {ill: 2000, well: rest}}
attributes: {age: {child: 10%, adult: 90%}}
states: {well: {}, ill: {}, hit: {}}
transmission: [{from: ill, to: {well: hit}, mixing: {by: age, matrix: {file: m.csv, unit: per day}}, name: infection}]
record: {every: 0.01 days, by: [age]}
`
	m, err := population.Compile("model.yaml", []byte(model), population.Files(func(string) ([]byte, error) {
		return []byte("who,adult,child\nadult,10,2\nchild,18,30\n"), nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	const replicas = 150
	r, err := m.Run(t.Context(), population.Options{Seed: 1, Replicas: replicas})
	if err != nil {
		t.Fatal(err)
	}
	// Of those who are met, 1000 of 2000 children and 16000 of 18000 adults are well. Those who were
	// hit are not hit again: in a hundredth of a day that is a share of each, integrated.
	for g, want := range []float64{
		1000 * (1 - math.Exp(-0.01*(1000*30+2000*2)/2000)),
		16000 * (1 - math.Exp(-0.01*(1000*18+2000*10)/18000)),
	} {
		s := r.In(g).Named(0)
		last := len(s.Mean) - 1
		if se := s.SD[last] / math.Sqrt(replicas); math.Abs(s.Mean[last]-want) > 4*se {
			t.Errorf("%s: %v infections, want %v; standard error %v", m.Groups()[g], s.Mean[last], want, se)
		}
	}
}

// Sums that differ from 1 by rounding to six digits are accepted, and check says so.
func TestMatrixSixDigits(t *testing.T) {
	m, err := withMatrix("[[0.333333, 0.333333, 0.333333], [0.2, 0.7, 0.1], [0.166667, 0.666667, 0.166667]]",
		"rate: 8 per day,", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"row 1 of the matrix adds up to 0.999999 and is divided by that",
		"row 3 of the matrix adds up to 1.000001 and is divided by that"} {
		if text := m.Explain(); !strings.Contains(text, want) || strings.Contains(text, "row 2") {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	exact, err := withMatrix("[[1 / 3, 1 / 3, 1 / 3], [0.2, 0.7, 0.1], [0.166667 / 1.000001, 0.666667 / 1.000001, "+
		"0.166667 / 1.000001]]",
		"rate: 8 per day,", nil)
	if err != nil {
		t.Fatal(err)
	}
	sameRuns(t, m, exact)
}

// What is wrong with a matrix is said once, with its place and what would be right.
func TestMatrixRefused(t *testing.T) {
	files := map[string]string{
		"empty.csv":  "",
		"column.csv": "x;child;adult\n",
		"name.csv":   "x,child,adlut,elder\nchild,1,0,0\nadult,0,1,0\nelder,0,0,1\n",
		"less.csv":   "x,child,adult\nchild,1,0\nadult,0,1\nelder,0,1\n",
		"twice.csv":  "x,child,adult,elder\nchild,1,0,0\nchild,0,1,0\nelder,0,0,1\n",
		"word.csv":   "x,child,adult,elder\nchild,1,no,0\nadult,0,1,0\nelder,0,0,1\n",
		"ragged.csv": "x,child,adult,elder\nchild,1,0\n",
		"sum.csv":    "x,child,adult,elder\nchild,1,0,0\nadult,0,0.99999,0\nelder,0,0,1\n",
		"daily.csv":  "x,child,adult,elder\nchild,4,2,2\nadult,1,6,1\nelder,0,4,4\n",
		"minus.csv":  "x,child,adult,elder\nchild,4,2,2\nadult,1,-6,1\nelder,0,4,4\n",
	}
	const rate = "rate: 8 per day,"
	const contacts = "transmission 1: mixing: matrix: these are numbers of contacts, and chances are expected: write " +
		"matrix: " +
		"{rows: [[…], …], unit: per day} and leave out rate, or put the sum of each row into rate, as in rate: {by: age, " +
		"child: 8 per day, adult: 8 per day, elder: 8 per day}, and divide the row by it"
	for _, c := range []struct{ matrix, rate, want string }{
		{"{file: none.csv}", rate, `mixing: matrix: file: "none.csv": there is no none.csv`},
		{"{file: empty.csv}", rate, "empty.csv:1:1: the file is empty; expected a line with the names of the groups"},
		{"{file: column.csv}", rate, `column.csv:1:1: there is one column, "x;child;adult"; expected a comma`},
		{"{file: name.csv}", rate, `name.csv:1:9: there is no value of age "adlut"; did you mean "adult"?`},
		{"{file: less.csv}", rate, `less.csv:1:3: there is no column for age "elder"; expected one for each value`},
		{"{file: twice.csv}", rate, `twice.csv:3:1: a second row "child"; expected one`},
		{"{file: word.csv}", rate, `word.csv:2:9: adult: found "no", expected a number`},
		{"{file: ragged.csv}", rate, "ragged.csv:2:1: 3 values here, and 4 names of columns; expected the same"},
		{"{file: sum.csv}", rate, "sum.csv:3:7: transmission 1: mixing: matrix: row 2 adds up to 0.99999, expected 1"},
		{"{file: minus.csv, unit: per day}", "", "minus.csv:3:9: transmission 1: mixing: matrix: -6: a number of contacts " +
			"cannot be negative"},
		{"{file: daily.csv}", rate, contacts},
		{"{file: daily.csv, unit: per day}", rate, "transmission 1: rate: the matrix has numbers of contacts, which are " +
			"the rate"},
		{"{file: daily.csv, unit: days}", rate, "unit: found a duration, expected per day for contacts"},
		{"{file: daily.csv, reciprocal: true}", rate, "reciprocal: it is about numbers of contacts; say in which unit " +
			"they are"},
		{"{file: daily.csv, unit: per day, reciprocal: perhaps}", "", `reciprocal: found "perhaps", expected true or false`},
		{"{file: daily.csv, rows: [[1]]}", rate, "both file and rows; expected one of them"},
		{"{unit: per day}", "", "expected a file or rows"},
		{"[[4, 2, 2], [1, 6, 1], [0, 4, 4]]", rate, contacts},
		{"[[4 per day, 2 per day, 2 per day], [1 per day, 6 per day, 1 per day], [0 per day, 56 per week, 0 per day]]", rate,
			contacts},
		{"[[1, 0, 0], [0.3333, 0.3333, 0.3333], [0, 0, 1]]", rate, "row 2 adds up to 0.9999, expected 1"},
		{"[[1, 0, 0], [0, 1.000004, 0], [0, 0, 1]]", rate, "1.000004: a probability is between 0 and 1"},
		{"[[1, 0, 0], [0.5000004, 0.500004, 0], [0, 0, 1]]", rate, "row 2 adds up to 1.000004, expected 1"},
		{"[[0.5, 0.5, 0], [0, 1, 0], [0, 0, 1]]", "", `transmission 1: "rate" is missing; write rate: 0.5 per day`},
	} {
		_, err := withMatrix(c.matrix, c.rate, files)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\ngot  %v\nwant %s", c.matrix, err, c.want)
		} else if strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: more than one message:\n%v", c.matrix, err)
		}
	}
}
