package page

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/pictures"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/page/internal/figure"
	"github.com/almanac-sim/almanac/page/internal/folder"
	"github.com/almanac-sim/almanac/page/internal/httperr"
	"github.com/almanac-sim/almanac/page/internal/runs"
	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/population/results"
	"github.com/almanac-sim/almanac/study"
)

// A point is shown from the time series that almanac sweep saved, or else run again: a replica has
// the seed of the sweep and its own number whatever the values are, so a run with the values of the
// point, the seed and the replicas of the sweep gives the same numbers.

// pointSeries has the time series of all points.
const pointSeries = "series.csv"

// index returns a function from values to the number of their point, or −1. Maps call it thousands
// of times.
func (s sweepResult) index() func(values ...string) int {
	numbers := make(map[string]int, len(s.Points()))
	for k, p := range s.Points() {
		key := strings.Join(p.Values, "\x00")
		if _, twice := numbers[key]; !twice {
			numbers[key] = k
		}
	}
	return func(values ...string) int {
		if k, ok := numbers[strings.Join(values, "\x00")]; ok {
			return k
		}
		return -1
	}
}

// formAt returns the k-th point as a form.
func (s sweepResult) formAt(k int) modelForm {
	p, a := s.Points()[k], s.form
	a.Replicas = strconv.Itoa(p.Replicas)
	a.Fixed = slices.Clone(a.Fixed)
	for i, axis := range s.Axes {
		a.Fixed = append(a.Fixed, population.Parameter{Name: axis.Name, Value: p.Values[i]})
	}
	return a
}

// readPoint returns the charts of the k-th point from the table of all points. The label is that of
// the time axis.
func (s sweepResult) readPoint(table []byte, k int, label string) ([]figure.Figure, error) {
	in := csv.NewReader(bytes.NewReader(table))
	in.ReuseRecord = true
	head, err := in.Read()
	if err != nil {
		return nil, err
	}
	n, columns := len(s.Axes), results.PointColumns()
	if len(head) != n+len(columns) || !slices.Equal(head[n:], columns) {
		return nil, fmt.Errorf("its columns are %q; expected those of names, and then %q", head, columns)
	}
	column := func(name string) int { return n + slices.Index(columns, name) }
	kind, name, time, count := column("kind"), column("name"), column("time"), column("replicas")
	low, middle, high := column("q05"), column("median"), column("q95")
	point := s.Points()[k]
	charts, cut := map[string]*plot.Chart{}, map[string]map[string]bool{}
	replicas := 0
	var machines []string // in their order, each with a chart of its states
	for {
		row, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if !s.matches(row[:n], point.Values) {
			continue
		}
		if replicas, err = strconv.Atoi(row[count]); err != nil {
			return nil, err
		}
		numbers := map[int]float64{}
		for _, i := range []int{time, low, middle, high} {
			if numbers[i], err = strconv.ParseFloat(row[i], 64); err != nil && row[i] != "" { // no replica has a value
				return nil, err
			}
		}
		if row[middle] == "" || row[kind] == "total" {
			continue
		}
		of, short := row[kind], row[name]
		if machine, state, ok := strings.Cut(row[name], "="); ok && of == "state" {
			if !slices.Contains(machines, machine) {
				machines = append(machines, machine)
			}
			of, short = "machine "+machine, state
		}
		c := charts[of]
		if c == nil {
			c = &plot.Chart{Title: strings.Join(point.Values, ", "), XLabel: label, YLabel: "individuals", FromZero: true,
				LegendBeside: true}
			charts[of] = c
		}
		called := figure.Arrow(short)
		i := slices.IndexFunc(c.Series, func(l plot.Series) bool { return l.Name == called })
		if i < 0 {
			if len(c.Series) == figure.MaxLines {
				if cut[of] == nil {
					cut[of] = map[string]bool{}
				}
				cut[of][short] = true
				continue
			}
			i, c.Series = len(c.Series), append(c.Series, plot.Series{Name: called})
		}
		l := &c.Series[i]
		l.Add(numbers[time], numbers[middle])
		if replicas > 1 {
			l.Low, l.High = append(l.Low, numbers[low]), append(l.High, numbers[high])
		}
	}
	type chart struct{ kind, id, caption string }
	all := []chart{{"state", "states", "Individuals in each state"}}
	for _, machine := range machines {
		all = append(all, chart{"machine " + machine, "machine-" + figure.FileName(machine),
			"Individuals in each state of " + machine})
	}
	all = append(all, chart{"flow", "flows", "Changes of state since the start"},
		chart{"named", "named", "What was counted since the start"})
	var figures []figure.Figure
	for _, of := range all {
		if c := charts[of.kind]; c != nil {
			if c.Note = "one replica"; replicas > 1 {
				c.Note = "lines: median of " + format.Count(replicas, "replica") + "; bands: middle 90 %"
			}
			if n := len(cut[of.kind]); n > 0 {
				c.Note = fmt.Sprintf("the first %d of %d, all are in %s; %s", figure.MaxLines, figure.MaxLines+n, pointSeries,
					c.Note)
			}
			figures = append(figures, figure.Figure{ID: of.id, Caption: of.caption, Chart: *c})
		}
	}
	return figures, nil
}

