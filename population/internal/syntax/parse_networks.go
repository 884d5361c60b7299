package syntax

import (
	"slices"

	"github.com/almanac-sim/almanac/population/internal/quantity"
	"go.yaml.in/yaml/v3"
)

// A Network is an entry of the section networks: links between individuals.
type Network struct {
	Ref
	What    string // how messages name it
	Mean    Value  // random: the mean number of links; of Mean, Degrees and File at most one is given
	Degrees Value
	File    *LinkFile // nil for none
	Most    Value
	Ends    Value // the rate at which a link ends
	After   Value // how long a link lasts, if that is drawn when it begins
}

// networks reads the section networks.
func (r *Reader) networks(m *File, n *yaml.Node) {
	const example = "{friends: {random: {mean: 4}}}"
	for _, p := range r.Pairs(n, "networks", example) {
		one := Network{Ref: Ref{Name: p.Name, At: r.Place(p.Key)}, What: "networks: " + p.Name}
		if !r.checkName(p.Key, "networks", p.Name) {
			continue
		}
		isAttribute := func(a Attribute) bool { return a.Name == p.Name }
		taken := ""
		switch {
		case p.Name == StateName:
			r.Fail(p.Key, "%s: state means what stands under states; expected another name", one.What)
			continue
		case slices.ContainsFunc(m.Attributes, isAttribute) || r.Numbers[p.Name]:
			taken = "an attribute"
		case slices.Contains(m.MachineNames(), p.Name):
			taken = "a machine"
		case slices.Contains(m.PlaceNames(), p.Name):
			taken = "a kind of places"
		}
		if taken != "" {
			r.Fail(p.Key, "%s: there is %s of that name; names are given once", one.What, taken)
			continue
		}
		before := r.Count
		f := r.Fields(p.Value, one.What, "{random: {mean: 4}}", "file", "columns", "ignore",
			"random", "degrees", "most", "ends")
		if f != nil {
			r.network(&one, f)
		}
		one.Bad = r.Count > before
		m.Networks = append(m.Networks, one)
	}
}

// network reads one of them.
func (r *Reader) network(one *Network, f *Fields) {
	ways := []string{}
	for _, key := range []string{"file", "random", "degrees"} {
		if f.Get(key) != nil {
			ways = append(ways, key)
		}
	}
	if len(ways) > 1 {
		r.Fail(f.Get(ways[1]), "%s: both %s and %s", one.What, ways[0], ways[1])
		return
	}
	if n := f.Get("random"); n != nil {
		if random := r.Fields(n, one.What+": random", "{mean: 4}", "mean"); random != nil && random.Need("mean", "4") != nil {
			one.Mean = random.Value("mean", quantity.Number)
		}
	}
	one.Degrees, one.Most = f.Value("degrees", quantity.Number), f.Value("most", quantity.Number)
	r.linkFile(one, f)
	n := f.Get("ends")
	if n == nil {
		return
	}
	ends := r.Fields(n, one.What+": ends", "{rate: 0.2 per year}", "rate", "after")
	if ends == nil {
		return
	}
	rate, after := ends.Get("rate"), ends.Get("after")
	switch {
	case rate != nil && after != nil:
		r.Fail(n, "%s: ends: both rate and after; a link ends by one of them", one.What)
	case rate != nil:
		one.Ends = ends.Value("rate", quantity.Rate)
	case after != nil:
		one.After = ends.Value("after", quantity.Duration)
	default:
		r.Fail(n, "%s: ends: when? Write rate: 0.2 per year or after: 5 years, for example", one.What)
	}
}

// NetworkNames are the names of the networks.
func (m *File) NetworkNames() (names []string) {
	for i := range m.Networks {
		names = append(names, m.Networks[i].Name)
	}
	return names
}

// link reads the key link of a contact.
func (r *Reader) link(c *Contact, f *Fields) {
	if n := f.Get("link"); n != nil {
		c.Link = r.Ref(n, c.What+": link")
	}
}
