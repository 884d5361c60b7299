package explain

import (
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population/internal/program"
)

// people says what the file of people gives, and what it takes.
func (e *explainer) people() {
	p := e.program.People
	if p == nil {
		return
	}
	var given []string
	add := func(name string, empty int) {
		if empty > 0 {
			name += " (" + format.Plural(empty, "cell") + " " + format.Be(empty) + " empty)"
		}
		given = append(given, name)
	}
	empty := func(is func(person int) bool) (n int) {
		for i := range p.Size {
			if is(i) {
				n++
			}
		}
		return n
	}
	noNumber := func(column []float64) int {
		return empty(func(i int) bool { return !(program.NumberOf(column, i) == program.NumberOf(column, i)) })
	}
	if p.IDs != nil {
		add("id", 0)
	}
	if p.State != nil {
		add("state", empty(func(i int) bool { return p.State.At(i) < 0 }))
	}
	if p.Since != nil {
		add("since", 0)
	}
	if p.Age != nil {
		add("age in years", noNumber(p.Age))
	}
	for a, column := range p.Attributes {
		if column != nil {
			add(e.program.Attributes[a].Name, empty(func(i int) bool { return column.At(i) < 0 }))
		}
	}
	for m, column := range p.MachineSince {
		if column != nil {
			add("since "+e.file.Machines[m].Name, 0)
		}
	}
	for k, column := range p.Numbers {
		if column != nil {
			add(e.program.Numbers[k].Name, noNumber(column))
		}
	}
	for k, column := range p.Places {
		if column != nil {
			add(e.program.Places[k].Name, empty(func(i int) bool { return column.At(i) < 0 }))
		}
	}
	e.line("\nPeople come from %s, which gives each %s.", e.file.People.File, strings.Join(given, ", "))
	e.line("  what is empty is drawn; in places it means none")
	size := p.Bytes()
	unit, n := "kB", float64(size)/1e3
	if size >= 1e6 {
		unit, n = "MB", float64(size)/1e6
	}
	e.line("  they take %.3g %s of memory, once for all replicas", n, unit)
}

// fileGives reports whether the file of people gives values of an attribute. Anybody may have any
// of them then.
func (e *explainer) fileGives(attribute int) bool {
	p := e.program.People
	switch {
	case p == nil:
		return false
	case attribute >= len(p.Attributes): // the state
		return p.State != nil
	}
	band := func(b *program.Band) bool { return b.Attribute == attribute }
	return p.Attributes[attribute] != nil || p.Age != nil && slices.ContainsFunc(e.program.Bands, band)
}

// drawnAs returns the attribute that an attribute has its value from, in an individual that enters:
// itself, unless it begins with the value of another.
func (e *explainer) drawnAs(in *program.Entry, attribute int) int {
	for e.program.SameAs != nil && attribute < len(e.program.SameAs) && e.program.SameAs[attribute] >= 0 &&
		in.ValueOf(attribute) == program.Drawn && (in.Draws == nil || in.Draws[attribute] == nil) {
		attribute = e.program.SameAs[attribute]
	}
	return attribute
}
