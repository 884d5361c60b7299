package study

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/plot"

	"github.com/almanac-sim/almanac/internal/quantile"
)

// The mean difference, the interval of that mean and the range of the pairs are each named, in
// print and in the tables.
func TestComparison(t *testing.T) {
	of := func(n int) Comparison {
		return Comparison{Scenarios: []Scenario{
			{"base", []Output{{"x", n, 5, 3, 4, 6, Range{1, 9, true}}}, nil},
			{"new", []Output{{"x", n, 6, 4, 5, 7, Range{2, 11, true}}},
				[]Output{{"x", n, 1, 2.5, 0.5, 1.5, Range{-3, 8, true}}}},
		}}
	}
	c := of(100)
	var text, differences, scenarios bytes.Buffer
	for _, err := range []error{c.Print(&text), c.WriteDifferences(&differences), c.WriteScenarios(&scenarios)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if want := `
output   base: mean   new: mean   mean difference   95 % CI of the mean   95 % of paired runs
x                 5           6                 1            0.5 to 1.5               -3 to 8
pairing the runs is worth 4 times as many replicas
`; text.String() != want {
		t.Errorf("got\n%s", text.String())
	}
	if got := differences.String(); got != "scenario,output,pairs,mean_difference,sd,mean_ci_low,mean_ci_high,runs_low,"+
		"runs_high\nnew,x,100,1,2.5,0.5,1.5,-3,8\n" {
		t.Error(got)
	}
	if got := scenarios.String(); got != "scenario,replicas,output,mean,sd,mean_ci_low,mean_ci_high,runs_low,runs_high\n"+
		"base,100,x,5,3,4,6,1,9\nnew,100,x,6,4,5,7,2,11\n" {
		t.Error(got)
	}
	// Of ten runs there is no 95 %.
	few := of(10)
	text.Reset()
	if err := few.Print(&text); err != nil || !strings.Contains(text.String(), "   least to most of 10 paired runs\n") {
		t.Errorf("%v\n%s", err, text.String())
	}
	text.Reset()
	if err := few.WriteJSON(&text, nil, nil); err != nil || !strings.Contains(text.String(), `"mean": 1,
        "mean_ci_low": 0.5,
        "mean_ci_high": 1.5,
        "runs_low": -3,
        "runs_high": 8,
        "runs": "least to most of 10 paired runs",
        "replica_by_replica": true
      }`) {
		t.Errorf("%v\n%s", err, text.String())
	}
}

// Below FewRuns, and not from there on, the range is from the least to the largest.
func TestFewRuns(t *testing.T) {
	for n := 1; n < 200; n++ {
		all := quantile.Rank(n, 0.025) == 1 && quantile.Rank(n, 0.975) == n
		if all != (n < FewRuns) {
			t.Errorf("%d runs: %v", n, all)
		}
	}
	r := Range{1, 2, true}
	for _, c := range []struct {
		n, all int
		want   string
	}{{100, 100, "1 to 2"}, {60, 100, "1 to 2"}, {12, 100, "1 to 2 (least to most of 12)"}, {10, 10, "1 to 2"},
		{7, 10, "1 to 2 (of 7)"}} {
		if got := r.Text(c.n, c.all); got != c.want {
			t.Errorf("%d of %d: %s, want %s", c.n, c.all, got, c.want)
		}
	}
	if got := (Range{}).Text(10, 10); got != "–" {
		t.Error(got)
	}
}

// What pairing is worth is one number or a range, over the outputs for which it is known.
func TestPairing(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		sd   []float64 // of the differences, of outputs whose deviation is 3 in one scenario and 4 in the other
		want string
	}{
		{[]float64{1}, "pairing the runs is worth 25 times as many replicas"},
		{[]float64{1, 5, nan}, "pairing the runs is worth 1 to 25 times as many replicas, by output"},
		{[]float64{0, 1}, "pairing the runs is worth 25 times as many replicas"},
		{[]float64{0, 0}, "every pair of runs has the same difference"},
		{[]float64{0.1}, "pairing the runs is worth 2,500 times as many replicas"},
		{[]float64{7}, "pairing the runs is worth 0.51 times as many replicas"},
		{[]float64{5}, "pairing the runs gains nothing here"},
		{[]float64{nan}, ""},
	} {
		var first, second Scenario
		for _, sd := range c.sd {
			first.Outputs, second.Outputs = append(first.Outputs, Output{SD: 3}), append(second.Outputs, Output{SD: 4})
			second.Differences = append(second.Differences, Output{SD: sd})
		}
		both := Comparison{Scenarios: []Scenario{first, second}}
		if got := both.Pairing(1, func(int) bool { return true }); got != c.want {
			t.Errorf("%v: %q, want %q", c.sd, got, c.want)
		}
	}
}

