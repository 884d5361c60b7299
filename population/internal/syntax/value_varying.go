package syntax

import (
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"go.yaml.in/yaml/v3"
)

// A TimeVarying is a value that changes with time:
//
//	{seasonal: {mean: 0.4 per day, amplitude: 20%, peak: 15 days, period: 1 year}}
//	{steps: {0 days: 0.5 per day, 30 days: 0.2 per day}}
//	{line: {0 days: 0.5 per day, 30 days: 0.2 per day}}
//	{steps: {file: beta.csv, column: beta, unit: per day}}
//	{steps: {2020-01-07: 100%, 2020-07-20: 0%, 2020-09-01: 100%}, period: 1 calendar year}
//
// With Since it changes with the time since an individual came into some states instead.
type TimeVarying struct {
	Form                          string // seasonal, steps or line; density with Since only
	Mean, Amplitude, Peak, Period Value  // seasonal; steps and line may have a Period, too
	Months                        int    // steps and line: repeated so many calendar months later, in place of Period
	Knots                         []Knot // steps and line
	Since                         *Since // whose time it is by; nil for the clock of the model
	Density                       Value  // density: the distribution
}

// A Knot is the value from a time of the clock on (steps), or at that time (line).
type Knot struct {
	At    diag.Place
	Text  string
	Time  quantity.Quantity
	Value Value
}

const (
	exampleSeasonal = "{mean: 0.4 per day, amplitude: 20%, peak: 15 days, period: 1 year}"
	exampleSteps    = "{0 days: 0.5 per day, 30 days: 0.2 per day}"
	exampleFile     = "{file: beta.csv, column: beta, unit: per day}"
)

// timeVarying reads a value that changes with time. It returns nil, and reports it, if it cannot.
func (r *Reader) timeVarying(n *yaml.Node, what string, want quantity.Kind) *TimeVarying {
	before := r.Count
	f := r.Pairs(n, what, "{steps: "+exampleSteps+"}")
	if r.Count > before {
		return nil
	}
	var period *yaml.Node
	for i := range f {
		if f[i].Name == "period" && len(f) == 2 && f[1-i].Name != "seasonal" {
			period = f[i].Value
			f = f[1-i : 2-i]
			break
		}
	}
	if len(f) != 1 {
		r.Fail(n, "%s: a value that changes with time is one of seasonal, steps and line, such as {steps: %s}; "+
			"there are %d names here", what, exampleSteps, len(f))
		return nil
	}
	t := &TimeVarying{Form: f[0].Name}
	what += ": " + t.Form
	body := f[0].Value
	switch {
	case t.Form == "seasonal":
		r.seasonal(t, body, what, want)
	case body.Kind == yaml.MappingNode && (HasKey(body, "file") || HasKey(body, "column")):
		t.Knots = r.knotsFromFile(body, what)
	default:
		t.Knots = r.knots(body, what, want)
	}
	if period != nil {
		var calendar bool
		if t.Months, calendar = r.calendarMonths(period, what+": period"); !calendar {
			t.Period = r.Value(period, what+": period", quantity.Duration)
		}
	}
	if r.Count > before {
		return nil
	}
	return t
}

// seasonal reads the arguments of seasonal.
func (r *Reader) seasonal(t *TimeVarying, n *yaml.Node, what string, want quantity.Kind) {
	f := r.Fields(n, what, exampleSeasonal, "mean", "amplitude", "peak", "period")
	if f == nil {
		return
	}
	mean, amplitude := f.Need("mean", "0.4 per day"), f.Need("amplitude", "20%")
	peak, period := f.Need("peak", "15 days"), f.Need("period", "1 year")
	if mean == nil || amplitude == nil || peak == nil || period == nil {
		return
	}
	t.Mean, t.Amplitude = r.Value(mean, what+": mean", want), r.Value(amplitude, what+": amplitude", quantity.Share)
	t.Peak, t.Period = r.Value(peak, what+": peak", quantity.Duration), r.Value(period, what+": period", quantity.Duration)
}

