package page

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/format"
	tables "github.com/almanac-sim/almanac/internal/study"
	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/study"
)

// Comparisons that almanac compare wrote into a directory: what each scenario gave, and how it
// differs from the first. How they went over time is not in the files, and is had by running them
// once more.

// comparisonJSON is made of the tables of a comparison.
const comparisonJSON = "comparison.json"

// readComparison is what there is to see of a comparison in a directory, and to say of it.
func (s *Server) readComparison(dir string) (saved, error) {
	c, err := s.savedComparison(dir)
	if err != nil {
		return saved{}, err
	}
	said := map[string]any{"Title": dir}
	if err := s.sayComparison(dir, c, said); err != nil {
		return saved{}, err
	}
	return saved{View: View{Tables: c.tables(), Files: []File{{comparisonJSON, "the same for programs", c.writeJSON}}},
		said: said}, nil
}

// savedComparison reads what a directory has. Without its command nobody knows how the differences
// were taken: those of runs that are compared on the page, and taken away, have such tables, too.
func (s *Server) savedComparison(dir string) (*comparison, error) {
	differences, err := s.files.read(path.Join(dir, "differences.csv"), mostSummary)
	if err != nil {
		return nil, err
	}
	scenarios, err := s.files.read(path.Join(dir, "scenarios.csv"), mostSummary)
	var p problem
	switch {
	case errors.As(err, &p) && p.status == http.StatusNotFound:
		return nil, problemf(http.StatusUnprocessableEntity,
			"differences.csv in %s is alone; almanac compare writes scenarios.csv beside it", dir)
	case err != nil:
		return nil, err
	}
	found, err := tables.ReadScenarios(bytes.NewReader(scenarios), ensemble.MaxOutputs)
	if err != nil {
		return nil, problemf(http.StatusUnprocessableEntity, "scenarios.csv in %s is not what almanac compare writes: %v",
			dir, err)
	}
	if err := found.ReadDifferences(bytes.NewReader(differences)); err != nil {
		return nil, problemf(http.StatusUnprocessableEntity, "differences.csv in %s is not what almanac compare writes: %v",
			dir, err)
	}
	c := &comparison{Comparison: *found, how: make([]string, len(found.Scenarios)),
		pairs: make([][]bool, len(found.Scenarios))}
	_, err = s.files.read(path.Join(dir, "command.txt"), 1<<16)
	for i := range c.Scenarios[1:] {
		if c.how[i+1] = "as differences.csv has it"; err == nil {
			c.how[i+1], c.pairs[i+1] = byPairs, slices.Repeat([]bool{true}, len(c.Scenarios[0].Outputs))
		}
	}
	c.deviations()
	return c, nil
}

// replicas is how many there are of each scenario; an output may lack in some of them.
func (c *comparison) replicas() (n int) {
	for _, s := range c.Scenarios {
		for _, o := range s.Outputs {
			n = max(n, o.N)
		}
	}
	return n
}

// deviations works out the deviations of differences, which the table does not have, from the
// widths of their intervals. Of how many replicas they are is known if all replicas have the output
// in both scenarios.
func (c *comparison) deviations() {
	all := c.replicas()
	for _, s := range c.Scenarios[1:] {
		for i := range s.Differences {
			d := &s.Differences[i]
			if d.N = -1; all < 2 || s.Outputs[i].N < all || c.Scenarios[0].Outputs[i].N < all {
				continue
			}
			d.N = all
			d.SD = (d.High - d.Low) / 2 * math.Sqrt(float64(all)) / detmath.StudentQuantile(float64(all-1), 0.975)
		}
	}
}

// A field is one of a form that nobody sees.
type field struct{ Name, Value string }

// sayComparison says what was compared, and how to run it once more, or why that is not possible
// here.
func (s *Server) sayComparison(dir string, c *comparison, said map[string]any) error {
	q, err := s.savedRequest(dir, study.Compare)
	if err != nil {
		return err
	}
	var names []string
	for _, one := range c.Scenarios {
		names = append(names, one.Name)
	}
	about := []string{sidesText(names)}
	var scenarios []*population.Model
	if q != nil {
		if scenarios, err = s.comparedModels(dir, q, names); err == nil {
			said["Title"] = "Compare " + scenarios[0].Name()
			about = append(about, sizesText(scenarios))
		}
	}
	about = append(about, format.Count(c.replicas(), "replica")+" of each")
	if q != nil {
		about = append(about, fmt.Sprintf("seed %d", q.Seed))
		if q.Until != "" {
			about = append(about, "until "+q.Until)
		}
		for _, p := range q.Set {
			about = append(about, p.Name+" = "+p.Value)
		}
		if q.From != "" {
			about = append(about, "values drawn from "+q.From)
		}
	}
	said["Lead"] = strings.Join(about, ", ")
	switch {
	case q == nil:
		said["Why"] = "there is no study.json that tells what was compared"
	case q.From != "":
		said["Why"] = "values are drawn from a posterior"
	case err != nil:
		said["Why"] = err.Error()
	case c.replicas() > s.limits.Replicas:
		said["Why"] = fmt.Sprintf("there are more than %s replicas of each", format.Thousands(float64(s.limits.Replicas)))
	default:
		fields := []field{{"path", path.Join(dir, "model.yaml")}, {"first", names[0]},
			{"seed", strconv.FormatUint(q.Seed, 10)},
			{"replicas", strconv.Itoa(q.Replicas)}, {"size", q.Size}, {"until", q.Until}}
		for _, name := range names {
			fields = append(fields, field{"scenarios", name})
		}
		for _, p := range q.Set {
			fields = append(fields, field{"set." + p.Name, p.Value})
		}
		if len(q.Outputs) > 0 {
			var texts []string
			for _, o := range c.Scenarios[0].Outputs {
				texts = append(texts, o.Name)
			}
			fields = append(fields, field{"outputs", strings.Join(texts, "\n")})
		}
		said["Again"] = fields
	}
	return nil
}

// comparedModels are the scenarios of a saved comparison, as a form for a comparison would have
// them.
func (s *Server) comparedModels(dir string, q *study.Request, names []string) (all []*population.Model, err error) {
	if len(names) > mostSides {
		return nil, fmt.Errorf("there are more than %d scenarios", mostSides)
	}
	model := path.Join(dir, "model.yaml")
	if q.Source, err = s.files.read(model, mostModel); err != nil {
		return nil, errors.New("its model.yaml is not there, or cannot be read")
	}
	q.Read = func(name string) ([]byte, error) { return s.files.table(model, name) }
	plain, err := s.plain(ask{Path: model, Source: string(q.Source)})
	if err != nil {
		return nil, errors.New("there is something wrong with its model.yaml")
	}
	for _, p := range q.Set { // more than parameters can be set, and a form has no more
		if !slices.ContainsFunc(plain.Parameters(), func(q population.Parameter) bool { return q.Name == p.Name }) {
			return nil, fmt.Errorf("%s is set, which is no parameter", p.Name)
		}
	}
	for _, name := range names {
		m, err := q.Compile(population.Scenario(name))
		if err != nil {
			return nil, fmt.Errorf("its model.yaml is not what was compared: there is something wrong in scenario %s", name)
		}
		all = append(all, m)
	}
	return all, nil
}