// matches reports whether the cells of a row are the values of a point.
func (s sweepResult) matches(cells, values []string) bool {
	for i, a := range s.Axes {
		cell := a.Cell(values[i])
		if cells[i] == cell {
			continue
		}
		x, bad1 := strconv.ParseFloat(cells[i], 64)
		y, bad2 := strconv.ParseFloat(cell, 64)
		if bad1 != nil || bad2 != nil || x != y { // equal numbers may be formatted differently
			return false
		}
	}
	return true
}

// pointView shows the outputs of a point, and its time series if saved.
func (s *Server) pointView(sweep *sweepResult, dir string, k int) (v runs.View, err error) {
	t := figure.Table{Caption: "What it gave, over " + format.Count(sweep.Points()[k].Replicas, "replica"),
		Head: []string{"output", "mean ± half of the 95 % interval"}}
	for _, o := range sweep.Points()[k].Outputs {
		t.Rows = append(t.Rows, []string{o.Name, o.Text()})
	}
	v.Tables = []figure.Table{t}
	if !sweep.recorded {
		return v, nil
	}
	table, err := s.files.Read(path.Join(dir, pointSeries), folder.MaxResults)
	if err != nil {
		return v, err
	}
	label, dates := "time", (*plot.Dates)(nil)
	if a, err := s.pointForm(sweep, k); err == nil {
		if m, _, err := s.compileForm(&a, study.Check); err == nil {
			label, dates = pictures.TimeLabel(m), pictures.Dates(m)
		}
	}
	v.Figures, err = sweep.readPoint(table, k, label)
	for i := range v.Figures {
		v.Figures[i].Chart.Dates = dates
	}
	if err != nil {
		err = httperr.Unprocessable("%s in %s is not what almanac sweep writes: %v", pointSeries, dir, err)
	}
	return v, err
}

// pointForm returns a point as a form, with the model of the sweep or of the directory.
func (s *Server) pointForm(sweep *sweepResult, k int) (modelForm, error) {
	a := sweep.formAt(k)
	file, err := s.files.Read(a.Path, folder.MaxModel)
	if a.Source == "" {
		a.Source = string(file)
	} else {
		err = nil
	}
	a.Unchanged = a.Source == string(file)
	return a, err
}

// Showing a point is a link; running it is a form. If there is nothing saved to show, the script
// sends the form when the link is followed.

// A point is a point of a sweep and where the sweep is shown.
type point struct {
	sweep *sweepResult
	k     int
	dir   string // of a saved sweep
	link  string // to the sweep
	name  string // of the sweep
}

// pointOf completes p with a point by number.
func pointOf(sweep *sweepResult, number string, p point) (point, error) {
	k, err := strconv.Atoi(number)
	if err != nil || sweep == nil || k < 0 || k >= len(sweep.Points()) {
		return p, httperr.NotFound("%s has no point %q", p.name, number)
	}
	p.sweep, p.k = sweep, k
	return p, nil
}

func (s *Server) pointOfRun(r *http.Request) (point, error) {
	run, err := s.runs.Get(r.PathValue("id"))
	if err != nil {
		return point{}, err
	}
	sweep, _ := run.View().Sweep.(*sweepResult)
	return pointOf(sweep, r.PathValue("point"), point{link: "/runs/" + run.ID, name: "run " + run.ID})
}

