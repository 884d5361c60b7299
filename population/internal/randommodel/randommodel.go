// Package randommodel writes model files at random that mix all that the language has. Tests run
// them for what must hold of every model, whatever it says.
//
// Populations are small and times short, so that a run takes a millisecond or two. What belongs
// together is often together: places that are made of something and conditions on presence, queues
// and contacts, those who leave and moves, batches and places.
package randommodel

import (
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// A Model is a model file, and the tables beside it.
type Model struct {
	Seed  uint64
	Plain bool // such that a run can be by windows
	root  mapping
	files map[string]string
}

// New returns the model of a seed.
func New(seed uint64) *Model {
	m := &maker{Rand: rand.New(rand.NewPCG(seed, 0x72616e646f6d)), files: map[string]string{}}
	m.plain = m.likely(0.08)
	m.vocabulary()
	return &Model{Seed: seed, Plain: m.plain, root: m.sections(), files: m.files}
}

// Text is the model file.
func (m *Model) Text() string { return m.root.file() }

// Read returns a table beside the model file.
func (m *Model) Read(name string) ([]byte, error) {
	if f, ok := m.files[name]; ok {
		return []byte(f), nil
	}
	return nil, fs.ErrNotExist
}

// Files are the names of the tables beside the model file.
func (m *Model) Files() []string { return slices.Sorted(maps.Keys(m.files)) }

// Has reports whether the model has a section.
func (m *Model) Has(section string) bool { return m.root.has(section) }

// String is the file and its tables.
func (m *Model) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# seed %d\n%s", m.Seed, m.Text())
	for _, name := range m.Files() {
		if strings.Contains(m.Text(), name) {
			fmt.Fprintf(&b, "# %s:\n%s", name, m.files[name])
		}
	}
	return b.String()
}

// Shrink returns a smaller model that still fails: parts are left out one by one, as long as there
// are tries.
func (m *Model) Shrink(tries int, fails func(*Model) bool) *Model {
	for smaller(m.root, func(n node) bool {
		if tries--; tries < 0 {
			return false
		}
		less := &Model{m.Seed, m.Plain, n.(mapping), m.files}
		if fails(less) {
			m = less
			return true
		}
		return false
	}) {
	}
	return m
}

// An attribute is something with values: an attribute of the file, a machine, or the state.
type attribute struct {
	name   string
	values []string
	band   bool
	same   string // the attribute that it begins with
}

type place struct {
	name       string
	body       mapping
	made       string // the attribute that it is made of
	fixed      bool   // it has a number of places
	limited    bool
	joins      string
	alike      []string
	fromPeople bool
}

// A maker makes one model.
type maker struct {
	*rand.Rand
	files      map[string]string
	plain      bool
	start, end float64
	dated      bool
	size       int
	states     []string
	attributes []attribute
	machines   []attribute
	numbers    []string // the first has no most, the second has one
	places     []place
	networks   []attribute // values: none, any
	netBodies  []mapping
	timed      map[string]bool // networks whose links end
	linked     map[string]bool // networks that contacts may add to
	supplies   []string
	parameters mapping
	rates      []string
	chances    []string
	laws       []string
	names      []string // of clocks, contacts, entries and interventions so far
	contacts   []string // of these, names of contacts
	links      int      // how many contacts link
	litters    bool     // whoever is served from a queue has children, many at one instant
	served     bool     // a contact of a machine has a queue
	people     bool
	birth      bool // ages matter
}

func (m *maker) likely(p float64) bool { return m.Float64() < p }

func pick[T any](m *maker, all []T) T { return all[m.IntN(len(all))] }

func (m *maker) number(low, high float64) string {
	return fmt.Sprintf("%.3g", low+m.Float64()*(high-low))
}

