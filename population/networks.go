package population

import (
	"maps"
	"slices"
	"strconv"

	"github.com/almanac-sim/almanac/population/internal/engine"
)

// A Network is the links between individuals, as the section networks of a model file has them.
type Network struct {
	Links   int         // how many there are
	Degrees map[int]int // how many individuals have so many links
	Formed  uint64      // by contacts, since the start
	Ended   uint64      // since the start, also because somebody left
}

// A NetworkSeries summarises a [Network] over the replicas.
type NetworkSeries struct {
	Links   Series         `json:"links"`
	Degrees map[int]Series `json:"degrees"`
	Formed  Series         `json:"formed"`
	Ended   Series         `json:"ended"`
}

// Networks are the names of the networks, in the order of the file.
func (m *Model) Networks() (names []string) {
	for i := range m.program.Networks {
		names = append(names, m.program.Networks[i].Name)
	}
	return names
}

// Network is a network at a row, in the order of [Model.Networks].
func (run *Run) Network(row, network int) Network {
	return newNetwork(run.rec.Networks[row*len(run.m.Networks)+network])
}

// Network is a network as it is now, in the order of [Model.Networks].
func (p *Process) Network(network int) Network { return newNetwork(p.r.CountNetwork(network)) }

func newNetwork(c engine.NetworkCounts) Network {
	n := Network{Links: c.Links, Degrees: map[int]int{}, Formed: c.Formed, Ended: c.Ended}
	for _, d := range c.Degrees {
		n.Degrees[d.Degree] = d.Individuals
	}
	return n
}

// Network summarises a network over the replicas, in the order of [Model.Networks].
func (r *Result) Network(network int) NetworkSeries {
	at := func(run *Run, row int) *engine.NetworkCounts {
		return &run.rec.Networks[row*len(run.m.Networks)+network]
	}
	of := func(number func(c *engine.NetworkCounts) int) Series {
		return r.series(func(run *Run, row int) float64 { return float64(number(at(run, row))) })
	}
	s := NetworkSeries{
		Links:   of(func(c *engine.NetworkCounts) int { return c.Links }),
		Degrees: map[int]Series{},
		Formed:  of(func(c *engine.NetworkCounts) int { return int(c.Formed) }),
		Ended:   of(func(c *engine.NetworkCounts) int { return int(c.Ended) }),
	}
	for i := range r.Runs {
		for row := range r.Runs[i].Rows() {
			for _, d := range at(&r.Runs[i], row).Degrees {
				s.Degrees[d.Degree] = Series{}
			}
		}
	}
	for degree := range s.Degrees {
		s.Degrees[degree] = of(func(c *engine.NetworkCounts) int { return c.OfDegree(degree) })
	}
	return s
}

// A NetworkSample is a part of the networks at the end of a run: some individuals, and all links
// between them. The first of these were drawn among those who have a link; the others are those who
// are linked with them in any network, those who are linked with these, and so on, the nearest
// first, up to 150 individuals and 600 links.
type NetworkSample struct {
	Time   float64    // on the model's clock
	Around int        // how many were drawn
	States []string   // of each individual
	Values [][]string // of the attributes of each individual, in the order of [Model.Attributes]
	Links  []SampledLink
}

// A SampledLink is a link of a [NetworkSample].
type SampledLink struct {
	A, B    int // the individuals, by their positions in the sample
	Network int // in the order of [Model.Networks]
}

// NetworkSample is a sample of the networks at the end of a run. It is nil if the model has none,
// if the run did not come to its end, or if it is not the first replica of [Model.Run].
func (run *Run) NetworkSample() *NetworkSample {
	if run.sample == nil {
		return nil
	}
	s := &NetworkSample{Time: run.m.Stop, Around: run.sample.Around}
	listed := run.m.Listed()
	for i, state := range run.sample.States {
		values := []string{}
		for a, v := range run.sample.Values[i] {
			values = append(values, listed[a].Values[v])
		}
		s.States, s.Values = append(s.States, run.m.States[state]), append(s.Values, values)
	}
	for _, l := range run.sample.Links {
		s.Links = append(s.Links, SampledLink(l))
	}
	return s
}

// networks writes the networks, if the model has any.
func (r *Result) networks(j *jsonText) {
	if len(r.Model.program.Networks) == 0 {
		return
	}
	j.field("networks", func() {
		j.object(func() {
			for i, name := range r.Model.Networks() {
				s := r.Network(i)
				j.field(name, func() {
					j.object(func() {
						j.put("links", s.Links)
						j.field("degrees", func() {
							j.object(func() {
								for _, degree := range slices.Sorted(maps.Keys(s.Degrees)) {
									j.put(strconv.Itoa(degree), s.Degrees[degree])
								}
							})
						})
						j.put("formed", s.Formed)
						j.put("ended", s.Ended)
					})
				})
			}
		})
	})
}
