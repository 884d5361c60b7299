package study

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
)

// The columns of the tables of a comparison.
var (
	scenarioColumns   = []string{"scenario", "replicas", "output", "mean", "sd", "low", "high"}
	differenceColumns = []string{"scenario", "output", "difference", "low", "high"}
)

// ReadScenarios reads scenarios.csv: at least two scenarios with the same outputs, and at most so
// many rows.
func ReadScenarios(r io.Reader, most int) (*Comparison, error) {
	c := &Comparison{}
	err := readRows(r, scenarioColumns, most, func(row []string) (err error) {
		o := Output{Name: row[2]}
		if o.N, err = strconv.Atoi(row[1]); err == nil && o.N < 0 {
			err = errors.New("fewer replicas than none")
		}
		if err == nil {
			err = readNumbers(row[3:], &o.Mean, &o.SD, &o.Low, &o.High)
		}
		n := len(c.Scenarios)
		if n == 0 || c.Scenarios[n-1].Name != row[0] {
			if slices.ContainsFunc(c.Scenarios, func(s Scenario) bool { return s.Name == row[0] }) {
				return fmt.Errorf("scenario %q stands in two places", row[0])
			}
			c.Scenarios = append(c.Scenarios, Scenario{Name: row[0]})
			n++
		}
		c.Scenarios[n-1].Outputs = append(c.Scenarios[n-1].Outputs, o)
		return err
	})
	if err != nil {
		return nil, err
	}
	if n := len(c.Scenarios); n < 2 {
		return nil, fmt.Errorf("it has %d scenarios; expected at least two", n)
	}
	for _, s := range c.Scenarios {
		if !sameNames(s.Outputs, c.Scenarios[0].Outputs) {
			return nil, fmt.Errorf("scenario %q has other outputs than the first", s.Name)
		}
	}
	return c, nil
}

// ReadDifferences reads differences.csv, which belongs to the scenarios that are there.
func (c *Comparison) ReadDifferences(r io.Reader) error {
	most := (len(c.Scenarios) - 1) * len(c.Scenarios[0].Outputs)
	err := readRows(r, differenceColumns, most, func(row []string) error {
		i := slices.IndexFunc(c.Scenarios, func(s Scenario) bool { return s.Name == row[0] })
		if i < 1 {
			return fmt.Errorf("scenario %q is the first of scenarios.csv, or not there", row[0])
		}
		d := Output{Name: row[1], SD: math.NaN()}
		err := readNumbers(row[2:], &d.Mean, &d.Low, &d.High)
		c.Scenarios[i].Differences = append(c.Scenarios[i].Differences, d)
		return err
	})
	if err != nil {
		return err
	}
	for _, s := range c.Scenarios[1:] {
		if !sameNames(s.Differences, s.Outputs) {
			return fmt.Errorf("scenario %q has other outputs than in scenarios.csv", s.Name)
		}
	}
	return nil
}

// sameNames reports whether two lists are of the same outputs.
func sameNames(a, b []Output) bool {
	return slices.EqualFunc(a, b, func(a, b Output) bool { return a.Name == b.Name })
}

// readRows reads a table with some columns, and at most so many rows.
func readRows(r io.Reader, columns []string, most int, each func(row []string) error) error {
	in := csv.NewReader(r)
	in.ReuseRecord = true
	head, err := in.Read()
	if errors.Is(err, io.EOF) {
		return errors.New("it is empty")
	}
	if err != nil {
		return err
	}
	if !slices.Equal(head, columns) {
		return fmt.Errorf("its columns are %q; expected %q", head, columns)
	}
	for n := 1; ; n++ {
		row, err := in.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil && n > most {
			err = fmt.Errorf("it has more than %d rows", most)
		}
		if err == nil {
			err = each(row)
		}
		if err != nil {
			return err
		}
	}
}