// vocabulary decides what there is.
func (m *maker) vocabulary() {
	m.start, m.end = 0, float64(3+m.IntN(12))
	m.size = []int{20, 30, 40, 60, 100, 150, 300}[m.IntN(7)]
	if m.likely(0.1) {
		m.start = -3
	} else {
		m.dated = m.likely(0.15)
	}
	m.states = []string{"s", "i", "r", "e", "h"}[:2+m.IntN(4)]
	m.parameters = mapping{{"beta", text(m.number(0.05, 0.9) + " per day")}, {"chance of it", text(m.percent())}}
	m.parameters[1].key = "p"
	m.rates, m.chances = []string{"beta"}, []string{"p"}
	m.timed, m.linked = map[string]bool{}, map[string]bool{}
	if m.plain {
		return
	}
	if m.likely(0.7) {
		m.attributes = append(m.attributes, attribute{name: "sex", values: []string{"f", "m"}})
	}
	if m.likely(0.6) {
		m.attributes = append(m.attributes, attribute{name: "region", values: []string{"north", "south", "east"}[:2+m.IntN(2)]})
		if m.likely(0.3) {
			m.attributes = append(m.attributes, attribute{name: "home", same: "region", values: m.attributes[len(m.attributes)-1].values})
		}
	}
	if m.likely(0.25) {
		m.attributes = append(m.attributes, attribute{name: "age", values: []string{"child", "adult"}, band: true})
		m.birth = true
	}
	if m.likely(0.2) {
		m.numbers = []string{"activity", "risk"}
	}
	if m.likely(0.45) {
		m.machines = append(m.machines, attribute{name: "care", values: []string{"no", "due", "yes"}[:2+m.IntN(2)]})
	}
	if m.likely(0.25) {
		m.machines = append(m.machines, attribute{name: "hiv", values: []string{"neg", "pos", "late"}[:2+m.IntN(2)]})
	}
	m.people = m.likely(0.12)
	m.decidePlaces()
	if m.likely(0.45) {
		m.decideNetworks()
	}
	m.supplies = []string{"doses", "beds"}[:[]int{0, 0, 1, 1, 2}[m.IntN(5)]]
	m.litters, m.served = m.likely(0.08), m.likely(0.08)
	if m.litters || m.served {
		m.supplies = []string{"doses"}
	}
	if m.served && len(m.machines) == 0 {
		m.machines = []attribute{{name: "care", values: []string{"no", "due", "yes"}}}
	}
	if m.likely(0.4) {
		m.parameters = m.parameters.with("stay", m.law())
		m.laws = append(m.laws, "stay")
	}
	if m.likely(0.4) {
		m.parameters = m.parameters.with("gamma", m.rateBy(m.fixedRate, m.own()))
		m.rates = append(m.rates, "gamma")
	}
	if m.likely(0.3) {
		m.parameters = m.parameters.with("season", m.varying(func() text { return text(m.number(0.3, 1.5)) }, "1"))
		m.rates = append(m.rates, "beta * season")
	}
}

// own are the attributes that do not change with what else there is.
func (m *maker) own() []attribute { return slices.Concat(m.attributes, m.machines) }

// presences are kinds of places and networks, as tables and conditions have them.
func (m *maker) presences() (all []attribute) {
	for _, p := range m.places {
		all = append(all, attribute{name: p.name, values: []string{"none", "any"}})
	}
	return append(all, m.networks...)
}

// groups are all that a table or a condition may be by.
func (m *maker) groups() []attribute {
	all := slices.Concat(m.attributes, m.machines, m.presences())
	if len(all) == 0 || m.likely(0.1) {
		return append(all, attribute{name: "state", values: m.states})
	}
	return all
}

