package population

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A file is a model as it is written: read and in order, but with names not looked up and values not worked out.
type file struct {
	name, about  string
	unit         unit
	start, end   float64
	every        value // of the records; bad if not said
	size         int
	most         int // how many may be alive at once
	starts       []startShare
	startsAt     place
	age          value // of those who are there at the start; bad if not said
	parameters   []namedValue
	changed      []string // parameters that were asked to be another
	states       []stateText
	always       []clockText
	births       []entryText
	immigration  []entryText
	transmission []contactText
	plans        []planText
	attributes   []attributeText
}

type namedValue struct {
	label named
	value
}

// A name that refers to something, and where it stands.
type named struct {
	name string
	at   place
}

// A startShare is how many begin in a state.
type startShare struct {
	state named
	count int
	share float64 // of the size, if it is a percentage
	rest  bool
}

type stateText struct {
	named
	race, split []clockText
}

type clockText struct {
	at        place
	what      string
	rate      value // one of the two is there
	after     value
	isRate    bool
	to        named
	moves     []moveText
	name      string
	chance    value // of the branch of a split, or that a clock of always takes effect
	hasChance bool
	otherwise bool
	from      []named // always: only in these states
}

// A moveText gives an attribute another value.
type moveText struct{ attribute, value named }

type entryText struct {
	at     place
	what   string
	rate   value
	enter  named
	from   []named // births: by individuals in these states alone
	age    value
	hasAge bool
	name   string
}

type contactText struct {
	at        place
	what      string
	from      []named
	rate      value
	chance    value
	hasChance bool
	to        []toText
	by        named // the attribute for mixing, if any
	matrix    [][]value
	matrixAt  place
	name      string
}

type toText struct{ met, becomes named }

type planText struct {
	at       place
	what     string
	when     float64 // on the model's clock
	every    float64 // 0 for once
	until    float64
	set      []namedValue
	who      []named
	everyone bool
	where    []moveText
	coverage value
	covers   bool
	to       named
	moves    []moveText
	enter    named
	count    int
	name     string
}

type attributeText struct {
	named
	values []named
	shares []value
}

// mostIndividuals bounds what a file may ask for: ids are 32-bit numbers.
const mostIndividuals = 4_000_000_000

