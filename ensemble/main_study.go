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
	"time"

	"github.com/almanac-sim/almanac/internal/outdir"
	findings "github.com/almanac-sim/almanac/internal/study"
)

// open prepares the directory of --out.
func (p *program) open(command string, names ...string) (*outdir.Dir, error) {
	dir, err := outdir.Open(p.out, p.name, command, names...)
	if errors.Is(err, outdir.ErrInTheWay) {
		return nil, usageError{err}
	}
	return dir, err
}

// sweep runs a model at many points.
func (p *program) sweep(ctx context.Context) error {
	switch {
	case len(p.vary) == 0:
		return usagef(`sweep over what? Name it with --vary, as in --vary clerks="1..5 by 1"`)
	case p.sample < 0:
		return usagef("--sample %d: at least one point is needed", p.sample)
	}
	axes, points, err := p.points()
	if err != nil {
		return err
	}
	set, err := p.settings(p.set)
	if err != nil {
		return err
	}
	job := Job{Name: "sweep " + p.model, Kind: p.model, Replicas: p.replicas, Seed: p.seed, Precision: Precision{
		Relative: p.precision}}
	for _, point := range points {
		values := map[string]string{}
		for name, value := range set {
			values[name] = value
		}
		for i, a := range axes {
			if _, twice := set[a.Name]; twice {
				return usagef("--vary %s: --set gives it one value; leave out one of the two", a.Name)
			}
			values[a.Name] = point[i]
		}
		if _, err := numbersOf(values); err != nil {
			return usagef("--vary: %w", err)
		}
		job.Points = append(job.Points, Point{Set: values})
	}
	if err := job.check(); err != nil {
		return usageError{err}
	}
	dir, err := p.open("sweep", append([]string{"points.csv", "command.txt"}, findings.Pictures...)...)
	if err != nil {
		return err
	}
	defer dir.Drop()
	var file *os.File
	var table io.Writer
	if dir != nil {
		if file, err = os.Create(filepath.Join(dir.Path(), "points.csv")); err != nil {
			return err
		}
		defer file.Close()
		table = file
	}
	report := findings.NewSweep(p.model, axes, p.sample > 0, table)
	replicas := 0
	err = p.do(ctx, job, func(r PointResult) error {
		replicas += r.Replicas
		point := findings.Point{Replicas: r.Replicas}
		for _, a := range axes {
			point.Values = append(point.Values, r.Point.Set[a.Name])
		}
		for _, s := range r.Outputs {
			point.Outputs = append(point.Outputs, outputOf(s, s.Name))
		}
		return report.Add(point)
	})
	if err != nil {
		return err
	}
	if dir != nil {
		err := errors.Join(report.Flush(), file.Close(), report.Draw(dir.Path()), p.note(dir))
		if err == nil {
			err = dir.Keep()
		}
		if err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintf(p.stdout, "%s: %d points, %d replicas, seed %d\n", p.model, len(points), replicas,
		p.seed); err != nil {
		return err
	}
	return report.Print(p.stdout)
}

// note writes the command that gives the same again.
func (p *program) note(dir *outdir.Dir) error {
	return outdir.WriteFile(dir.Path(), "command.txt", func(w io.Writer) error {
		_, err := fmt.Fprintln(w, p.again())
		return err
	})
}

func outputOf(s Summary, name string) findings.Output {
	return findings.Output{Name: name, N: s.N, Mean: s.Mean, SD: s.SD, Low: s.Low, High: s.High}
}

// A comparison is the payload of a job that compares scenarios of a function.
type comparison struct {
	Scenarios []scenario `json:"scenarios"`
}

type scenario struct {
	Name string            `json:"name"`
	Set  map[string]string `json:"set"`
}

// openComparison makes a model whose replicas run every scenario.
func openComparison(payload []byte, f Func) (Model, error) {
	var c comparison
	if err := json.Unmarshal(payload, &c); err != nil {
		return nil, fmt.Errorf("scenarios that cannot be read: %w", err)
	}
	var all pairedModel
	for _, s := range c.Scenarios {
		params, err := numbersOf(s.Set)
		if err != nil {
			return nil, fmt.Errorf("scenario %s: %w", s.Name, err)
		}
		all = append(all, funcModel{f}.with(params))
	}
	return all, nil
}

// A pairedModel runs several at its one point.
type pairedModel []Runner

// At prepares the point.
func (m pairedModel) At(Point) (Runner, error) { return Paired(m...), nil }

// compare runs scenarios with the same luck.
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
	dir, err := p.open("compare", "differences.csv", "scenarios.csv", "command.txt")
	if err != nil {
		return err
	}
	defer dir.Drop()
	job := Job{Name: "compare " + p.model, Kind: p.model, Payload: payload, Points: make([]Point, 1), Replicas: p.replicas,
		Seed: p.seed}
	var found PointResult
	if err = p.do(ctx, job, func(r PointResult) error { found = r; return nil }); err != nil {
		return err
	}
	report := c.report(&found)
	if dir != nil {
		err := errors.Join(outdir.WriteFile(dir.Path(), "differences.csv", report.WriteDifferences),
			outdir.WriteFile(dir.Path(), "scenarios.csv", report.WriteScenarios), p.note(dir))
		if err == nil {
			err = dir.Keep()
		}
		if err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintf(p.stdout, "%s: %d scenarios, %d replicas of each, seed %d; mean ± half of the 95 %% "+
		"interval\n", p.model, len(c.Scenarios), found.Replicas, p.seed); err != nil {
		return err
	}
	return report.Print(p.stdout)
}

// report puts what was found into its place. The outputs are those that the first scenario has.
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
			one.Outputs = append(one.Outputs, outputOf(of, name))
			if i > 0 {
				d, _ := r.Difference(i, name)
				one.Differences = append(one.Differences, outputOf(d, name))
			}
		}
		report.Scenarios = append(report.Scenarios, one)
	}
	return report
}

// progressLine shows how far a job is, on a terminal and nowhere else. A job without replicas takes
// the line away.
func progressLine(w io.Writer) func(Progress) {
	file, ok := w.(*os.File)
	if ok {
		info, err := file.Stat()
		ok = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	if !ok {
		return func(Progress) {}
	}
	return func(p Progress) {
		if p.Replicas == 0 {
			fmt.Fprint(w, "\r\x1b[K")
			return
		}
		left := ""
		if p.Left > 0 {
			left = fmt.Sprintf(", %v left", p.Left.Round(time.Second))
		}
		fmt.Fprintf(w, "\r\x1b[K%d of %d points, %d of %d replicas, %d workers%s %s", p.PointsDone, p.Points, p.Merged,
			p.Replicas, p.Workers, left, p.Trouble)
	}
}