func (m *maker) decidePlaces() {
	plain := m.settable()
	if m.likely(0.5) {
		p := place{name: "household", joins: pick(m, []string{"new", "new", "any", "none"})}
		switch {
		case m.people && m.likely(0.6):
			p.fromPeople = true
		case len(plain) > 0 && m.likely(0.6):
			a := pick(m, plain)
			p.made = a.name
			one := mapping{{"share", text("50%")}, {a.values[0], text("1")}, {a.values[1], text("1")}}
			two := mapping{{"share", text("50%")}, {pick(m, a.values), text("2")}}
			p.body = mapping{{"by", text(a.name)}, {"made of", list{one, two}}}
		default:
			p.body = mapping{{"size", m.sizes()}}
		}
		if m.likely(0.2) && !p.fromPeople {
			m.alike(&p)
		}
		if m.likely(0.2) && p.joins == "any" && !p.fromPeople {
			p.body = p.body.with("capacity", text("8"))
		}
		m.places = append(m.places, p)
	}
	if m.likely(0.35) {
		p := place{name: "school", joins: pick(m, []string{"any", "new", "none"}), body: mapping{{"size", m.sizes()}}}
		if all := m.own(); len(all) > 0 {
			a := pick(m, all)
			p.body = p.body.with("where", mapping{{a.name, text(pick(m, a.values))}})
		}
		if len(m.places) > 0 && m.likely(0.2) && !m.places[0].fromPeople {
			p.body, p.alike = p.body.with("alike", list{text(m.places[0].name)}), []string{m.places[0].name}
		} else if m.likely(0.3) {
			m.alike(&p)
		}
		m.places = append(m.places, p)
	}
	if m.likely(0.35) {
		p := place{name: "ward", fixed: true, body: mapping{{"number", text(fmt.Sprint(1 + m.IntN(3)))}}}
		switch {
		case m.likely(0.75):
			if len(m.states) < 4 { // nobody begins in the last
				m.states = []string{"s", "i", "r", "h"}
			}
			p.limited = true
			p.body = p.body.with("capacity", text(fmt.Sprint(1+m.IntN(4)))).
				with("where", mapping{{"state", text(m.states[len(m.states)-1])}})
		case m.likely(0.5):
			p.body, p.joins = p.body.with("join", text("none")), "none"
		}
		m.places = append(m.places, p)
	}
	for i := range m.places {
		if p := &m.places[i]; p.joins != "" && !p.fixed {
			p.body = p.body.with("join", text(p.joins))
		}
	}
}

// alike makes members of a place have an attribute in common.
func (m *maker) alike(p *place) {
	for _, a := range m.settable() {
		if a.name != p.made && !m.derived(a.name, p.made) && !m.derived(p.made, a.name) && m.likely(0.5) {
			p.body, p.alike = p.body.with("alike", list{text(a.name)}), []string{a.name}
			return
		}
	}
}

// derived reports whether an attribute begins with the value of another.
func (m *maker) derived(name, from string) bool {
	return slices.ContainsFunc(m.attributes, func(a attribute) bool { return a.name == name && a.same == from })
}

// settable are attributes that moves can change.
func (m *maker) settable() (all []attribute) {
	for _, a := range m.attributes {
		if !a.band {
			all = append(all, a)
		}
	}
	return all
}

func (m *maker) sizes() node {
	return pick(m, []node{text("3"), mapping{{"1", text("50%")}, {"3", text("50%")}}, text("10"),
		mapping{{"poisson", mapping{{"mean", text("3")}, {"least", text("1")}}}}})
}

func (m *maker) decideNetworks() {
	add := func(name string, body mapping, grows bool) {
		if m.likely(0.4) {
			ends := mapping{{"rate", m.fixedRate()}}
			if m.likely(0.5) {
				ends = mapping{{"after", m.law()}}
			}
			body = body.with("ends", ends)
			m.timed[name] = true
		}
		m.networks = append(m.networks, attribute{name: name, values: []string{"none", "any"}})
		m.netBodies, m.linked[name] = append(m.netBodies, body), grows
	}
	if m.likely(0.6) {
		switch m.IntN(4) {
		case 0:
			add("friends", mapping{{"degrees", text(fmt.Sprint(1 + m.IntN(3)))}}, false)
		case 1:
			add("friends", mapping{{"degrees", mapping{{"negative binomial", mapping{{"mean", text("2")}, {"dispersion", text("1")}}}}}}, false)
		case 2:
			rows := "from,to,weight\n"
			for k := 1; k+3 < 20; k++ {
				rows += fmt.Sprintf("%d,%d,%s\n", k, k+1+m.IntN(3), m.number(0.5, 2))
			}
			if !m.people {
				m.files["links.csv"] = rows
				add("friends", mapping{{"file", text("links.csv")}}, false)
				break
			}
			fallthrough
		default:
			add("friends", mapping{{"random", mapping{{"mean", text(m.number(0.5, 4))}}}}, false)
		}
	}
	if m.likely(0.6) {
		body := mapping{}
		if m.likely(0.7) {
			body = body.with("most", text(fmt.Sprint(1+m.IntN(3))))
		}
		add("steady", body, true)
	}
}

