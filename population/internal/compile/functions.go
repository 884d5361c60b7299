package compile

import (
	"maps"
	"slices"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/function"
)

// functions checks the names of the functions that a program supplies for contacts, and of the
// values that it records.
func (c *compiler) functions() {
	var contacts []string
	for i := range c.file.Transmission {
		if name := c.file.Transmission[i].Name; name != "" {
			contacts = append(contacts, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.file.Functions.Chances)) {
		if !slices.Contains(contacts, name) {
			c.Add(diag.Place{File: "WithChance " + name}, "%s",
				diag.Unknown("contact", name, func() []string { return contacts }))
		}
	}
	c.program.Values = c.file.Functions.Values
	for i, v := range c.program.Values {
		if slices.ContainsFunc(c.program.Values[:i], func(o function.Value) bool { return o.Name == v.Name }) {
			c.Add(diag.Place{File: "WithValue " + v.Name}, "there are two values of that name")
		}
	}
}
