package compare

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"maps"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/outputs"
	"github.com/almanac-sim/almanac/internal/pictures"
	"github.com/almanac-sim/almanac/internal/study"
	"github.com/almanac-sim/almanac/page/internal/figure"
	"github.com/almanac-sim/almanac/page/internal/folder"
	"github.com/almanac-sim/almanac/page/internal/httperr"
	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/population/results"
)

// FromResult returns the side of a run, which may still be going on.
func FromResult(name string, r *population.Result) *Side {
	m := r.Model
	s := &Side{Name: name, Seed: r.Seed, Count: len(r.Runs), Times: r.Times[:r.Rows()], Unit: m.Unit(),
		Label: pictures.TimeLabel(m), Dates: pictures.Dates(m), Result: r, total: map[string]int{"state": len(m.Counted()),
			"incidence": len(m.Flows()), "outcome": len(m.Outcomes())}}
	if s.Count == 0 {
		return s
	}
	states := m.Counted() // also of machines
	for i, state := range states[:min(len(states), figure.MaxLines)] {
		s.States = append(s.States, line{state, r.State(i)})
	}
	for i, flow := range m.Flows()[:min(len(m.Flows()), figure.MaxLines)] {
		s.Flows = append(s.Flows, line{flow.String(), r.Incidence(i)})
	}
	for i, name := range m.Outcomes()[:min(len(m.Outcomes()), figure.MaxLines)] {
		s.outcomes = append(s.outcomes, line{name, r.Outcome(i)})
	}
	return s
}

// Evaluate computes outputs of the complete replicas. If all is false, outputs that the model does
// not have are skipped.
func (s *Side) Evaluate(texts []string, all bool) error {
	m, rows := s.Result.Model, len(s.Result.Times)
	var told []*outputs.Output
	for _, text := range texts {
		o, err := outputs.Parse(m, text)
		if err != nil && all {
			return population.Problems{{File: "outputs", Message: err.Error()}}
		}
		if err == nil {
			told = append(told, o)
		}
	}
	s.Values = map[string][]float64{}
	runs := make([]*population.Run, 0, len(s.Result.Runs))
	for i := range s.Result.Runs {
		if r := &s.Result.Runs[i]; r.Rows() == rows {
			runs = append(runs, r)
		}
	}
	slices.SortFunc(runs, func(a, b *population.Run) int { return a.Replica - b.Replica })
	for _, r := range runs {
		s.Replicas = append(s.Replicas, r.Replica)
	}
	for _, o := range told {
		s.Outputs = append(s.Outputs, o.Text)
		values := make([]float64, len(runs))
		for i, r := range runs {
			values[i] = o.Of(r)
		}
		s.Values[o.Text] = values
	}
	if len(runs) == 0 {
		return httperr.Unprocessable("no replica of %s came to its end", s.Name)
	}
	return nil
}

// Read returns the side of a run in a directory. Final values of each replica come from its CSV
// tables; without those, the summary has their means.
func Read(files folder.Folder, dir string) (*Side, error) {
	sum, err := files.Summary(dir)
	if err != nil {
		return nil, err
	}
	v := &Side{Name: dir, Facts: SummaryFacts(sum), Seed: sum.Seed, Count: sum.Replicas, Times: sum.Times, Unit: sum.Unit,
		Label: sum.Unit, Values: map[string][]float64{}, Found: map[string]study.Output{}}
	if len(sum.Times) == 0 {
		return nil, httperr.Unprocessable("summary.json in %s has no times", dir)
	}
	n := max(sum.Done, 0)
	ends := func(prefix string, all results.Ordered[population.Series]) {
		for name, in := range all.All() {
			if len(v.Outputs) >= outputs.Most || len(in.Mean) != len(sum.Times) {
				continue
			}
			last := len(in.Mean) - 1
			o := study.Output{Name: "final(" + prefix + name + ")", N: n, Mean: in.Mean[last], SD: math.NaN(), Low: math.NaN(),
				High: math.NaN()}
			if last < len(in.SD) {
				o.SD = in.SD[last]
			}
			v.Outputs, v.Found[o.Name] = append(v.Outputs, o.Name), withInterval(o)
		}
	}
	v.total = map[string]int{}
	lines := func(some []line, kind, prefix string, all results.Ordered[population.Series]) []line {
		v.total[kind] += len(all.Names())
		for name, in := range all.All() {
			if len(some) < figure.MaxLines && len(in.Median) == len(sum.Times) {
				some = append(some, line{prefix + name, in})
			}
		}
		return some
	}
	v.States, v.outcomes = lines(nil, "state", "", sum.States), lines(nil, "outcome", "", sum.Outcomes)
	if v.Flows = lines(nil, "incidence", "", sum.Incidence); sum.Incidence.IsZero() {
		v.SinceStart = true
	}
	ends("", sum.States)
	for machine, of := range sum.Machines.All() {
		v.States = lines(v.States, "state", machine+"=", of.States)
		v.Flows = lines(v.Flows, "incidence", machine+"=", of.Incidence)
		ends(machine+"=", of.States)
	}
	ends("", sum.Flows)
	for machine, of := range sum.Machines.All() {
		ends(machine+"=", of.Flows)
	}
	ends("", sum.Outcomes)
	if sum.Incomplete {
		return v, nil // the tables have incomplete replicas
	}
	for _, table := range []struct {
		file string
		read func(io.Reader) iter.Seq2[endRow, error]
	}{{"series.csv", statesAtEnd}, {"flows.csv", flowsAtEnd}, {"outcomes.csv", outcomesAtEnd}} {
		data, err := files.Read(path.Join(dir, table.file), folder.MaxResults)
		if err != nil {
			continue
		}
		if err := v.readEnds(table.read(bytes.NewReader(data)), sum.Times[len(sum.Times)-1]); err != nil {
			return nil, httperr.Unprocessable("%s in %s is not what almanac run writes: %v", table.file, dir, err)
		}
	}
	return v, nil
}

