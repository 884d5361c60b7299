package compile

import (
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population/internal/diag"
)

// Limits of what a model file can ask for. A few lines can multiply: without limits, a small file
// could fill the memory or take hours to compile. The limits of what a file can write, such as the
// length of an expression, are in package syntax.
const (
	maxAttributes      = 250         // program.Move keeps the number of an attribute in a byte
	maxEntries         = 1_000_000   // of all tables, see reserveEntries: about 100 MB
	maxParameterStates = 1000        // that triggered interventions can lead to at one time
	maxOccurrences     = 100_000     // of scheduled interventions
	maxFlows           = 1_000_000   // each row of each replica has a number for every flow
	maxRows            = 10_000_000  // of a replica
	maxGroups          = 100_000     // in all groupings together
	maxRecorded        = 100_000_000 // numbers that a replica records by group: 8 bytes each are 800 MB
)

// reserveEntries reserves a number of table entries, or reports that there are too many. A clock of
// always takes an entry in every state, and each intervention that sets a parameter repeats all
// tables, so a small file could ask for tables that no machine can hold.
func (c *compiler) reserveEntries(entries int) bool {
	if c.entries = min(c.entries+entries, maxEntries+1); c.entries <= maxEntries {
		return true
	}
	c.Add(diag.Place{File: c.file.Path, Line: 1, Column: 1},
		"the tables of the model have more than %s entries: one for each clock, in each state that it is in, for "+
			"each combination of the attributes that matter there, from each intervention on that sets a parameter; "+
			"expected fewer of them", format.Thousands(float64(maxEntries)))
	c.Stopped = true
	return false
}
