package population

import "go.yaml.in/yaml/v3"

// A tableValue is a value for each group: {by: age, child: 0.1%, adult: 1%, elder: 8%}. It is read for the individual whose clock it is, or,
// of: met, for the one who is met.
type tableValue struct {
	by      named
	met     bool
	entries []tableEntry
}

// A tableEntry is what holds for a value of the attribute, or for all that are not named.
type tableEntry struct {
	of    named
	other bool
	value value
}

const likeTable = "{by: age, child: 0.1%, adult: 1%, other: 8%}"

// table reads a value for each group; nil if it cannot.
func (r *reader) table(n *yaml.Node, what string, want kind) *tableValue {
	before := r.found
	t := &tableValue{}
	for _, p := range r.pairs(n, what, likeTable) {
		switch p.name {
		case "by":
			t.by = r.named(p.value, what+": by")
		case "of":
			if t.met = p.value.Value == "met"; !t.met {
				r.fail(p.value, "%s: of: found %s, expected met: the one who is met; without it the table is read for the individual itself", what, found(p.value))
			}
		default:
			e := tableEntry{of: named{name: p.name, at: r.place(p.key)}, other: p.name == "other"}
			e.value = r.value(p.value, what+": "+echo(p.name), want)
			t.entries = append(t.entries, e)
		}
	}
	switch {
	case r.found > before:
		return nil
	case len(t.entries) == 0:
		r.fail(n, "%s: a table without values; expected one for each value of %s, as in %s", what, echo(t.by.name), likeTable)
		return nil
	}
	for i := range t.entries {
		if in := t.entries[i].value.table; in != nil && in.by.name == t.by.name && in.met == t.met {
			r.add(in.by.at, "%s: a table by %s in a table by %s; expected another attribute", what, echo(t.by.name), echo(t.by.name))
			return nil
		}
	}
	return t
}

// whose says of whom the attribute is.
func (t *tableValue) whose() string {
	if t.met {
		return t.by.name + " of the one who is met"
	}
	return t.by.name
}