func (m *maker) percent() string { return fmt.Sprintf("%d%%", 5+m.IntN(90)) }

func (m *maker) days(low, high float64) text { return text(m.number(low, high) + " days") }

func (m *maker) fixedRate() text { return text(m.number(0.02, 0.8) + " per day") }

// rateBy is a rate, perhaps by one of the groups.
func (m *maker) rateBy(rate func() text, by []attribute) node {
	if len(by) == 0 || m.likely(0.3) {
		return rate()
	}
	return m.table(by, func() node { return rate() })
}

// table is a table by one of the groups.
func (m *maker) table(by []attribute, value func() node) node {
	a := pick(m, by)
	t := mapping{{"by", text(a.name)}}
	for i, v := range a.values {
		if i == len(a.values)-1 && m.likely(0.5) && len(a.values) > 2 {
			v = "other"
		}
		t = t.with(v, value())
	}
	return t
}

// varying is a value that changes with time.
func (m *maker) varying(value func() text, mean text) node {
	switch m.IntN(4) {
	case 0:
		return mapping{{"seasonal", mapping{{"mean", mean}, {"amplitude", text("40%")}, {"peak", text("2 days")}, {"period", text("6 days")}}}}
	case 1:
		return mapping{{"steps", mapping{{"0 days", value()}, {"2 days", value()}}}}
	case 2:
		return mapping{{"line", mapping{{"0 days", value()}, {"4 days", value()}}}}
	}
	return mapping{{"steps", mapping{{"0 days", value()}, {"1 days", value()}}}, {"period", text("3 days")}}
}

// since is a value by the time since somebody came into a state.
func (m *maker) since(value func() text, zero text) mapping {
	s := mapping{{"since", text(pick(m, m.states))}}
	if len(m.machines) > 0 && m.likely(0.3) {
		a := pick(m, m.machines)
		s[0].value = mapping{{a.name, list{text(pick(m, a.values))}}}
	}
	kind := pick(m, []string{"line", "steps"})
	return s.with(kind, mapping{{"0 days", zero}, {"2 days", value()}, {"5 days", value()}})
}

// rate is the rate of somebody's clock.
func (m *maker) rate() node {
	if m.plain {
		return text(pick(m, []string{"beta", "beta / 2", string(m.fixedRate())}))
	}
	fixed := func() text { return m.fixedRate() }
	switch k := m.IntN(20); {
	case k < 5:
		return m.fixedRate()
	case k < 9:
		return text(pick(m, m.rates) + pick(m, []string{"", " / 2", " * (1 - p)"}))
	case k < 13:
		if all := m.groups(); len(all) > 0 {
			return m.table(all, func() node {
				if m.likely(0.15) {
					return m.varying(fixed, m.fixedRate())
				}
				return m.fixedRate()
			})
		}
	case k < 15:
		return m.varying(fixed, m.fixedRate())
	case k < 17:
		counts := []string{"beta * count(i) / total", "0.002 per day * total", "0.01 per day * count(i)"}
		for _, a := range m.own() {
			counts = append(counts, fmt.Sprintf("0.01 per day * count(%s=%s)", a.name, pick(m, a.values)))
		}
		for _, a := range m.presences() {
			counts = append(counts, fmt.Sprintf("beta * count(%s=any) / total", a.name))
		}
		return mapping{{"value", text(pick(m, counts))}}
	case k == 17:
		return m.since(fixed, "0 per day")
	case k == 18 && len(m.numbers) > 0:
		return text("0.1 per day * " + pick(m, m.numbers))
	}
	return m.fixedRate()
}

// chance is a probability.
func (m *maker) chance(by []attribute) node {
	value := func() text { return text(m.percent()) }
	switch k := m.IntN(8); {
	case k == 0 && len(by) > 0:
		return m.table(by, func() node { return value() })
	case k == 1 && !m.plain:
		return m.varying(value, "50%")
	case k == 2:
		return text("p")
	case k == 3 && !m.plain:
		return m.since(value, "0%")
	}
	return value()
}

