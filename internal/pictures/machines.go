package pictures

import (
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/population"
)

// A MachineChart is a chart of the states of a machine, which add up to the total.
type MachineChart struct {
	Name  string // of the machine
	Chart plot.Chart
}

// Machines has a chart for each machine of a model, of at most most of its states.
func Machines(r *population.Result, most int) []MachineChart { return MachinesPer(r, most, 0) }

// MachinesPer is Machines with numbers per so many of the living; 0 means counts.
func MachinesPer(r *population.Result, most int, per float64) (all []MachineChart) {
	for _, machine := range r.Model.Machines() {
		of := short(ofMachine(r.Model, machine))
		all = append(all, MachineChart{machine, statesChart(r, title(r)+": "+machine, of, most, per)})
	}
	return all
}

// ofMachine lists the states of a machine.
func ofMachine(m *population.Model, machine string) (all []quantity) {
	counted := m.Counted()
	for _, i := range machineStates(m, machine) {
		all = append(all, quantity{kind: state, index: i, name: counted[i], part: machine})
	}
	return all
}

// otherMachines lists the states of the machines that groups are not by.
func otherMachines(m *population.Model, by []string) (all []quantity) {
	for _, machine := range m.Machines() {
		if !slices.Contains(by, machine) {
			all = append(all, ofMachine(m, machine)...)
		}
	}
	return all
}

// machineStates returns the numbers of the states of a machine among all that are counted. Before
// them are those of the section states, so that a state cannot be mistaken for one.
func machineStates(m *population.Model, machine string) (all []int) {
	counted := m.Counted()
	for i := len(m.States()); i < len(counted); i++ {
		if strings.HasPrefix(counted[i], machine+"=") {
			all = append(all, i)
		}
	}
	return all
}

// short are states of machines by the names that they have there.
func short(all []quantity) []quantity {
	all = slices.Clone(all)
	for i, q := range all {
		all[i].name = strings.TrimPrefix(q.name, q.part+"=")
	}
	return all
}

// A part is states that are shown together.
type part struct {
	name   string
	states []int
}

// parts are what the word states means: the states, and those of each machine. If each group has a
// panel, they are the states only.
func (v View) parts(m *population.Model) []part {
	states := part{name: "states"}
	for i := range m.States() {
		states.states = append(states.states, i)
	}
	all := []part{states}
	if v.Panels == "" {
		for _, machine := range m.Machines() {
			all = append(all, part{machine, machineStates(m, machine)})
		}
	}
	return all
}

// partsOf lists the parts of some quantities.
func partsOf(all []quantity) (parts []string) {
	for _, q := range all {
		if q.part != "" && !slices.Contains(parts, q.part) {
			parts = append(parts, q.part)
		}
	}
	return parts
}

// unlike reports whether a quantity is not of a part.
func unlike(part string) func(quantity) bool {
	return func(q quantity) bool { return q.part != part }
}

// machines has a panel for each part, whose states add up to the total. What belongs to none is in
// the first panel.
func (v View) machines(r *population.Result, all []quantity, heading, note string) plot.Panels {
	ps := plot.Panels{Title: heading, Note: note, Listed: true}
	for i, part := range partsOf(all) {
		some := slices.DeleteFunc(slices.Clone(all), func(q quantity) bool {
			return q.part != part && (i > 0 || q.part != "")
		})
		c := v.chart(r, some)
		c.Title = part
		for k := range c.Series {
			c.Series[k].Unmarked = true
		}
		ps.Charts = append(ps.Charts, c)
	}
	return ps
}
