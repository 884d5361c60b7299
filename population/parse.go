package population

import (
	"math"
	"regexp"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// mostIndividuals bounds what a file may ask for: ids are 32-bit numbers, and an int counts them.
const mostIndividuals = min(4_000_000_000, math.MaxInt)

// mostStates bounds how many states there are, and values of an attribute.
const mostStates = 10_000

// mostParameters bounds how many parameters there are, and so how long a chain of them can be that stand for one another.
const mostParameters = 10_000

// parse reads a model file.
func (r *reader) parse(source []byte) *file {
	doc := r.document(source)
	if doc == nil {
		return nil
	}
	r.rewrite(doc)
	top := r.fields(doc, "the model", "name: sir", "name", "about", "time", "population", "parameters", "states", "always", "births",
		"immigration", "transmission", "interventions", "attributes", "record", "scenarios", "fit")
	if top == nil {
		return nil
	}
	// An expression may name a parameter that is defined after it.
	if n := top.get("parameters"); n != nil && n.Kind == yaml.MappingNode {
		for i := 0; i < len(n.Content); i += 2 {
			r.defined[r.resolve(n.Content[i]).Value] = true
		}
	}
	m := &file{path: r.file, end: math.NaN(), most: 500_000_000, refused: map[string]bool{}, changed: map[string]bool{}}
	if n := top.need("name", "sir"); n != nil {
		m.name = r.label(n, "name")
	}
	if n := top.get("about"); n != nil {
		m.about, _ = r.text(n, "about", "a text")
	}
	if n := top.need("time", "{unit: day, start: 0, end: 160}"); n != nil {
		r.time(m, n)
	}
	if m.unit.seconds == 0 {
		m.unit = units[3] // so that what follows can be checked
	}
	m.sizeBad, m.startsBad, m.statesBad = true, true, true
	if n := top.need("population", "{size: 1000, start: {susceptible: rest}}"); n != nil {
		r.population(m, n)
	}
	if n := top.get("parameters"); n != nil {
		all := r.pairs(n, "parameters", "{beta: 0.5 per day}")
		if len(all) > mostParameters {
			r.fail(n, "parameters: %d parameters are more than the %d there can be", len(all), mostParameters)
		}
		for i, p := range all {
			if !r.isName(p.key, "parameters", p.name) {
				continue
			}
			v := value{at: r.place(p.value), bad: true}
			if i < mostParameters {
				v = r.value(p.value, "parameters: "+p.name, aValue)
			}
			m.parameters = append(m.parameters, namedValue{named{name: p.name, at: r.place(p.key)}, v, p.value})
		}
	}
	if n := top.get("attributes"); n != nil {
		r.attributes(m, n)
	}
	if n := top.need("states", "{susceptible: {}, infectious: {}}"); n != nil {
		r.states(m, n)
	}
	if n := top.get("always"); n != nil {
		m.always, _ = r.clocks(n, "always", "after", "rate", "to", "move", "name", "from", "chance", "where")
	}
	if n := top.get("births"); n != nil {
		m.births = r.entries(n, "births", "{rate: 0.012 per year, enter: susceptible}", "rate", "enter", "from", "where", "inherit", "name")
	}
	if n := top.get("immigration"); n != nil {
		m.immigration = r.entries(n, "immigration", "{rate: 500 per year, enter: susceptible}", "rate", "per", "enter", "age", "with", "name")
	}
	if n := top.get("transmission"); n != nil {
		r.transmission(m, n)
	}
	if n := top.get("interventions"); n != nil {
		r.interventions(m, n)
	}
	if n := top.get("scenarios"); n != nil {
		r.scenarios(m, n)
	}
	m.fit = top.get("fit") // a run has no use for it; see Model.Check
	if n := top.get("record"); n != nil {
		r.record(m, n)
	}
	return m
}

func (r *reader) time(m *file, n *yaml.Node) {
	f := r.fields(n, "time", "{unit: day, start: 0, end: 160}", "unit", "start", "end")
	if f == nil {
		return
	}
	if u := f.need("unit", "day"); u != nil {
		if text, ok := r.text(u, "time: unit", "a unit such as day"); ok {
			if m.unit, ok = unitNamed(text); !ok {
				r.fail(u, "time: unit: %s", noUnit(text))
			}
		}
	}
	if s := f.get("start"); s != nil {
		// A clock that starts at a date is 0 there.
		if text := strings.TrimSpace(s.Value); s.Kind == yaml.ScalarNode && isDate().MatchString(text) {
			q, err := parseDate(text)
			if err != nil {
				r.fail(s, "time: start: %v", err)
			}
			r.zero = calendarZero{day: q.number, dated: true}
			m.zero = r.zero
		} else if x, ok := r.clockTime(s, "time: start", m.unit); ok {
			m.start = x
		}
	}
	if e := f.need("end", "160"); e != nil {
		x, ok := r.clockTime(e, "time: end", m.unit)
		if ok {
			if m.end = x; m.wrongEnd() != "" {
				r.fail(e, "time: end: %s is %s the start, %s", echo(e.Value), m.wrongEnd(), m.zero.words(m.start))
				m.end = math.NaN()
			}
		}
	}
}

// clockTime is a time on the model's clock: a number in the model's unit, one that names its unit, or a date if the clock starts at one.
func (r *reader) clockTime(n *yaml.Node, what string, u unit) (float64, bool) {
	const expected = "expected a time such as 160, in the unit of the model, or 160 days"
	text, ok := r.text(n, what, "a time such as 160 or 160 days")
	if !ok {
		return 0, false
	}
	if isDate().MatchString(text) {
		if _, err := parseDate(text); err != nil {
			r.fail(n, "%s: %v", what, err)
			return 0, false
		}
	}
	q, err := parseQuantity(text)
	if err != nil && !looksNumeric(text) {
		r.fail(n, "%s: found %s, %s; a parameter cannot stand here", what, quote(text), expected)
		return 0, false
	}
	if err != nil {
		r.fail(n, "%s: %v; %s", what, err, expected)
		return 0, false
	}
	if u.seconds == 0 {
		return 0, false
	}
	x, err := r.zero.clock(q, u)
	if err != nil {
		r.fail(n, "%s: %s is %v", what, echo(text), err)
		return 0, false
	}
	if math.IsInf(x, 0) {
		r.fail(n, "%s: %s is too large for a time in %ss", what, echo(text), u.name)
		return 0, false
	}
	return x, true
}

var goodName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\pL_](?:[\pL\pN_ .'+-]*[\pL\pN_.'+-])?$`) })

// isName refuses names that cannot be told from something else where they are used.
func (r *reader) isName(n *yaml.Node, what, name string) bool {
	reserved := map[string]string{
		Out: "it means leaving the population", "rest": "it means those who are left over", "everyone": "it means all states",
		byBirth: "it means being born", byImmigration: "it means coming from elsewhere",
		byIntervention: "it means being let in by an intervention",
	}
	if why, ok := reserved[name]; ok {
		r.fail(n, "%s: %q cannot be a name: %s", what, name, why)
		return false
	}
	if tooLong(name) {
		r.fail(n, "%s: %s is too long for a name; expected at most %d letters", what, quote(name), longestName)
		return false
	}
	if !goodName().MatchString(name) || strings.Contains(name, "->") {
		r.fail(n, "%s: %s cannot be a name; expected letters, digits and _, beginning with a letter", what, quote(name))
		return false
	}
	return true
}

func (r *reader) attributes(m *file, n *yaml.Node) {
	for _, p := range r.pairs(n, "attributes", "{region: {north: 40%, south: 60%}}") {
		what := "attributes: " + p.name
		if !r.isName(p.key, "attributes", p.name) {
			continue
		}
		a := attributeText{named: named{name: p.name, at: r.place(p.key)}, rest: -1}
		before := r.found
		for _, v := range r.pairs(p.value, what, "{north: 40%, south: 60%}") {
			if r.isName(v.key, what, v.name) {
				a.values = append(a.values, named{name: v.name, at: r.place(v.key)})
				a.shares = append(a.shares, r.attributeShare(&a, v, what))
			}
		}
		if len(a.values) == 0 && r.found == before {
			r.fail(p.value, "%s: expected at least one value with its share, such as {north: 40%%, south: 60%%}", what)
		}
		if len(a.values) > mostStates {
			r.fail(p.value, "%s: %d values are more than the %d there can be", what, len(a.values), mostStates)
		}
		m.attributes = append(m.attributes, a)
	}
}

// attributeShare reads the share of a value, or that it has the rest.
func (r *reader) attributeShare(a *attributeText, v pair, what string) value {
	if v.value.Kind != yaml.ScalarNode || strings.TrimSpace(v.value.Value) != "rest" {
		return r.value(v.value, what+": "+v.name, aShare)
	}
	if a.rest >= 0 {
		r.fail(v.value, "%s: %s: a second rest; only one value can have what is left over", what, v.name)
	}
	a.rest = len(a.values) - 1
	return value{at: r.place(v.value), text: "rest"}
}

func (r *reader) states(m *file, n *yaml.Node) {
	before := r.found
	all := r.pairs(n, "states", "{susceptible: {}, infectious: {}}")
	m.statesBad = len(all) == 0
	if len(all) == 0 && r.found == before {
		r.fail(n, "states: expected at least one state, such as susceptible: {}")
	}
	if len(all) > mostStates {
		r.fail(n, "states: %d states are more than the %d there can be", len(all), mostStates)
	}
	for i, p := range all {
		if i >= mostStates || !r.isName(p.key, "states", p.name) {
			m.refused[p.name] = true
			continue
		}
		s := stateText{named: named{name: p.name, at: r.place(p.key)}}
		what := "states: " + p.name
		if p.value.Tag != "!!null" {
			if f := r.fields(p.value, what, "{race: [{rate: 0.2 per day, to: recovered}]}", "race", "split"); f != nil {
				if c := f.get("race"); c != nil {
					s.race, _ = r.clocks(c, what+": race", "after", "rate", "to", "name", "where")
				}
				if c := f.get("split"); c != nil {
					var ok bool
					s.split, ok = r.clocks(c, what+": split", "after", "rate", "to", "name", "chance", "otherwise")
					s.splitBad = !ok
					if len(s.split) > 250 {
						r.fail(c, "%s: split: %d branches are more than the 250 there can be", what, len(s.split))
						s.splitBad = true
					}
				}
			}
		}
		m.states = append(m.states, s)
	}
}
