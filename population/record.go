package population

import (
	"slices"
	"strings"
)

// What is recorded: when, of whom, and whether as counts in each interval, too.

// A Group is those who have the given value of each of some attributes, as record: by asks for.
type Group struct {
	Attributes []string // as the file lists them in record
	Values     []string // one of each
}

// By is what the group is one of, as results name it: "region", or "region,age" for combinations.
func (g Group) By() string { return strings.Join(g.Attributes, ",") }

// String is which of them it is, as results name it: "north", or "north,child" for a combination.
func (g Group) String() string { return strings.Join(g.Values, ",") }

// Groups are those that are recorded by themselves, in the order in which results list them: record: by asks for them.
func (m *Model) Groups() []Group {
	all := make([]Group, len(m.program.Groups))
	for i, g := range m.program.Groups {
		all[i] = Group{slices.Clone(g.Attributes), slices.Clone(g.Values)}
	}
	return all
}

// RecordsIncidence reports whether the file asks for counts in each interval: record: {incidence: true}.
func (m *Model) RecordsIncidence() bool { return m.compiled.File.Record.Incidence }