// pointOfDir finds a point of a saved sweep. Addresses of figures have the directory in their
// query.
func (s *Server) pointOfDir(r *http.Request) (point, error) {
	q := r.URL.Query()
	dir := cmp.Or(r.PathValue("path"), q.Get("dir"))
	v, err := s.savedAs(r.Context(), &savedSweeps, dir)
	if err != nil {
		return point{}, err
	}
	sweep, _ := v.Sweep.(*sweepResult)
	return pointOf(sweep, q.Get("point"), point{dir: dir, link: "/sweeps/" + pathEscape(dir), name: dir})
}

// atPoint looks up a point for a handler.
func atPoint(find func(*http.Request) (point, error), h func(http.ResponseWriter, *http.Request, point) error) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		p, err := find(r)
		if err != nil {
			return err
		}
		return h(w, r, p)
	}
}

func (s *Server) pointFigure(w http.ResponseWriter, r *http.Request, p point) error {
	v, err := s.viewOfPoint(r, p)
	if err != nil {
		return err
	}
	return s.serveFigure(w, r, v.Figures)
}

func (s *Server) viewOfPoint(r *http.Request, p point) (runs.View, error) {
	if p.dir == "" {
		return s.pointView(p.sweep, "", p.k)
	}
	v, err := s.savedIn(r.Context(), fmt.Sprintf("point %d", p.k), p.dir, []string{"points.csv", study.FileName,
		pointSeries}, func() (saved, error) {
		v, err := s.pointView(p.sweep, p.dir, p.k)
		return saved{View: v}, err
	})
	return v.View, err
}

func (s *Server) showPoint(w http.ResponseWriter, r *http.Request, p point) error {
	if r.URL.Query().Get("form") == "json" {
		setAttachment(w, "point.json")
		return p.sweep.writePoints(w, p.sweep.Points()[p.k:p.k+1])
	}
	v, err := s.viewOfPoint(r, p)
	if err != nil {
		return err
	}
	figures, err := s.showInTurn(r.Context(), v.Figures, func(f figure.Figure) (string, url.Values) {
		return "/point-figures/" + url.PathEscape(f.ID), url.Values{"dir": {p.dir}, "point": {strconv.Itoa(p.k)}}
	})
	if err != nil {
		return err
	}
	var values []string
	for i, a := range p.sweep.Axes {
		values = append(values, a.Name+" = "+p.sweep.Points()[p.k].Values[i])
	}
	seed := cmp.Or(p.sweep.form.Seed, "1, since the sweep does not tell its own")
	command, err := computed(r.Context(), s, func() (string, error) {
		var work runs.Work
		a, err := s.pointForm(p.sweep, p.k)
		if err == nil {
			work, _ = s.modelWork(a) // startPoint shows the problems
		}
		return work.Command, nil
	})
	if err != nil {
		return err
	}
	form := "?form=json"
	if p.dir != "" {
		form = "&form=json"
	}
	s.render(w, r, http.StatusOK, "point", "studies", map[string]any{"Title": strings.Join(values, ", "), "Name": p.name,
		"Link": p.link, "Action": p.sweep.link(p.k), "Figures": figures, "Tables": v.Tables,
		"Lead": fmt.Sprintf("point %d of %d, %s, seed %s", p.k+1, len(p.sweep.Points()),
			format.Count(p.sweep.Points()[p.k].Replicas, "replica"), seed), "Recorded": p.sweep.recorded, "Command": command,
		"Files": []figure.Download{{Name: "point.json", About: "what it gave", Link: p.sweep.link(p.k) + form}}})
	return nil
}

// startPoint runs a point, or redirects to an equal run.
func (s *Server) startPoint(w http.ResponseWriter, r *http.Request, p point) error {
	a, err := s.pointForm(p.sweep, p.k)
	if err != nil {
		return err
	}
	return s.startModel(w, r, a, s.showModel, func(work *runs.Work) {
		work.From, work.Parent = p.link, p.name
		work.Key = folder.Digest([]byte(work.Command + "\x00" + a.Source))
	})
}
