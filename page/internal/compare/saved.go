package compare

import (
	"bytes"
	"math"
	"net/http"
	"path"
	"slices"

	"github.com/almanac-sim/almanac/page/internal/figure"
	"github.com/almanac-sim/almanac/page/internal/folder"
	"github.com/almanac-sim/almanac/page/internal/httperr"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/internal/detmath"
	tables "github.com/almanac-sim/almanac/internal/study"
)

// JSONFile is generated from the tables of a comparison on request.
const JSONFile = "comparison.json"

// ReadComparison reads the tables of a directory. Without a command.txt they may have been
// downloaded from the page, and it is unknown whether replicas were paired.
func ReadComparison(files folder.Folder, dir string) (*Comparison, error) {
	differences, err := files.Read(path.Join(dir, "differences.csv"), folder.MaxResults)
	if err != nil {
		return nil, err
	}
	scenarios, err := files.Read(path.Join(dir, "scenarios.csv"), folder.MaxResults)
	switch {
	case httperr.Is(err, http.StatusNotFound):
		return nil, httperr.Unprocessable("differences.csv in %s is alone; almanac compare writes scenarios.csv "+
			"beside it", dir)
	case err != nil:
		return nil, err
	}
	found, err := tables.ReadScenarios(bytes.NewReader(scenarios), ensemble.MaxOutputs)
	if err != nil {
		return nil, httperr.Unprocessable("scenarios.csv in %s is not what almanac compare writes: %v", dir, err)
	}
	if err := found.ReadDifferences(bytes.NewReader(differences)); err != nil {
		return nil, httperr.Unprocessable("differences.csv in %s is not what almanac compare writes: %v", dir, err)
	}
	c := &Comparison{Comparison: *found, methods: make([]string, len(found.Scenarios)),
		paired: make([][]bool, len(found.Scenarios))}
	_, err = files.Read(path.Join(dir, "command.txt"), 1<<16)
	for i := range c.Scenarios[1:] {
		if c.methods[i+1] = "as differences.csv has it"; err == nil {
			c.methods[i+1], c.paired[i+1] = tables.PairedText, slices.Repeat([]bool{true}, len(c.Scenarios[0].Outputs))
		}
	}
	c.deviations()
	return c, c.readCourse(files, dir)
}

// readCourse reads the tables over time, if there are any.
func (c *Comparison) readCourse(files folder.Folder, dir string) error {
	differences, err := files.Read(path.Join(dir, tables.SeriesDifferenceFile), folder.MaxResults)
	if httperr.Is(err, http.StatusNotFound) {
		return nil // of an earlier version, or without series
	}
	var series []byte
	if err == nil {
		series, err = files.Read(path.Join(dir, tables.SeriesFile), folder.MaxResults)
	}
	if err != nil {
		return err
	}
	if err := c.ReadCourse(bytes.NewReader(series), bytes.NewReader(differences), ensemble.MaxOutputs); err != nil {
		return httperr.Unprocessable("%s or %s in %s is not what almanac compare writes: %v", tables.SeriesFile,
			tables.SeriesDifferenceFile, dir, err)
	}
	c.Course.TimeLabel = "time" // unless the model is known
	return nil
}

// Figures are the charts of a saved comparison: the outputs, and how the scenarios went.
func (c *Comparison) Figures() []figure.Figure {
	all := slices.Concat(c.costs(), c.Forests())
	if c.Course == nil {
		return all
	}
	return slices.Concat(all, c.scenarios(), c.overTime())
}

// ReadCosts reads what the scenarios cost and gain from the pairs of runs in a directory, for a
// text such as cost/qalys. Without pairs there is nothing to show.
func (c *Comparison) ReadCosts(files folder.Folder, dir, text string) error {
	data, err := files.Read(path.Join(dir, tables.PairsFile), folder.MaxResults)
	if httperr.Is(err, http.StatusNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	var names []string
	for _, s := range c.Scenarios {
		names = append(names, s.Name)
	}
	icer := tables.NewICER(text, names)
	if err := icer.ReadPairs(bytes.NewReader(data), maxPairs); err != nil {
		return httperr.Unprocessable("%s in %s is not what almanac compare writes: %v", tables.PairsFile, dir, err)
	}
	if len(icer.Pairs[0]) > 0 {
		c.ICER = icer
	}
	return nil
}

// maxPairs is how many rows of pairs.csv are read.
const maxPairs = 2_000_000

// costs are the cost-effectiveness plane and the acceptability curves, if costs are compared.
func (c *Comparison) costs() []figure.Figure {
	if c.ICER == nil {
		return nil
	}
	plane, curves := c.ICER.Plane("scenarios"), c.ICER.AcceptabilityChart("scenarios")
	plane.LegendBeside, curves.LegendBeside = true, true
	for i := range plane.Series {
		if s := &plane.Series[i]; s.Name == "" && i > 0 {
			s.Name = plane.Series[i-1].Name + ": mean"
		}
	}
	return []figure.Figure{
		{ID: "plane", Caption: "Cost-effectiveness plane", Group: "Costs and effects", Chart: plane},
		{ID: "acceptability", Caption: "Acceptability curves", Group: "Costs and effects", Chart: curves},
	}
}

// ReplicaCount is the number of replicas of each scenario; some may lack an output.
func (c *Comparison) ReplicaCount() (n int) {
	for _, s := range c.Scenarios {
		for _, o := range s.Outputs {
			n = max(n, o.N)
		}
	}
	return n
}

// deviations computes standard deviations of differences from the widths of their intervals, for
// tables of earlier versions. That
// needs the number of pairs, which is known if no replica lacks the output.
func (c *Comparison) deviations() {
	all := c.ReplicaCount()
	for _, s := range c.Scenarios[1:] {
		for i := range s.Differences {
			d := &s.Differences[i]
			if !math.IsNaN(d.SD) || d.N >= 0 {
				continue // the table has them
			}
			if d.N = -1; all < 2 || s.Outputs[i].N < all || c.Scenarios[0].Outputs[i].N < all {
				continue
			}
			d.N = all
			d.SD = (d.High - d.Low) / 2 * math.Sqrt(float64(all)) / detmath.StudentQuantile(float64(all-1), 0.975)
		}
	}
}
