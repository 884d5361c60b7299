package study

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/plot"
)

// An ICER compares what scenarios cost and gain, replica by replica: incremental cost-effectiveness
// ratios against the first scenario, and how probable it is that a scenario is the best choice.
type ICER struct {
	Cost, Effect string       // the two outcomes
	Scenarios    []string     // the others are compared with the first
	Pairs        [][]costPair // by scenario and replica
}

// A costPair is what a replica cost and gained in a scenario.
type costPair struct{ cost, effect float64 }

// NewICER returns one without replicas, of a text such as cost/qalys.
func NewICER(text string, scenarios []string) *ICER {
	cost, effect, _ := strings.Cut(text, "/")
	return &ICER{Cost: strings.TrimSpace(cost), Effect: strings.TrimSpace(effect), Scenarios: scenarios,
		Pairs: make([][]costPair, len(scenarios))}
}

// Outputs are the outputs that it is made of.
func (c *ICER) Outputs() []string {
	return []string{"final(" + c.Cost + ")", "final(" + c.Effect + ")"}
}

// Add adds a replica. A replica without a number in one of the scenarios is left out.
func (c *ICER) Add(of func(scenario int) (cost, effect float64)) {
	row := make([]costPair, len(c.Scenarios))
	for k := range row {
		row[k].cost, row[k].effect = of(k)
		if math.IsNaN(row[k].cost + row[k].effect) {
			return
		}
	}
	for k := range row {
		c.Pairs[k] = append(c.Pairs[k], row[k])
	}
}

// A Ratio is the incremental cost-effectiveness ratio of a scenario against the first.
type Ratio struct {
	Scenario     string
	Cost, Effect float64 // mean differences over paired replicas
	Ratio        float64 // NaN if both are 0
	Low, High    float64 // Fieller's 95 % interval; NaN if it is not an interval
	Verdict      string  // dominates or is dominated, where the signs say so; otherwise empty
}

// The verdicts.
const (
	dominates   = "dominates"
	isDominated = "is dominated"
)

// Ratios returns the ratios of all scenarios but the first.
func (c *ICER) Ratios() (all []Ratio) {
	for k := 1; k < len(c.Scenarios); k++ {
		all = append(all, c.ratio(k))
	}
	return all
}

// ratio returns the ratio of a scenario, with Fieller's interval: the θ with
// (C − θE)² ≤ t²(s_CC − 2θ s_CE + θ² s_EE), for the mean differences C and E, their variances and
// covariance s, and Student's t. These are an interval if E differs from 0, by the same t.
func (c *ICER) ratio(scenario int) Ratio {
	r := Ratio{Scenario: c.Scenarios[scenario], Low: math.NaN(), High: math.NaN()}
	n := float64(len(c.Pairs[scenario]))
	each := func(do func(cost, effect float64)) {
		for i, p := range c.Pairs[scenario] {
			do(p.cost-c.Pairs[0][i].cost, p.effect-c.Pairs[0][i].effect)
		}
	}
	each(func(cost, effect float64) { r.Cost, r.Effect = r.Cost+cost, r.Effect+effect })
	r.Cost, r.Effect = r.Cost/n, r.Effect/n
	var cc, ce, ee float64
	each(func(cost, effect float64) {
		x, y := cost-r.Cost, effect-r.Effect
		cc, ce, ee = cc+float64(x*x), ce+float64(x*y), ee+float64(y*y)
	})
	r.Ratio = r.Cost / r.Effect
	switch {
	case r.Cost <= 0 && r.Effect >= 0 && (r.Cost < 0 || r.Effect > 0):
		r.Verdict = dominates
	case r.Cost >= 0 && r.Effect <= 0 && (r.Cost > 0 || r.Effect < 0):
		r.Verdict = isDominated
	}
	if n < 2 || r.Verdict != "" {
		return r
	}
	t := detmath.StudentQuantile(n-1, 0.975)
	scale := float64(t*t) / (n * (n - 1))
	cc, ce, ee = float64(cc*scale), float64(ce*scale), float64(ee*scale)
	// a·θ² − 2b·θ + d ≤ 0
	a, b, d := float64(r.Effect*r.Effect)-ee, float64(r.Cost*r.Effect)-ce, float64(r.Cost*r.Cost)-cc
	if root := float64(b*b) - float64(a*d); a > 0 {
		half := math.Sqrt(max(0, root)) // the ratio itself is a solution; root is below 0 only by rounding
		r.Low, r.High = (b-half)/a, (b+half)/a
	}
	return r
}