// parse reads a model file.
func (r *reader) parse(source []byte) *file {
	doc := r.document(source)
	if doc == nil {
		return nil
	}
	top := r.fields(doc, "the model", "name: sir", "name", "about", "time", "population", "parameters", "states", "always", "births",
		"immigration", "transmission", "interventions", "attributes", "record")
	if top == nil {
		return nil
	}
	m := &file{end: math.NaN(), most: 500_000_000}
	if n := top.need("name", "sir"); n != nil {
		m.name, _ = r.text(n, "name", "a name")
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
	if n := top.need("population", "{size: 1000, start: {susceptible: rest}}"); n != nil {
		r.population(m, n)
	}
	if n := top.get("parameters"); n != nil {
		for _, p := range r.pairs(n, "parameters", "{beta: 0.5 per day}") {
			if r.isName(p.key, "parameters", p.name) {
				m.parameters = append(m.parameters, namedValue{named{p.name, r.place(p.key)}, r.value(p.value, "parameters: "+p.name, aRate)})
			}
		}
	}
	if n := top.get("attributes"); n != nil {
		r.attributes(m, n)
	}
	if n := top.need("states", "{susceptible: {}, infectious: {}}"); n != nil {
		r.states(m, n)
	}
	if n := top.get("always"); n != nil {
		m.always = r.clocks(n, "always", "after", "rate", "to", "move", "name", "from", "chance")
	}
	if n := top.get("births"); n != nil {
		m.births = r.entries(n, "births", "{rate: 0.012 per year, enter: susceptible}", "rate", "enter", "from", "name")
	}
	if n := top.get("immigration"); n != nil {
		m.immigration = r.entries(n, "immigration", "{rate: 500 per year, enter: susceptible}", "rate", "enter", "age", "name")
	}
	if n := top.get("transmission"); n != nil {
		r.transmission(m, n)
	}
	if n := top.get("interventions"); n != nil {
		r.interventions(m, n)
	}
	m.every.bad = true
	if n := top.get("record"); n != nil {
		if f := r.fields(n, "record", "{every: 1 day}", "every"); f != nil {
			if e := f.need("every", "1 day"); e != nil {
				m.every = r.value(e, "record: every", aDuration)
			}
		}
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
		if x, ok := r.clockTime(s, "time: start", m.unit); ok {
			m.start = x
		}
	}
	if e := f.need("end", "160"); e != nil {
		x, ok := r.clockTime(e, "time: end", m.unit)
		if ok && !(x > m.start) {
			r.fail(e, "time: end: %s is not after the start, %.12g", e.Value, m.start)
			ok = false
		}
		if ok {
			m.end = x
		}
	}
}

// clockTime is a time on the model's clock: a number in the model's unit, or one that names its unit.
func (r *reader) clockTime(n *yaml.Node, what string, u unit) (float64, bool) {
	text, ok := r.text(n, what, "a time such as 160")
	if !ok {
		return 0, false
	}
	q, err := parseQuantity(text)
	if err != nil {
		r.fail(n, "%s: %v; expected a number in the unit of the model", what, err)
		return 0, false
	}
	if q.kind != aNumber && q.kind != aDuration {
		r.fail(n, "%s: %s is %s; expected a time, as a number in the unit of the model", what, text, q.kind)
		return 0, false
	}
	if u.seconds == 0 {
		return 0, false
	}
	x := q.in(u)
	if math.IsInf(x, 0) {
		r.fail(n, "%s: %s is too large for a time in %ss", what, text, u.name)
		return 0, false
	}
	return x, true
}

func (r *reader) population(m *file, n *yaml.Node) {
	f := r.fields(n, "population", "{size: 1000, start: {susceptible: rest}}", "size", "start", "age", "most")
	if f == nil {
		return
	}
	m.startsAt = r.place(f.node)
	if s := f.need("size", "100_000"); s != nil {
		m.size, _ = r.whole(s, "population: size", mostIndividuals)
	}
	if s := f.get("most"); s != nil {
		m.most, _ = r.whole(s, "population: most", mostIndividuals)
	}
	m.age.bad = true
	if a := f.get("age"); a != nil {
		m.age = r.value(a, "population: age", aDistribution)
	}
	s := f.need("start", "{infectious: 10, susceptible: rest}")
	if s == nil {
		return
	}
	m.startsAt = r.place(s)
	for _, p := range r.pairs(s, "population: start", "{infectious: 10, susceptible: rest}") {
		share := startShare{state: named{p.name, r.place(p.key)}}
		what := "population: start: " + p.name
		text, ok := r.text(p.value, what, "a number, a percentage, or rest")
		if !ok {
			continue
		}
		q, err := parseQuantity(text)
		switch {
		case text == "rest":
			share.rest = true
		case err != nil || q.kind != aNumber && q.kind != aShare:
			r.fail(p.value, "%s: found %q, expected a number, a percentage, or rest", what, text)
		case q.kind == aShare && !(q.number >= 0 && q.number <= 1):
			r.fail(p.value, "%s: %s is not between 0%% and 100%%", what, text)
		case q.kind == aShare:
			share.share = q.number
		case q.number > 0 && q.number < 1:
			r.fail(p.value, "%s: %s is not a whole number of individuals; write %.6g%% for a share of the population", what, text, 100*q.number)
		default:
			share.count, _ = r.whole(p.value, what, mostIndividuals)
		}
		m.starts = append(m.starts, share)
	}
}

var goodName = regexp.MustCompile(`^[\pL_][\pL\pN_ .'+-]*$`)

// isName refuses names that cannot be told from something else where they are used.
func (r *reader) isName(n *yaml.Node, what, name string) bool {
	reserved := map[string]string{"out": "it means leaving the population", "rest": "it means those who are left over", "everyone": "it means all states"}
	if why, ok := reserved[name]; ok {
		r.fail(n, "%s: %q cannot be a name: %s", what, name, why)
		return false
	}
	if !goodName.MatchString(name) || strings.Contains(name, "->") {
		r.fail(n, "%s: %q cannot be a name; expected letters, digits and _, beginning with a letter", what, name)
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
		a := attributeText{named: named{p.name, r.place(p.key)}}
		for _, v := range r.pairs(p.value, what, "{north: 40%, south: 60%}") {
			if r.isName(v.key, what, v.name) {
				a.values = append(a.values, named{v.name, r.place(v.key)})
				a.shares = append(a.shares, r.value(v.value, what+": "+v.name, aShare))
			}
		}
		if len(a.values) == 0 {
			r.fail(p.value, "%s: expected at least one value with its share, such as {north: 40%%, south: 60%%}", what)
		}
		if len(a.values) > 250 {
			r.fail(p.value, "%s: %d values are more than the 250 there can be", what, len(a.values))
		}
		m.attributes = append(m.attributes, a)
	}
}

func (r *reader) states(m *file, n *yaml.Node) {
	all := r.pairs(n, "states", "{susceptible: {}, infectious: {}}")
	if len(all) == 0 {
		r.fail(n, "states: expected at least one state, such as susceptible: {}")
	}
	if len(all) > 250 {
		r.fail(n, "states: %d states are more than the 250 there can be", len(all))
	}
	for _, p := range all {
		if !r.isName(p.key, "states", p.name) {
			continue
		}
		s := stateText{named: named{p.name, r.place(p.key)}}
		what := "states: " + p.name
		if p.value.Tag != "!!null" {
			if f := r.fields(p.value, what, "{race: [{rate: 0.2 per day, to: recovered}]}", "race", "split"); f != nil {
				if c := f.get("race"); c != nil {
					s.race = r.clocks(c, what+": race", "after", "rate", "to", "name")
				}
				if c := f.get("split"); c != nil {
					s.split = r.clocks(c, what+": split", "after", "rate", "to", "name", "chance", "otherwise")
				}
			}
		}
		m.states = append(m.states, s)
	}
}

// clocks reads a list of clocks that may have the given keys.
func (r *reader) clocks(n *yaml.Node, what string, keys ...string) []clockText {
	const like = "{after: 5 days, to: recovered}"
	var all []clockText
	for i, item := range r.list(n, what, "[{rate: 0.2 per day, to: recovered}]") {
		f := r.fields(item, what, like, keys...)
		if f == nil {
			continue
		}
		c := clockText{at: r.place(f.node), what: fmt.Sprintf("%s: clock %d", what, i+1)}
		if name := f.get("name"); name != nil {
			c.name, _ = r.text(name, what+": name", "a name")
			c.what = what + ": " + c.name
		}
		f.what = c.what
		rate, after := f.get("rate"), f.get("after")
		switch {
		case rate != nil && after != nil:
			r.fail(f.node, "%s: both rate and after; a clock has one of them", c.what)
			continue
		case rate != nil:
			c.isRate, c.rate = true, r.value(rate, c.what+": rate", aRate)
		case after != nil:
			c.after = r.value(after, c.what+": after", aDuration)
		default:
			r.fail(f.node, "%s: when? Write rate: 0.2 per day or after: 5 days, for example", c.what)
			continue
		}
		c.moves = r.moves(f, "move")
		if to := f.get("to"); to != nil {
			c.to = r.named(to, c.what+": to")
		} else if len(c.moves) == 0 {
			f.need("to", "recovered")
			continue
		}
		c.from = r.names(f, "from")
		if chance := f.get("chance"); chance != nil {
			c.hasChance, c.chance = true, r.value(chance, c.what+": chance", aShare)
		}
		if otherwise := f.get("otherwise"); otherwise != nil {
			c.otherwise = otherwise.Value == "true"
			if !c.otherwise {
				r.fail(otherwise, "%s: otherwise: found %s, expected true", c.what, found(otherwise))
			} else if c.hasChance {
				r.fail(otherwise, "%s: both chance and otherwise; a branch has one of them", c.what)
			}
		}
		all = append(all, c)
	}
	return all
}

// named is the name of something, and where it stands.
func (r *reader) named(n *yaml.Node, what string) named {
	text, _ := r.text(n, what, "a name")
	return named{text, r.place(n)}
}

// names is one name or a list of them.
func (r *reader) names(f *fields, key string) []named {
	n := f.get(key)
	if n == nil {
		return nil
	}
	var all []named
	for _, item := range r.oneOrMore(n, f.what+": "+key, "[latent, infectious]") {
		all = append(all, r.named(item, f.what+": "+key))
	}
	return all
}

// moves reads which attributes get which values.
func (r *reader) moves(f *fields, key string) []moveText {
	n := f.get(key)
	if n == nil {
		return nil
	}
	var all []moveText
	for _, p := range r.pairs(n, f.what+": "+key, "{region: south}") {
		all = append(all, moveText{named{p.name, r.place(p.key)}, r.named(p.value, f.what+": "+key+": "+p.name)})
	}
	if len(all) == 0 {
		r.fail(n, "%s: %s: expected an attribute and a value, such as {region: south}", f.what, key)
	}
	return all
}

func (r *reader) entries(n *yaml.Node, what, like string, keys ...string) []entryText {
	var all []entryText
	for _, item := range r.oneOrMore(n, what, like) {
		f := r.fields(item, what, like, keys...)
		if f == nil {
			continue
		}
		e := entryText{at: r.place(f.node), what: what}
		if name := f.get("name"); name != nil {
			e.name, _ = r.text(name, what+": name", "a name")
		}
		rate, enter := f.need("rate", "500 per year"), f.need("enter", "susceptible")
		if rate == nil || enter == nil {
			continue
		}
		e.rate, e.enter = r.value(rate, what+": rate", aRate), r.named(enter, what+": enter")
		e.from = r.names(f, "from")
		if age := f.get("age"); age != nil {
			e.age, e.hasAge = r.value(age, what+": age", aDistribution), true
		}
		all = append(all, e)
	}
	return all
}

func (r *reader) transmission(m *file, n *yaml.Node) {
	const like = "{from: infectious, rate: 0.5 per day, to: {susceptible: infectious}}"
	for i, item := range r.list(n, "transmission", "["+like+"]") {
		c := contactText{what: fmt.Sprintf("transmission %d", i+1)}
		f := r.fields(item, c.what, like, "from", "rate", "chance", "to", "mixing", "name")
		if f == nil {
			continue
		}
		c.at = r.place(f.node)
		from, rate, to := f.need("from", "infectious"), f.need("rate", "0.5 per day"), f.need("to", "{susceptible: infectious}")
		if name := f.get("name"); name != nil {
			c.name, _ = r.text(name, c.what+": name", "a name")
		}
		if from != nil {
			c.from = r.names(f, "from")
		}
		c.rate.bad = true
		if rate != nil {
			c.rate = r.value(rate, c.what+": rate", aRate)
		}
		if chance := f.get("chance"); chance != nil {
			c.hasChance, c.chance = true, r.value(chance, c.what+": chance", aShare)
		}
		if to != nil {
			for _, p := range r.pairs(to, c.what+": to", "{susceptible: infectious}") {
				c.to = append(c.to, toText{named{p.name, r.place(p.key)}, r.named(p.value, c.what+": to: "+p.name)})
			}
			if len(c.to) == 0 {
				r.fail(to, "%s: to: expected what becomes of whom, such as {susceptible: infectious}", c.what)
			}
		}
		if mixing := f.get("mixing"); mixing != nil {
			r.mixing(&c, mixing)
		}
		m.transmission = append(m.transmission, c)
	}
}

func (r *reader) mixing(c *contactText, n *yaml.Node) {
	const like = "{by: region, matrix: [[0.9, 0.1], [0.1, 0.9]]}"
	what := c.what + ": mixing"
	f := r.fields(n, what, like, "by", "matrix")
	if f == nil {
		return
	}
	by, matrix := f.need("by", "region"), f.need("matrix", "[[0.9, 0.1], [0.1, 0.9]]")
	if by == nil || matrix == nil {
		return
	}
	c.by = r.named(by, what+": by")
	c.matrixAt = r.place(matrix)
	for _, row := range r.list(matrix, what+": matrix", "[[0.9, 0.1], [0.1, 0.9]]") {
		var values []value
		for _, item := range r.list(row, what+": matrix", "[0.9, 0.1]") {
			values = append(values, r.value(item, what+": matrix", aShare))
		}
		c.matrix = append(c.matrix, values)
	}
}

func (r *reader) interventions(m *file, n *yaml.Node) {
	const like = "{at: 30 days, set: {beta: 0.2 per day}}"
	for i, item := range r.list(n, "interventions", "["+like+"]") {
		p := planText{what: fmt.Sprintf("intervention %d", i+1), until: math.Inf(1)}
		f := r.fields(item, p.what, like, "at", "every", "until", "set", "who", "where", "coverage", "to", "move", "enter", "count", "name")
		if f == nil {
			continue
		}
		p.at = r.place(f.node)
		if name := f.get("name"); name != nil {
			p.name, _ = r.text(name, p.what+": name", "a name")
			p.what = "intervention " + p.name
			f.what = p.what
		}
		if r.schedule(m, &p, f) && r.deed(&p, f) {
			m.plans = append(m.plans, p)
		}
	}
}

// schedule reads when an intervention happens.
func (r *reader) schedule(m *file, p *planText, f *fields) bool {
	at := f.need("at", "30 days")
	if at == nil {
		return false
	}
	here := scope{problemList: r.problemList, unit: m.unit}
	good := true
	time := func(n *yaml.Node, key string) float64 {
		v := r.value(n, p.what+": "+key, aDuration)
		x, ok := here.duration(v, p.what+": "+key, key == "every")
		good = good && ok
		return x
	}
	p.when = time(at, "at")
	if good && p.when < m.start {
		r.fail(at, "%s: at: %s is before the start of the model, %.12g %ss; times are those of the model's clock", p.what, at.Value, m.start, m.unit.name)
		good = false
	}
	if n := f.get("every"); n != nil {
		p.every = time(n, "every")
	}
	if n := f.get("until"); n != nil {
		p.until = time(n, "until")
		if f.get("every") == nil {
			r.fail(n, "%s: until without every; something that happens once needs no end", p.what)
			good = false
		}
	}
	return good
}

// deed reads what an intervention does: it sets parameters, moves individuals, or lets some in.
func (r *reader) deed(p *planText, f *fields) bool {
	if n := f.get("set"); n != nil {
		for _, s := range r.pairs(n, p.what+": set", "{beta: 0.2 per day}") {
			p.set = append(p.set, namedValue{named{s.name, r.place(s.key)}, r.value(s.value, p.what+": set: "+s.name, aRate)})
		}
	}
	for _, who := range r.names(f, "who") {
		if who.name == "everyone" {
			p.everyone = true
		} else {
			p.who = append(p.who, who)
		}
	}
	p.where = r.moves(f, "where")
	p.moves = r.moves(f, "move")
	if n := f.get("coverage"); n != nil {
		p.covers, p.coverage = true, r.value(n, p.what+": coverage", aShare)
	}
	if n := f.get("to"); n != nil {
		p.to = r.named(n, p.what+": to")
	}
	if n := f.get("enter"); n != nil {
		p.enter = r.named(n, p.what+": enter")
		if count := f.need("count", "10"); count != nil {
			p.count, _ = r.whole(count, p.what+": count", mostIndividuals)
		}
	} else if n := f.get("count"); n != nil {
		r.fail(n, "%s: count without enter; write enter: infectious, for example", p.what)
	}
	moving := p.to.name != "" || len(p.moves) > 0
	choosing := p.everyone || len(p.who) > 0
	switch {
	case moving && !choosing:
		r.fail(f.node, "%s: who? Write who: susceptible, for example, or who: everyone", p.what)
	case choosing && !moving:
		r.fail(f.node, "%s: what becomes of them? Write to: recovered, for example", p.what)
	case !moving && (p.covers || len(p.where) > 0):
		r.fail(f.node, "%s: coverage and where are about individuals; write who and to beside them", p.what)
	case !moving && p.enter.name == "" && len(p.set) == 0:
		r.fail(f.node, "%s: it does nothing; write set: {beta: 0.2 per day}, or who and to, or enter and count", p.what)
	default:
		return true
	}
	return false
}
