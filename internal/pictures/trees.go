package pictures

import (
	"errors"
	"fmt"
	"iter"
	"math"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/population"
)

// mostInTree is how many infections of a tree are drawn, the first ones.
const mostInTree = 300

// SaveTrees writes the charts of who infected whom into a directory, if the model records it: how
// many were infected by those infected in each interval, the distribution of generation times, and
// the largest tree. infections are the rows of all trees, in the order of each replica; they are
// read up to those that are drawn.
func SaveTrees(dir string, r *population.Result, infections iter.Seq2[population.Infection, error]) error {
	t := r.Tree()
	if t == nil || r.Rows() == 0 || t.Largest.Size == 0 {
		return nil
	}
	errs := []error{plot.SaveBoth(dir, "reproduction", Reproduction(r, t))}
	if t.GenerationTime.N > 0 {
		errs = append(errs, plot.SaveBoth(dir, "generation-times", GenerationTimes(r, t)))
	}
	tree, err := LargestTree(r, t, infections)
	if err == nil {
		err = plot.SaveBoth(dir, "largest-tree", tree)
	}
	return errors.Join(append(errs, err)...)
}

// Reproduction is a chart of how many were infected by those who were infected in each interval.
func Reproduction(r *population.Result, t *population.Tree) plot.Chart {
	c := plot.Chart{Title: title(r)}
	SetTime(&c, r.Model)
	means := make([]float64, len(t.Reproduction))
	for row := range means {
		means[row] = t.Reproduction[row].Mean
	}
	return ReproductionOf(c, r.Times, means, len(r.Runs))
}

// ReproductionOf is Reproduction with the title and the time axis of another chart. The means are
// NaN where nobody was infected.
func ReproductionOf(c plot.Chart, times, means []float64, replicas int) plot.Chart {
	c.FromZero, c.Headroom, c.YLabel = true, true, "infected by each"
	c.Note = "infections by those infected in each interval, up to the end; all of " + format.Count(replicas, "replica")
	one := plot.Series{Name: "reproduction number by cohort", Steps: true}
	even := plot.Series{Name: "1", Dashed: true, Unmarked: true}
	for row := range means {
		one.Add(times[row], means[row])
		even.Add(times[row], 1)
	}
	c.Series = []plot.Series{one, even}
	return c
}

// GenerationTimes is a histogram of the times from an infector's infection to those by it.
func GenerationTimes(r *population.Result, t *population.Tree) plot.Chart {
	const bars = 40
	g := &t.GenerationTime
	width := max(g.Q95*1.6, math.SmallestNonzeroFloat64) / bars
	c := plot.Chart{Title: title(r), FromZero: true, FromZeroX: true, YLabel: "per " + r.Model.Unit(),
		XLabel: r.Model.Unit() + "s from the infection of the infector",
		Note: fmt.Sprintf("generation times: mean %.4g, sd %.4g, middle 90 %% %.4g to %.4g, of %s",
			g.Mean, g.SD, g.Q05, g.Q95, format.Count(int(g.N), "infection"))}
	if math.IsNaN(g.SD) {
		c.Note = "the generation time of one infection"
	}
	s := plot.Series{Name: "generation times", Bars: width}
	for k, share := range g.Shares(width, bars) {
		s.Add((float64(k)+0.5)*width, share/width)
	}
	c.Series = []plot.Series{s}
	return c
}

// LargestTree is a chart of the first infections of the largest tree.
func LargestTree(r *population.Result, t *population.Tree,
	infections iter.Seq2[population.Infection, error]) (plot.Tree, error) {
	large := &t.Largest
	c := plot.Tree{Title: title(r), XLabel: TimeLabel(r.Model), Dates: Dates(r.Model)}
	in := map[uint64]int{} // by individual: its last infection, if that is in the tree
	add := func(individual uint64, at float64, by int) {
		in[individual] = len(c.Nodes)
		c.Nodes = append(c.Nodes, plot.TreeNode{Time: at, By: by, Text: fmt.Sprint(individual)})
	}
	for e, err := range infections {
		if err != nil {
			return c, err
		}
		if e.Replica != large.Replica || e.Time < large.Began {
			continue
		}
		by, ok := in[e.By]
		switch {
		case len(c.Nodes) == 0 && e.Root == large.Root && e.By == 0:
			add(e.Infected, e.Time, -1)
		case len(c.Nodes) == 0 && e.Root == large.Root && e.By == e.Root && math.IsNaN(e.ByTime):
			add(e.By, e.Time, -1) // it was never infected: it is where its first infection is
			add(e.Infected, e.Time, 0)
		case e.By > 0 && ok:
			add(e.Infected, e.Time, by)
		default:
			delete(in, e.Infected) // it is in another tree now
		}
		if len(c.Nodes) >= min(mostInTree, large.Size) {
			break
		}
	}
	c.Note = fmt.Sprintf("the largest tree, which begins with individual %d of replica %d: %s in it", large.Root,
		large.Replica, format.Thousands(float64(large.Size)))
	if large.Size > len(c.Nodes) {
		c.Note += fmt.Sprintf(", of which the first %d are drawn", len(c.Nodes))
	}
	return c, nil
}
