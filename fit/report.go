package fit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
)

// jsonFloat is a float64 that is written to JSON as null if it is not finite.
type jsonFloat float64

func (n jsonFloat) MarshalJSON() ([]byte, error) {
	if x := float64(n); !(math.Abs(x) <= math.MaxFloat64) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// UnmarshalJSON reads null as NaN.
func (n *jsonFloat) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*n = jsonFloat(math.NaN())
		return nil
	}
	return json.Unmarshal(text, (*float64)(n))
}

func fromJSON(all []jsonFloat) []float64 {
	x := make([]float64, len(all))
	for i := range all {
		x[i] = float64(all[i])
	}
	return x
}

func toJSON(x []float64) []jsonFloat {
	all := make([]jsonFloat, len(x))
	for i := range x {
		all[i] = jsonFloat(x[i])
	}
	return all
}

type reportJSON struct {
	Method       string        `json:"method"`
	Seed         uint64        `json:"seed"`
	Runs         int           `json:"runs"`
	Events       uint64        `json:"events"`
	Impossible   int           `json:"impossible"`
	Exact        bool          `json:"exact"`
	Power        jsonFloat     `json:"power"`
	Threshold    jsonFloat     `json:"threshold"`
	Particles    int           `json:"particles"`
	Rows         int           `json:"rows"`
	Effective    jsonFloat     `json:"effective"`
	Unknowns     []unknownJSON `json:"unknowns"`
	Correlations [][]jsonFloat `json:"correlations,omitempty"`
	Unmoved      []string      `json:"unmoved"`
	Score        jsonFloat     `json:"score"`
	ScoreError   jsonFloat     `json:"score_error,omitempty"`
	ScoreName    string        `json:"score_name"`
	Chains       *chainsJSON   `json:"chains,omitempty"`
	Trace        traceJSON     `json:"trace"`
	Notes        []string      `json:"notes"`
}

type unknownJSON struct {
	Name           string      `json:"name"`
	Unit           string      `json:"unit"`
	Prior          string      `json:"prior"`
	Best           jsonFloat   `json:"best"`
	Mean           *jsonFloat  `json:"mean,omitempty"`
	MeanError      *jsonFloat  `json:"mean_error,omitempty"`
	SD             *jsonFloat  `json:"sd,omitempty"`
	Shares         []float64   `json:"shares,omitempty"`
	Quantiles      []jsonFloat `json:"quantiles,omitempty"`
	PriorQuantiles []jsonFloat `json:"prior_quantiles,omitempty"`
	Contraction    *jsonFloat  `json:"contraction,omitempty"`
	Shift          *jsonFloat  `json:"shift,omitempty"`
	Moved          *bool       `json:"moved,omitempty"`
}

type traceJSON struct {
	Names []string      `json:"names"`
	Rows  [][]jsonFloat `json:"rows"`
}

type chainsJSON struct {
	Count      int         `json:"count"`
	Steps      int         `json:"steps"`
	WarmUp     int         `json:"warm_up"`
	Estimator  string      `json:"estimator"`
	Particles  int         `json:"particles"`
	Variance   jsonFloat   `json:"variance"`
	Acceptance jsonFloat   `json:"acceptance"`
	RHat       []jsonFloat `json:"r_hat"`
	Bulk       []jsonFloat `json:"bulk"`
	MeanError  []jsonFloat `json:"mean_error"`
}

