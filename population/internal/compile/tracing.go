package compile

import (
	"math"
	"slices"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/eval"
	"github.com/almanac-sim/almanac/population/internal/law"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// maxTracing is the number of entries that the section tracing can have.
const maxTracing = 1000

// listRemembered lists the names of the contacts that calls look for.
func (c *compiler) listRemembered() {
	all := c.file.Tracing
	if len(all) == 0 {
		return
	}
	if n := len(all); n > maxTracing {
		c.Add(all[maxTracing].At, "tracing: %d are more than the %d there can be", n, maxTracing)
		c.Stopped = true
		return
	}
	p := &program.Calls{}
	c.program.Calls = p
	for i := range all {
		for _, layer := range all[i].Through {
			name := layer.Layer.Name
			if c.isContactName(name) && c.remembered(name, false) < 0 {
				p.Logs = append(p.Logs, program.Remembered{Name: name, Entry: i})
			}
			if k := c.network(name); k >= 0 && c.linksEnd(k) && all[i].Back.Given() && c.program.Networks[k].Log == 0 {
				p.Logs = append(p.Logs, program.Remembered{Name: name, Network: true, Entry: i})
				c.program.Networks[k].Log = len(p.Logs)
			}
		}
	}
}

// linksEnd reports whether the links of a network end.
func (c *compiler) linksEnd(k int) bool {
	return c.file.Networks[k].Ends.Given() || c.file.Networks[k].After.Given()
}

// isContactName reports whether a contact goes by a name.
func (c *compiler) isContactName(name string) bool {
	return name != "" && slices.ContainsFunc(c.file.Transmission, func(t syntax.Contact) bool { return t.Name == name })
}

// remembered returns the number of the log of the contacts with a name, or of a network, −1 if
// there is none.
func (c *compiler) remembered(name string, network bool) int {
	if c.program.Calls == nil || name == "" {
		return -1
	}
	return slices.IndexFunc(c.program.Calls.Logs, func(l program.Remembered) bool {
		return l.Name == name && l.Network == network
	})
}

// tracing compiles an entry of the section tracing.
func (c *compiler) tracing(here eval.Scope, text *syntax.Tracing) program.Tracing {
	t := program.Tracing{
		Do: program.Action{Kind: program.DoContact, Name: c.nameIndex(text.Contact.Name), Chance: 1},
		Effect: program.Contact{
			Chance: 1, Attribute: -1, Near: -1, Self: program.SameState, Special: true,
			Becomes: slices.Repeat([]uint16{program.SameState}, len(c.program.States)),
		},
	}
	if !c.reserveEntries(len(c.program.States) / 32) {
		return t
	}
	what := text.Contact.What
	for i := range text.Through {
		if layer, ok := c.layer(here, &text.Through[i], what+": through"); ok {
			t.Layers = append(t.Layers, layer)
		}
	}
	t.Back = math.Inf(1)
	if text.Back.Given() && !text.Back.Bad {
		t.Back, _ = here.Duration(text.Back, what+": back")
	} else if !text.Back.Given() {
		c.needBack(text, t.Layers)
	}
	if text.After.Given() && !text.After.Bad {
		t.After = eachCell(c, here, []syntax.Value{text.After}, func(here eval.Scope) law.Law {
			l, _ := here.Law(text.After, what+": after")
			return l
		})
	}
	machine, ok := c.contactMachine(&text.Contact)
	if !ok {
		return t
	}
	if machine >= 0 {
		t.Effect.Rich = c.machineContact(&t.Effect, &text.Contact, machine)
	} else {
		c.stateContact(&t.Effect, &text.Contact)
	}
	t.Effect.Whom = c.conditions(text.Contact.Whom, what+": whom")
	c.contactMoves(here, &t.Effect, &text.Contact)
	t.Effect.Uses = c.contactUses(&t.Effect, &text.Contact, machine)
	return t
}

// needBack reports that nothing says for how long contacts or links are remembered.
func (c *compiler) needBack(text *syntax.Tracing, layers []program.Layer) {
	for _, layer := range layers {
		switch {
		case layer.Network >= 0 && c.linksEnd(layer.Network):
			c.Add(text.At, "%s: back is missing: links of %s that have ended are remembered for that long", text.Contact.What,
				c.file.Networks[layer.Network].Name)
			return
		case layer.Network < 0 && layer.Log >= 0:
			c.Add(text.At, "%s: back is missing: contacts named %s are remembered for that long", text.Contact.What,
				c.program.Calls.Logs[layer.Log].Name)
			return
		}
	}
}

// layer looks up a layer of a call, and works out its chance.
func (c *compiler) layer(here eval.Scope, text *syntax.Through, what string) (program.Layer, bool) {
	name := text.Layer.Name
	layer := program.Layer{Kind: c.kind(name), Network: c.network(name)}
	layer.Log = c.remembered(name, layer.Network >= 0)
	switch contact := c.isContactName(name); {
	case layer.Kind >= 0 && contact:
		c.Add(text.Layer.At, "%s: %s is a kind of places and the name of a contact; rename one of them", what,
			diag.Quote(name))
		return layer, false
	case layer.Network >= 0 && contact:
		c.Add(text.Layer.At, "%s: %s is a network and the name of a contact; rename one of them", what, diag.Quote(name))
		return layer, false
	case layer.Kind < 0 && layer.Network < 0 && !contact:
		names := append(c.file.PlaceNames(), c.file.NetworkNames()...)
		for i := range c.file.Transmission {
			if name := c.file.Transmission[i].Name; name != "" {
				names = append(names, name)
			}
		}
		c.Add(text.Layer.At, "%s: there is no kind of places, no network and no contact named %s%s", what,
			diag.Quote(text.Layer.Name), meant(text.Layer.Name, names))
		return layer, false
	}
	layer.Chance = 1
	if text.Chance.Given() && !text.Chance.Bad {
		layer.Chance, layer.Chances = c.chances(here, text.Chance, what+": "+text.Layer.Name, true)
	}
	return layer, true
}

// meant asks whether the nearest of some names is meant, if one is near.
func meant(name string, names []string) string {
	if q := diag.DidYouMean(name, names, ""); q != "" {
		return "; " + q
	}
	return ""
}

// listCalls looks up what makes calls go out, once all names are known, and for how long contacts
// are remembered.
func (c *compiler) listCalls() {
	p := c.program.Calls
	if p == nil || c.Stopped {
		return
	}
	p.OfState = make([][]int, len(c.program.States))
	p.OfName = make([][]int, len(c.program.CountedNames))
	for m := range c.program.Machines {
		p.OfMachine = append(p.OfMachine, make([][]int, len(c.file.Machines[m].States)))
	}
	for k := range c.file.Tracing {
		c.callWhen(p, k, &c.file.Tracing[k])
		p.Delayed = p.Delayed || c.file.Tracing[k].After.Given()
	}
	p.SetKeep(c.program)
}

// callWhen looks up what makes the calls of one entry go out.
func (c *compiler) callWhen(p *program.Calls, k int, text *syntax.Tracing) {
	what := text.Contact.What + ": when"
	add := func(to *[]int) {
		if !slices.Contains(*to, k) {
			*to = append(*to, k)
		}
	}
	for _, w := range text.Enters {
		m := slices.Index(c.file.MachineNames(), w.Attribute.Name)
		isState := w.Attribute.Name == syntax.StateName && c.program.Listed().Index(syntax.StateName) < 0
		for _, n := range w.Values {
			switch {
			case m >= 0:
				if v := c.machineValue(m, n, what, false); v != program.NoState {
					add(&p.OfMachine[m][v])
				}
			case isState:
				if s := c.state(n, what, false); s != program.NoState {
					add(&p.OfState[s])
				}
			}
		}
		if m < 0 && !isState && !w.Attribute.Bad {
			c.Add(w.Attribute.At, "%s: %s is no machine; expected state, or a machine, and what is entered", what,
				diag.Quote(w.Attribute.Name))
		}
	}
	if !text.When.Given() || text.When.Bad {
		return
	}
	counted := slices.Index(c.program.Counted, text.When.Name)
	name, isName := c.nameIndexes[text.When.Name]
	switch {
	case counted >= 0 && isName:
		c.Add(text.When.At, "%s: %s is a state and a name; write when: {state: %s} for the state", what,
			diag.Quote(text.When.Name), text.When.Name)
	case isName:
		add(&p.OfName[name])
	case counted >= len(c.program.States):
		m := len(c.program.Machines) - 1
		for counted < c.program.Machines[m].FirstCount {
			m--
		}
		add(&p.OfMachine[m][counted-c.program.Machines[m].FirstCount])
	case counted >= 0:
		add(&p.OfState[counted])
	case !c.file.StatesBad && !c.file.InvalidStates[text.When.Name]:
		names := append(slices.Clone(c.program.Counted), c.program.CountedNames...)
		c.Add(text.When.At, "%s: there is neither a state nor a name %s%s", what, diag.Quote(text.When.Name),
			meant(text.When.Name, names))
	}
}
