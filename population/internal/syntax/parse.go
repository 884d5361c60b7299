package syntax

import (
	"math"
	"regexp"
	"strings"
	"sync"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"go.yaml.in/yaml/v3"
)

// MostIndividuals bounds what a file may ask for: ids are 32-bit numbers, and an int counts them.
const MostIndividuals = min(4_000_000_000, math.MaxInt)

// mostStates bounds how many states there are, and values of an attribute.
const mostStates = 10_000

// mostParameters bounds how many parameters there are, and so how long a chain of them can be that stand for one another.
const mostParameters = 10_000

// Parse reads a model file.
func (r *Reader) Parse(source []byte) *File {
	doc := r.Document(source)
	if doc == nil {
		return nil
	}
	r.rewrite(doc)
	top := r.Fields(doc, "the model", "name: sir", "name", "about", "time", "population", "parameters", "states", "always", "births",
		"immigration", "transmission", "interventions", "attributes", "record", "scenarios", "fit")
	if top == nil {
		return nil
	}
	// An expression may name a parameter that is defined after it.
	if n := top.Get("parameters"); n != nil && n.Kind == yaml.MappingNode {
		for i := 0; i < len(n.Content); i += 2 {
			r.Defined[r.Resolve(n.Content[i]).Value] = true
		}
	}
	m := &File{Path: r.file, End: math.NaN(), Most: 500_000_000, Refused: map[string]bool{}, Changed: map[string]bool{}}
	if n := top.Need("name", "sir"); n != nil {
		m.Name = r.label(n, "name")
	}
	if n := top.Get("about"); n != nil {
		m.About, _ = r.text(n, "about", "a text")
	}
	if n := top.Need("time", "{unit: day, start: 0, end: 160}"); n != nil {
		r.time(m, n)
	}
	if m.Unit.Seconds == 0 {
		m.Unit = Units[3] // so that what follows can be checked
	}
	m.SizeBad, m.StartsBad, m.StatesBad = true, true, true
	if n := top.Need("population", "{size: 1000, start: {susceptible: rest}}"); n != nil {
		r.population(m, n)
	}
	if n := top.Get("parameters"); n != nil {
		all := r.Pairs(n, "parameters", "{beta: 0.5 per day}")
		if len(all) > mostParameters {
			r.Fail(n, "parameters: %d parameters are more than the %d there can be", len(all), mostParameters)
		}
		for i, p := range all {
			if !r.isName(p.Key, "parameters", p.Name) {
				continue
			}
			v := Value{At: r.Place(p.Value), Bad: true}
			if i < mostParameters {
				v = r.Value(p.Value, "parameters: "+p.Name, KindAny)
			}
			m.Parameters = append(m.Parameters, NamedValue{Ref{Name: p.Name, At: r.Place(p.Key)}, v, p.Value})
		}
	}
	if n := top.Get("attributes"); n != nil {
		r.attributes(m, n)
	}
	if n := top.Need("states", "{susceptible: {}, infectious: {}}"); n != nil {
		r.states(m, n)
	}
	if n := top.Get("always"); n != nil {
		m.Always, _ = r.clocks(n, "always", "after", "rate", "to", "move", "name", "from", "chance", "where")
	}
	if n := top.Get("births"); n != nil {
		m.Births = r.entries(n, "births", "{rate: 0.012 per year, enter: susceptible}", "rate", "enter", "from", "where", "inherit", "name")
	}
	if n := top.Get("immigration"); n != nil {
		m.Immigration = r.entries(n, "immigration", "{rate: 500 per year, enter: susceptible}", "rate", "per", "enter", "age", "with", "name")
	}
	if n := top.Get("transmission"); n != nil {
		r.transmission(m, n)
	}
	if n := top.Get("interventions"); n != nil {
		r.interventions(m, n)
	}
	if n := top.Get("scenarios"); n != nil {
		r.scenarios(m, n)
	}
	m.Fit = top.Get("fit") // a run has no use for it; see Model.Check
	if n := top.Get("record"); n != nil {
		r.record(m, n)
	}
	return m
}

func (r *Reader) time(m *File, n *yaml.Node) {
	f := r.Fields(n, "time", "{unit: day, start: 0, end: 160}", "unit", "start", "end")
	if f == nil {
		return
	}
	if u := f.Need("unit", "day"); u != nil {
		if text, ok := r.text(u, "time: unit", "a unit such as day"); ok {
			if m.Unit, ok = unitNamed(text); !ok {
				r.Fail(u, "time: unit: %s", noUnit(text))
			}
		}
	}
	if s := f.Get("start"); s != nil {
		// A clock that starts at a date is 0 there.
		if text := strings.TrimSpace(s.Value); s.Kind == yaml.ScalarNode && isDate().MatchString(text) {
			q, err := parseDate(text)
			if err != nil {
				r.Fail(s, "time: start: %v", err)
			}
			r.Zero = Epoch{day: q.Number, Dated: true}
			m.Zero = r.Zero
		} else if x, ok := r.ClockTime(s, "time: start", m.Unit); ok {
			m.Start = x
		}
	}
	if e := f.Need("end", "160"); e != nil {
		x, ok := r.ClockTime(e, "time: end", m.Unit)
		if ok {
			if m.End = x; m.wrongEnd() != "" {
				r.Fail(e, "time: end: %s is %s the start, %s", diag.Echo(e.Value), m.wrongEnd(), m.Zero.words(m.Start))
				m.End = math.NaN()
			}
		}
	}
}