// WriteJSON writes a result without its sample. The keys:
//
//	method, seed, runs, events   what was done; runs are those of the model
//	impossible                   runs at points without a model
//	exact                        the sample is of the posterior itself, up to Monte Carlo error
//	power                        to which the likelihood was raised, if not exact; 0 if unused
//	threshold                    of the distance in the last generation by distance: root mean
//	                             square, in units of the reports' standard deviation
//	particles                    for each likelihood estimate; 0 if likelihoods are of single runs
//	rows, effective              of the sample, and its effective size
//	unknowns                     for each: name, unit, prior, best, and if there is a sample mean,
//	                             mean_error, sd, quantiles for shares, prior_quantiles, contraction,
//	                             shift, moved (see [Marginal])
//	correlations                 in the order of the unknowns
//	unmoved                      names of the unknowns that the data did not move
//	score, score_name            of the best point; score_error is its standard error, if known
//	chains                       of methods with chains (see [Chains])
//	trace                        names and rows of the progress of the fit
//	notes                        sentences for people
//
// Numbers that are not finite are null.
func (r *Result) WriteJSON(w io.Writer) error {
	p := &r.Posterior
	out := reportJSON{Method: r.Method, Seed: r.Seed, Runs: r.Runs, Events: r.Events, Impossible: r.Impossible,
		Exact: r.Exact,
		Power: jsonFloat(r.Power), Threshold: jsonFloat(r.Threshold), Particles: r.Particles, Rows: len(p.Rows),
		Effective: jsonFloat(r.Effective()),
		Score:     jsonFloat(r.BestScore), ScoreError: jsonFloat(r.BestError), ScoreName: r.ScoreName,
		Trace: traceJSON{Names: r.Trace.Names, Rows: [][]jsonFloat{}}, Notes: append([]string{}, r.Notes...),
		Unmoved: append([]string{}, r.Unmoved()...)}
	marginals := r.Marginals()
	for j, u := range r.Unknowns {
		one := unknownJSON{Name: u.Name, Unit: u.Unit, Prior: u.Prior.String(), Best: jsonFloat(math.NaN())}
		if j < len(r.Best) {
			one.Best = jsonFloat(r.Best[j])
		}
		if j < len(marginals) {
			m := marginals[j]
			of := func(x float64) *jsonFloat { n := jsonFloat(x); return &n }
			one.Mean, one.MeanError, one.SD, one.Contraction, one.Shift, one.Moved = of(m.Mean), of(m.MeanError), of(m.SD),
				of(m.Contraction), of(m.Shift), &m.Moved
			one.Shares, one.Quantiles, one.PriorQuantiles = MarginalShares(), toJSON(m.Quantiles), toJSON(m.PriorQuantiles)
			var row []jsonFloat
			for k := range r.Unknowns {
				row = append(row, jsonFloat(p.Correlation(j, k)))
			}
			out.Correlations = append(out.Correlations, row)
		}
		out.Unknowns = append(out.Unknowns, one)
	}
	for _, row := range r.Trace.Rows {
		out.Trace.Rows = append(out.Trace.Rows, toJSON(row))
	}
	if c := r.Chains; c != nil {
		out.Chains = &chainsJSON{c.Count, c.Steps, c.WarmUp, c.Estimator, c.Particles, jsonFloat(c.Variance),
			jsonFloat(c.Acceptance), toJSON(c.RHat), toJSON(c.Bulk), toJSON(c.MeanError)}
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(out)
}

// ReadJSON reads the output of [Result.WriteJSON], which has no sample. Unknown keys are ignored.
func ReadJSON(data []byte) (*Result, error) {
	var in reportJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return nil, err
	}
	if in.Method == "" || len(in.Unknowns) == 0 {
		return nil, errors.New("it has no method, or no unknowns")
	}
	r := &Result{Method: in.Method, Seed: in.Seed, Runs: in.Runs, Events: in.Events, Impossible: in.Impossible,
		Exact: in.Exact,
		Power: float64(in.Power), Threshold: float64(in.Threshold), Particles: in.Particles, BestScore: float64(in.Score),
		BestError: float64(in.ScoreError), ScoreName: in.ScoreName, Notes: in.Notes, Trace: Table{Names: in.Trace.Names}}
	for _, u := range in.Unknowns {
		prior, err := ParsePrior(u.Prior)
		if err != nil {
			return nil, fmt.Errorf("the prior of %s: %w", u.Name, err)
		}
		r.Unknowns = append(r.Unknowns, Unknown{Name: u.Name, Unit: u.Unit, Prior: prior})
		r.Best = append(r.Best, float64(u.Best))
	}
	for _, row := range in.Trace.Rows {
		if len(row) != len(in.Trace.Names) {
			return nil, errors.New("a row of the trace is not as long as its names")
		}
		r.Trace.Rows = append(r.Trace.Rows, fromJSON(row))
	}
	if c := in.Chains; c != nil {
		if n := len(in.Unknowns); c.Count < 1 || c.Steps < 0 || len(c.RHat) != n || len(c.Bulk) != n || len(c.MeanError) !=
			n {
			return nil, errors.New("its chains have not one number for each unknown")
		}
		r.Chains = &Chains{c.Count, c.Steps, c.WarmUp, c.Estimator, c.Particles, float64(c.Variance), float64(c.Acceptance),
			fromJSON(c.RHat), fromJSON(c.Bulk), fromJSON(c.MeanError)}
	}
	return r, nil
}

