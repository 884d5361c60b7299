package ensemble

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/almanac-sim/almanac/internal/outdir"
	findings "github.com/almanac-sim/almanac/internal/study"
)

// A comparison is the payload of a job that compares scenarios of a function.
type comparison struct {
	Scenarios []scenario `json:"scenarios"`
}

type scenario struct {
	Name string            `json:"name"`
	Set  map[string]string `json:"set"`
}

// openComparison returns a model whose replicas run every scenario.
func openComparison(payload []byte, f Func) (Model, error) {
	var c comparison
	if err := json.Unmarshal(payload, &c); err != nil {
		return nil, fmt.Errorf("scenarios that cannot be read: %w", err)
	}
	var all pairedModel
	for _, s := range c.Scenarios {
		params, err := parseParams(s.Set)
		if err != nil {
			return nil, fmt.Errorf("scenario %s: %w", s.Name, err)
		}
		all = append(all, funcModel{f}.with(params))
	}
	return all, nil
}

// A pairedModel runs several runners at its only point.
type pairedModel []Runner

// At returns the paired runner.
func (m pairedModel) At(Point) (Runner, error) { return Paired(m...), nil }

// compare runs scenarios with common random numbers.
func (p *program) compare(ctx context.Context) error {
	if len(p.scenarios) < 2 {
		return usagef(`compare needs at least two scenarios, as in --scenario one="clerks=1" --scenario two="clerks=2"`)
	}
	var c comparison
	seen := map[string]bool{}
	for _, text := range p.scenarios {
		name, values, _ := strings.Cut(text, "=")
		if name = strings.TrimSpace(name); name == "" || seen[name] {
			return usagef("--scenario %q: expected a name of its own, and values, as in two=\"clerks=2\"", text)
		}
		seen[name] = true
		var parts []string
		for _, part := range strings.Split(values, ",") {
			if strings.TrimSpace(part) != "" {
				parts = append(parts, part)
			}
		}
		own, err := p.settings(parts)
		if err != nil {
			return usagef("--scenario %s: %w", name, err)
		}
		set, err := p.settings(p.set)
		if err != nil {
			return err
		}
		for k, v := range own {
			set[k] = v
		}
		c.Scenarios = append(c.Scenarios, scenario{name, set})
	}
	payload, err := json.Marshal(c)
	if err != nil {
		return err
	}
	dir, err := p.open("compare", append([]string{"differences.csv", "scenarios.csv", findings.PairsFile,
		findings.ComparisonFile, "command.txt"}, findings.ComparisonPictures...)...)
	if err != nil {
		return err
	}
	defer dir.Drop()
	job := Job{Name: "compare " + p.model, Kind: p.model, Payload: payload, Points: make([]Point, 1), Replicas: p.replicas,
		Seed: p.seed, Quantiles: findings.Shares, Keep: dir != nil}
	var found PointResult
	var replica func(point, replica int, v Values) error
	finish := func() error { return nil }
	if dir != nil {
		file, err := os.Create(filepath.Join(dir.Path(), findings.PairsFile))
		if err != nil {
			return err
		}
		defer file.Close()
		table := findings.NewPairWriter(file, c.names())
		replica = func(_, number int, v Values) error { return c.writePairs(table, number, v) }
		finish = func() error { return errors.Join(table.Flush(), file.Close()) }
	}
	if err = p.runJob(ctx, job, func(r PointResult) error { found = r; return nil }, replica); err != nil {
		return err
	}
	report := c.report(&found)
	if dir != nil {
		err := errors.Join(finish(), outdir.WriteFile(dir.Path(), "differences.csv", report.WriteDifferences),
			outdir.WriteFile(dir.Path(), "scenarios.csv", report.WriteScenarios),
			outdir.WriteFile(dir.Path(), findings.ComparisonFile, func(w io.Writer) error {
				return report.WriteJSON(w, nil, nil)
			}),
			report.Draw(dir.Path(), p.model), p.writeCommand(dir))
		if err == nil {
			err = dir.Keep()
		}
		if err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintf(p.stdout, "%s: %d scenarios, %d replicas of each, seed %d\n", p.model, len(c.Scenarios),
		found.Replicas, p.seed); err != nil {
		return err
	}
	return report.Print(p.stdout)
}

// names are those of the scenarios.
func (c *comparison) names() (all []string) {
	for _, s := range c.Scenarios {
		all = append(all, s.Name)
	}
	return all
}

// writePairs writes the rows of a replica, whose names begin with those of the first scenario.
func (c *comparison) writePairs(w *findings.PairWriter, replica int, v Values) error {
	n := len(v.Names) / (2*len(c.Scenarios) - 1)
	for k, name := range v.Names[:n] {
		err := w.Write(replica, strings.TrimPrefix(name, inScenario(0, "")), func(i int) float64 { return v.Numbers[i*n+k] })
		if err != nil {
			return err
		}
	}
	return nil
}

// comparedOutput is the summary of an output with the range of its runs.
func comparedOutput(s Summary, name string, shares []float64) findings.Output {
	o := outputOf(s, name)
	o.Runs = findings.RunsOf(shares, s.Quantiles)
	return o
}

// report arranges the results in tables. The outputs are those of the first scenario.
func (c *comparison) report(r *PointResult) *findings.Comparison {
	var names []string
	for _, s := range r.Outputs {
		if name, ok := strings.CutPrefix(s.Name, inScenario(0, "")); ok {
			names = append(names, name)
		}
	}
	report := &findings.Comparison{}
	for i, s := range c.Scenarios {
		one := findings.Scenario{Name: s.Name}
		for _, name := range names {
			of, _ := r.Scenario(i, name)
			one.Outputs = append(one.Outputs, comparedOutput(of, name, r.Quantiles))
			if i > 0 {
				d, _ := r.Difference(i, name)
				one.Differences = append(one.Differences, comparedOutput(d, name, r.Quantiles))
			}
		}
		report.Scenarios = append(report.Scenarios, one)
	}
	return report
}
