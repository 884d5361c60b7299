package study

import (
	"bytes"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/design"
)

func axes(t *testing.T, texts ...string) (all []*design.Axis) {
	for _, text := range texts {
		a, err := design.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, a)
	}
	return all
}

func fill(t *testing.T, s *Sweep, points []design.Point) {
	for i, p := range points {
		x := float64(i)
		err := s.Add(Point{p, 10, []Output{{"peak(ill)", 10, x, 1, x - 0.5, x + 0.5, Range{}},
			{"time of peak, in days", 9, 1234.5, math.NaN(), math.NaN(), math.NaN(), Range{}},
			{"never", 0, math.NaN(), math.NaN(), math.NaN(), math.NaN(), Range{}}}})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
}

// What a sweep found is told in points.csv, in numbers of the axis's unit, and to people.
func TestSweep(t *testing.T) {
	all := axes(t, "beta=0.2..0.3 per day by 0.1", "coverage=0%, 40%", "stay=5 days, 1 week")
	points, err := design.Grid(all, 100)
	if err != nil {
		t.Fatal(err)
	}
	var table, text bytes.Buffer
	s := NewSweep("model", all, false, &table)
	fill(t, s, points)
	want := []string{
		"beta,coverage,stay,replicas,output,mean,sd,low,high,units",
		"0.2,0,5 days,10,peak(ill),0,1,-0.5,0.5,beta per day; coverage %",
		`0.2,0,5 days,9,"time of peak, in days",1234.5,,,,beta per day; coverage %`,
		"0.2,0,5 days,0,never,,,,,beta per day; coverage %",
		"0.2,0,1 week,10,peak(ill),1,1,0.5,1.5,beta per day; coverage %",
	}
	if got := strings.Split(table.String(), "\n"); !slices.Equal(got[:5], want) || len(got) != 1+8*3+1 {
		t.Errorf("got\n%s", table.String())
	}
	if err := s.Print(&text); err != nil {
		t.Fatal(err)
	}
	wanted := `
beta (per day)   coverage (%)     stay   peak(ill)   time of peak, in days   never
0.2                         0   5 days     0 ± 0.5                   1,234       –
0.2                         0   1 week     1 ± 0.5                   1,234       –
`
	if !strings.HasPrefix(text.String(), wanted) {
		t.Errorf("got\n%s", text.String())
	}
}

// Pictures are drawn over each axis of numbers, and maps of a grid over two.
func TestDraw(t *testing.T) {
	for name, c := range map[string]struct {
		vary    []string
		sampled bool
		want    string
	}{
		"one":   {[]string{"a=1,2,3"}, false, "over-a.png over-a.svg"},
		"words": {[]string{"a=x,y,z"}, false, ""},
		"two": {[]string{"a=1,2,3", "b=4,5"}, false, "map-never.png map-never.svg map-peak-ill.png map-peak-ill.svg " +
			"map-time-of-peak--in-days.png map-time-of-peak--in-days.svg over-a.png over-a.svg over-b.png over-b.svg"},
		"word too": {[]string{"a=1,2,3", "b=x,y"}, false, "map-never.png map-never.svg map-peak-ill.png map-peak-ill.svg " +
			"map-time-of-peak--in-days.png map-time-of-peak--in-days.svg over-a.png over-a.svg"},
		"three": {[]string{"a=1,2,3", "b=4,5,6", "c=7,8,9"}, false,
			"over-a.png over-a.svg over-b.png over-b.svg over-c.png over-c.svg"},
		"alike": {[]string{"a b=1,2,3", "a-b=x,y", "a+b=4,5"}, false,
			"over-a-b.png over-a-b.svg over-a-b_.png over-a-b_.svg"},
		"sample": {[]string{"a=1..3", "b=0..1 per day"}, true, "over-a.png over-a.svg over-b.png over-b.svg"},
	} {
		all := axes(t, c.vary...)
		points, err := design.Grid(all, 100)
		if c.sampled {
			points, err = design.Sample(all, "lhs", 20, 100, 1)
		}
		if err != nil {
			t.Fatal(err)
		}
		s := NewSweep("model", all, c.sampled, nil)
		fill(t, s, points)
		dir := t.TempDir()
		if err := s.Draw(dir); err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// The help of common random numbers is a ratio of variances.
func TestHelped(t *testing.T) {
	of := func(sd float64) Output { return Output{SD: sd} }
	for _, c := range []struct{ a, b, d, want float64 }{
		{3, 4, 5, 1}, {3, 4, 1, 25}, {3, 4, 7, 25.0 / 49}, {1, 1, 0, math.Inf(1)}, {0, 0, 0, math.NaN()},
		{math.NaN(), 1, 1, math.NaN()},
	} {
		if got := Helped(of(c.a), of(c.b), of(c.d)); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%v and %v with %v: %v, want %v", c.a, c.b, c.d, got, c.want)
		}
	}
}

// The tables of a comparison are read again to the last digit; what others wrote, or what was cut
// short, is refused.
func TestReadComparison(t *testing.T) {
	none := Output{"y, too", 0, math.NaN(), math.NaN(), math.NaN(), math.NaN(), Range{}}
	one := Output{"y, too", 1, 2, math.NaN(), math.NaN(), math.NaN(), Range{2, 2, true}}
	c := Comparison{Scenarios: []Scenario{
		{"base", []Output{{"x", 10, 1.0 / 3, 3, 4, 6, Range{-1, 1.0 / 7, true}}, none}, nil},
		{"new", []Output{{"x", 10, 6, 4, 5, 7, Range{2, 9, true}}, one},
			[]Output{{"x", 10, 1, 2.5, 0.5, 1.5, Range{-3, 8, true}}, none}},
	}}
	write := func(c *Comparison) (scenarios, differences string) {
		var s, d bytes.Buffer
		if err := errors.Join(c.WriteScenarios(&s), c.WriteDifferences(&d)); err != nil {
			t.Fatal(err)
		}
		return s.String(), d.String()
	}
	read := func(scenarios, differences string) (*Comparison, error) {
		c, err := ReadScenarios(strings.NewReader(scenarios), 4)
		if err == nil {
			err = c.ReadDifferences(strings.NewReader(differences))
		}
		return c, err
	}
	scenarios, differences := write(&c)
	got, err := read(scenarios, differences)
	if err != nil {
		t.Fatal(err)
	}
	if s, d := write(got); s != scenarios || d != differences {
		t.Errorf("read as\n%s%s", s, d)
	}
	// Tables of earlier versions have the mean and its interval.
	got, err = read("scenario,replicas,output,mean,sd,low,high\nbase,10,x,5,3,4,6\nnew,10,x,6,4,5,7\n",
		"scenario,output,difference,low,high\nnew,x,1,0.5,1.5\n")
	if err != nil {
		t.Fatal(err)
	}
	if d := got.Scenarios[1].Differences[0]; d.Mean != 1 || d.Low != 0.5 || d.High != 1.5 || d.Runs.Known || d.N != -1 ||
		!math.IsNaN(d.SD) || got.Scenarios[0].Outputs[0].Runs.Known {
		t.Errorf("read as %+v", got)
	}
	for what, x := range map[string]struct{ scenarios, differences, want string }{
		"nothing":         {"", differences, "it is empty"},
		"other columns":   {differences, differences, "its columns are"},
		"one scenario":    {scenarios[:strings.Index(scenarios, "new")], differences, "it has 1 scenarios"},
		"a line cut":      {scenarios[:len(scenarios)-6], differences, "wrong number of fields"},
		"a row less":      {scenarios[:strings.LastIndex(scenarios, "new")], differences, `scenario "new" has other outputs`},
		"too many rows":   {scenarios + "third,1,x,1,1,1,1,1,1\n", differences, "more than 4 rows"},
		"in two places":   {strings.Replace(scenarios, "base", "new", 1), differences, "stands in two places"},
		"no number":       {strings.Replace(scenarios, ",6,4,5,7", ",6,4,5,7 %", 1), differences, "invalid syntax"},
		"no count":        {strings.Replace(scenarios, "10", "-1", 1), differences, "fewer replicas"},
		"no difference":   {scenarios, differences[:strings.Index(differences, "new")], `scenario "new" has other outputs`},
		"another":         {scenarios, strings.Replace(differences, "new", "other", 1), `scenario "other" is`},
		"the first":       {scenarios, strings.Replace(differences, "new", "base", 1), `scenario "base" is`},
		"differences cut": {scenarios, differences[:len(differences)-4], "wrong number of fields"},
	} {
		if _, err := read(x.scenarios, x.differences); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, want %s", what, err, x.want)
		}
	}
}

func TestShort(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 1.23456: "1.235", 999.96: "1000", -1234.5: "-1,234",
		1234567: "1,234,567", 1e-7: "1e-07", 1e20: "1e20"} {
		if got := Short(x); got != want {
			t.Errorf("%v is %s, want %s", x, got, want)
		}
	}
}

