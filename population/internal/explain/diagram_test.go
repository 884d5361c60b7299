package explain

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/population/internal/compile"
	"github.com/almanac-sim/almanac/population/internal/diagram"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// TestDiagramShowsVaryingShareAsZero checks that a share that varies with time is not labelled 0%.
func TestDiagramShowsVaryingShareAsZero(t *testing.T) {
	m := compiled(t, "../../testdata/each.yaml")
	d, err := Diagram(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	if svg := d.SVG(); !bytes.Contains(svg, []byte(">by time births<")) || bytes.Contains(svg, []byte(">0% ")) {
		t.Error("the diagram has not that a share changes with time")
	}
}

// TestDiagramHasAFrameForEachMachine reads the arrows of each frame of a model with machines: own
// clocks, contacts, moves by the clocks and interventions of the rest of the file, and entrances.
func TestDiagramHasAFrameForEachMachine(t *testing.T) {
	m := compiled(t, "../../testdata/machines.yaml")
	for i, of := range []struct {
		name string
		has  []string
		not  []string
	}{
		{"machine hiv", []string{
			"negative -> acute: hiv infection", // by contact
			"positive -> positive: hiv infection", "acute -> positive: by care seroconversion", "acute -> acute: 10% by state",
			"positive -> out: death of hiv", "negative -> acute: 2 days", // a move of a clock of a state
			"acute -> positive: 30% day 4", "negative -> acute: contact", // a table of moves
			"out -> positive: 30% birth", "out -> negative: births", "out -> acute: by region immigration",
		}, []string{"out -> acute: births", "negative -> out: death"}},
		{"machine care", []string{
			"none -> treated: 0.3 per day if hiv positive or acute", "treated -> tested: test",
			"treated -> none: tired", // a move of another machine
			"treated -> out: visit", "none -> tested: campaign", "none -> treated: treat", "tested -> none: comfort",
			"out -> none: guests", "out -> tested: immigration", "out -> treated: birth",
		}, []string{"none -> none: tired"}},
	} {
		g := machineGraph(m, i)
		if g.Title != of.name {
			t.Errorf("frame %d is %q, not %q", i, g.Title, of.name)
		}
		name := func(node int) string {
			if node == diagram.Outside {
				return "out"
			}
			return g.Nodes[node].Name
		}
		seen := map[string]int{}
		for _, e := range g.Edges {
			seen[name(e.From)+" -> "+name(e.To)+": "+e.Label]++
		}
		for _, want := range of.has {
			if seen[want] != 1 {
				t.Errorf("%s has %d arrows %q, not one; it has %v", of.name, seen[want], want, seen)
			}
		}
		for _, wrong := range of.not {
			if seen[wrong] != 0 {
				t.Errorf("%s has an arrow %q", of.name, wrong)
			}
		}
	}
	d, err := Diagram(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	for _, heading := range []string{">machines<", ">states<", ">machine hiv<", ">machine care<", ">9 at the start<"} {
		if !bytes.Contains(d.SVG(), []byte(heading)) {
			t.Errorf("the drawing lacks %s", heading)
		}
	}
	states, machines := len(Ways(m)), len(machineGraph(m, 0).Edges)+len(machineGraph(m, 1).Edges)
	if got := WayCount(m); got != states+machines {
		t.Errorf("%d ways, of which %d are of states and %d of machines", got, states, machines)
	}
}

// TestLongConditionsAreShortInLabels checks that a label names only what a long condition is about.
func TestLongConditionsAreShortInLabels(t *testing.T) {
	w := machineList(compiled(t, "../../testdata/machines.yaml"), 1)
	where := func(machine string, values ...string) (w []syntax.Where) {
		one := syntax.Where{Attribute: syntax.Ref{Name: machine}}
		for _, v := range values {
			one.Values = append(one.Values, syntax.Ref{Name: v})
		}
		return append(w, one)
	}
	for want, conditions := range map[string][]syntax.Where{
		"":                          where("home", "north"), // no machine
		" if hiv positive or acute": where("hiv", "positive", "acute"),
		", by hiv, state": append(where("hiv", "positive", "acute", "negative"),
			where("state", "ill")...),
	} {
		if got := w.onlyIf(conditions); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}

// TestModelWithMachinesIsExplained checks a clock of always with conditions on machines and on the
// state, for which nobody knows the shares of those who enter.
func TestModelWithMachinesIsExplained(t *testing.T) {
	if text := Model(compiled(t, "../../testdata/machines.yaml")); !strings.Contains(text, "[campaign]") {
		t.Errorf("the clock is not explained:\n%s", text)
	}
}

func compiled(t *testing.T, file string) *compile.Model {
	t.Helper()
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := compile.Text(filepath.Base(file), source, syntax.Changes{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}
