package randommodel

import (
	"fmt"
	"slices"
	"strings"
)

// sections are all sections of the file.
func (m *maker) sections() mapping {
	root := mapping{{"name", text("random")}}
	at := func(t float64) text {
		if m.dated {
			return text(fmt.Sprintf("2020-03-%02d", 1+int(t)))
		}
		return text(fmt.Sprint(t))
	}
	root = root.with("time", mapping{{"unit", text("day")}, {"start", at(m.start)}, {"end", at(m.start + m.end)}})
	var states mapping
	for _, s := range m.states {
		states = states.with(s, m.body("", m.states))
	}
	if m.litters {
		c := mapping{{"after", text("1 days")}, {"to", text("i")}, {"enter", text("s")}, {"count", text("3")}, {"uses", text("doses")},
			{"full", text(m.states[len(m.states)-1])}, {"queue", text("true")}}
		states[1].value = mapping{{"race", list{c}}}
	}
	root = root.with("population", m.population(states))
	parameters := len(root)
	root = root.with("parameters", nil)
	if len(m.attributes)+len(m.numbers) > 0 {
		root = root.with("attributes", m.attributeSection())
	}
	if len(m.places) > 0 {
		var all mapping
		for _, p := range m.places {
			all = all.with(p.name, p.body)
		}
		root = root.with("places", all)
	}
	if len(m.networks) > 0 {
		var all mapping
		for i, n := range m.networks {
			all = all.with(n.name, m.netBodies[i])
		}
		root = root.with("networks", all)
	}
	if len(m.supplies) > 0 {
		root = root.with("supplies", m.supplySection())
	}
	root = root.with("states", states)
	if len(m.machines) > 0 {
		root = root.with("machines", m.machineSection())
	}
	if m.likely(0.4) {
		root = root.with("always", m.always())
	}
	root = m.entrances(root)
	var contacts list
	for range 1 + m.IntN(3) {
		contacts = append(contacts, m.contact())
	}
	if a := m.machines; m.served {
		c := mapping{{"machine", text(a[0].name)}, {"from", text(a[0].values[1])}, {"rate", m.fixedRate()},
			{"to", mapping{{a[0].values[0], text(pick(m, a[0].values[1:]))}}}, {"uses", text("doses")},
			{"full", text(pick(m, a[0].values[1:]))}, {"queue", text("true")}}
		contacts = append(contacts, m.named(c, 0.5, true))
	}
	if m.litters {
		contacts = append(contacts, mapping{{"from", text("i")}, {"rate each", text("0.003 per day")}, {"to", mapping{{"s", text("i")}}}})
	}
	root = root.with("transmission", contacts)
	if !m.plain && m.likely(0.3) && len(m.places)+len(m.networks)+len(m.contacts) > 0 {
		root = root.with("tracing", m.tracing())
	}
	if m.likely(0.7) {
		var all list
		for range 1 + m.IntN(3) {
			all = append(all, m.intervention())
		}
		root = root.with("interventions", all)
	}
	if !m.plain {
		if m.likely(0.3) {
			root = root.with("outcomes", m.outcomes())
		}
		if m.likely(0.35) {
			root = root.with("observe", m.observe())
		}
	}
	root = root.with("record", m.record(root.has("observe")))
	if m.likely(0.2) {
		root = root.with("scenarios", mapping{{"usual", mapping{}}, {"slow", mapping{{"beta", text("0.1 per day")}}}})
	}
	if root.has("observe") && !m.dated && m.start == 0 {
		m.files["data.csv"] = fmt.Sprintf("time,positive,tested\n1,5,10\n%v,4,10\n", m.end-1)
		root = root.with("fit", mapping{{"data", text("data.csv")},
			{"unknown", mapping{{"p", mapping{{"uniform", mapping{{"low", text("0.1")}, {"high", text("0.9")}}}}}}},
			{"match", list{mapping{{"column", text("positive")}, {"of", text("tested")}, {"survey", text("survey")}}}}})
	}
	root[parameters].value = m.parameters
	return root
}

// begin is how many begin in which state.
func (m *maker) begin(states mapping, share bool) mapping {
	number := func() node {
		if share || m.likely(0.3) {
			return text(fmt.Sprintf("%d%%", 5+m.IntN(25)))
		}
		return text(fmt.Sprint(1 + m.IntN(max(1, m.size/6))))
	}
	var b mapping
	for i, s := range m.states[1:min(3, len(m.states))] {
		n := number()
		if t := string(n.(text)); m.likely(0.1) && !states[1+i].value.(mapping).has("split") {
			key := "count"
			if strings.HasSuffix(t, "%") {
				key = "share"
			}
			n = mapping{{key, n}, {"since", text("0.2 days")}}
		}
		b = b.with(s, n)
	}
	return b.with(m.states[0], text("rest"))
}

