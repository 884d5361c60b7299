package fitted

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/fit"
	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/plot"
)

// Draw draws pictures of the fit into a directory, under the names marginals, pairs, predictive and
// trace: of the sample, if the method gives one, of what the model then says of the data, and of
// how the fit went.
func (p *Fit) Draw(dir string) error {
	var predictive interface{ Save(path string) error }
	ps := p.Predictions()
	if predictive = ps; len(ps.Charts) == 1 {
		c := ps.Charts[0]
		c.YLabel, c.Title, c.Note = c.Title, ps.Title, ps.Note
		predictive = c
	}
	return errors.Join(plot.SaveBoth(dir, "marginals", p.Marginals()), plot.SaveBoth(dir, "pairs", p.Pairs()),
		plot.SaveBoth(dir, "predictive", predictive), plot.SaveBoth(dir, "trace", p.Traces()))
}

// mostUnknowns is how many unknowns, and mostPairs how many pairs of them, are drawn.
const (
	mostUnknowns = 24
	mostPairs    = 15
)

// Marginals are histograms of the posterior of each unknown, with the prior density as a dashed
// line.
func (p *Fit) Marginals() plot.Panels {
	ps := plot.Panels{Title: p.Model, Common: true}
	if len(p.Result.Posterior.Rows) == 0 {
		return ps
	}
	ps.Note = fmt.Sprintf("%s, effective size %.0f", format.Count(len(p.Result.Posterior.Rows), "draw"),
		p.Result.Effective())
	for j, u := range p.Result.Unknowns[:min(mostUnknowns, len(p.Result.Unknowns))] {
		after, before := marginal(u.Prior, &p.Result.Posterior, j, p.Result.Effective())
		ps.Charts = append(ps.Charts, plot.Chart{Title: u.Name, Note: "prior: " + u.Prior.String(), XLabel: u.Unit,
			FromZero: true, Series: []plot.Series{after, before}})
	}
	if n := len(p.Result.Unknowns); n > mostUnknowns {
		ps.Note += fmt.Sprintf("; the first %d of %d", mostUnknowns, n)
	}
	return ps
}

// marginal is a histogram of the j-th unknown, and the density of its prior around there: as far
// again as the sample reaches to each side, so that of a sample that is narrow more than a line is
// seen.
func marginal(prior fit.Prior, q *fit.Posterior, j int, effective float64) (after, before plot.Series) {
	least, most := math.Inf(1), math.Inf(-1)
	for i, row := range q.Rows {
		if q.Weights[i] > 0 {
			least, most = min(least, row[j]), max(most, row[j])
		}
	}
	// Of a few draws in a thousand in the tails there is nothing to be seen.
	ends := q.Quantiles(j, 0.002, 0.998)
	least, most = max(least, ends[0]), min(most, ends[1])
	// As many bars as a sample of this size can fill (Rice's rule).
	bars := math.Min(math.Max(math.Ceil(2*detmath.Cbrt(effective)), 5), 40)
	width := (most - least) / bars
	switch {
	case prior.IsWhole():
		least, most = math.Floor(least), math.Ceil(most)
		width = math.Max(1, math.Ceil((most-least+1)/bars))
		least, most = least-0.5, float64(math.Ceil((most-least+1)/width)*width)+least-0.5
	case !(most-least > 1e-9*math.Max(math.Abs(least), math.Abs(most))): // all draws are equal
		width = math.Max((prior.Quantile(0.75)-prior.Quantile(0.25))/20, 1e-6*math.Abs(least))
		least, most = least-float64(width/2), least+float64(width/2)
	}
	heights := make([]float64, int(math.Max(1, math.Round((most-least)/width))))
	for i, row := range q.Rows {
		if k := int(math.Floor((row[j] - least) / width)); k >= 0 && k < len(heights) || row[j] == most {
			heights[min(k, len(heights)-1)] += q.Weights[i] / width
		}
	}
	after = plot.Series{Name: "posterior", Bars: width, Y: heights}
	for k := range heights {
		after.X = append(after.X, least+float64((float64(k)+0.5)*width))
	}
	before = plot.Series{Name: "prior", Dashed: true}
	low, high := prior.Support()
	low, high = math.Max(low, least-(most-least)), math.Min(high, most+(most-least))
	// A density may be without bound at an end of the range.
	ceiling := 3 * slices.Max(heights)
	if prior.IsWhole() {
		step := math.Max(1, math.Ceil((high-low)/400))
		for x := math.Ceil(low); x <= high; x += step {
			before.Add(x, math.Min(detmath.Exp(prior.LogDensity(x)), ceiling))
		}
		return after, before
	}
	const pieces = 200
	for k := range pieces {
		x := low + float64((float64(k)+0.5)/pieces*(high-low))
		before.Add(x, math.Min(detmath.Exp(prior.LogDensity(x)), ceiling))
	}
	return after, before
}

