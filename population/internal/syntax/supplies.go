package syntax

import (
	"math"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"go.yaml.in/yaml/v3"
)

// A Supply is an entry of the section supplies: something of which there is only so much, such as
// doses of a vaccine.
type Supply struct {
	Ref
	Delivery Intervention // when it is added to, and how much: Count or ComputedCount
	Keep     Value        // the most that is kept; all if not given
}

// supplies reads the section supplies.
func (r *Reader) supplies(m *File, n *yaml.Node) {
	const example = "{doses: {at: 10 days, every: 1 day, count: 150}}"
	for _, p := range r.Pairs(n, "supplies", example) {
		what := "supplies: " + p.Name
		if !r.checkName(p.Key, "supplies", p.Name) {
			continue
		}
		s := Supply{Ref: Ref{Name: p.Name, At: r.Place(p.Key)}}
		if m.HasParameter(p.Name) {
			r.Fail(p.Key, "%s: there is a parameter of that name; names are given once", what)
		}
		s.Delivery = Intervention{At: s.At, What: what, Until: math.Inf(1)}
		before := r.Count
		f := r.Fields(p.Value, what, "{at: 10 days, every: 1 day, count: 150}", "at", "every", "until", "count", "keep")
		if f != nil && r.schedule(m, &s.Delivery, f) {
			if count := f.Need("count", "150"); count != nil {
				r.count(&s.Delivery, count)
			}
			s.Keep = f.Value("keep", quantity.Number)
		}
		s.Bad = r.Count > before
		m.Supplies = append(m.Supplies, s)
		r.supplyNames = append(r.supplyNames, s.Name)
	}
}

// SupplyNames are the names of the supplies.
func (m *File) SupplyNames() (names []string) {
	for i := range m.Supplies {
		names = append(names, m.Supplies[i].Name)
	}
	return names
}

// Uses is what a clock or a contact takes each time, and what happens if there is none: the keys
// uses and full.
type Uses struct {
	Supply Ref
	Full   Ref // the state that is entered instead; not Given for nothing
	Queue  bool
}

// uses reads the keys uses and full.
func (f *Fields) uses() (u Uses) {
	u.Supply, u.Full = f.ref("uses"), f.ref("full")
	if n := f.Get("full"); n != nil && f.Get("uses") == nil && !f.Misspelt["uses"] && !f.r.hasPlaces {
		f.r.Fail(n, "%s: full without uses: what would have run out? Write uses: and a supply beside it",
			diag.Shorten(f.what))
		u.Full.Bad = true
	}
	if n := f.Get("queue"); n != nil {
		switch u.Queue = n.Value == "true"; {
		case !u.Queue && n.Value != "false":
			f.r.Fail(n, "%s: queue: found %s, expected true or false", diag.Shorten(f.what), Describe(n))
		case !u.Full.Given() && !f.Misspelt["full"]:
			f.r.Fail(n, "%s: queue without full: in which state would they wait?", diag.Shorten(f.what))
		case u.Queue && u.Full.Name == Out:
			f.r.Fail(n, "%s: queue: who leaves the population cannot wait; expected a state after full", diag.Shorten(f.what))
		}
	}
	return u
}
