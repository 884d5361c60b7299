package syntax

import (
	"github.com/almanac-sim/almanac/population/internal/diag"
	"go.yaml.in/yaml/v3"
)

// A TimeVarying is a value that changes with time, as it is written:
//
//	{seasonal: {mean: 0.4 per day, amplitude: 20%, peak: 15 days, period: 1 year}}
//	{steps: {0 days: 0.5 per day, 30 days: 0.2 per day}}
//	{line: {0 days: 0.5 per day, 30 days: 0.2 per day}}
//	{steps: {file: beta.csv, column: beta, unit: per day}}
type TimeVarying struct {
	Form                          string // seasonal, steps or line
	Mean, Amplitude, Peak, Period Value  // seasonal
	Knots                         []Knot
}

// A Knot is what holds from a time of the clock on, or at it.
type Knot struct {
	At    diag.Place
	Text  string
	Time  Quantity
	Value Value
}

const (
	exampleSeasonal = "{mean: 0.4 per day, amplitude: 20%, peak: 15 days, period: 1 year}"
	exampleSteps    = "{0 days: 0.5 per day, 30 days: 0.2 per day}"
	exampleFile     = "{file: beta.csv, column: beta, unit: per day}"
)

// timeVarying reads something that changes with time; nil if it cannot.
func (r *Reader) timeVarying(n *yaml.Node, what string, want Kind) *TimeVarying {
	before := r.Found
	f := r.Pairs(n, what, "{steps: "+exampleSteps+"}")
	if r.Found > before {
		return nil
	}
	if len(f) != 1 {
		r.Fail(n, "%s: a value that changes with time is one of seasonal, steps and line, such as {steps: %s}; there are %d names here", what, exampleSteps, len(f))
		return nil
	}
	c := &TimeVarying{Form: f[0].Name}
	what += ": " + c.Form
	body := f[0].Value
	switch {
	case c.Form == "seasonal":
		r.seasonal(c, body, what, want)
	case body.Kind == yaml.MappingNode && (HasKey(body, "file") || HasKey(body, "column")):
		r.knotsFromFile(c, body, what)
	default:
		for _, p := range r.Pairs(body, what, exampleSteps) {
			k := Knot{At: r.Place(p.Key), Text: diag.Echo(p.Name)}
			q, err := ParseQuantity(p.Name)
			switch {
			case err != nil:
				r.Fail(p.Key, "%s: %v; expected a time of the model's clock, such as 30 days or 2020-03-01", what, err)
			case q.Kind != KindNumber && q.Kind != KindDuration && q.Kind != KindDate:
				r.Fail(p.Key, "%s: %s is %s; expected a time of the model's clock, such as 30 days or 2020-03-01", what, diag.Echo(p.Name), q.Kind)
			}
			k.Time, k.Value = q, r.Value(p.Value, what+": "+diag.Echo(p.Name), want)
			c.Knots = append(c.Knots, k)
		}
		if len(c.Knots) == 0 && r.Found == before {
			r.Fail(body, "%s: expected times and what holds from each on, such as %s, or a file, such as %s", what, exampleSteps, exampleFile)
		}
	}
	if r.Found > before {
		return nil
	}
	return c
}

func (r *Reader) seasonal(c *TimeVarying, n *yaml.Node, what string, want Kind) {
	f := r.Fields(n, what, exampleSeasonal, "mean", "amplitude", "peak", "period")
	if f == nil {
		return
	}
	mean, amplitude, peak, period := f.Need("mean", "0.4 per day"), f.Need("amplitude", "20%"), f.Need("peak", "15 days"), f.Need("period", "1 year")
	if mean == nil || amplitude == nil || peak == nil || period == nil {
		return
	}
	c.Mean, c.Amplitude = r.Value(mean, what+": mean", want), r.Value(amplitude, what+": amplitude", KindShare)
	c.Peak, c.Period = r.Value(peak, what+": peak", KindDuration), r.Value(period, what+": period", KindDuration)
}

// each visits all values that it is made of.
func (c *TimeVarying) each(do func(part Value)) {
	if c.Form == "seasonal" {
		for _, v := range []Value{c.Mean, c.Amplitude, c.Peak, c.Period} {
			do(v)
		}
	}
	for i := range c.Knots {
		do(c.Knots[i].Value)
	}
}

// format is how a message speaks of it.
func (c *TimeVarying) describe() string {
	return map[string]string{"seasonal": "a season", "steps": "a series of steps", "line": "a line through points"}[c.Form]
}

// Plural is what its values are.
func (c *TimeVarying) Plural() string {
	if c.Form == "line" {
		return "points of a line"
	}
	return "steps"
}

// A CountDependent is a rate that depends on how many there are, and the most that it may be.
type CountDependent struct{ Value, Most Value }

// countDependent reads a rate that depends on how many there are; nil if it cannot.
func (r *Reader) countDependent(n *yaml.Node, what string) *CountDependent {
	before := r.Found
	f := r.Fields(n, what, "{value: r * (1 - total / 10_000), most: r}", "value", "most")
	if f == nil {
		return nil
	}
	v, most := f.Need("value", "r * (1 - total / 10_000)"), f.Need("most", "r")
	if v == nil || most == nil || r.Found > before {
		return nil
	}
	c := &CountDependent{Value: Value{At: r.Place(v)}, Most: r.Value(most, what+": most", KindRate)}
	text, ok := r.text(v, what+": value", "an expression such as r * (1 - total / 10_000)")
	if !ok {
		return nil
	}
	c.Value.Text = diag.Echo(text)
	r.scalar(&c.Value, v, what+": value", KindRate, true)
	if r.Found > before {
		return nil
	}
	return c
}
