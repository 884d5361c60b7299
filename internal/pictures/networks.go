package pictures

import (
	"fmt"
	"slices"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/population"
)

// SaveNetwork writes a picture of a sample of the networks into a directory, if there is one.
func SaveNetwork(dir string, r *population.Result) error {
	picture, ok := Network(r)
	if !ok {
		return nil
	}
	return plot.SaveBoth(dir, "network", picture)
}

// Network is a picture of a sample of the networks at the end of the first replica. Its colours are
// those of the chart of states; of a model with one state, those of its first machine. It reports
// false if there is no sample, or nobody has a link.
func Network(r *population.Result) (plot.Network, bool) {
	if len(r.Runs) == 0 {
		return plot.Network{}, false
	}
	run := &r.Runs[0]
	s := run.NetworkSample()
	if s == nil || len(s.States) == 0 {
		return plot.Network{}, false
	}
	m := r.Model
	names, chart, what := s.States, FirstStates(r, len(m.States())), "states"
	if machines := Machines(r, len(m.Counted())); len(m.States()) == 1 && len(machines) > 0 {
		at := slices.Index(m.Attributes(), machines[0].Name)
		names, chart, what = nil, machines[0].Chart, "states of "+machines[0].Name
		for i := range s.States {
			names = append(names, s.Values[i][at])
		}
	}
	n := plot.Network{Title: title(r), Kinds: m.Networks()}
	for _, one := range chart.Series {
		n.Colours = append(n.Colours, one.Name)
	}
	for _, name := range names {
		n.Nodes = append(n.Nodes, slices.Index(n.Colours, name))
	}
	for _, l := range s.Links {
		n.Links = append(n.Links, plot.NetworkLink{A: l.A, B: l.B, Kind: l.Network})
	}
	around := "one who was"
	if s.Around > 1 {
		around = fmt.Sprintf("%d who were", s.Around)
	}
	n.Note = fmt.Sprintf("a sample, at the end of replica %d: %d of %s, the nearest to %s drawn by chance among all who "+
		"have a link, with the %s between them; colours: %s", run.Replica, len(s.States),
		format.Count(run.Total(run.Rows()-1), "individual"), around, format.Count(len(s.Links), "link"), what)
	return n, true
}
