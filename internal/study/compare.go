package study

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
)

// A Comparison compares scenarios run with common random numbers.
type Comparison struct {
	Scenarios []Scenario // the others are compared with the first
}

// A Scenario has the outputs of a scenario, and their differences from the first.
type Scenario struct {
	Name        string
	Outputs     []Output // the same, in the same order, in all scenarios
	Differences []Output // from the first scenario, replica by replica; nil in the first
}

// Helped is how many times as many replicas with independent random numbers would give an interval
// of the same width: the variance that the difference would have if the two were independent,
// against that which it has. Below 1 they did harm. It is NaN if nothing can be said: there is no
// variance at all.
func Helped(first, second, difference Output) float64 {
	apart := float64(first.SD*first.SD) + float64(second.SD*second.SD)
	together := difference.SD * difference.SD
	if !(apart > 0) || math.IsNaN(together) {
		return math.NaN()
	}
	return apart / together // +Inf if the difference does not vary at all
}

// WriteDifferences writes differences.csv: scenario, output, difference, low, high.
func (c *Comparison) WriteDifferences(w io.Writer) error {
	out := csv.NewWriter(w)
	_ = out.Write(differenceColumns)
	for _, s := range c.Scenarios[1:] {
		for _, d := range s.Differences {
			_ = out.Write([]string{s.Name, d.Name, number(d.Mean), number(d.Low), number(d.High)})
		}
	}
	out.Flush()
	return out.Error()
}

// WriteScenarios writes scenarios.csv: scenario, replicas, output, mean, sd, low, high.
func (c *Comparison) WriteScenarios(w io.Writer) error {
	out := csv.NewWriter(w)
	_ = out.Write(scenarioColumns)
	for _, s := range c.Scenarios {
		for _, o := range s.Outputs {
			_ = out.Write([]string{s.Name, strconv.Itoa(o.N), o.Name, number(o.Mean), number(o.SD), number(o.Low),
				number(o.High)})
		}
	}
	out.Flush()
	return out.Error()
}

// printedDifferences is the number of outputs printed for each scenario.
const printedDifferences = 24

// Print prints a table for people, and how much the common random numbers helped.
func (c *Comparison) Print(w io.Writer) error {
	first := c.Scenarios[0]
	for _, s := range c.Scenarios[1:] {
		var t textTable
		t.row("output", first.Name, s.Name, "difference", "common random numbers")
		for i, d := range s.Differences[:min(len(s.Differences), printedDifferences)] {
			t.row(d.Name, first.Outputs[i].Text(), s.Outputs[i].Text(), d.Text(),
				Factor(Helped(first.Outputs[i], s.Outputs[i], d)))
		}
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
		if err := t.print(w); err != nil {
			return err
		}
		if n := len(s.Differences) - printedDifferences; n > 0 {
			if _, err := fmt.Fprintf(w, "… and %d more in differences.csv in the directory of --out\n", n); err != nil {
				return err
			}
		}
	}
	_, err := fmt.Fprintln(w, "\ncommon random numbers: how many times as many replicas with luck of their own would "+
		"give as narrow an interval of the difference")
	return err
}

// Factor formats the result of Helped.
func Factor(x float64) string {
	switch {
	case math.IsNaN(x):
		return "–"
	case x > 1e12: // the difference is constant up to rounding
		return "the same in each"
	}
	return "× " + strconv.FormatFloat(x, 'g', 3, 64)
}
