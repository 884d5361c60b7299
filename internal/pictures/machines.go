package pictures

import (
	"strings"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/population"
)

// A MachineChart is a chart of the states of a machine.
type MachineChart struct {
	Name  string // of the machine
	Chart plot.Chart
}

// Machines has a chart for each machine of a model, of at most most of its states.
func Machines(r *population.Result, most int) (all []MachineChart) {
	counted := r.Model.Counted()
	for _, machine := range r.Model.Machines() {
		c := plot.Chart{Title: title(r) + ": " + machine, Note: linesAndBands(r), XLabel: TimeLabel(r.Model),
			YLabel: "individuals", FromZero: true, LegendBeside: true}
		for i, name := range counted {
			state, ok := strings.CutPrefix(name, machine+"=")
			if !ok || len(c.Series) == most {
				continue
			}
			s := overReplicas(r, r.State(i))
			s.Name = state
			c.Series = append(c.Series, s)
		}
		all = append(all, MachineChart{machine, c})
	}
	return all
}
