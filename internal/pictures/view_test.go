package pictures

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/modelfit"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/population"
)

const viewed = `name: viewed
time: {unit: day, start: 2020-03-01, end: 20}
population: {size: 1000, start: {ill: 10, well: rest}}
attributes: {region: {a: 20%, b: 20%, c: 20%, d: 20%, e: rest}, age: {young: 50%, old: rest}}
states:
  well: {}
  ill: {race: [{rate: 0.2 per day, to: immune, name: recovery}, {rate: 0.05 per day, to: dead}]}
  immune: {}
  dead: {}
  elsewhere: {race: [{rate: 1 per day, to: well, name: return}]}
transmission: [{from: ill, rate: 0.5 per day, to: {well: ill}, name: infection}]
record: {every: 1 day, by: [region, [region, age]]}
`

func drawn(t *testing.T, v View, r *population.Result) Picture {
	t.Helper()
	p, err := v.Draw(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Save(filepath.Join(t.TempDir(), "a.svg")); err != nil {
		t.Fatal(err)
	}
	return p
}

func names(c plot.Chart) (all []string) {
	for _, s := range c.Series {
		all = append(all, s.Name)
	}
	return all
}

// What is never occupied and never happens is left out and said so; names that count the same as a
// flow are told there; and all axes have dates.
func TestViewOfStates(t *testing.T) {
	m, r := ran(t, viewed, 7)
	c := drawn(t, View{}, r).(plot.Chart)
	if got := names(c); !slices.Equal(got, []string{"well", "ill", "immune", "dead"}) || !strings.HasSuffix(c.Note,
		"bands: middle 90 %; without elsewhere, which is always 0") || c.Title != "viewed" || c.Dates == nil ||
		c.Dates.At(3).Format("2006-01-02") != "2020-03-04" || c.YLabel != "individuals" {
		t.Errorf("%v: %+v", got, c)
	}
	all, _ := States(r)
	if got := names(all); !slices.Equal(got, names(c)) || all.Note != c.Note {
		t.Errorf("%v: %s", got, all.Note)
	}
	for i := range 3 {
		if in := r.State(i); !slices.Equal(c.Series[i].Y, in.Median) || !slices.Equal(c.Series[i].Low, in.Q05) ||
			!slices.Equal(c.Series[i].High, in.Q95) {
			t.Errorf("%s: %v, want %v", c.Series[i].Name, c.Series[i].Y, in.Median)
		}
	}
	want := []string{"well → ill (infection)", "ill → immune (recovery)", "ill → dead"}
	if got := names(Incidence(r)); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	flows := drawn(t, View{Show: []string{"flows"}, Title: "Fig. 1"}, r).(plot.Chart)
	if got := names(flows); !slices.Equal(got, want) || flows.YLabel != "individuals in 1 day" || flows.Title != "Fig. 1" {
		t.Errorf("%v, %s, %s", got, flows.YLabel, flows.Title)
	}
	if s, in := flows.Series[0], r.Incidence(0).Median; !s.Steps || !slices.Equal(s.Y, in) {
		t.Errorf("%v, want %v", s.Y, in)
	}
	// By name: flows however they are written, names, the total, and what is empty.
	c = drawn(t, View{Show: []string{"infection", "ill->immune", "ill → dead"}}, r).(plot.Chart)
	if got := names(c); !slices.Equal(got, []string{"infection", "ill → immune", "ill → dead"}) {
		t.Errorf("%v", got)
	}
	// What counts the same is drawn once.
	for show, want := range map[string]string{
		"infection,flows":                "infection,ill → immune (recovery),ill → dead",
		"flows,recovery":                 "well → ill (infection),ill → dead,recovery",
		"ill->immune,infection,recovery": "ill → immune (recovery),infection",
	} {
		if got := strings.Join(names(drawn(t, View{Show: strings.Split(show, ",")}, r).(plot.Chart)), ","); got != want {
			t.Errorf("%s: %s, want %s", show, got, want)
		}
	}
	c = drawn(t, View{Show: []string{"elsewhere", "total"}}, r).(plot.Chart)
	if got := names(c); !slices.Equal(got, []string{"elsewhere", "total"}) || c.Series[1].Y[0] != 1000 {
		t.Errorf("%v", got)
	}
	// On a logarithmic axis nothing can be seen of it.
	c = drawn(t, View{Show: []string{"elsewhere", "ill"}, Log: true}, r).(plot.Chart)
	if got := names(c); !slices.Equal(got, []string{"ill"}) || !c.LogY || !strings.Contains(c.Note, "without elsewhere") {
		t.Errorf("%v: %s", got, c.Note)
	}
	c = drawn(t, View{Show: []string{"elsewhere"}, Log: true}, r).(plot.Chart)
	if !strings.HasSuffix(c.Note, "all are 0, which is below a logarithmic axis") {
		t.Error(c.Note)
	}
	// States and flows have other units, and a panel each.
	ps := drawn(t, View{Show: []string{"ill", "infection"}}, r).(plot.Panels)
	if len(ps.Charts) != 2 || ps.Charts[0].YLabel != "individuals" || ps.Charts[1].YLabel != "individuals in 1 day" {
		t.Errorf("%+v", ps)
	}
	// One replica has no band.
	one, err := m.Run(t.Context(), population.Options{Seed: 1, Replicas: 1})
	if err != nil {
		t.Fatal(err)
	}
	if c := drawn(t, View{Show: []string{"ill"}}, one).(plot.Chart); c.Series[0].Low != nil || c.Note != "one replica" {
		t.Errorf("%+v", c)
	}
	// A run that was interrupted before the first row has no picture.
	if _, err := (View{}).Draw(&population.Result{Model: m}); err == nil {
		t.Error("drawn of nothing")
	}
}

// Numbers per 100,000 are of those who live in each replica, then or at the start of the interval.
func TestViewPer(t *testing.T) {
	_, r := ran(t, strings.Replace(viewed, "to: dead", "to: out", 1), 1)
	run := &r.Runs[0]
	if run.Total(20) > 900 {
		t.Fatalf("%d live", run.Total(20))
	}
	c := drawn(t, View{Show: []string{"ill"}, Per: 100_000}, r).(plot.Chart)
	if want := 1e5 * float64(run.Count(20, 1)) / float64(run.Total(20)); c.Series[0].Y[20] != want || c.YLabel !=
		"per 100,000 individuals" {
		t.Errorf("%s: %g, want %g", c.YLabel, c.Series[0].Y[20], want)
	}
	c = drawn(t, View{Show: []string{"infection"}, Per: 1000}, r).(plot.Chart)
	for k := 1; k <= 20; k++ {
		want := 1000 * float64(run.NamedIncidence(k, slices.Index(r.Model.Names(), "infection"))) / float64(run.Total(k-1))
		if math.Abs(c.Series[0].Y[k]-want) > 1e-9 {
			t.Errorf("day %d: %g, want %g", k, c.Series[0].Y[k], want)
		}
	}
	c = drawn(t, View{Show: []string{"well->ill"}, Per: 1000}, r).(plot.Chart)
	want := 1000 * float64(run.Incidence(12, 0)) / float64(run.Total(11))
	if got := c.Series[0].Y[12]; math.Abs(got-want) > 1e-9 {
		t.Errorf("%g, want %g", got, want)
	}
	// In panels, of the group.
	ps := drawn(t, View{Show: []string{"total"}, Per: 100, Panels: "region"}, r).(plot.Panels)
	for _, c := range ps.Charts {
		if slices.Min(c.Series[0].Y) != 100 || slices.Max(c.Series[0].Y) != 100 {
			t.Errorf("%s: %v", c.Title, c.Series[0].Y)
		}
	}
	// Of nobody, there is no share.
	_, r = ran(t, "name: none\ntime: {unit: day, end: 2}\npopulation: {size: 0, start: {}}\nstates: {a: {}}\n"+
		"interventions: [{at: 1, enter: a, count: 5}]\nrecord: {every: 1 day}\n", 1)
	c = drawn(t, View{Show: []string{"a"}, Per: 10}, r).(plot.Chart)
	if y := c.Series[0].Y; !math.IsNaN(y[0]) || y[2] != 10 {
		t.Errorf("%v", y)
	}
}

// Each group has a panel with a band, however many there are, and all have one axis.
func TestViewPanels(t *testing.T) {
	m, r := ran(t, viewed, 5)
	for by, n := range map[string]int{"region": 5, "region,age": 10, "region, age": 10} {
		ps := drawn(t, View{Show: []string{"ill", "immune"}, Panels: by}, r).(plot.Panels)
		if len(ps.Charts) != n || !ps.Common || !ps.SameY || len(ps.Charts[0].Series) != 2 ||
			ps.Charts[n-1].Series[1].Low == nil || ps.Charts[0].Dates == nil {
			t.Errorf("%s: %d panels", by, len(ps.Charts))
		}
	}
	states, flows := eachGroup(r, Groupings(m)[0])
	if len(states.Charts) != 5 || len(flows.Charts) != 5 || states.Charts[2].Title != "c" {
		t.Fatalf("%d, %d", len(states.Charts), len(flows.Charts))
	}
	if got, in := states.Charts[2].Series[1], r.In(2).State(1); got.Name != "ill" || !slices.Equal(got.Y, in.Median) ||
		!slices.Equal(got.High, in.Q95) {
		t.Errorf("%+v", got)
	}
	if want := "individuals in each state, by region; lines: median of 5 replicas; bands: middle 90 %; without " +
		"elsewhere, which is always 0"; states.Note != want {
		t.Error(states.Note)
	}
	if want := "changes of state in each interval of 1 day, by region; lines: median of 5 replicas; bands: middle " +
		"90 %"; flows.Note != want {
		t.Error(flows.Note)
	}
	if got, in := flows.Charts[0].Series, r.In(0).Incidence(0); len(got) != 3 || got[0].Low == nil ||
		!slices.Equal(got[0].Y, in.Median) {
		t.Errorf("%+v", got)
	}
}

// An intervention that only sets parameters happens to no group.
func TestViewOfNobody(t *testing.T) {
	m, r := ran(t, strings.Replace(viewed, "record:", "parameters: {k: 1 per day}\n"+
		"interventions: [{when: {ill: above 20}, set: {k: 2 per day}, again: true, name: close}]\nrecord:", 1), 2)
	ps := drawn(t, View{Panels: "region", Show: []string{"flows"}}, r).(plot.Panels)
	if got := names(ps.Charts[0]); len(got) != 3 || !strings.HasSuffix(ps.Note,
		"; without close and close begins, which happen to no group") {
		t.Errorf("%q: %s", got, ps.Note)
	}
	_, some := eachGroup(r, Groupings(m)[0])
	_, all := Groups(r, Groupings(m)[0])
	if n := len(names(some.Charts[0])); n != 3 || len(all.Charts) != 3 || len(names(Incidence(r))) < 4 {
		t.Errorf("%d, %d of %q", n, len(all.Charts), names(Incidence(r)))
	}
	if err := (View{Panels: "region", Show: []string{"close"}}).Check(m); err == nil || err.Error() !=
		"close only sets parameters, which happens to no individual, so no group has any" {
		t.Error(err)
	}
}

// What a model does not have is named with what is nearest.
func TestViewMistakes(t *testing.T) {
	m, _ := ran(t, viewed, 1)
	data := &Data{Name: "d.csv", Times: []float64{1}, Columns: []Column{{Name: "x", of: quantity{name: "ill", index: 1}}}}
	for _, c := range []struct {
		v    View
		part string
		want string
	}{
		{View{Show: []string{"imune"}}, "show", `"imune" is no state, flow or name of the model; did you mean "immune"?`},
		{View{Show: []string{"well->immune"}}, "show", `did you mean "ill->immune"?`},
		{View{Show: []string{"xyzzyx"}}, "show", "it has well, ill, immune, dead, elsewhere, well->ill, "},
		{View{Panels: "regoin"}, "panels", `the model does not record by "regoin"; did you mean "region"?`},
		{View{Panels: "age"}, "panels", `the model does not record by "age", but by region, by region,age`},
		{View{Panels: "region", Show: []string{"ill", "infection"}}, "panels", "a panel has states or flows"},
		{View{Panels: "region", Data: data}, "data", "x is of everybody, and panels are of groups"},
		{View{Show: []string{"well"}, Data: data}, "data", "x is of ill, which is not shown; name one of them with --show"},
	} {
		err := c.v.Check(m)
		if e, ok := err.(*Mistake); !ok || e.Part != c.part || !strings.Contains(e.Problem, c.want) {
			t.Errorf("%+v: %v, want %s: %s", c.v, err, c.part, c.want)
		}
	}
	none, _ := ran(t, "name: none\ntime: {unit: day, end: 2}\npopulation: {size: 1, start: {a: rest}}\nstates: {a: {}}\n"+
		"record: {every: 1 day}\n", 1)
	for _, v := range []View{{Show: []string{"flows"}}, {Panels: "region"}} {
		if err := v.Check(none); err == nil {
			t.Errorf("%+v is drawn", v)
		}
	}
}

// Data lie over the lines they are of; what happens is counted between their rows, in the run as in
// the data, and goes on after them.
func TestViewData(t *testing.T) {
	m, r := ran(t, viewed, 3)
	read := func(table string, matches ...Match) *Data {
		t.Helper()
		d, err := ReadData("d.csv", []byte(table), m, matches)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	d := read("\xef\xbb\xbfdate,infection, ill,remark\n# a comment\n2020-03-05,12,20,a\n2020-03-09,NA,30,\n" +
		"2020-03-13,70,40,\n")
	if fmt.Sprint(d.Times, d.Unused) != "[4 8 12] [remark]" || len(d.Columns) != 2 {
		t.Fatalf("%+v", d)
	}
	ps := drawn(t, View{Data: d}, r).(plot.Panels)
	line, data := ps.Charts[0].Series[0], ps.Charts[0].Series[1]
	if fmt.Sprint(line.X) != "[0 4 8 12 16 20]" || line.Name != "infection" || ps.Charts[0].YLabel !=
		"individuals in 4 days" {
		t.Errorf("%v, %s", line.X, ps.Charts[0].YLabel)
	}
	infection := slices.Index(m.Names(), "infection")
	var counts []float64
	for i := range r.Runs {
		counts = append(counts, float64(r.Runs[i].Named(12, infection)-r.Runs[i].Named(8, infection)))
	}
	slices.Sort(counts)
	if line.Y[3] != counts[1] || line.High[3] != counts[2] {
		t.Errorf("%v, want %v", line.Y, counts)
	}
	if !data.Data || !data.Same || data.Name != "infection (data)" || fmt.Sprint(data.X, data.Y) != "[2 10] [12 70]" {
		t.Errorf("%+v", data)
	}
	if got := ps.Charts[1].Note; got != "points: ill (data)" { // such panels have no legend
		t.Error(got)
	}
	if s := ps.Charts[1].Series[1]; fmt.Sprint(s.X, s.Y) != "[4 8 12] [20 30 40]" {
		t.Errorf("%+v", s)
	}
	// A section fit says what columns are, and which share of them is observed.
	half := func(replica int) float64 { return []float64{0.5, 0.25, 1}[replica] }
	d = read("time;cases\n4;12\n30;1\n", Match{modelfit.Match{Column: "cases", Kind: "flow", Of: "well->ill"}, half})
	c := drawn(t, View{Data: d, Show: []string{"well->ill"}}, r).(plot.Chart)
	counts = nil
	for i := range r.Runs {
		counts = append(counts, half(i)*float64(r.Runs[i].Flow(20, 0)))
	}
	slices.Sort(counts)
	if s := c.Series[0]; s.Name != "well → ill, as observed" || s.Steps || s.Y[20] != counts[1] || c.YLabel !=
		"individuals, since the start" || !strings.Contains(c.Note, "without errors of observation") {
		t.Errorf("%+v, want %v", s, counts)
	}
	if s := c.Series[1]; fmt.Sprint(s.X, s.Y) != "[4] [12]" { // day 30 is after the run
		t.Errorf("%+v", s)
	}
	per := drawn(t, View{Data: read("time,ill\n4,12\n"), Per: 1000}, r).(plot.Chart)
	if got, want := per.Series[1].Y[0], 12_000/r.Total().Median[4]; got != want {
		t.Errorf("%g, want %g", got, want)
	}
	for table, want := range map[string]string{
		"":                          "d.csv:1: the file is empty",
		"day,ill\n":                 `d.csv:1: the first column is "day"; expected time`,
		"time,ilk\n1,2\n":           `is "ilk" meant to be "ill"?`,
		"time,qwertz\n1,2\n":        "no column is a state, flow or name of the model",
		"time,ill\n":                "there is no row",
		"time,ill\n1,2,3\n":         "d.csv:2: expected 2 cells",
		"time,ill\n1,two\n":         `d.csv:2: ill: "two" is not a number`,
		"time,ill\n2,1\n2,1\n":      "d.csv:3: 2 is not after the row before",
		"time,ill\nsoon,1\n":        "d.csv:2: ",
		"time,infection\n1,1\n\"":   "d.csv:",
		"date,ill\n2020-02-30,1\n,": "d.csv:2: ",
	} {
		if _, err := ReadData("d.csv", []byte(table), m, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", table, err, want)
		}
	}
	if err := (View{Data: read("time,infection\n1.5,3\n")}).Check(m); err == nil || !strings.Contains(err.Error(),
		"no row at 1.5") {
		t.Error(err)
	}
	undated, _ := ran(t, strings.Replace(viewed, "start: 2020-03-01, ", "", 1), 1)
	if _, err := ReadData("d.csv", []byte("date,ill\n2020-03-02,1\n"), undated, nil); err == nil {
		t.Error("dates without a start")
	}
}

// Data of a group lie over the line of that group, or in its panel. What cannot be drawn is told.
func TestViewDataOfGroups(t *testing.T) {
	m, r := ran(t, viewed, 3)
	at := func(column, attribute string, values ...string) Match {
		return Match{Match: modelfit.Match{Column: column, Kind: "incidence", Of: "infection",
			Where: map[string][]string{attribute: values}}}
	}
	half := at("cb", "region", "b")
	half.Observed = func(int) float64 { return 0.5 }
	d, err := ReadData("d.csv", []byte("time,ca,cb,old,cde,ill\n4,1,2,3,4,5\n8,6,7,8,9,10\n"), m, []Match{
		at("ca", "region", "a"), half, at("old", "age", "old"), at("cde", "region", "d", "e")})
	if err != nil {
		t.Fatal(err)
	}
	infection := slices.Index(m.Names(), "infection")
	counted := func(share float64, groups ...int) float64 { // the median of three runs from day 4 to day 8
		var all []float64
		for i := range r.Runs {
			sum := 0.0
			for _, g := range groups {
				sum += float64(r.Runs[i].In(g).Named(8, infection) - r.Runs[i].In(g).Named(4, infection))
			}
			all = append(all, share*sum)
		}
		slices.Sort(all)
		return all[1]
	}
	// Groups 0 to 4 are the regions, and 5 to 14 regions by age.
	v := View{Show: []string{"infection", "ill->dead"}, Data: d}
	c := drawn(t, v, r).(plot.Chart)
	want := []string{"infection", "infection, region=a", "ca (data)", "infection, region=b, as observed", "cb (data)",
		"infection, age=old", "old (data)", "infection, region=d|e", "cde (data)", "ill → dead"}
	if got := names(c); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	for i, want := range map[int]float64{0: counted(1, 0, 1, 2, 3, 4), 1: counted(1, 0), 3: counted(0.5, 1),
		5: counted(1, 6, 8, 10, 12, 14), 7: counted(1, 3, 4)} {
		if s := c.Series[i]; s.Y[2] != want {
			t.Errorf("%s: %v, want %v", s.Name, s.Y, want)
		}
	}
	if s := c.Series[9]; s.X[1] != 4 { // in the same intervals as the data
		t.Errorf("%v", s.X)
	}
	if got := v.Undrawn(m); !slices.Equal(got, []string{"ill is not shown"}) {
		t.Errorf("%q", got)
	}
	per := drawn(t, View{Data: d, Show: []string{"infection"}, Per: 100}, r).(plot.Chart)
	if got, want := per.Series[2].Y[0], 100/r.In(0).Total().Median[0]; got != want {
		t.Errorf("%g per 100, want %g", got, want)
	}
	// In panels.
	v = View{Panels: "region", Data: d}
	ps := drawn(t, v, r).(plot.Panels)
	if len(ps.Charts) != 2 || ps.Charts[0].Title != "a" || ps.Charts[1].Title != "b" || !strings.HasSuffix(ps.Note,
		"what is observed of them, without errors of observation; of c, d and e there are no data") {
		t.Fatalf("%d: %s", len(ps.Charts), ps.Note)
	}
	for i, c := range ps.Charts {
		if got := names(c); !slices.Equal(got, []string{"infection, as observed", "infection (data)"}) {
			t.Errorf("%q", got)
		}
		if got, want := c.Series[0].Y[2], counted([]float64{1, 0.5}[i], i); got != want {
			t.Errorf("%s: %g, want %g", c.Title, got, want)
		}
		if got, want := c.Series[1].Y, d.Columns[i].Values; !slices.Equal(got, want) {
			t.Errorf("%s: %g, want %g", c.Title, got, want)
		}
	}
	if got := v.Undrawn(m); !slices.Equal(got, []string{"old is of age=old, which is not the group of a panel",
		"cde is of region=d|e, which is not the group of a panel", "ill is of everybody, and panels are of groups"}) {
		t.Errorf("%q", got)
	}
	// Without shares that are observed, groups without data have a line, too.
	d.Columns = slices.Delete(d.Columns, 1, 2)
	if ps := drawn(t, v, r).(plot.Panels); len(ps.Charts) != 5 || len(ps.Charts[1].Series) != 1 ||
		ps.Charts[1].Series[0].Y[2] != counted(1, 1) {
		t.Errorf("%+v", ps)
	}
	// Data of a name are drawn, also if a flow that counts the same is shown.
	v.Show = []string{"flows"}
	if c := drawn(t, v, r).(plot.Panels).Charts[0]; !slices.Equal(names(c), []string{"ill → immune (recovery)",
		"ill → dead", "infection", "infection (data)"}) {
		t.Errorf("%q", names(c))
	}
	none, _ := ran(t, strings.Replace(viewed, ", by: [region, [region, age]]", "", 1), 1)
	d, err = ReadData("d.csv", []byte("time,ca\n4,1\n"), none, []Match{at("ca", "region", "a")})
	if err != nil {
		t.Fatal(err)
	}
	if err := (View{Data: d}).Check(none); err == nil || err.Error() != "d.csv: nothing of it can be drawn: ca is of "+
		"region=a, by which the model does not record; write record: {by: [region]}" {
		t.Error(err)
	}
}

// A survey is drawn as the share that it would find positive, from one survey to the next, over the
// share of the data; what is seen is counted in each interval; a value has an axis of its own.
func TestViewDataOfObservations(t *testing.T) {
	// At day 5 300 more come into i.
	const model = `name: observed
time: {unit: day, start: 0, end: 20}
population: {size: 1000, start: {i: 100, s: rest}}
attributes: {region: {a: 50%, b: rest}}
states: {s: {}, i: {}}
interventions: [{at: 5 days, who: s, to: i, count: 300, name: arrival}]
observe:
  survey: {at: 0 days, every: 8 days, count: 50, chance: {by: state, s: 10%, i: 60%}}
  ill: {at: 8 days, every: 100 days, count: 10, where: {region: a}, chance: {by: state, s: 0%, i: 100%}}
  late: {at: 4 days, chance: 50%, after: 1 day}
  cases: {of: arrival}
record: {every: 1 day, by: [region], values: {half: count(i) / 2}}
`
	m, r := ran(t, model, 3)
	of := func(column, kind, of, tested string) Match {
		return Match{Match: modelfit.Match{Column: column, Kind: kind, Of: of, Tested: tested}}
	}
	matches := []Match{of("pos", "survey", "survey", "n"), of("found", "seen", "survey", ""),
		of("slow", "survey", "late", "n"), of("c", "seen", "cases", ""), of("h", "value", "half", "")}
	read := func(table string) (*Data, error) { return ReadData("d.csv", []byte(table), m, matches) }
	d, err := read("time,pos,n,found,slow,c,h\n4,10,40,1,2,3,40\n8,NA,50,4,5,6,190\n16,0,0,7,NA,9,\n")
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Unused) > 0 || len(d.Columns) != 5 {
		t.Fatalf("%+v", d)
	}
	v := View{Data: d, Per: 10}
	ps := drawn(t, v, r).(plot.Panels)
	var titles []string
	for _, c := range ps.Charts {
		titles = append(titles, c.Title+", "+c.YLabel+", "+c.Note)
	}
	if got, want := strings.Join(titles, "\n"), `survey: share positive, share positive, points: pos of n (data)
survey: positive, per 10 individuals, in each interval, points: found (data)
cases, per 10 individuals, in each interval, points: c (data)
half, half, points: h (data)`; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if !strings.HasSuffix(ps.Note, "; share positive: the mean chance of those whom a survey could ask, without the "+
		"scatter of tests") {
		t.Error(ps.Note)
	}
	// 100 and then 400 of 1000 are in i: 10% + 50% of these, in every replica.
	share := ps.Charts[0].Series
	if len(share[0].X) != 3 || share[0].X[2] != 16 {
		t.Fatalf("%v", share[0].X)
	}
	for k, want := range []float64{0.15, 0.3, 0.3} {
		for _, got := range []float64{share[0].Y[k], share[0].Low[k], share[0].High[k]} {
			if math.Abs(got-want) > 1e-9 {
				t.Errorf("survey %d: %g, want %g", k, got, want)
			}
		}
	}
	if fmt.Sprint(share[1].X, share[1].Y) != "[4] [0.25]" {
		t.Errorf("%+v", share[1])
	}
	found := ps.Charts[1].Series[0]
	var counts []float64
	for i := range r.Runs {
		counts = append(counts, float64(r.Runs[i].Seen(8, 0)-r.Runs[i].Seen(4, 0))/100)
	}
	slices.Sort(counts)
	if found.Y[2] != counts[1] || ps.Charts[2].Series[0].Y[2] != 3 || ps.Charts[3].Series[0].Y[8] != 200 {
		t.Errorf("%v, want %v; %v; %v", found.Y, counts, ps.Charts[2].Series[0].Y, ps.Charts[3].Series[0].Y)
	}
	if got := v.Undrawn(m); !slices.Equal(got, []string{"slow is of late, which " + resultsLater}) {
		t.Errorf("%q", got)
	}
	// By name: surveys share an axis, and one that asks once is a mark unlike data.
	c := drawn(t, View{Show: []string{"survey", "ill"}}, r).(plot.Chart)
	var in []float64 // the share of those of region a
	for i := range r.Runs {
		in = append(in, float64(r.Runs[i].In(0).Count(8, 1))/float64(r.Runs[i].In(0).Total(8)))
	}
	slices.Sort(in)
	if s := c.Series[1]; s.Name != "ill: share positive" || !s.Triangles || c.Series[0].Triangles ||
		fmt.Sprint(s.X) != "[8]" || math.Abs(s.Y[0]-in[1]) > 1e-9 {
		t.Errorf("%+v, want %g", s, in[1])
	}
	byRegion := drawn(t, View{Show: []string{"survey"}, Panels: "region"}, r).(plot.Panels)
	if s := byRegion.Charts[0].Series[0]; len(s.X) != 3 || !(s.Y[0] > 0.1 && s.Y[0] < 0.2) {
		t.Errorf("%+v", s)
	}
	for _, refused := range []struct {
		v    View
		want string
	}{
		{View{Show: []string{"late"}}, "late " + resultsLater},
		{View{Show: []string{"survei"}}, `did you mean "survey"?`},
		{View{Show: []string{"half"}, Panels: "region"}, "half is of everybody"},
		{View{Show: []string{"survey", "i"}, Panels: "region"}, "show only one of these"},
	} {
		if err := refused.v.Check(m); err == nil || !strings.Contains(err.Error(), refused.want) {
			t.Errorf("%v: %v, want %s", refused.v.Show, err, refused.want)
		}
	}
	for table, want := range map[string]string{
		"time,pos\n4,1\n":        "d.csv:1: pos is of n, and there is no column of that name",
		"time,pos,n\n4,5,4\n":    "d.csv:2: pos: 5 of 4; expected a number from 0 to how many were tested",
		"time,pos,n\n4,1,many\n": `d.csv:2: n: "many" is not a number`,
	} {
		if _, err := read(table); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", table, err, want)
		}
	}
	// Without a match a column of the name of a survey has shares.
	d, err = ReadData("d.csv", []byte("time,survey,cases\n4,0.2,3\n"), m, nil)
	if err != nil || d.Columns[0].Values[0] != 0.2 || len(d.Columns) != 2 {
		t.Errorf("%+v, %v", d, err)
	}
}
