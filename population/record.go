package population

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// What is recorded: when, of whom, and whether as counts in each interval, too.

// A recordText is the section record as it is written.
type recordText struct {
	every     value // a hundredth of the run if it is not given
	by        []byText
	incidence bool
}

// A byText asks for counts by one attribute, or by the combinations of several.
type byText struct {
	at         place
	attributes []named
}

const recordLike = "{every: 1 day}"

func (r *reader) record(m *file, n *yaml.Node) {
	f := r.fields(n, "record", recordLike, "every", "by", "incidence")
	if f == nil {
		return
	}
	if e := f.need("every", "1 day"); e != nil {
		m.record.every = r.value(e, "record: every", aDuration)
	}
	if b := f.get("by"); b != nil {
		const what = "record: by"
		items := r.oneOrMore(b, what, "[region]")
		if len(items) == 0 && b.Kind == yaml.SequenceNode {
			r.fail(b, "%s: expected at least one attribute, such as [region], or combinations, such as [[region, age]]", what)
		}
		for _, item := range items {
			m.record.by = append(m.record.by, r.grouping(item, what))
		}
	}
	if i := f.get("incidence"); i != nil {
		switch text, ok := r.text(i, "record: incidence", "true or false"); {
		case !ok:
		case text == "true" || text == "false":
			m.record.incidence = text == "true"
		default:
			r.fail(i, "record: incidence: found %s, expected true or false", quote(text))
		}
	}
}

// grouping reads an attribute, or a list of those of which combinations are recorded.
func (r *reader) grouping(n *yaml.Node, what string) byText {
	by := byText{at: r.place(n)}
	if n.Kind != yaml.SequenceNode {
		by.attributes = append(by.attributes, r.named(n, what))
		return by
	}
	before := r.found
	for _, item := range r.list(n, what, "[region, age]") {
		by.attributes = append(by.attributes, r.named(item, what))
	}
	if len(by.attributes) == 0 && r.found == before {
		r.fail(n, "%s: expected at least one attribute in a combination, such as [region, age]", what)
		by.attributes = append(by.attributes, named{bad: true})
	}
	return by
}

// A Group is those who have the given value of each of some attributes, as record: by asks for.
type Group struct {
	Attributes []string // as the file lists them in record
	Values     []string // one of each
}

// By is what the group is one of, as results name it: "region", or "region,age" for combinations.
func (g Group) By() string { return strings.Join(g.Attributes, ",") }

// String is which of them it is, as results name it: "north", or "north,child" for a combination.
func (g Group) String() string { return strings.Join(g.Values, ",") }

// A grouping divides everybody by the values of some attributes. The group of an individual is the number that its values make, the first
// attribute being the most significant.
type grouping struct {
	attributes []int
	sizes      []int // how many values each of them has
	groups     int
	first      int // of its groups among all
}

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
			c.add(by.at, "%s: %s make more than %s groups; record by fewer", what, quote(strings.Join(names, ", ")), thousands(mostGroupsRecorded))
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
		c.m.groups = append(c.m.groups, Group{names, values})
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
			thousands(len(c.m.groups)), plural(len(c.m.states), "state"), plural(len(c.m.flows), "flow"), plural(len(c.m.names), "name"), plural(len(c.m.rows), "row"), n, thousands(mostRecorded))
	}
}

// Groups are those that are recorded by themselves, in the order in which results list them: record: by asks for them.
func (m *Model) Groups() []Group {
	all := slices.Clone(m.groups)
	for i, g := range all {
		all[i] = Group{slices.Clone(g.Attributes), slices.Clone(g.Values)}
	}
	return all
}

// RecordsIncidence reports whether the file asks for counts in each interval: record: {incidence: true}.
func (m *Model) RecordsIncidence() bool { return m.file.record.incidence }

// tallies count by group, beside the counts of all. A replica has them only if somebody asked.
//
// Flows count for the group that an individual is in when it goes: one who changes its state and an attribute by the same clock has the new
// value then, as its event says.
type tallies struct {
	groupings []grouping
	states    int
	groups    []tally
}

// A tally is what is counted of a group.
type tally struct {
	counts []int
	flows  []uint64
	named  []uint64
}

// newTallies are nil if nothing is recorded by group.
func newTallies(m *Model) *tallies {
	if len(m.groups) == 0 {
		return nil
	}
	t := &tallies{groupings: m.groupings, states: len(m.states), groups: make([]tally, len(m.groups))}
	for i := range t.groups {
		t.groups[i] = tally{make([]int, len(m.states)), make([]uint64, len(m.flows)), make([]uint64, len(m.names))}
	}
	return t
}

// of is the tally of an individual's group.
func (t *tallies) of(g *grouping, r *replica, id uint32) *tally {
	k := 0
	for i, a := range g.attributes {
		k = k*g.sizes[i] + int(r.values[a].of(id))
	}
	return &t.groups[g.first+k]
}

// present counts so many more of an individual's groups in the state.
func (t *tallies) present(r *replica, id uint32, state, more int) {
	for i := range t.groupings {
		t.of(&t.groupings[i], r, id).counts[state] += more
	}
}

// flow counts a flow of an individual, and what it goes by if that has a name. Where it comes from and goes to is a state, or not one.
func (t *tallies) flow(r *replica, id uint32, flow, from, to, name int) {
	for i := range t.groupings {
		g := t.of(&t.groupings[i], r, id)
		g.flows[flow]++
		if from < t.states { // those who enter have been counted
			g.counts[from]--
			if to < t.states {
				g.counts[to]++
			}
		}
		if name >= 0 {
			g.named[name]++
		}
	}
}

// moved counts a move that changes no state and has a name.
func (t *tallies) moved(r *replica, id uint32, name int) {
	if name < 0 {
		return
	}
	for i := range t.groupings {
		t.of(&t.groupings[i], r, id).named[name]++
	}
}

// recordedBytes is what a row takes of all, and of each group by itself.
func (m *Model) recordedBytes() float64 {
	return float64(4*len(m.states)+8*len(m.flows)+8*len(m.names)) * float64(1+len(m.groups))
}

// tallyBytes is what the tallies of a replica take.
func (m *Model) tallyBytes() float64 {
	return float64(len(m.groups)) * float64(8*(len(m.states)+len(m.flows)+len(m.names))+72)
}