func (m *maker) population(states mapping) mapping {
	var p mapping
	switch {
	case m.people:
		p = mapping{{"people", mapping{{"file", text("people.csv")}}}, {"start", mapping{{m.states[1], text("10%")}, {m.states[0], text("rest")}}}}
		m.peopleFile()
	case !m.plain && m.likely(0.2):
		var groups list
		for _, share := range []string{"40%", "60%"} {
			g := mapping{{"share", text(share)}}
			with := mapping{}
			for _, a := range append(m.settable(), m.machines...) {
				if m.likely(0.3) && !slices.ContainsFunc(m.places, func(p place) bool { return p.made == a.name }) {
					with = with.with(a.name, m.shares(a.values))
				}
			}
			if len(with) > 0 {
				g = g.with("with", with)
			}
			groups = append(groups, g.with("start", m.begin(states, true)))
		}
		p = mapping{{"size", text(fmt.Sprint(m.size))}, {"groups", groups}}
	default:
		p = mapping{{"size", text(fmt.Sprint(m.size))}, {"start", m.begin(states, false)}}
	}
	if m.birth && m.likely(0.7) {
		p = p.with("age", mapping{{"uniform", mapping{{"low", text("0 days")}, {"high", text("8 days")}}}})
	}
	return p.with("most", text("1000"))
}

// peopleFile writes the table of people.
func (m *maker) peopleFile() {
	columns := []string{"id", "state"}
	values := [][]string{nil, append([]string{""}, m.states[:min(3, len(m.states))]...)}
	for _, a := range append(m.settable(), m.machines...) {
		if m.likely(0.5) && a.same == "" && !slices.ContainsFunc(m.places, func(p place) bool { return p.made == a.name }) {
			columns, values = append(columns, a.name), append(values, append([]string{""}, a.values...))
		}
	}
	household := slices.IndexFunc(m.places, func(p place) bool { return p.fromPeople }) >= 0
	if household {
		columns = append(columns, "household")
	}
	rows := strings.Join(columns, ",") + "\n"
	for k := range m.size {
		row := []string{fmt.Sprint(k + 1)}
		for _, v := range values[1:] {
			row = append(row, pick(m, v))
		}
		if household {
			row = append(row, []string{"", fmt.Sprint("h", k/3)}[min(1, m.IntN(6))])
		}
		rows += strings.Join(row, ",") + "\n"
	}
	m.files["people.csv"] = rows
}

func (m *maker) attributeSection() mapping {
	var all mapping
	for _, a := range m.attributes {
		switch {
		case a.band:
			all = all.with(a.name, mapping{{"age", mapping{{"child", text("0 days")}, {"adult", text("4 days")}}}})
		case a.same != "":
			all = all.with(a.name, mapping{{"same as", text(a.same)}})
		case len(a.values) == 2:
			all = all.with(a.name, mapping{{a.values[0], text(m.percent())}, {a.values[1], text("rest")}})
		default:
			all = all.with(a.name, mapping{{a.values[0], text("30%")}, {a.values[1], text("30%")}, {a.values[2], text("rest")}})
		}
	}
	for _, n := range m.numbers {
		law := mapping{{"gamma", mapping{{"mean", text("1")}, {"shape", text("0.5")}}}}
		if n == "risk" {
			law = mapping{{"normal", mapping{{"mean", text("1")}, {"sd", text("1")}, {"least", text("0")}, {"most", text("4")}}}}
		}
		all = all.with(n, mapping{{"number", law}})
	}
	return all
}

func (m *maker) supplySection() mapping {
	var all mapping
	for _, s := range m.supplies {
		body := mapping{{"at", m.time()}}
		if m.likely(0.7) || m.served {
			body = body.with("every", text("1 days"))
		}
		body = body.with("count", text(pick(m, []string{"1", "3", "5", "8", "40", "200"})))
		if m.likely(0.4) {
			body = body.with("keep", text("10"))
		}
		all = all.with(s, body)
	}
	return all
}

// time is a time of the clock.
func (m *maker) time() text { return text(fmt.Sprintf("%.4g days", m.start+m.Float64()*m.end*0.7)) }