// Text formats a result as tables: means and intervals beside the priors, correlations, and the
// unknowns that the data did not move.
func (r *Result) Text() string {
	var text strings.Builder
	t := tabwriter.NewWriter(&text, 0, 0, 3, ' ', 0)
	marginals := r.Marginals()
	title := func(u Unknown) string {
		if u.Unit == "" {
			return u.Name
		}
		return fmt.Sprintf("%s (%s)", u.Name, u.Unit)
	}
	if len(marginals) == 0 {
		fmt.Fprintln(t, "unknown\tbest\tprior")
		for j, u := range r.Unknowns {
			fmt.Fprintf(t, "%s\t%.4g\t%s\n", title(u), r.Best[j], u.Prior)
		}
	} else {
		fmt.Fprintln(t, "unknown\tmean\tsd\t5 %\tmedian\t95 %\tbest\tprior")
		for j, m := range marginals {
			fmt.Fprintf(t, "%s\t%.4g\t%.3g\t%.4g\t%.4g\t%.4g\t%.4g\t%s\n", title(r.Unknowns[j]), m.Mean, m.SD, m.Quantiles[1],
				m.Quantiles[3], m.Quantiles[5], r.Best[j], m.Prior)
		}
	}
	_ = t.Flush()
	if len(marginals) > 1 {
		text.WriteString("\n" + r.correlationText())
	}
	if len(marginals) > 0 {
		text.WriteByte('\n')
		names, within := r.Unmoved(), math.Max(leastShift, 1.63/math.Sqrt(r.Effective()))
		switch {
		case len(names) == 0:
			fmt.Fprintln(&text, "the data moved all unknowns")
		case within > 0.5:
			fmt.Fprintf(&text, "the sample is too small to tell whether the data moved %s\n", strings.Join(names, ", "))
		default:
			fmt.Fprintf(&text, "not identified: the data did not move %s (the posterior is within %.2g of the prior in "+
				"probability)\n", strings.Join(names, ", "), within)
		}
		fmt.Fprintf(&text, "effective sample %.0f of %d rows, ", r.Effective(), len(r.Posterior.Rows))
	}
	fmt.Fprintf(&text, "%d runs, %d events\n", r.Runs, r.Events)
	if c := r.Chains; c != nil {
		fmt.Fprintf(&text, "%d chains of %d steps after %d of warm-up; R-hat %.3f at most; %.0f %% of the steps accepted; "+
			"likelihoods by %s, %d runs each, variance %.2g\n",
			c.Count, c.Steps, c.WarmUp, slices.Max(c.RHat), 100*c.Acceptance, c.Estimator, c.Particles, c.Variance)
	}
	for _, note := range r.Notes {
		fmt.Fprintf(&text, "note: %s\n", note)
	}
	return text.String()
}

// correlationText formats the correlations of the unknowns.
func (r *Result) correlationText() string {
	var text strings.Builder
	t := tabwriter.NewWriter(&text, 0, 0, 3, ' ', 0)
	last := len(r.Unknowns) - 1
	fmt.Fprint(t, "correlation")
	for _, u := range r.Unknowns[:last] {
		fmt.Fprint(t, "\t", u.Name)
	}
	fmt.Fprintln(t)
	for j := 1; j <= last; j++ {
		fmt.Fprint(t, r.Unknowns[j].Name)
		for k := range j {
			fmt.Fprintf(t, "\t%+.2f", r.Posterior.Correlation(j, k))
		}
		fmt.Fprintln(t, strings.Repeat("\t", last-j)) // tabwriter aligns columns across lines with the same number of cells
	}
	_ = t.Flush()
	lines := strings.Split(text.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}