// law is a distribution of durations, none of which is surely shorter than half a day.
func (m *maker) law() node {
	one := func(name string, more ...entry) node { return mapping{{name, mapping(more)}} }
	mean := entry{"mean", m.days(0.5, 6)}
	switch m.IntN(12) {
	case 0:
		return one("exponential", mean)
	case 1:
		return one("gamma", mean, entry{"shape", text(m.number(0.6, 5))})
	case 2:
		return one("erlang", mean, entry{"k", text(fmt.Sprint(1 + m.IntN(4)))})
	case 3:
		return one("weibull", entry{"scale", m.days(1, 6)}, entry{"shape", text(m.number(0.6, 4))})
	case 4:
		return one("lognormal", mean, entry{"sd", m.days(1, 4)})
	case 5:
		return one("uniform", entry{"low", m.days(0, 1)}, entry{"high", m.days(2, 6)})
	case 6:
		return one("gompertz", entry{"rate", text("0.05 per day")}, entry{"growth", text("0.2 per day")})
	case 7:
		return one("hazard", entry{"0 days", m.fixedRate()}, entry{"2 days", m.fixedRate()})
	case 8:
		return mapping{{"mixture", list{mapping{{"share", text("30%")}, {"of", m.days(1, 4)}},
			mapping{{"share", text("70%")}, {"of", mapping{{"exponential", mapping{mean}}}}}}}}
	}
	return pick(m, []text{"1 days", "2 days", "3 days", m.days(1, 5)})
}

// lawBy is the law of a clock.
func (m *maker) lawBy() node {
	switch k := m.IntN(8); {
	case k == 0 && len(m.laws) > 0:
		return text("stay")
	case k == 1 && !m.plain:
		if all := m.groups(); len(all) > 0 {
			return m.table(all, m.law)
		}
	}
	return m.law()
}

// where is a condition on an individual.
func (m *maker) where(all []attribute) mapping {
	if len(all) == 0 {
		all = []attribute{{name: "state", values: m.states}}
	}
	var w mapping
	for range 1 + m.IntN(2) {
		a := pick(m, all)
		if w.has(a.name) {
			continue
		}
		if v := pick(m, a.values); m.likely(0.2) && v != a.values[0] {
			w = w.with(a.name, list{text(a.values[0]), text(v)})
		} else {
			w = w.with(a.name, text(v))
		}
	}
	return w
}

// shares are values with their shares.
func (m *maker) shares(values []string) node {
	if len(values) < 2 || m.likely(0.6) {
		return text(pick(m, values))
	}
	k := m.IntN(len(values))
	return mapping{{values[k], text(m.percent())}, {values[(k+1)%len(values)], text("rest")}}
}

// move is what somebody is given. Its own machine cannot be.
func (m *maker) move(own string, placesToo bool) mapping {
	var all []entry
	for _, a := range append(m.settable(), m.machines...) {
		if a.name == own {
			continue
		}
		value := m.shares(a.values)
		if a.same != "" && m.likely(0.5) {
			value = text(a.same)
		} else if m.likely(0.15) {
			value = m.table([]attribute{{name: "state", values: m.states}}, func() node { return m.shares(a.values) })
		}
		all = append(all, entry{a.name, value})
	}
	for _, p := range m.places {
		how := []string{"none", "new"}
		if p.fixed {
			how = []string{"none", "any"}
		} else if p.joins == "any" {
			how = []string{"none", "any", "new"}
		}
		if placesToo {
			all = append(all, entry{p.name, text(pick(m, how))})
		}
	}
	if len(all) == 0 {
		return nil
	}
	m.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return mapping(all[:1+m.IntN(min(2, len(all)))])
}

// named adds a name to something.
func (m *maker) named(to mapping, how float64, contact bool) mapping {
	if !m.likely(how) {
		return to
	}
	all := []string{"recovery", "death", "change", "dose"}
	if contact {
		all = []string{"infection", "meeting"}
	}
	name := pick(m, all)
	if to.has("self") {
		name = "exchange" // it happens to two, and is counted once
	}
	m.names = append(m.names, name)
	if contact {
		m.contacts = append(m.contacts, name)
	}
	return to.with("name", text(name))
}