func (m *maker) machineSection() mapping {
	var all mapping
	for _, a := range m.machines {
		var states mapping
		for _, v := range a.values {
			states = states.with(v, m.body(a.name, a.values))
		}
		start := mapping{{a.values[1], pick(m, []node{text("10%"), text("20%"), text(fmt.Sprint(1 + m.IntN(5)))})}, {a.values[0], text("rest")}}
		enter := m.shares(a.values)
		all = all.with(a.name, mapping{{"start", start}, {"enter", enter}, {"states", states}})
	}
	return all
}

func (m *maker) always() list {
	var all list
	for range 1 + m.IntN(2) {
		var c mapping
		if m.likely(0.6) {
			c = c.with("rate", m.rate())
		} else {
			c = c.with("after", m.lawBy())
		}
		if m.plain {
			all = append(all, c.with("to", text(pick(m, []string{"out", m.states[0]}))))
			continue
		}
		switch move := m.move("", true); {
		case m.likely(0.4) && move != nil:
			c = m.named(c.with("move", move), 0.4, false)
		case m.likely(0.1):
			c = m.given(c.with("enter", m.shares(m.states)).with("count", m.count()), true)
		default:
			c = m.effect(c, "", m.states)
		}
		if m.likely(0.3) {
			c = c.with("where", m.where(m.groups()))
		}
		if m.likely(0.3) {
			c = c.with("from", text(pick(m, m.states)))
		}
		if m.likely(0.2) {
			c = c.with("chance", m.chance(nil))
		}
		all = append(all, c)
	}
	return all
}

// entrances adds births and immigration.
func (m *maker) entrances(root mapping) mapping {
	if m.likely(0.3) {
		b := mapping{{"rate", text(m.number(0.01, 0.08) + " per day")}, {"enter", m.shares(m.states)}}
		if !m.plain {
			if m.likely(0.4) {
				b = b.with("where", m.where(m.groups()))
			}
			if m.likely(0.3) {
				b = b.with("count", m.count())
			}
			b = m.given(b, true)
		}
		root = root.with("births", m.named(b, 0.3, false))
	}
	if m.likely(0.35) {
		i := mapping{{"rate", text(m.number(0.3, 4) + " per day")}, {"enter", m.shares(m.states)}}
		if !m.plain {
			if m.likely(0.3) {
				i[0].value = m.varying(func() text { return text(m.number(0.3, 4) + " per day") }, "2 per day")
			}
			if m.likely(0.4) {
				i = i.with("count", m.count())
			}
			if m.birth {
				i = i.with("age", m.law())
			}
			i = m.given(i, false)
		}
		root = root.with("immigration", list{m.named(i, 0.3, false)})
	}
	return root
}