// courseOf is a course of two scenarios with a state, a total that does not change, and a flow
// whose last interval is short.
func courseOf(scenarios int) *Course {
	c := &Course{Title: "model", TimeLabel: "day", Unit: "day", Times: []float64{0, 7, 14, 15}}
	for i := range scenarios {
		c.Scenarios = append(c.Scenarios, fmt.Sprintf("s%d", i))
	}
	for _, l := range []struct {
		kind, name string
		step       float64
	}{{"state", "ill", 10}, {"total", "total", 0}, {"incidence", "a->b", 3}, {"incidence", "b->c", 0}} {
		line := Line{Kind: l.kind, Name: l.name}
		for k := range 2*scenarios - 1 {
			var b Band
			for i := range c.Times {
				x := l.step * float64(i*(k+1))
				b.Add(Output{N: 50, Mean: x, SD: l.step, Low: x - 1, High: x + 1}, Shares, []float64{x - 5, x - 4, x, x + 4, x + 5})
			}
			if k < scenarios {
				line.Of = append(line.Of, b)
			} else {
				line.Differences = append(line.Differences, b)
			}
		}
		c.Lines = append(c.Lines, line)
	}
	return c
}

// Tables over time have a row for each scenario, time and line.
func TestCourseTables(t *testing.T) {
	c := courseOf(2)
	var series, differences bytes.Buffer
	if err := c.WriteSeries(&series); err != nil {
		t.Fatal(err)
	}
	if err := c.WriteDifferences(&differences); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&series).ReadAll()
	if err != nil || len(rows) != 1+2*4*4 || !slices.Equal(rows[5], []string{"s0", "50", "7", "state", "ill", "10", "10",
		"6", "10", "14", "5", "15", "exact"}) {
		t.Errorf("%v %q", err, rows)
	}
	rows, err = csv.NewReader(&differences).ReadAll()
	if err != nil || len(rows) != 1+4*4 || !slices.Equal(rows[7], []string{"s1", "50", "7", "incidence", "a->b", "9", "3",
		"8", "10", "4", "14", "exact"}) {
		t.Errorf("%v %q", err, rows)
	}
}

// Tables over time are read again to the last digit; what is cut short, or of other scenarios, is
// refused.
func TestReadCourse(t *testing.T) {
	c := courseOf(3)
	c.Lines[0].Of[1].Mean[2] = 1.0 / 3
	c.Lines[1].Differences[1].RunsHigh[3] = math.NaN()
	write := func(c *Course) (series, differences string) {
		var s, d bytes.Buffer
		if err := c.WriteSeries(&s); err != nil {
			t.Fatal(err)
		}
		if err := c.WriteDifferences(&d); err != nil {
			t.Fatal(err)
		}
		return s.String(), d.String()
	}
	series, differences := write(c)
	read := func(series, differences string) (*Course, error) {
		of := Comparison{Scenarios: []Scenario{{Name: "s0"}, {Name: "s1"}, {Name: "s2"}}}
		err := of.ReadCourse(strings.NewReader(series), strings.NewReader(differences), 100)
		return of.Course, err
	}
	got, err := read(series, differences)
	if err != nil {
		t.Fatal(err)
	}
	if s, d := write(got); s != series || d != differences || !slices.Equal(got.Times, c.Times) {
		t.Errorf("read as\n%s%s", s, d)
	}
	one := strings.SplitAfter(series, "\n")
	for what, x := range map[string]struct{ series, differences, want string }{
		"nothing":         {"", differences, "it is empty"},
		"no rows":         {one[0], differences, "it is cut short"},
		"other columns":   {differences, differences, "its columns are"},
		"a row less":      {strings.Join(one[:len(one)-2], ""), differences, "it is cut short"},
		"in another row":  {one[0] + one[2] + one[1] + strings.Join(one[3:], ""), differences, "is not in its place"},
		"no number":       {strings.Replace(series, ",4,", ",x,", 1), differences, "invalid syntax"},
		"other scenario":  {strings.ReplaceAll(series, "s2", "s3"), differences, `"s3" at time 0 is not in its place`},
		"other times":     {series, strings.ReplaceAll(differences, ",7,", ",8,"), "other times"},
		"other names":     {series, strings.ReplaceAll(differences, "ill", "well"), "no state ill in its place"},
		"differences cut": {series, differences[:len(differences)-9], "wrong number of fields"},
		"too many":        {series + strings.Repeat(one[1], 100), differences, "more than 100 rows"},
	} {
		if _, err := read(x.series, x.differences); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, want %s", what, err, x.want)
		}
	}
}

