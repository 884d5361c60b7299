package syntax

import (
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"go.yaml.in/yaml/v3"
)

// A Table is a value by group: {by: age, child: 0.1%, adult: 1%, elder: 8%}. It is read for the
// individual whose clock it belongs to, or, with of: met, for the individual that is met.
type Table struct {
	By      Ref
	Met     bool
	Entries []TableEntry
	File    string // the table that Entries are from; "" if they are written here
}

// A TableEntry is what holds for a value of the attribute, or, as other, for all that are not
// named.
type TableEntry struct {
	Of    Ref
	Other bool
	Value Value
}

const exampleTable = "{by: age, child: 0.1%, adult: 1%, other: 8%}"

// table reads a value by group. It returns nil, and reports it, if it cannot.
func (r *Reader) table(n *yaml.Node, what string, want quantity.Kind) *Table {
	before := r.Count
	t := &Table{}
	inFile := r.inFile(n)
	for _, p := range r.Pairs(n, what, exampleTable) {
		switch p.Name {
		case "by":
			t.By = r.Ref(p.Value, what+": by")
			r.noteAsked(t.By.Name)
		case "of":
			if t.Met = p.Value.Value == "met"; !t.Met {
				r.Fail(p.Value, "%s: of: found %s, expected met: the one who is met; "+
					"without it the table is read for the individual itself", what, Describe(p.Value))
			}
		default:
			if inFile {
				continue
			}
			e := TableEntry{Of: Ref{Name: p.Name, At: r.Place(p.Key)}, Other: p.Name == "other"}
			e.Value = r.Value(p.Value, what+": "+diag.Shorten(p.Name), want)
			t.Entries = append(t.Entries, e)
		}
	}
	by := diag.Shorten(t.By.Name)
	if inFile && r.Count == before && !r.tableFile(t, n, what) {
		return nil
	}
	switch {
	case r.Count > before:
		return nil
	case len(t.Entries) == 0:
		r.Fail(n, "%s: a table without values; expected one for each value of %s, as in %s", what, by, exampleTable)
		return nil
	}
	for i := range t.Entries {
		if in := t.Entries[i].Value.Table; in != nil && in.By.Name == t.By.Name && in.Met == t.Met {
			r.Add(in.By.At, "%s: a table by %s in a table by %s; expected another attribute", what, by, by)
			return nil
		}
	}
	return t
}

// Describe names the attribute for a message, and of whom it is if that is not the individual
// itself.
func (t *Table) Describe() string {
	if t.Met {
		return t.By.Name + " of the one who is met"
	}
	return t.By.Name
}