// contact is an entry of transmission.
func (m *maker) contact() mapping {
	if m.plain {
		return m.named(mapping{{"from", text("i")}, {"rate", m.rate()}, {"to", mapping{{"s", text("i")}}}}, 0.5, true)
	}
	var c mapping
	states, machine := m.states, ""
	if len(m.machines) > 0 && m.likely(0.3) {
		a := pick(m, m.machines)
		machine, states = a.name, a.values
		c = c.with("machine", text(machine))
	}
	link := ""
	if m.linked["steady"] && (m.links == 0 || m.likely(0.4)) {
		link = "steady"
		m.links++
	}
	effect := link == "" || m.likely(0.3) // it changes a state
	move := m.move(machine, true)
	if !effect || m.likely(0.8) {
		move = nil
	}
	var near []string
	for _, a := range slices.Concat(m.attributes, m.machines) {
		near = append(near, a.name)
	}
	for _, p := range m.places {
		near = append(near, p.name, p.name)
	}
	for _, n := range m.networks {
		near = append(near, n.name, n.name)
	}
	met := slices.Concat(m.attributes, m.machines)
	each := m.likely(0.25)
	mixes := false
	if effect {
		from := states[1]
		c = c.with("from", text(from))
	} else if machine != "" {
		c = c[:0]
	}
	switch {
	case len(near) > 0 && m.likely(0.5):
		c = c.with("among", text(pick(m, near)))
	case len(met) > 0 && m.likely(0.3) && !each:
		a := pick(m, met)
		rows := list{}
		for i := range a.values {
			row := list{}
			for j := range a.values {
				share := "0"
				if i == j {
					share = "0.6"
				} else if j == (i+1)%len(a.values) {
					share = "0.4"
				}
				row = append(row, text(share))
			}
			rows = append(rows, row)
		}
		c = c.with("mixing", mapping{{"by", text(a.name)}, {"matrix", rows}})
		mixes = true
	}
	switch {
	case each && c.has("among"):
		c = c.with("rate each", pick(m, []node{text("0.1 per day"), mapping{{"value", text("0.3 per day / size")}, {"most", text("0.3 per day")}},
			m.table(m.groups(), func() node { return text(m.number(0, 0.2) + " per day") })}))
	case each && !mixes:
		c = c.with("rate each", pick(m, []node{text("0.003 per day"), mapping{{"value", text("0.01 per day * count(i) / total")}}}))
	default:
		c = c.with("rate", m.rate())
	}
	if effect {
		target := pick(m, states)
		if m.likely(0.08) {
			target = "out"
		}
		to := mapping{{states[0], text(target)}}
		self := m.likely(0.2)
		if m.likely(0.2) && len(states) > 2 {
			target := states[0]
			if self && m.likely(0.7) {
				target = "same"
			}
			to = to.with(states[2], text(target))
		}
		c = c.with("to", to)
		if self {
			c = c.with("self", text(pick(m, states)))
		}
		c = m.short(c, states, !self)
	}
	if link != "" {
		c = c.with("link", text(link))
	}
	if move != nil {
		c = c.with("move", move)
	}
	if effect && m.likely(0.2) && len(m.settable()) > 0 && !c.has("queue") {
		inherit := list{text(pick(m, m.settable()).name)}
		if move == nil || !move.has(string(inherit[0].(text))) {
			c = c.with("inherit", inherit)
		}
	}
	if m.likely(0.3) {
		c = c.with("where", m.where(m.groups()))
	}
	if m.likely(0.3) {
		c = c.with("whom", m.where(m.groups()))
	}
	if m.likely(0.3) {
		c = c.with("chance", m.chance(m.own()))
	} else if len(met) > 0 && m.likely(0.2) {
		t := m.table(met, func() node { return text(m.percent()) }).(mapping)
		c = c.with("chance", slices.Insert(t, 1, entry{"of", text("met")}))
	}
	return m.named(c, 0.6, true)
}

func (m *maker) tracing() list {
	t := mapping{{"when", text(pick(m, m.states))}}
	if len(m.names) > 0 && m.likely(0.5) {
		t[0].value = text(pick(m, m.names))
	}
	var through mapping
	back := false
	for _, p := range m.places {
		through = through.with(p.name, text(m.percent()))
	}
	for _, n := range m.networks {
		through, back = through.with(n.name, text(m.percent())), back || m.timed[n.name]
	}
	if len(m.contacts) > 0 && (m.likely(0.5) || through == nil) {
		through, back = through.with(pick(m, m.contacts), text(m.percent())), true
	}
	t = t.with("through", through)
	if back {
		t = t.with("back", text("3 days"))
	}
	if m.likely(0.5) {
		t = t.with("after", m.law())
	}
	if move := m.move("", true); move != nil && m.likely(0.5) {
		t = t.with("move", move)
	} else {
		t = t.with("to", mapping{{m.states[0], text(pick(m, m.states))}})
		t = m.short(t, m.states, true)
	}
	if m.likely(0.3) {
		t = t.with("whom", m.where(m.own()))
	}
	return list{t.with("name", text("traced"))}
}