// Pairs are scatter plots of pairs of unknowns.
func (p *Fit) Pairs() plot.Panels {
	q, unknowns := &p.Result.Posterior, p.Result.Unknowns
	ps := plot.Panels{Title: p.Model, Common: true, Note: "the unknowns given the data, two by two"}
	if len(q.Rows) == 0 {
		return ps
	}
	type pair struct {
		a, b        int
		correlation float64
	}
	var pairs []pair
	for b := range unknowns {
		for a := range b {
			pairs = append(pairs, pair{a, b, q.Correlation(a, b)})
		}
	}
	if n := len(pairs); n > mostPairs {
		slices.SortStableFunc(pairs, func(x, y pair) int {
			switch a, b := math.Abs(x.correlation), math.Abs(y.correlation); {
			case a > b:
				return -1
			case a < b:
				return 1
			}
			return 0
		})
		pairs = pairs[:mostPairs]
		ps.Note += fmt.Sprintf("; of %d pairs, the %d with the strongest correlations", n, mostPairs)
	}
	title := func(u fit.Unknown) string {
		if u.Unit == "" {
			return u.Name
		}
		return u.Name + ", " + u.Unit
	}
	rows := evenly(q.Weights, 300)
	for _, pair := range pairs {
		s := plot.Series{Points: true}
		for _, i := range rows {
			s.Add(q.Rows[i][pair.a], q.Rows[i][pair.b])
		}
		ps.Charts = append(ps.Charts, plot.Chart{XLabel: title(unknowns[pair.a]), YLabel: title(unknowns[pair.b]),
			Note:   "correlation " + strings.Replace(fmt.Sprintf("%+.2f", pair.correlation), "-", "−", 1),
			Series: []plot.Series{s}})
	}
	return ps
}

// evenly resamples at most n draws of a weighted sample systematically, and returns their distinct
// indices.
func evenly(weights []float64, n int) (places []int) {
	sum, taken := 0.0, 0
	for i, w := range weights {
		sum += w
		if due := int(math.Floor(float64(sum*float64(n)) + 0.5)); due > taken {
			taken = due
			places = append(places, i)
		}
	}
	return places
}

// Predictions are the columns of the data, over what the model says of them with what the fit
// found.
func (p *Fit) Predictions() plot.Panels {
	what := "from the posterior"
	if len(p.Result.Posterior.Rows) == 0 {
		what = "at the best point"
	}
	ps := plot.Panels{Title: p.Model, Common: true}
	if p.Predictive == nil {
		return ps
	}
	ps.Note = fmt.Sprintf("reports in %s %s; line: median; bands: middle 50 and 90 %%", format.Count(p.Predictive.Runs,
		"run"), what)
	times := p.Data.Times
	if len(times) == 1 { // a band needs a width
		times = []float64{times[0] - 0.5, times[0] + 0.5}
	}
	for i, column := range p.Predictive.Columns {
		of := func(share int) (y []float64) {
			for _, row := range column.Reports {
				y = append(y, row[share])
			}
			if len(y) == 1 {
				y = append(y, y[0])
			}
			return y
		}
		wide := plot.Series{Name: "predicted", X: times, Y: of(2), Low: of(0), High: of(4), Unmarked: true}
		narrow := plot.Series{X: times, Y: of(2), Low: of(1), High: of(3), Unmarked: true, Same: true}
		data := plot.Series{Name: "data", Data: true}
		for row, y := range p.Data.Columns[i].Values {
			if y != nil {
				data.Add(p.Data.Times[row], *y)
			}
		}
		ps.Charts = append(ps.Charts, plot.Chart{Title: column.Name, Note: fmt.Sprintf("%d of %d within 90 %%", column.Inside,
			column.Seen), XLabel: p.TimeLabel, Dates: p.Dates,
			FromZero: true, Headroom: true, Series: []plot.Series{wide, narrow, data}})
	}
	return ps
}

// A tracePanel is a column of the trace, and how it is drawn.
type tracePanel struct {
	column, title string
	log           bool
	zero          bool // the axis begins at 0
}

// tracePanels are the trace columns that are drawn, by method.
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

// Traces are charts of the progress of the fit: its chains, if it has some, and quantities of the
// method over the runs.
func (p *Fit) Traces() plot.Panels {
	ps := plot.Panels{Title: p.Model, Common: true, Note: fmt.Sprintf("how the fit by %s went, over runs of the model",
		p.Result.Method)}
	if p.Result.Chains != nil {
		ps.Note = fmt.Sprintf("%d chains after their warm-up, and how the fit by %s went, over runs of the model",
			p.Result.Chains.Count, p.Result.Method)
		ps.Charts = p.chainCharts()
	}
	trace := p.Result.Trace
	runs := slices.Index(trace.Names, "runs")
	for _, panel := range tracePanels[p.Result.Method] {
		s := plot.Series{}
		column := slices.Index(trace.Names, panel.column)
		for _, row := range trace.Rows {
			if runs >= 0 && column >= 0 && !math.IsNaN(row[column]) && !math.IsInf(row[column], 0) &&
				(row[column] > 0 || !panel.log) {
				s.Add(row[runs], row[column])
			}
		}
		if len(s.X) > 0 && (panel.column != "particles" || slices.Max(s.Y) > 0) {
			ps.Charts = append(ps.Charts, plot.Chart{Title: panel.title, XLabel: "runs", FromZeroX: true,
				UpToX: trace.Rows[len(trace.Rows)-1][runs], LogY: panel.log, FromZero: panel.zero, Headroom: panel.zero,
				Series: []plot.Series{s}})
		}
	}
	return ps
}

// mostChains is how many unknowns' chains are drawn, and chainPoints how many states of each.
const (
	mostChains  = 9
	chainPoints = 150
)

// chainCharts are where the chains were, unknown by unknown: of more than can be drawn, those on
// which they agree least. The sample has its rows by step, and for each step one for each chain.
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
		c := plot.Chart{Title: u.Name, Note: fmt.Sprintf("R-hat %.3f, effective size %.0f", chains.RHat[j], chains.Bulk[j]),
			XLabel: "step", YLabel: u.Unit}
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