// short adds what happens if there is no room, or nothing left of a supply.
func (m *maker) short(to mapping, states []string, mayQueue bool) mapping {
	uses := len(m.supplies) > 0 && m.likely(0.3)
	if uses {
		to = to.with("uses", text(pick(m, m.supplies)))
	}
	limited := slices.ContainsFunc(m.places, func(p place) bool { return p.limited })
	if uses && m.likely(0.7) || limited && m.likely(0.25) {
		if m.likely(0.85) || !mayQueue {
			to = to.with("full", text(pick(m, states)))
			if mayQueue && m.likely(0.6) {
				to = to.with("queue", text("true"))
			}
		} else {
			to = to.with("full", text("out"))
		}
	}
	return to
}

// given adds what those who enter have, and how many they are.
func (m *maker) given(to mapping, parent bool) mapping {
	var with mapping
	var inherit list
	for _, a := range append(m.settable(), m.machines...) {
		switch k := m.IntN(6); {
		case k == 0:
			with = with.with(a.name, m.shares(a.values))
		case k < 3 && parent:
			inherit = append(inherit, text(a.name))
		}
	}
	for _, p := range m.places {
		if !parent || p.fixed || p.joins == "none" || m.likely(0.6) ||
			slices.ContainsFunc(p.alike, func(a string) bool { return with.has(a) }) {
			continue
		}
		for _, a := range p.alike {
			if !slices.Contains(inherit, node(text(a))) {
				inherit = append(inherit, text(a))
			}
		}
		inherit = append(inherit, text(p.name))
	}
	if len(with) > 0 {
		to = to.with("with", with)
	}
	if len(inherit) > 0 {
		to = to.with("inherit", inherit)
	}
	return to
}

func (m *maker) count() node {
	return pick(m, []node{text("2"), mapping{{"1", text("50%")}, {"3", text("50%")}},
		mapping{{"poisson", mapping{{"mean", text("1.5")}}}}, mapping{{"poisson", mapping{{"mean", text("2")}, {"least", text("1")}, {"most", text("5")}}}}})
}

// clock is a clock of a state of own, which is "" for states.
func (m *maker) clock(own string, states []string) mapping {
	var c mapping
	if m.likely(0.55) {
		c = c.with("rate", m.rate())
	} else {
		c = c.with("after", m.lawBy())
	}
	return m.effect(c, own, states)
}

// effect adds what a clock does.
func (m *maker) effect(c mapping, own string, states []string) mapping {
	to := pick(m, states)
	if m.likely(0.12) {
		to = "out"
	}
	c = c.with("to", text(to))
	if m.plain {
		return m.named(c, 0.3, false)
	}
	if m.likely(0.3) || to == "out" && m.likely(0.3) {
		if move := m.move(own, true); move != nil {
			c = c.with("move", move)
		}
	}
	if m.likely(0.08) {
		c = c.with("enter", m.shares(m.states))
		if m.likely(0.7) {
			c = c.with("count", m.count())
		}
		c = m.given(c, true)
		if len(m.supplies) > 0 && m.likely(0.5) { // many have children at one instant: of a delivery
			return m.named(c.with("uses", text(m.supplies[0])).with("full", text(pick(m, states))).with("queue", text("true")), 0.5, false)
		}
	}
	return m.named(m.short(c, states, true), 0.35, false)
}

// body is what happens in a state.
func (m *maker) body(own string, states []string) mapping {
	var b mapping
	if m.likely(0.25) {
		first := mapping{{"chance", m.chance(m.own())}}
		first = append(first, m.clock(own, states)...)
		other := mapping{{"otherwise", text("true")}}
		other = append(other, m.clock(own, states)...)
		b = b.with("split", list{first, other})
	}
	var race list
	for range []int{0, 1, 1, 2}[m.IntN(4)] {
		c := m.clock(own, states)
		if m.likely(0.3) && !m.plain {
			if w := m.where(m.groups()); w != nil {
				c = c.with("where", w)
			}
		}
		race = append(race, c)
	}
	if race != nil {
		b = b.with("race", race)
	}
	if b == nil {
		return mapping{}
	}
	return b
}