func (m *maker) intervention() mapping {
	var d mapping
	when := false
	switch k := m.IntN(6); {
	case k < 2:
		d = mapping{{"at", m.time()}}
	case k == 2:
		d = mapping{{"at", m.time()}, {"every", text("2 days")}}
	case k == 3:
		d = mapping{{"every", text("1.5 days")}}
	default:
		when = true
		d = mapping{{"when", m.condition()}}
		if m.likely(0.5) {
			d = d.with("again", text("true"))
		}
	}
	sets := m.likely(0.3)
	if sets {
		d = d.with("set", mapping{{"beta", m.fixedRate()}})
		if m.likely(0.5) {
			if when && m.likely(0.5) {
				d = d.with("name", text(fmt.Sprintf("closing %d", m.IntN(100))))
			}
			return d
		}
	}
	if m.likely(0.2) {
		d = m.given(d.with("enter", m.shares(m.states)).with("count", text(fmt.Sprint(1+m.IntN(6)))), false)
		return m.named(d, 0.4, false)
	}
	if len(m.places) > 0 && when && m.likely(0.3) {
		d = d.with("who", text(pick(m, m.states))).with("move", mapping{{m.places[0].name, text("none")}})
		if !m.places[0].fixed && m.likely(0.7) {
			d[len(d)-1].value = mapping{{m.places[0].name, text("new")}}
		}
		return m.named(d, 0.8, false)
	}
	d = d.with("who", pick(m, []node{text("everyone"), text(m.states[0]), text(m.states[1])}))
	if m.likely(0.4) {
		d = d.with("where", m.where(m.groups()))
	}
	switch m.IntN(4) {
	case 0:
		d = d.with("coverage", m.chance(m.own()))
	case 1:
		d = d.with("count", text(fmt.Sprint(1+m.IntN(10))))
	case 2:
		if len(m.supplies) > 0 {
			d = d.with("count", text(pick(m, m.supplies)))
		}
	}
	move := m.move("", true)
	if move == nil || m.likely(0.5) {
		to := pick(m, m.states)
		if m.likely(0.1) {
			to = "out"
		}
		d = d.with("to", text(to))
		if slices.ContainsFunc(m.places, func(p place) bool { return p.limited }) && m.likely(0.4) {
			d = d.with("full", text(pick(m, m.states)))
			if m.likely(0.5) {
				d = d.with("queue", text("true"))
			}
		}
		if m.likely(0.5) {
			move = nil
		}
	}
	if move != nil {
		d = d.with("move", move)
	}
	return m.named(d, 0.5, false)
}

// condition is that of an intervention that waits.
func (m *maker) condition() mapping {
	of := []string{pick(m, m.states), "total"}
	for _, a := range m.own() {
		of = append(of, a.name+"="+pick(m, a.values))
	}
	if len(m.names) > 0 {
		of = append(of, fmt.Sprintf("incidence(%s) over 2 days", pick(m, m.names)))
	}
	what := pick(m, of)
	bound := fmt.Sprint(1 + m.IntN(m.size/4))
	if !strings.HasPrefix(what, "inc") && what != "total" && m.likely(0.3) {
		bound = m.percent()
	}
	c := mapping{{what, text(pick(m, []string{"above ", "below "}) + bound)}}
	if what != "total" && m.likely(0.3) && len(m.own()) > 0 {
		c = c.with("where", m.where(m.own()))
	}
	if m.likely(0.2) {
		c = c.with("for", text("1 days"))
	}
	return c
}

func (m *maker) outcomes() mapping {
	o := mapping{{"time", m.rateBy(func() text { return text(m.number(0.1, 5) + " per day") }, m.groups())}}
	if len(m.names) > 0 && m.likely(0.7) {
		o = o.with("events", mapping{{pick(m, m.names), text(m.number(1, 9))}})
	}
	if m.likely(0.3) {
		o = o.with("discount", text("3% per year"))
	}
	return mapping{{"cost", o}}
}

func (m *maker) observe() mapping {
	var all mapping
	if len(m.names) > 0 {
		all = all.with("reports", mapping{{"of", text(pick(m, m.names))}, {"chance", m.chance(m.own())}, {"after", m.law()}})
	}
	s := mapping{{"every", text("2 days")}, {"count", text(fmt.Sprint(5 + m.IntN(10)))}}
	return all.with("survey", s.with("chance", m.table([]attribute{{name: "state", values: m.states}}, func() node { return text(m.percent()) })))
}

func (m *maker) record(observes bool) mapping {
	r := mapping{{"every", text(pick(m, []string{"1 days", "0.7 days", "2 days"}))}}
	if m.plain {
		return r
	}
	var by list
	for _, a := range m.own() {
		if m.likely(0.5) {
			by = append(by, text(a.name))
		}
	}
	if len(by) > 1 && m.likely(0.5) {
		by = append(by, list{by[1], by[0]})
	}
	if by != nil {
		r = r.with("by", by)
	}
	if m.likely(0.4) {
		r = r.with("incidence", text("true"))
	}
	if m.likely(0.4) {
		r = r.with("time", text("true"))
	}
	if m.likely(0.4) {
		r = r.with("values", mapping{{"share", text("count(" + m.states[1] + ") / total")}})
	}
	if len(m.names) > 0 && m.likely(0.25) {
		of := pick(m, m.names)
		r = r.with("tree", mapping{{"of", text(of)}})
		if m.likely(0.5) {
			r = r.with("people", mapping{{"times", list{text(of)}}})
		}
	}
	return r
}
