package population

import "github.com/almanac-sim/almanac/population/internal/syntax"

// A Change asks for something other than what the model file says.
type Change func(*syntax.Changes)

// Size changes how many individuals there are at the start. States that begin with a number keep it.
func Size(n int) Change { return func(c *syntax.Changes) { c.Size = &n } }

// Until changes when the model ends: a time on its clock, in its own unit ("2011"), with a unit ("160 days"), or a date ("2020-12-31") if it
// starts at one.
func Until(time string) Change { return func(c *syntax.Changes) { c.Until = &time } }

// Scenario takes the values that the file gives under scenarios, by their name. What [Set] says has precedence.
func Scenario(name string) Change { return func(c *syntax.Changes) { c.Scenario = &name } }

// Set gives a parameter another value, written as in a model file: "0.4 per day". With the name of something in the sections population or
// attributes, from the outside in and with dots between, it takes the place of that: "population.start.infectious", "attributes.region.north";
// items of a list go by their number, from 1 on.
func Set(name, value string) Change {
	return func(c *syntax.Changes) { c.Set = append(c.Set, syntax.Setting{Name: name, Text: value}) }
}
