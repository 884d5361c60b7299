package population

import (
	"maps"
	"slices"
	"strconv"

	"github.com/almanac-sim/almanac/population/internal/engine"
)

// Places are the places of a kind, such as households, as the section places of a model file has
// them.
type Places struct {
	Number     int         // how many there are
	Members    int         // how many individuals are in one
	Sizes      map[int]int // how many places there are of each size above 0
	TurnedAway uint64      // how often there was no room, since the start
}

// A PlaceSeries summarises [Places] over the replicas.
type PlaceSeries struct {
	Number     Series         `json:"number"`
	Members    Series         `json:"members"`
	Sizes      map[int]Series `json:"sizes"`
	TurnedAway Series         `json:"turned away"`
}

// Places are the names of the kinds of places, in the order of the file.
func (m *Model) Places() (names []string) {
	for i := range m.program.Places {
		names = append(names, m.program.Places[i].Name)
	}
	return names
}

// Places are the places of a kind at a row, in the order of [Model.Places].
func (run *Run) Places(row, kind int) Places {
	return newPlaces(run.rec.Places[row*len(run.m.Places)+kind])
}

// Places are the places of a kind as they are now, in the order of [Model.Places].
func (p *Process) Places(kind int) Places { return newPlaces(p.r.CountPlaces(kind)) }

func newPlaces(c engine.PlaceCounts) Places {
	p := Places{Number: c.Number, Members: c.Members, Sizes: map[int]int{}, TurnedAway: c.TurnedAway}
	for _, s := range c.Sizes {
		p.Sizes[s.Size] = s.Places
	}
	return p
}

// Places summarises the places of a kind over the replicas, in the order of [Model.Places].
func (r *Result) Places(kind int) PlaceSeries {
	of := func(number func(c *engine.PlaceCounts) int) Series {
		return r.series(func(run *Run, row int) float64 {
			return float64(number(&run.rec.Places[row*len(run.m.Places)+kind]))
		})
	}
	s := PlaceSeries{
		Number:     of(func(c *engine.PlaceCounts) int { return c.Number }),
		Members:    of(func(c *engine.PlaceCounts) int { return c.Members }),
		Sizes:      map[int]Series{},
		TurnedAway: of(func(c *engine.PlaceCounts) int { return int(c.TurnedAway) }),
	}
	for i := range r.Runs {
		run := &r.Runs[i]
		for row := range run.Rows() {
			for _, size := range run.rec.Places[row*len(run.m.Places)+kind].Sizes {
				s.Sizes[size.Size] = Series{}
			}
		}
	}
	for size := range s.Sizes {
		s.Sizes[size] = of(func(c *engine.PlaceCounts) int { return c.OfSize(size) })
	}
	return s
}

// places writes the places, if the model has any.
func (r *Result) places(j *jsonText) {
	if len(r.Model.program.Places) == 0 {
		return
	}
	j.field("places", func() {
		j.object(func() {
			for i, name := range r.Model.Places() {
				s := r.Places(i)
				j.field(name, func() {
					j.object(func() {
						j.put("number", s.Number)
						j.put("members", s.Members)
						j.field("sizes", func() {
							j.object(func() {
								for _, size := range slices.Sorted(maps.Keys(s.Sizes)) {
									j.put(strconv.Itoa(size), s.Sizes[size])
								}
							})
						})
						j.put("turned away", s.TurnedAway)
					})
				})
			}
		})
	})
}
