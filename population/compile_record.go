package population

import (
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
)

// mostRecorded is how many numbers a replica may record by group: 8 bytes each are 800 MB.
const mostRecorded = 100_000_000

// groupings looks up what is to be recorded by, and lists the groups.
func (c *compiler) groupings() {
	const what = "record: by"
	seen := map[string]bool{}
	for _, by := range c.f.record.by {
		g := grouping{groups: 1, first: len(c.m.groups)}
		names, good := []string{}, true
		for _, a := range by.attributes {
			if a.bad {
				good = false
				continue
			}
			i := c.attribute(a, what)
			if i < 0 {
				good = false
				continue
			}
			if slices.Contains(g.attributes, i) {
				c.add(a.at, "%s: %s is twice in one combination", what, quote(a.name))
				good = false
				continue
			}
			g.attributes, g.sizes = append(g.attributes, i), append(g.sizes, len(c.m.attributes[i].values))
			g.groups = min(g.groups*max(1, len(c.m.attributes[i].values)), mostRecorded+1)
			names = append(names, a.name)
		}
		if !good {
			continue
		}
		key := strings.Join(slices.Sorted(slices.Values(names)), ",")
		if seen[key] {
			c.add(by.at, "%s: %s is here twice", what, quote(strings.Join(names, ", ")))
			continue
		}
		seen[key] = true
		if g.groups > mostRecorded || !c.listGroups(&g, names) {
			c.add(by.at, "%s: %s make more than %s groups; record by fewer", what, quote(strings.Join(names, ", ")), format.Thousands(float64(mostGroupsRecorded)))
			continue
		}
		c.m.groupings = append(c.m.groupings, g)
	}
}

// mostGroupsRecorded is how many groups there can be in all.
const mostGroupsRecorded = 100_000

// listGroups lists the groups of a grouping, in the order of the file's values, unless they are too many.
func (c *compiler) listGroups(g *grouping, names []string) bool {
	if len(c.m.groups)+g.groups > mostGroupsRecorded {
		return false
	}
	for k := range g.groups {
		values, rest := make([]string, len(names)), k
		for i := len(names) - 1; i >= 0; i-- {
			values[i] = c.m.attributes[g.attributes[i]].values[rest%g.sizes[i]]
			rest /= g.sizes[i]
		}
		c.m.groups = append(c.m.groups, group{names, values})
	}
	return true
}

// recordable refuses what would be more than can be kept: for each group as many numbers a row as there are states, flows and names.
func (c *compiler) recordable() {
	if len(c.m.groups) == 0 || c.found > 0 {
		return
	}
	each := len(c.m.states) + len(c.m.flows) + len(c.m.names)
	if n := float64(len(c.m.rows)) * float64(len(c.m.groups)) * float64(each); n > mostRecorded {
		c.add(c.f.record.by[0].at, "record: by: %s groups with %s, %s and %s in %s make %.3g numbers in each replica, more than the %s there can be; record less often, or by fewer",
			format.Thousands(float64(len(c.m.groups))), format.Plural(len(c.m.states), "state"), format.Plural(len(c.m.flows), "flow"), format.Plural(len(c.m.names), "name"), format.Plural(len(c.m.rows), "row"), n, format.Thousands(float64(mostRecorded)))
	}
}