// knots reads the times and values of steps or line.
func (r *Reader) knots(n *yaml.Node, what string, want quantity.Kind) []Knot {
	const expected = "expected a time of the model's clock, such as 30 days or 2020-03-01"
	before := r.Count
	var knots []Knot
	for _, p := range r.Pairs(n, what, exampleSteps) {
		q, err := quantity.Parse(p.Name)
		switch {
		case err != nil:
			r.Fail(p.Key, "%s: %v; %s", what, err, expected)
		case q.Kind != quantity.Number && q.Kind != quantity.Duration && q.Kind != quantity.Date:
			r.Fail(p.Key, "%s: %s is %s; %s", what, diag.Shorten(p.Name), q.Kind, expected)
		}
		v := r.Value(p.Value, what+": "+diag.Shorten(p.Name), want)
		knots = append(knots, Knot{At: r.Place(p.Key), Text: diag.Shorten(p.Name), Time: q, Value: v})
	}
	if len(knots) == 0 && r.Count == before {
		r.Fail(n, "%s: expected times and what holds from each on, such as %s, or a file, such as %s",
			what, exampleSteps, exampleFile)
	}
	return knots
}

// each calls do for every value that it contains.
func (t *TimeVarying) each(do func(part Value)) {
	if t.Form == "seasonal" {
		for _, v := range []Value{t.Mean, t.Amplitude, t.Peak, t.Period} {
			do(v)
		}
	}
	if t.Form != "seasonal" && t.Period.Given() {
		do(t.Period)
	}
	for i := range t.Knots {
		do(t.Knots[i].Value)
	}
	if t.Form == "density" {
		do(t.Density)
	}
}

// describe names the value in messages.
func (t *TimeVarying) describe() string {
	if t.Since != nil {
		return "a curve by time since " + t.Since.String()
	}
	switch t.Form {
	case "seasonal":
		return "a season"
	case "steps":
		return "a series of steps"
	}
	return "a line through points"
}

// DescribeKnots names its knots in messages.
func (t *TimeVarying) DescribeKnots() string {
	if t.Form == "line" {
		return "points of a line"
	}
	return "steps"
}

// A CountDependent is a rate that depends on the numbers of individuals, with the most that it may
// be: {value: r * (1 - total / 10_000), most: r}. Most is not Given if it is to follow from the
// value and the largest size of the population.
type CountDependent struct {
	Value, Most Value
	Pairs       bool // Value is for each pair of individuals: the rate is Value times the number of others
	Near        int  // Pairs: 1 + the number in Program.Near that the others are of; 0 for everybody alive
}

// ratePerPair reads a rate for each pair of individuals.
func (r *Reader) ratePerPair(n *yaml.Node, what string) Value {
	r.inPairs = true
	v := r.Value(n, what, quantity.Rate)
	r.inPairs = false
	return Value{At: v.At, Text: v.Text, Bad: v.Bad, CountDependent: &CountDependent{Value: v, Pairs: true}}
}

// countDependent reads a rate that depends on counts. It returns nil, and reports it, if it cannot.
func (r *Reader) countDependent(n *yaml.Node, what string) *CountDependent {
	before := r.Count
	f := r.Fields(n, what, "{value: r * (1 - total / 10_000), most: r}", "value", "most")
	if f == nil {
		return nil
	}
	v := f.Need("value", "r * (1 - total / 10_000)")
	if v == nil || r.Count > before {
		return nil
	}
	c := &CountDependent{Value: Value{At: r.Place(v)}, Most: f.Value("most", quantity.Rate)}
	text, ok := r.text(v, what+": value", "an expression such as r * (1 - total / 10_000)")
	if !ok {
		return nil
	}
	c.Value.Text = diag.Shorten(text)
	r.scalar(&c.Value, v, what+": value", quantity.Rate, true)
	if r.Count > before {
		return nil
	}
	return c
}
