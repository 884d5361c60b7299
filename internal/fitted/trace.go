package fitted

import (
	"fmt"
	"math"
	"slices"

	"github.com/almanac-sim/almanac/internal/plot"
)

// A tracePanel is a column of the trace, and how it is drawn.
type tracePanel struct {
	column, title string
	log           bool
	zero          bool // the axis begins at 0
}

// tracePanels are what is drawn of how a fit went, by method.
var tracePanels = map[string][]tracePanel{
	"abc": {
		{"threshold", "threshold of the distance", true, false},
		{"power", "power of the likelihood", false, true},
		{"effective", "effective sample size", false, true},
		{"particles", "particles", false, true},
	},
	"anneal": {
		{"temperature", "temperature", true, false},
		{"mean misfit", "mean misfit of the chains", false, false},
		{"least misfit", "least misfit", false, false},
		{"acceptance", "steps accepted, share", false, true},
	},
	"search": {
		{"least misfit", "least misfit of each generation", false, false},
		{"spread", "spread of the points", true, false},
		{"runs per point", "runs for each point", false, true},
	},
	"random": {{"least misfit", "least misfit", false, false}},
	"pmmh": {
		{"log likelihood", "log likelihood, mean of the chains", false, false},
		{"r-hat", "largest R-hat", false, false},
		{"effective size", "least effective sample size", false, true},
	},
}

// Traces are how the fit went: its chains, if it has some, and what the method tells of its steps, over the runs that were made.
func (p *Fit) Traces() plot.Panels {
	ps := plot.Panels{Title: p.Model, Common: true, Note: fmt.Sprintf("how the fit by %s went, over runs of the model", p.Result.Method)}
	if p.Result.Chains != nil {
		ps.Note = fmt.Sprintf("%d chains after their warm-up, and how the fit by %s went, over runs of the model", p.Result.Chains.Count, p.Result.Method)
		ps.Charts = p.chainCharts()
	}
	trace := p.Result.Trace
	runs := slices.Index(trace.Names, "runs")
	for _, panel := range tracePanels[p.Result.Method] {
		s := plot.Series{}
		column := slices.Index(trace.Names, panel.column)
		for _, row := range trace.Rows {
			if runs >= 0 && column >= 0 && !math.IsNaN(row[column]) && !math.IsInf(row[column], 0) && (row[column] > 0 || !panel.log) {
				s.Add(row[runs], row[column])
			}
		}
		if len(s.X) > 0 && (panel.column != "particles" || slices.Max(s.Y) > 0) {
			ps.Charts = append(ps.Charts, plot.Chart{Title: panel.title, XLabel: "runs", FromZeroX: true, UpToX: trace.Rows[len(trace.Rows)-1][runs], LogY: panel.log, FromZero: panel.zero, Headroom: panel.zero, Series: []plot.Series{s}})
		}
	}
	return ps
}

// mostChains is how many unknowns' chains are drawn, and chainPoints how many states of each.
const (
	mostChains  = 9
	chainPoints = 150
)

// chainCharts are where the chains were, unknown by unknown: of more than can be drawn, those on which they agree least. The sample has its rows by
// step, and for each step one for each chain.
func (p *Fit) chainCharts() (all []plot.Chart) {
	chains, rows := p.Result.Chains, p.Result.Posterior.Rows
	var order []int
	for j := range p.Result.Unknowns {
		order = append(order, j)
	}
	if len(order) > mostChains {
		slices.SortStableFunc(order, func(a, b int) int {
			switch {
			case chains.RHat[a] > chains.RHat[b]:
				return -1
			case chains.RHat[a] < chains.RHat[b]:
				return 1
			}
			return 0
		})
		order = order[:mostChains]
	}
	steps := len(rows) / chains.Count
	every := max(1, (steps+chainPoints-1)/chainPoints)
	for _, j := range order {
		u := p.Result.Unknowns[j]
		c := plot.Chart{Title: u.Name, Note: fmt.Sprintf("R-hat %.3f, effective size %.0f", chains.RHat[j], chains.Bulk[j]), XLabel: "step", YLabel: u.Unit}
		for chain := range chains.Count {
			s := plot.Series{Unmarked: true}
			for step := 0; step < steps; step += every {
				s.Add(float64(step)*float64(chains.Steps)/float64(max(steps, 1)), rows[step*chains.Count+chain][j])
			}
			c.Series = append(c.Series, s)
		}
		all = append(all, c)
	}
	return all
}