// ClockTime is a time on the model's clock: a number in the model's unit, one that names its unit, or a date if the clock starts at one.
func (r *Reader) ClockTime(n *yaml.Node, what string, u Unit) (float64, bool) {
	const expected = "expected a time such as 160, in the unit of the model, or 160 days"
	text, ok := r.text(n, what, "a time such as 160 or 160 days")
	if !ok {
		return 0, false
	}
	if isDate().MatchString(text) {
		if _, err := parseDate(text); err != nil {
			r.Fail(n, "%s: %v", what, err)
			return 0, false
		}
	}
	q, err := ParseQuantity(text)
	if err != nil && !LooksNumeric(text) {
		r.Fail(n, "%s: found %s, %s; a parameter cannot stand here", what, diag.Quote(text), expected)
		return 0, false
	}
	if err != nil {
		r.Fail(n, "%s: %v; %s", what, err, expected)
		return 0, false
	}
	if u.Seconds == 0 {
		return 0, false
	}
	x, err := r.Zero.Clock(q, u)
	if err != nil {
		r.Fail(n, "%s: %s is %v", what, diag.Echo(text), err)
		return 0, false
	}
	if math.IsInf(x, 0) {
		r.Fail(n, "%s: %s is too large for a time in %ss", what, diag.Echo(text), u.Name)
		return 0, false
	}
	return x, true
}

var goodName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\pL_](?:[\pL\pN_ .'+-]*[\pL\pN_.'+-])?$`) })

// isName refuses names that cannot be told from something else where they are used.
func (r *Reader) isName(n *yaml.Node, what, name string) bool {
	reserved := map[string]string{
		Out: "it means leaving the population", "rest": "it means those who are left over", "everyone": "it means all states",
		ByBirth: "it means being born", ByImmigration: "it means coming from elsewhere",
		ByIntervention: "it means being let in by an intervention",
	}
	if why, ok := reserved[name]; ok {
		r.Fail(n, "%s: %q cannot be a name: %s", what, name, why)
		return false
	}
	if diag.TooLong(name) {
		r.Fail(n, "%s: %s is too long for a name; expected at most %d letters", what, diag.Quote(name), diag.LongestName)
		return false
	}
	if !goodName().MatchString(name) || strings.Contains(name, "->") {
		r.Fail(n, "%s: %s cannot be a name; expected letters, digits and _, beginning with a letter", what, diag.Quote(name))
		return false
	}
	return true
}

func (r *Reader) attributes(m *File, n *yaml.Node) {
	for _, p := range r.Pairs(n, "attributes", "{region: {north: 40%, south: 60%}}") {
		what := "attributes: " + p.Name
		if !r.isName(p.Key, "attributes", p.Name) {
			continue
		}
		a := Attribute{Ref: Ref{Name: p.Name, At: r.Place(p.Key)}, Rest: -1}
		before := r.Found
		for _, v := range r.Pairs(p.Value, what, "{north: 40%, south: 60%}") {
			if r.isName(v.Key, what, v.Name) {
				a.Values = append(a.Values, Ref{Name: v.Name, At: r.Place(v.Key)})
				a.Shares = append(a.Shares, r.attributeShare(&a, v, what))
			}
		}
		if len(a.Values) == 0 && r.Found == before {
			r.Fail(p.Value, "%s: expected at least one value with its share, such as {north: 40%%, south: 60%%}", what)
		}
		if len(a.Values) > mostStates {
			r.Fail(p.Value, "%s: %d values are more than the %d there can be", what, len(a.Values), mostStates)
		}
		m.Attributes = append(m.Attributes, a)
	}
}

// attributeShare reads the share of a value, or that it has the rest.
func (r *Reader) attributeShare(a *Attribute, v Pair, what string) Value {
	if v.Value.Kind != yaml.ScalarNode || strings.TrimSpace(v.Value.Value) != "rest" {
		return r.Value(v.Value, what+": "+v.Name, KindShare)
	}
	if a.Rest >= 0 {
		r.Fail(v.Value, "%s: %s: a second rest; only one value can have what is left over", what, v.Name)
	}
	a.Rest = len(a.Values) - 1
	return Value{At: r.Place(v.Value), Text: "rest"}
}

func (r *Reader) states(m *File, n *yaml.Node) {
	before := r.Found
	all := r.Pairs(n, "states", "{susceptible: {}, infectious: {}}")
	m.StatesBad = len(all) == 0
	if len(all) == 0 && r.Found == before {
		r.Fail(n, "states: expected at least one state, such as susceptible: {}")
	}
	if len(all) > mostStates {
		r.Fail(n, "states: %d states are more than the %d there can be", len(all), mostStates)
	}
	for i, p := range all {
		if i >= mostStates || !r.isName(p.Key, "states", p.Name) {
			m.Refused[p.Name] = true
			continue
		}
		s := State{Ref: Ref{Name: p.Name, At: r.Place(p.Key)}}
		what := "states: " + p.Name
		if p.Value.Tag != "!!null" {
			if f := r.Fields(p.Value, what, "{race: [{rate: 0.2 per day, to: recovered}]}", "race", "split"); f != nil {
				if c := f.Get("race"); c != nil {
					s.Race, _ = r.clocks(c, what+": race", "after", "rate", "to", "name", "where")
				}
				if c := f.Get("split"); c != nil {
					var ok bool
					s.Split, ok = r.clocks(c, what+": split", "after", "rate", "to", "name", "chance", "otherwise")
					s.SplitBad = !ok
					if len(s.Split) > 250 {
						r.Fail(c, "%s: split: %d branches are more than the 250 there can be", what, len(s.Split))
						s.SplitBad = true
					}
				}
			}
		}
		m.States = append(m.States, s)
	}
}