// Pictures have a chart for each line in which something is to be seen, colours that agree, bands
// while they can be told apart, and a line at 0 in those of differences.
func TestCourseCharts(t *testing.T) {
	c := courseOf(3)
	scenarios, differences := c.panels("")
	if len(scenarios.Charts) != 1 || scenarios.Charts[0].Title != "ill" || len(scenarios.Charts[0].Series) != 3 ||
		!strings.Contains(scenarios.Note, "individuals in each state; lines: medians of 50 replicas; bands: middle 90 %") {
		t.Errorf("%+v", scenarios)
	}
	s := differences.Charts[0].Series
	if len(s) != 5 || s[0].Name != "s0 (no difference)" || slices.Max(s[0].Y) != 0 || slices.Min(s[0].Y) != 0 ||
		s[1].Low[1] != 40-5 || s[2].Low[1] != 40-1 || !s[2].Same || s[3].Same ||
		!strings.Contains(differences.Note, "dark bands: 95 % CI of the mean; light bands: 95 % of paired runs") {
		t.Errorf("%q %+v", differences.Note, s)
	}
	flows, _ := c.panels("-incidence")
	if len(flows.Charts) != 1 || flows.Charts[0].Title != "a → b" || len(flows.Charts[0].Series[0].X) != 3 ||
		!flows.Charts[0].Series[0].Steps || !strings.HasPrefix(flows.Note, "individuals in each interval of 7 days; ") {
		t.Errorf("%+v", flows)
	}
	c.Every = 3 // said in both pictures
	scenarios, differences = c.panels("-incidence")
	for _, note := range []string{scenarios.Note, differences.Note} {
		if !strings.HasSuffix(note, "; one of 3 recorded times") {
			t.Error(note)
		}
	}
	// Of many scenarios each has a chart with the first, its colour, and the axis of all.
	many := courseOf(6)
	scenarios, differences = many.panels("")
	if len(scenarios.Charts) != 5 || scenarios.Columns != 5 || !strings.Contains(scenarios.Note, "bands: middle 90 %") ||
		scenarios.Charts[2].Title != "ill: s3" || scenarios.Charts[2].RangeY != [2]float64{-4, 184} {
		t.Errorf("%+v", scenarios)
	}
	for i, s := range scenarios.Charts[2].Series {
		if shown := i == 0 || i == 3; shown != (len(s.Low) > 0) || shown != (len(s.Y) > 0) || s.Name == "" {
			t.Errorf("series %d: %+v", i, s)
		}
	}
	if s := differences.Charts[4].Series; len(differences.Charts) != 5 || len(s) != 11 || len(s[1].Y) != 0 ||
		s[9].Low[1] != 110-5 || s[10].Low[1] != 110-1 || !strings.Contains(differences.Note, "light bands: 95 % of paired") {
		t.Errorf("%q: %+v", differences.Note, s)
	}
	many.Lines = slices.Repeat(many.Lines[:1], 30)
	if scenarios, _ = many.panels(""); len(scenarios.Charts) != 60 || !strings.HasSuffix(scenarios.Note,
		"; the first 12 of 30") {
		t.Errorf("%d: %s", len(scenarios.Charts), scenarios.Note)
	}
}

// A name that counts the same as a flow has no chart of its own.
func TestCourseTwins(t *testing.T) {
	c := courseOf(2)
	infection, other := c.Lines[2], courseOf(2).Lines[2]
	infection.Name, other.Name = "infection", "other"
	other.Of[1].SD[2]++
	c.Lines = append(c.Lines, infection, other)
	scenarios, differences := c.panels("-incidence")
	for _, charts := range [][]plot.Chart{scenarios.Charts, differences.Charts} {
		if len(charts) != 2 || charts[0].Title != "a → b (infection)" || charts[1].Title != "other" {
			t.Errorf("%+v", charts)
		}
	}
}

// The forest plot has a row for each scenario and output, in its unit, without outputs that are the
// same in all pairs.
func TestForest(t *testing.T) {
	same := Output{"final(total)", 50, 0, 0, 0, 0, Range{0, 0, true}}
	none := Output{"never", 0, math.NaN(), math.NaN(), math.NaN(), math.NaN(), Range{}}
	differences := []Output{{"peak(ill)", 50, -1200, 9, -1300, -1100, Range{-2000, 100, true}}, same, none,
		{"first time(ill above 3)", 30, 2, 9, 1, 3, Range{-4, 5, true}}}
	outputs := []Output{{Name: "peak(ill)", N: 50, Mean: 5000}, {Name: "final(total)", N: 50, Mean: 70}, none,
		{Name: "first time(ill above 3)", N: 30, Mean: 20}}
	c := Comparison{Scenarios: []Scenario{{"base", outputs, nil}, {"new", outputs, differences}}, Course: courseOf(2)}
	cost := c.Course.Lines[0]
	cost.Kind, cost.Name = "outcome", "cost"
	c.Course.Lines = append(c.Course.Lines, cost)
	f := c.Forest("model")
	var got []string
	for _, b := range f.Blocks {
		got = append(got, b.Name, b.Rows[0].Name, b.Rows[0].Texts[0], b.Rows[0].Texts[1])
	}
	want := []string{"peak(ill); base: 5,000", "new", "−1,200 (−1,300 to −1,100)", "−2,000 to 100",
		"never", "new", "–", "–",
		"first time(ill above 3), in days; base: 20", "new", "2 (1 to 3)", "−4 to 5 (least to most of 30)"}
	if note := "; the same in every pair: 1 output, all in differences.csv"; !slices.Equal(got, want) ||
		!strings.HasSuffix(f.Note, note) {
		t.Errorf("%q\n%q\n%s", got, want, f.Note)
	}
	dir := t.TempDir()
	if err := c.Draw(dir, "model"); err != nil {
		t.Fatal(err)
	}
	for _, name := range ComparisonPictures {
		if info, err := os.Stat(dir + "/" + name); err != nil || info.Size() < 1000 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
