package page

import (
	"io"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/pictures"
	"github.com/almanac-sim/almanac/page/internal/figure"
	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/population/results"
)

// aboutTables says what the files of a run are, by their names without the format.
var aboutTables = map[string]string{
	"summary":  "everything, as almanac run --json prints it",
	"series":   "how many were in each state, by replica and time",
	"flows":    "how many went each way, by replica and time",
	"outcomes": "what each outcome has accrued, by replica and time",
	"supplies": "how much of each supply there was",
	"places":   "how many places of each kind there were, and who was in them",
	"networks": "how many links there were in each network",
	"values":   "values of the whole population, by replica and time",
	"observed": "what was seen by each observation, by replica and time",
	"tree":     "who infected whom, and when",
	"people":   "a line list: everybody, with what happened to them",
	"events":   "what happened to whom, and when",
}

// A resultTable is a table of a run, and how it is written.
type resultTable struct {
	name  string
	write func(io.Writer, results.Format, *population.Result) error
}

// tablesOf are the tables that a run of a model has in memory. Those of individuals (tree, people
// and events) are written by the command while it runs.
func tablesOf(m *population.Model) (all []resultTable) {
	for _, t := range []struct {
		has bool
		resultTable
	}{
		{true, resultTable{"series", results.WriteSeries}},
		{true, resultTable{"flows", results.WriteFlows}},
		{len(m.Outcomes()) > 0, resultTable{"outcomes", results.WriteOutcomes}},
		{len(m.Supplies()) > 0, resultTable{"supplies", results.WriteSupplies}},
		{len(m.Places()) > 0, resultTable{"places", results.WritePlaces}},
		{len(m.Networks()) > 0, resultTable{"networks", results.WriteNetworks}},
		{len(m.Values()) > 0, resultTable{"values", results.WriteValues}},
		{len(m.Observations()) > 0, resultTable{"observed", results.WriteObserved}},
	} {
		if t.has {
			all = append(all, t.resultTable)
		}
	}
	return all
}

// tableFiles are the files of tables that a directory of a run may have.
func tableFiles() (all []knownFile) {
	for _, name := range []string{"series", "flows", "outcomes", "supplies", "places", "networks", "values", "observed",
		"tree", "people", "events"} {
		for _, format := range results.Formats() {
			all = append(all, knownFile{name + "." + string(format), aboutTables[name]})
		}
	}
	return all
}

// Larger tables by group are not shown, as the command does not print them.
const (
	maxTableStates = 8
	maxTableGroups = 20
)

// groupTables have how many of each group are in each state at a row, in the mean over the
// replicas.
func groupTables(r *population.Result, last int) (all []figure.Table) {
	states, groups := r.Model.States(), r.Model.Groups()
	if len(states) > maxTableStates {
		return nil
	}
	for _, by := range pictures.Groupings(r.Model) {
		if len(by.Groups) > maxTableGroups {
			continue
		}
		t := figure.Table{Caption: "By " + strings.ReplaceAll(by.Name, ",", " and ") + ", at the end",
			Head: slices.Concat([]string{"group"}, states, []string{"total"})}
		for _, g := range by.Groups {
			part := r.In(g)
			row := []string{strings.Join(groups[g].Values, ", ")}
			for s := range states {
				row = append(row, figure.Short(part.State(s).Mean[last]))
			}
			t.Rows = append(t.Rows, append(row, figure.Short(part.Total().Mean[last])))
		}
		all = append(all, t)
	}
	return all
}