// What is written is read again, with the axes of the study; without them, with the units of the
// table; without those, as it stands there.
func TestReadPoints(t *testing.T) {
	all := axes(t, "beta=0.2..0.3 per day by 0.1", "coverage=0%, 40%", "stay=5 days, 1 week")
	points, err := design.Grid(all, 100)
	if err != nil {
		t.Fatal(err)
	}
	var table bytes.Buffer
	s := NewSweep("model", all, false, &table)
	fill(t, s, points)
	got, err := ReadPoints(bytes.NewReader(table.Bytes()), "model", all, false)
	if err != nil || len(got.Points()) != 8 || !slices.Equal(got.Points()[7].Values, []string{"0.3 per day", "40%",
		"1 week"}) || got.Points()[7].Replicas != 10 || got.Points()[7].Outputs[0] != s.points[7].Outputs[0] {
		t.Fatalf("%+v %v", got, err)
	}
	got, err = ReadPoints(bytes.NewReader(table.Bytes()), "model", nil, false)
	if err != nil || !slices.Equal(got.Points()[7].Values, []string{"0.3 per day", "40%", "1 week"}) ||
		!slices.Equal(got.Axes[0].Values, []string{"0.2 per day", "0.3 per day"}) || got.Axes[1].Unit != "%" {
		t.Errorf("%+v %v", got, err)
	}
	got, err = ReadPoints(strings.NewReader("a,replicas,output,mean,sd,low,high\n0.25,3,x,1,,,\n"), "model", nil, false)
	if err != nil || got.Points()[0].Values[0] != "0.25" {
		t.Errorf("%+v %v", got, err)
	}
	ranges := axes(t, "a=0..1 per day")
	got, err = ReadPoints(strings.NewReader("a,replicas,output,mean,sd,low,high\n0.25,3,x,1,,,\n"), "model", ranges, true)
	if err != nil || got.Points()[0].Values[0] != "0.25 per day" || !math.IsNaN(got.Points()[0].Outputs[0].SD) {
		t.Errorf("%+v %v", got, err)
	}
	for text, want := range map[string]string{
		"": "EOF", "a,b\n": "its columns", "b,replicas,output,mean,sd,low,high\n": "was varied",
		"a,replicas,output,mean,sd,low,high\n0.25,x,x,1,,,\n":               "invalid syntax",
		"a,replicas,output,mean,sd,low,high\n0.25,3,x,y,,,\n":               "invalid syntax",
		"a,replicas,output,mean,sd,low,high\n0.25,3,x,1,,,\n0.5,3,y,1,,,\n": "other outputs",
		"a,replicas,output,mean,sd,low,high\n0.25,3\n":                      "fields",
	} {
		if _, err := ReadPoints(strings.NewReader(text), "model", ranges, true); err == nil || !strings.Contains(err.Error(),
			want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