// icerColumns are those of icer.csv.
var icerColumns = []string{"scenario", "cost", "effect", "icer", "low", "high"}

// The tables of an ICER.
const (
	ICERFile          = "icer.csv"
	AcceptabilityFile = "acceptability.csv"
)

// ICERPictures are the names of the files of ICER.Draw.
var ICERPictures = []string{"plane.svg", "plane.png", "acceptability.svg", "acceptability.png"}

// WriteRatios writes icer.csv. Where a scenario dominates or is dominated, the column icer says so.
func (c *ICER) WriteRatios(w io.Writer) error {
	out := csv.NewWriter(w)
	_ = out.Write(icerColumns)
	for _, r := range c.Ratios() {
		ratio := r.Verdict
		if ratio == "" {
			ratio = number(r.Ratio)
		}
		_ = out.Write([]string{r.Scenario, number(r.Cost), number(r.Effect), ratio, number(r.Low), number(r.High)})
	}
	out.Flush()
	return out.Error()
}

// Table is a table of the ratios for people: its head, and a row for each scenario but the first.
func (c *ICER) Table() (head []string, rows [][]string) {
	head = []string{"against " + c.Scenarios[0], c.Cost, c.Effect, c.Cost + " per " + c.Effect, "95 % interval (Fieller)"}
	for _, r := range c.Ratios() {
		ratio, interval := r.Verdict, "–"
		switch {
		case r.Verdict == "" && r.Cost < 0 && r.Effect < 0:
			ratio = Short(r.Ratio) + " saved for each lost"
		case r.Verdict == "" && !math.IsNaN(r.Ratio):
			ratio = Short(r.Ratio)
		case r.Verdict == "":
			ratio = "–"
		}
		if !math.IsNaN(r.Low) {
			interval = between(r.Low, r.High)
		}
		rows = append(rows, []string{r.Scenario, Short(r.Cost), Short(r.Effect), ratio, interval})
	}
	return head, rows
}