// withInterval sets the interval of a mean.
func withInterval(o study.Output) study.Output {
	if w := welch(study.Output{N: o.N, SD: 0}, o); o.N >= 2 && !math.IsNaN(o.SD) {
		half := (w.High - w.Low) / 2
		o.Low, o.High = o.Mean-half, o.Mean+half
	}
	return o
}

// An endRow is a row of one of the tables of a run: of states, flows or outcomes.
type endRow struct {
	replica int
	time    float64
	name    string
	group   []string
	value   float64
}

// rowsOf converts the rows of a table. Those for which convert reports false are left out.
func rowsOf[R any](rows iter.Seq2[R, error], convert func(R) (endRow, bool)) iter.Seq2[endRow, error] {
	return func(yield func(endRow, error) bool) {
		for row, err := range rows {
			if one, ok := convert(row); (ok || err != nil) && !yield(one, err) {
				return
			}
		}
	}
}

func statesAtEnd(r io.Reader) iter.Seq2[endRow, error] {
	return rowsOf(results.ReadSeries(r), func(row results.SeriesRow) (endRow, bool) {
		return endRow{row.Replica, row.Time, row.State, row.Values, float64(row.Count)}, true
	})
}

func flowsAtEnd(r io.Reader) iter.Seq2[endRow, error] {
	return rowsOf(results.ReadFlows(r), func(row results.FlowRow) (endRow, bool) {
		return endRow{row.Replica, row.Time, row.Flow, row.Values, float64(row.Count)}, row.Kind == "flow"
	})
}

func outcomesAtEnd(r io.Reader) iter.Seq2[endRow, error] {
	return rowsOf(results.ReadOutcomes(r), func(row results.OutcomeRow) (endRow, bool) {
		return endRow{row.Replica, row.Time, row.Outcome, row.Values, row.Value}, true
	})
}

// readEnds sets the final values of each replica.
func (v *Side) readEnds(rows iter.Seq2[endRow, error], end float64) error {
	values := map[string]map[int]float64{}
	seen := map[int]bool{}
	for row, err := range rows {
		if err != nil {
			return err
		}
		if row.time != end || strings.Join(row.group, "") != "" { // a row of a group
			continue
		}
		name := "final(" + row.name + ")"
		if values[name] == nil {
			values[name] = map[int]float64{}
		}
		values[name][row.replica] = row.value
		seen[row.replica] = true
	}
	replicas := slices.Sorted(maps.Keys(seen))
	if v.Replicas != nil && !slices.Equal(v.Replicas, replicas) {
		return errors.New("it has other replicas than series.csv")
	}
	v.Replicas = replicas
	for name, of := range values {
		if !slices.Contains(v.Outputs, name) || len(of) != len(replicas) {
			continue
		}
		for _, replica := range replicas {
			v.Values[name] = append(v.Values[name], of[replica])
		}
	}
	return nil
}
