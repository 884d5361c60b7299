package population

import "go.yaml.in/yaml/v3"

// A courseValue is a value that changes with time, as it is written:
//
//	{seasonal: {mean: 0.4 per day, amplitude: 20%, peak: 15 days, period: 1 year}}
//	{steps: {0 days: 0.5 per day, 30 days: 0.2 per day}}
//	{line: {0 days: 0.5 per day, 30 days: 0.2 per day}}
//	{steps: {file: beta.csv, column: beta, unit: per day}}
type courseValue struct {
	form                          string // seasonal, steps or line
	mean, amplitude, peak, period value  // seasonal
	knots                         []knotText
}

// A knotText is what holds from a time of the clock on, or at it.
type knotText struct {
	at    place
	text  string
	time  quantity
	value value
}

// A countValue is a rate that depends on how many there are, and the most that it may be.
type countValue struct{ value, most value }

// each visits all values that it is made of.
func (c *courseValue) each(do func(part value)) {
	if c.form == "seasonal" {
		for _, v := range []value{c.mean, c.amplitude, c.peak, c.period} {
			do(v)
		}
	}
	for i := range c.knots {
		do(c.knots[i].value)
	}
}

// words is how a message speaks of it.
func (c *courseValue) words() string {
	return map[string]string{"seasonal": "a season", "steps": "a series of steps", "line": "a line through points"}[c.form]
}

const (
	likeSeasonal = "{mean: 0.4 per day, amplitude: 20%, peak: 15 days, period: 1 year}"
	likeSteps    = "{0 days: 0.5 per day, 30 days: 0.2 per day}"
	likeFile     = "{file: beta.csv, column: beta, unit: per day}"
)

// course reads something that changes with time; nil if it cannot.
func (r *reader) course(n *yaml.Node, what string, want kind) *courseValue {
	before := r.found
	f := r.pairs(n, what, "{steps: "+likeSteps+"}")
	if r.found > before {
		return nil
	}
	if len(f) != 1 {
		r.fail(n, "%s: a value that changes with time is one of seasonal, steps and line, such as {steps: %s}; there are %d names here", what, likeSteps, len(f))
		return nil
	}
	c := &courseValue{form: f[0].name}
	what += ": " + c.form
	body := f[0].value
	switch {
	case c.form == "seasonal":
		r.seasonal(c, body, what, want)
	case body.Kind == yaml.MappingNode && (hasKey(body, "file") || hasKey(body, "column")):
		r.fromFile(c, body, what)
	default:
		for _, p := range r.pairs(body, what, likeSteps) {
			k := knotText{at: r.place(p.key), text: echo(p.name)}
			q, err := parseQuantity(p.name)
			switch {
			case err != nil:
				r.fail(p.key, "%s: %v; expected a time of the model's clock, such as 30 days or 2020-03-01", what, err)
			case q.kind != aNumber && q.kind != aDuration && q.kind != aDate:
				r.fail(p.key, "%s: %s is %s; expected a time of the model's clock, such as 30 days or 2020-03-01", what, echo(p.name), q.kind)
			}
			k.time, k.value = q, r.value(p.value, what+": "+echo(p.name), want)
			c.knots = append(c.knots, k)
		}
		if len(c.knots) == 0 && r.found == before {
			r.fail(body, "%s: expected times and what holds from each on, such as %s, or a file, such as %s", what, likeSteps, likeFile)
		}
	}
	if r.found > before {
		return nil
	}
	return c
}

func (r *reader) seasonal(c *courseValue, n *yaml.Node, what string, want kind) {
	f := r.fields(n, what, likeSeasonal, "mean", "amplitude", "peak", "period")
	if f == nil {
		return
	}
	mean, amplitude, peak, period := f.need("mean", "0.4 per day"), f.need("amplitude", "20%"), f.need("peak", "15 days"), f.need("period", "1 year")
	if mean == nil || amplitude == nil || peak == nil || period == nil {
		return
	}
	c.mean, c.amplitude = r.value(mean, what+": mean", want), r.value(amplitude, what+": amplitude", aShare)
	c.peak, c.period = r.value(peak, what+": peak", aDuration), r.value(period, what+": period", aDuration)
}

// counted reads a rate that depends on how many there are; nil if it cannot.
func (r *reader) counted(n *yaml.Node, what string) *countValue {
	before := r.found
	f := r.fields(n, what, "{value: r * (1 - total / 10_000), most: r}", "value", "most")
	if f == nil {
		return nil
	}
	v, most := f.need("value", "r * (1 - total / 10_000)"), f.need("most", "r")
	if v == nil || most == nil || r.found > before {
		return nil
	}
	c := &countValue{value: value{at: r.place(v)}, most: r.value(most, what+": most", aRate)}
	text, ok := r.text(v, what+": value", "an expression such as r * (1 - total / 10_000)")
	if !ok {
		return nil
	}
	c.value.text = echo(text)
	r.scalar(&c.value, v, what+": value", aRate, true)
	if r.found > before {
		return nil
	}
	return c
}

// plural is what its values are.
func (c *courseValue) plural() string {
	if c.form == "line" {
		return "points of a line"
	}
	return "steps"
}