// Print prints the table.
func (c *ICER) Print(w io.Writer) error {
	var t textTable
	head, rows := c.Table()
	t.row(head...)
	for _, row := range rows {
		t.row(row...)
	}
	var b strings.Builder
	b.WriteString("\n")
	if err := t.print(&b); err != nil {
		return err
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// A Curve is the probability that each scenario is the best choice, by how much is paid for one
// unit of the effect.
type Curve struct {
	Pay         []float64
	Probability [][]float64 // by scenario
}

// curveSteps is how many steps a curve has.
const curveSteps = 200

// Acceptability returns the acceptability curves: the share of replicas in which a scenario has the
// largest net benefit, λ·effect − cost. Replicas in which several have it count in equal parts.
func (c *ICER) Acceptability() Curve {
	most := c.mostPaid()
	curve := Curve{Probability: make([][]float64, len(c.Scenarios))}
	n := len(c.Pairs[0])
	for step := range curveSteps + 1 {
		pay := most * float64(step) / curveSteps
		best := make([]float64, len(c.Scenarios))
		for i := range n {
			top, ties := math.Inf(-1), []int(nil)
			for k := range c.Scenarios {
				p := c.Pairs[k][i]
				benefit := float64(pay*p.effect) - p.cost
				if benefit > top {
					top, ties = benefit, ties[:0]
				}
				if benefit == top {
					ties = append(ties, k)
				}
			}
			for _, k := range ties {
				best[k] += 1 / float64(len(ties))
			}
		}
		curve.Pay = append(curve.Pay, pay)
		for k := range best {
			curve.Probability[k] = append(curve.Probability[k], best[k]/float64(n))
		}
	}
	return curve
}

// mostPaid is how far the curves go: a round number of at least twice the largest ratio, between
// any two scenarios, and beyond its interval.
func (c *ICER) mostPaid() float64 {
	most := 0.0
	for _, r := range c.Ratios() {
		if r.Verdict == "" && r.Ratio > 0 && !math.IsInf(r.Ratio, 0) {
			most = max(most, 2*r.Ratio)
			if r.High < 4*r.Ratio {
				most = max(most, r.High)
			}
		}
		if r.Verdict != "" && r.Effect != 0 {
			most = max(most, math.Abs(r.Ratio))
		}
	}
	if most == 0 {
		return 1
	}
	unit := detmath.Pow(10, math.Floor(detmath.Log10(most)))
	for _, k := range []float64{1, 1.5, 2, 3, 4, 5, 6, 8} {
		if k*unit >= most {
			return k * unit
		}
	}
	return 10 * unit
}

// WriteAcceptability writes acceptability.csv.
func (c *ICER) WriteAcceptability(w io.Writer) error {
	out := csv.NewWriter(w)
	_ = out.Write([]string{"scenario", "willingness_to_pay", "probability"})
	curve := c.Acceptability()
	for k, name := range c.Scenarios {
		for i, pay := range curve.Pay {
			_ = out.Write([]string{name, number(pay), number(curve.Probability[k][i])})
		}
	}
	out.Flush()
	return out.Error()
}

// Draw draws the cost-effectiveness plane and the acceptability curves into a directory, as .svg
// and .png.
func (c *ICER) Draw(dir, title string) error {
	return errors.Join(plot.SaveBoth(dir, "plane", c.Plane(title)),
		plot.SaveBoth(dir, "acceptability", c.AcceptabilityChart(title)))
}

// mostPlotted is how many replicas of a scenario the plane shows; more would cover each other.
const mostPlotted = 2000

// Plane is the cost-effectiveness plane: a point for each replica, of how much more a scenario
// costs and gains than the first, and a larger one for the means.
func (c *ICER) Plane(title string) plot.Chart {
	n := len(c.Pairs[0])
	chart := plot.Chart{Title: title + ": cost-effectiveness plane",
		Note: fmt.Sprintf("differences from “%s”; points: %s paired runs; with a white edge: means", c.Scenarios[0],
			format.Thousands(float64(n))),
		XLabel: "difference of " + c.Effect, YLabel: "difference of " + c.Cost, FromZeroX: true, FromZero: true}
	chart.Series = append(chart.Series, plot.Series{Name: c.Scenarios[0], X: []float64{0}, Y: []float64{0}, Points: true})
	ratios := c.Ratios()
	for k, name := range c.Scenarios[1:] {
		cloud := plot.Series{Name: name, Points: true}
		for i := range min(n, mostPlotted) {
			p, base := c.Pairs[k+1][i], c.Pairs[0][i]
			cloud.Add(p.effect-base.effect, p.cost-base.cost)
		}
		chart.Series = append(chart.Series, cloud, plot.Series{X: []float64{ratios[k].Effect}, Y: []float64{ratios[k].Cost},
			Same: true, Points: true, Data: true})
	}
	return chart
}

// AcceptabilityChart shows the acceptability curves.
func (c *ICER) AcceptabilityChart(title string) plot.Chart {
	chart := plot.Chart{Title: title + ": acceptability curves",
		Note: fmt.Sprintf("share of %s replicas in which a scenario has the largest net benefit",
			format.Thousands(float64(len(c.Pairs[0])))),
		XLabel: "willingness to pay: " + c.Cost + " per " + c.Effect, YLabel: "probability of being the best choice",
		RangeY: [2]float64{0, 1}, FromZeroX: true}
	curve := c.Acceptability()
	for k, name := range c.Scenarios {
		chart.Series = append(chart.Series, plot.Series{Name: name, X: curve.Pay, Y: curve.Probability[k], Unmarked: true})
	}
	return chart
}

// ReadPairs adds the replicas of pairs.csv, of at most most rows.
func (c *ICER) ReadPairs(r io.Reader, most int) error {
	outputs := c.Outputs()
	found := map[string][]costPair{} // by replica; NaN where nothing is known
	var order []string
	err := readRows(r, [][]string{pairColumns}, most, func(row []string) error {
		scenario, effect := slices.Index(c.Scenarios, row[0]), row[2] == outputs[1]
		if !effect && row[2] != outputs[0] {
			return nil
		}
		if scenario < 1 {
			return fmt.Errorf("scenario %q is the first, or not there", row[0])
		}
		all := found[row[1]]
		if all == nil {
			all = make([]costPair, len(c.Scenarios))
			for k := range all {
				all[k] = costPair{math.NaN(), math.NaN()}
			}
			found[row[1]] = all
			order = append(order, row[1])
		}
		base, value := &all[0].cost, &all[scenario].cost
		if effect {
			base, value = &all[0].effect, &all[scenario].effect
		}
		return readNumbers(row[3:], base, value)
	})
	if err != nil {
		return err
	}
	for _, replica := range order {
		c.Add(func(k int) (float64, float64) { return found[replica][k].cost, found[replica][k].effect })
	}
	return nil
}
