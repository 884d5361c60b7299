package pictures

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/population"
)

const machined = `name: machined
time: {unit: day, start: 2020-03-01, end: 20}
population: {size: 1000, start: {ill: 100, well: rest}}
attributes: {region: {a: 50%, b: rest}}
states: {well: {}, ill: {race: [{rate: 0.2 per day, to: well}]}}
machines:
  hiv:
    start: {early: 10%, negative: rest}
    states: {negative: {}, early: {race: [{rate: 0.1 per day, to: late, name: progress}]}, late: {}, never: {}}
  care:
    start: {none: rest}
    states: {none: {race: [{rate: 0.3 per day, to: treated, where: {hiv: late}}]}, treated: {}}
record: {every: 1 day, by: [region, hiv]}
`

// TestViewOfMachines checks what names of machines and of their states show: a state is a line, a
// machine is a chart of its states, which add up to the total, and the word states has a panel for
// the states and one for each machine.
func TestViewOfMachines(t *testing.T) {
	m, r := ran(t, machined, 1)
	one := drawn(t, View{Show: []string{"hiv=early", "care=treated"}}, r).(plot.Chart)
	if got := names(one); !slices.Equal(got, []string{"hiv=early", "care=treated"}) {
		t.Errorf("two states are %v", got)
	}
	if want := r.State(slices.Index(m.Counted(), "hiv=early")).Median; !slices.Equal(one.Series[0].Y, want) {
		t.Errorf("hiv=early is %v, not %v", one.Series[0].Y, want)
	}
	hiv := drawn(t, View{Show: []string{"hiv"}}, r).(plot.Chart)
	if got := names(hiv); !slices.Equal(got, []string{"negative", "early", "late"}) || hiv.Title != "machined: hiv" ||
		!strings.HasSuffix(hiv.Note, "without hiv=never, which is always 0") {
		t.Errorf("hiv is %v, %s, %s", got, hiv.Title, hiv.Note)
	}
	for _, show := range [][]string{nil, {"states"}} {
		all := drawn(t, View{Show: show}, r).(plot.Panels)
		var titles []string
		for _, c := range all.Charts {
			titles = append(titles, c.Title)
			for row, total := range r.Total().Median {
				sum := 0.0
				for _, s := range c.Series {
					sum += s.Y[row]
				}
				if sum != total {
					t.Errorf("%s adds up to %g, not %g", c.Title, sum, total)
				}
			}
		}
		if !slices.Equal(titles, []string{"states", "hiv", "care"}) || !all.Listed {
			t.Errorf("the panels are %v", titles)
		}
	}
	// In a panel for each group there are states only, unless machines are named.
	groups := drawn(t, View{Panels: "hiv"}, r).(plot.Panels)
	if got := names(groups.Charts[0]); !slices.Equal(got, []string{"well", "ill"}) {
		t.Errorf("a group has %v", got)
	}
	groups = drawn(t, View{Panels: "region", Show: []string{"care"}}, r).(plot.Panels)
	if got := names(groups.Charts[1]); !slices.Equal(got, []string{"care=none", "care=treated"}) {
		t.Errorf("a region has %v", got)
	}
	flows := drawn(t, View{Show: []string{"hiv=early->late"}, Per: 1000}, r).(plot.Chart)
	if got := names(flows); !slices.Equal(got, []string{"hiv=early → late"}) {
		t.Errorf("a flow is %v", got)
	}
	for show, want := range map[string]string{
		"hiv=erly": `did you mean "hiv=early"?`, "hivv": `did you mean "hiv"?`,
		"nothing": "it has well, ill, hiv=negative, hiv=early, hiv=late, hiv=never, care=none, care=treated, ",
	} {
		if err := (View{Show: []string{show}}).Check(m); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", show, err)
		}
	}
}

// TestChartsOfMachines checks the charts of machines of a run, and that they are saved.
func TestChartsOfMachines(t *testing.T) {
	_, r := ran(t, machined, 3)
	all := Machines(r, 2)
	if len(all) != 2 || all[0].Name != "hiv" || all[1].Name != "care" {
		t.Fatalf("there are %d charts", len(all))
	}
	c := all[0].Chart
	if got := names(c); !slices.Equal(got, []string{"negative", "early"}) || c.Dates == nil ||
		!strings.HasPrefix(c.Note, "the first 2 of 3 states; ") ||
		!strings.HasSuffix(c.Note, "without never, which is always 0") {
		t.Errorf("%v: %s", got, c.Note)
	}
	per := MachinesPer(r, 9, 100)[1].Chart
	if y := per.Series[0].Y[0] + per.Series[1].Y[0]; y != 100 || per.YLabel != "per 100 individuals" {
		t.Errorf("of 100 individuals %g have a state of care; %s", y, per.YLabel)
	}
	titles := func(by string) (all []string) {
		k := slices.IndexFunc(Groupings(r.Model), func(g Grouping) bool { return g.Name == by })
		states, _ := Groups(r, Groupings(r.Model)[k])
		for _, c := range states.Charts {
			all = append(all, c.Title)
		}
		return all
	}
	if got := titles("region"); !slices.Equal(got, []string{"well", "ill", "hiv=negative", "hiv=early", "hiv=late",
		"care=none", "care=treated"}) {
		t.Errorf("charts by region are of %v", got)
	}
	if got := titles("hiv"); !slices.Equal(got, []string{"well", "ill", "care=none", "care=treated"}) {
		t.Errorf("charts by hiv are of %v", got)
	}
	dir := t.TempDir()
	if err := Save(dir, r); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"states.svg", "machine-hiv.svg", "machine-hiv.png", "machine-care.svg",
		"machine-care.png"} {
		if _, err := os.Stat(filepath.Join(dir, file)); err != nil {
			t.Error(err)
		}
	}
}

// TestMachineOfAnEmptyPopulation checks that a chart has its states if there is nobody in any.
func TestMachineOfAnEmptyPopulation(t *testing.T) {
	text := strings.NewReplacer("size: 1000", "size: 0", "ill: 100", "ill: 0").Replace(machined)
	if _, err := population.Compile("m.yaml", []byte(text)); err != nil {
		t.Skip(err)
	}
	_, r := ran(t, text, 1)
	if got := names(Machines(r, 9)[1].Chart); !slices.Equal(got, []string{"none", "treated"}) {
		t.Errorf("the chart has %v", got)
	}
}
