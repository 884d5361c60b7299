package page

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/internal/design"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/outputs"
	"github.com/almanac-sim/almanac/internal/plot"
	tables "github.com/almanac-sim/almanac/internal/study"
	"github.com/almanac-sim/almanac/page/internal/figure"
	"github.com/almanac-sim/almanac/page/internal/folder"
	"github.com/almanac-sim/almanac/page/internal/httperr"
	"github.com/almanac-sim/almanac/page/internal/runs"
	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/study"
)

// Bounds of a sweep that is run here, and of what is shown of a sweep.
const (
	maxGrid        = 400 // points
	maxSweepRuns   = 20_000
	defaultOutputs = 6 // without a choice of outputs
	maxPointRows   = 400
	maxLinkedCells = 2_000 // a link takes 300 bytes, and a stop of the Tab key
	maxDots        = 2_000
)

// A sweepResult is a sweep, finished or not, with links to its points.
type sweepResult struct {
	*tables.Sweep
	form      modelForm // common to all points
	pointLink string    // address of a point without its number
	recorded  bool      // time series of the points are saved; otherwise a point is run again when it is opened
	total     int       // number of points of an unfinished sweep; 0 if finished
}

// soFar returns a copy for concurrent readers. Points are only appended.
func (s sweepResult) soFar(of int) sweepResult {
	now := *s.Sweep
	if s.Sweep = &now; len(s.Points()) < of {
		s.total = of
	}
	return s
}

// Size estimates the bytes of the points.
func (s sweepResult) Size() (n int) {
	for _, p := range s.Points() {
		n += 64 + 32*len(p.Values) + 64*len(p.Outputs)
	}
	return n
}

func (s sweepResult) link(k int) string { return s.pointLink + strconv.Itoa(k) }

func (s sweepResult) view() runs.View {
	v := runs.View{Sweep: &s}
	at := s.index()
	for k, h := range s.Maps() {
		m := &figure.Map{Heat: h, Starts: !s.recorded, Link: func(i, j int) string {
			if k := at(s.Axes[0].Values[i], s.Axes[1].Values[j]); k >= 0 {
				return s.link(k)
			}
			return "" // not in the table
		}}
		if len(m.X)*len(m.Y) > maxLinkedCells {
			m.Link = nil
			m.Note += "; too many cells to lead to their points, which the table does"
		}
		f := figure.Figure{ID: fmt.Sprintf("map-%d", k), Caption: figure.Arrow(h.Title), Group: "Maps", Map: m}
		m.Note += s.missing()
		f.Chart.Note = m.Note // subscriptions compare it
		v.Figures = append(v.Figures, f)
	}
	for k, a := range s.Axes {
		over := s.Over(k)
		for i, c := range over.Charts {
			c.Note, c.YLabel = over.Note+s.missing(), c.Title
			s.thinDots(&c)
			v.Figures = append(v.Figures, figure.Figure{ID: fmt.Sprintf("over-%d-%d", k, i), Caption: figure.Arrow(c.Title),
				Group: "Over " +
					a.Name, Small: true, Band: "mean (95 % interval of the mean)", Chart: c})
		}
	}
	t := figure.Table{Caption: "Points: mean ± half of the 95 % interval; each leads to its run" + s.missing(),
		Starts: !s.recorded}
	for _, a := range s.Axes {
		t.Head = append(t.Head, a.Column())
	}
	t.Head = append(append(t.Head, "replicas"), s.Outputs()...)
	for k, p := range s.Points()[:min(len(s.Points()), maxPointRows)] {
		var row []string
		for i, a := range s.Axes {
			row = append(row, a.Cell(p.Values[i]))
		}
		row = append(row, strconv.Itoa(p.Replicas))
		for _, o := range p.Outputs {
			row = append(row, o.Text())
		}
		t.Rows, t.Links = append(t.Rows, row), append(t.Links, s.link(k))
	}
	if n := len(s.Points()); n > maxPointRows {
		t.Caption += fmt.Sprintf("; the first %d of %s, all are in points.csv", maxPointRows, format.Thousands(float64(n)))
	}
	v.Tables = []figure.Table{t}
	return v
}

// missing notes how many points an unfinished sweep has.
func (s sweepResult) missing() string {
	if s.total == 0 {
		return ""
	}
	return fmt.Sprintf("; %d of %d points so far", len(s.Points()), s.total)
}

// thinDots limits the points of a scatter chart. The points of a grid are ordered, so the step is
// coprime to the number of values of each axis.
func (s sweepResult) thinDots(c *plot.Chart) {
	if len(c.Series) != 1 || !c.Series[0].Points || len(c.Series[0].X) <= maxDots {
		return
	}
	all := &c.Series[0]
	n := len(all.X)
	step := (n + maxDots - 1) / maxDots
	for slices.ContainsFunc(s.Axes, func(a *design.Axis) bool { return gcd(step, len(a.Values)) > 1 }) {
		step++
	}
	some := plot.Series{Name: all.Name, Points: true}
	for k := 0; k < n; k += step {
		some.Add(all.X[k], all.Y[k])
	}
	*all = some
	c.Note += fmt.Sprintf("; each %s of %s points, all are in points.csv", ordinal(step), format.Thousands(float64(n)))
}

// gcd is the greatest common divisor, but 1 if b is 0.
func gcd(a, b int) int {
	if b == 0 {
		return 1
	}
	for b > 0 {
		a, b = b, a%b
	}
	return a
}

// savedRequest reads the study.json of a directory. It returns nil if there is none, or one of
// another kind of study.
func (s *Server) savedRequest(dir, kind string) (*study.Request, error) {
	text, err := s.files.Read(path.Join(dir, study.FileName), 1<<20)
	if httperr.Is(err, http.StatusNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r, err := study.ReadJSON(text)
	if err != nil {
		return nil, httperr.Unprocessable("%s in %s cannot be read: %v", study.FileName, dir, err)
	}
	if r.Kind != kind { // results of several commands in one directory
		return nil, nil
	}
	return r, nil
}

// savedSweep reads a directory of almanac sweep.
func (s *Server) savedSweep(dir string) (*sweepResult, error) {
	data, err := s.files.Read(path.Join(dir, "points.csv"), folder.MaxResults)
	if err != nil {
		return nil, err
	}
	base := modelForm{Path: path.Join(dir, "model.yaml")}
	var axes []*design.Axis
	saved, err := s.savedRequest(dir, study.Sweep)
	if err != nil {
		return nil, err
	}
	if saved != nil {
		base.Seed, base.Size, base.Until, base.Scenario, base.Fixed = strconv.FormatUint(saved.Seed, 10), saved.Size,
			saved.Until, saved.Scenario, saved.Set
		axes, _ = saved.Axes() // checked by ReadJSON
	}
	sweep, err := tables.ReadPoints(bytes.NewReader(data), dir, axes, saved != nil && saved.Sample > 0)
	if err != nil {
		return nil, httperr.Unprocessable("points.csv in %s is not what almanac sweep writes: %v", dir, err)
	}
	if len(sweep.Points()) == 0 {
		return nil, httperr.Unprocessable("points.csv in %s has no points", dir)
	}
	info, err := s.files.Stat(path.Join(dir, pointSeries))
	return &sweepResult{sweep, base, "/sweep-points/" + pathEscape(dir) + "?point=",
		err == nil && info.Size() <= folder.MaxResults, 0}, nil
}

// sweepWork returns the sweep of a form.
func (s *Server) sweepWork(form url.Values) (runs.Work, error) {
	a, err := s.readModelForm(form)
	if err != nil {
		return runs.Work{}, err
	}
	m, r, err := s.compileForm(&a, study.Sweep)
	if err != nil {
		return runs.Work{}, err
	}
	for i, name := range form["vary"] {
		values := ""
		if i < len(form["values"]) {
			values = strings.TrimSpace(form["values"][i])
		}
		if name == "" || values == "" {
			continue
		}
		if _, err := design.Parse(name + "=" + values); err != nil {
			return runs.Work{}, formError("values of "+name, "%v", err)
		}
		if slices.ContainsFunc(r.Set, func(p population.Parameter) bool { return p.Name == name }) {
			return runs.Work{}, formError(name, "it is varied and has another value, too; leave out one of the two")
		}
		r.Vary = append(r.Vary, name+"="+values)
	}
	if len(r.Vary) == 0 || len(r.Vary) > 2 {
		return runs.Work{}, formError("vary", "what is to be varied? Choose one name or two, with their values")
	}
	st := &study.Study{Request: r, Plain: m}
	if st.Axes, err = r.Axes(); err != nil {
		return runs.Work{}, formError("values", "%v", err)
	}
	if st.Points, err = design.Grid(st.Axes, maxGrid); err != nil {
		return runs.Work{}, formError("values", "%v; at most %d points can be run here, and any number with almanac "+
			"sweep", err, maxGrid)
	}
	if n := len(st.Points) * r.Replicas; n > maxSweepRuns {
		return runs.Work{}, formError("replicas", "%s runs in all; at most %s can be made here, and any number with "+
			"almanac sweep",
			format.Thousands(float64(n)), format.Thousands(maxSweepRuns))
	}
	texts := outputLines(form.Get("outputs"))
	if m, err = r.RecordOutputs(m, texts); err != nil {
		return runs.Work{}, formError("outputs", "%v", err)
	}
	st.Plain = m
	largest, err := largestModel(st)
	if err != nil {
		return runs.Work{}, err
	}
	all, err := outputs.All(m, texts)
	if err != nil {
		return runs.Work{}, formError("outputs", "%v", err)
	}
	if texts == nil { // final values and peaks of states
		all = slices.DeleteFunc(all, func(o *outputs.Output) bool {
			return o.Text == "final(total)" || strings.HasPrefix(o.Text, "time of") || strings.Contains(o.Text, "->")
		})
		all = all[:min(len(all), defaultOutputs)]
	}
	for _, output := range all {
		r.Outputs = append(r.Outputs, output.Text)
	}
	st.OutputNames = r.Outputs
	var names []string
	for _, axis := range st.Axes {
		names = append(names, axis.Name)
	}
	size := ", " + format.Count(m.Size(), "individual")
	if slices.Contains(names, "population.size") {
		size = "" // it is an axis
	}
	return runs.Work{
		Title: "Sweep of " + m.Name(), From: "/sweeps?model=" + url.QueryEscape(a.Path), Request: r, Command: r.Command(),
		About: fmt.Sprintf("%s, %s%s, %s of each, seed %d", strings.Join(names, " × "), format.Count(len(st.Points),
			"point"), size, format.Count(r.Replicas, "replica"), r.Seed),
		ResultBytes: uint64(len(st.Points)) * uint64(len(st.OutputNames)) * 200,
		Memory:      maxMemory(largest, parallel(cores(r.Replicas))),
		CheckMemory: func() error { return largest.CheckMemory(parallel(1)) },
		Do: func(ctx context.Context, report *runs.Reporter) error {
			for i, p := range st.Points { // report mistakes before anything runs
				report.Progress(runs.Progress{Note: fmt.Sprintf("looking at point %d of %d", i+1, len(st.Points))})
				if err := ctx.Err(); err != nil {
					return err
				}
				if _, err := st.At(st.Settings(p)); err != nil {
					return fmt.Errorf("%s: %w", strings.Join(p, ", "), err)
				}
			}
			job, err := st.Job() // large
			if err != nil {
				return err
			}
			slots := cores(r.Replicas)
			for slots > 1 && largest.CheckMemory(parallel(slots)) != nil {
				slots--
			}
			return runSweep(ctx, st, job, slots, a, report)
		},
	}, nil
}

// largestModel is the model of the point with most individuals. It also compiles the first and the
// last point, so that most mistakes are reported at once; the others are checked when the sweep
// starts.
func largestModel(st *study.Study) (largest *population.Model, err error) {
	at := []int{0, len(st.Points) - 1, 0}
	most := -1.0
	size := slices.IndexFunc(st.Axes, func(a *design.Axis) bool { return a.Name == "population.size" })
	for i, p := range st.Points {
		if size < 0 {
			break
		}
		if n, err := strconv.ParseFloat(strings.ReplaceAll(p[size], "_", ""), 64); err == nil && n > most {
			most, at[2] = n, i
		}
	}
	for _, i := range at {
		m, err := st.At(st.Settings(st.Points[i]))
		if err != nil {
			return nil, err
		}
		if largest == nil || m.Size() > largest.Size() {
			largest = m
		}
	}
	return largest, nil
}

func cores(replicas int) int { return min(replicas, runtime.GOMAXPROCS(0)) }

func parallel(n int) population.Options { return population.Options{Replicas: n, Workers: n} }

// runSweep runs a sweep in this process, with slots replicas at once.
func runSweep(ctx context.Context, st *study.Study, job ensemble.Job, slots int, base modelForm,
	report *runs.Reporter) error {
	var table bytes.Buffer
	base.Seed = strconv.FormatUint(st.Seed, 10)
	s := sweepResult{tables.NewSweep(st.Plain.Name(), st.Axes, false, &table), base, report.Where + "/points/", false, 0}
	// Charts are shown during the sweep, and stay if it is stopped. Tables are shown at the end.
	show := func(over bool) error {
		if err := s.Flush(); err != nil {
			return err
		}
		now, rows := s.soFar(len(job.Points)), bytes.Clone(table.Bytes())
		report.Show(func() runs.View {
			v := now.view()
			if !over {
				v.Tables = nil
			}
			v.Files = []figure.File{{Name: "points.csv", About: "every point and output, as almanac sweep --out writes it" +
				now.missing(),
				Write: func(w io.Writer) error { return errOnly(w.Write(rows)) }},
				{Name: pointsJSON, About: "the same for programs", Write: now.writeJSON},
				{Name: "model.yaml", About: "the model that was swept",
					Write: func(w io.Writer) error { return errOnly(w.Write(st.Source)) }}}
			return v
		})
		return nil
	}
	events := uint64(0)
	_, err := ensemble.InMemory{Slots: slots}.Run(ctx, job, ensemble.RunOptions{Registry: study.Registry(),
		Point: func(p ensemble.PointResult) error {
			events += p.Events
			one := tables.Point{Values: st.Values(p.Point), Replicas: p.Replicas}
			for _, o := range p.Outputs {
				one.Outputs = append(one.Outputs, study.Output(o, o.Name))
			}
			report.Progress(runs.Progress{Fraction: float64(p.Index+1) / float64(len(job.Points)), Events: events,
				Note: fmt.Sprintf("%d of %s", p.Index+1, format.Count(len(job.Points), "point"))})
			if err := s.Add(one); err != nil {
				return err
			}
			return show(false)
		}})
	if len(s.Points()) > 0 {
		err = errors.Join(err, show(true))
	}
	return err
}

// valuesAround suggests five values from half to one and a half times the value.
func valuesAround(p parameter) string {
	number := strings.ReplaceAll(strings.TrimSpace(strings.TrimSuffix(p.Value, p.Unit)), "_", "")
	x, err := strconv.ParseFloat(number, 64)
	if !p.Slides || err != nil || !(x > 0) {
		return ""
	}
	a := design.Axis{Unit: p.Unit}
	high := 1.5 * x
	if (p.Unit == "%" && high > 100) || (p.Unit == "" && x < 1 && high > 1) {
		high = x
	}
	digits := func(y float64) string { return strconv.FormatFloat(y, 'g', 4, 64) }
	step := (high - 0.5*x) / 4
	if math.Abs(step) < 1e-12 {
		return ""
	}
	var values []string
	for k := range 5 {
		values = append(values, a.Write(digits(0.5*x+float64(k)*step)))
	}
	return strings.Join(values, ", ")
}

// ordinal returns 2nd, 4th, 11th.
func ordinal(n int) string {
	ending := "th"
	if n/10%10 != 1 {
		switch n % 10 {
		case 1:
			ending = "st"
		case 2:
			ending = "nd"
		case 3:
			ending = "rd"
		}
	}
	return strconv.Itoa(n) + ending
}

// sweepPage shows the form of a sweep.
func (s *Server) sweepPage(w http.ResponseWriter, r *http.Request) error {
	form := r.URL.Query()
	form.Set("path", form.Get("model"))
	form.Del("source")
	if form.Get("path") == "" {
		http.Redirect(w, r, "/studies", http.StatusSeeOther)
		return nil
	}
	return s.sweepForm(w, r, http.StatusOK, form, nil)
}

func (s *Server) sweepForm(w http.ResponseWriter, r *http.Request, status int, form url.Values,
	problems population.Problems) error {
	a, f, err := s.readStudyForm(r, form, "10")
	if err != nil {
		return err
	}
	type vary struct{ Name, Values string }
	var rows []vary
	for i, name := range form["vary"] {
		if i < len(form["values"]) && i < 2 {
			rows = append(rows, vary{name, form["values"][i]})
		}
	}
	if len(rows) == 0 {
		for _, p := range f.Parameters {
			if values := valuesAround(p); values != "" && len(rows) < 2 {
				rows = append(rows, vary{p.Name, values})
			}
		}
	}
	for len(rows) < 2 {
		rows = append(rows, vary{})
	}
	names := []string{}
	for _, p := range f.Parameters {
		names = append(names, p.Name)
	}
	s.render(w, r, status, "sweeping", "studies", map[string]any{"Title": "Sweep " + f.Name, "Form": a, "Found": f,
		"Rows": rows, "Names": append(names, "population.size"),
		"Outputs": form.Get("outputs"), "Problems": locate(problems), "Most": maxGrid, "Link": "/models/" +
			pathEscape(a.Path)})
	return nil
}

func (s *Server) startSweep(w http.ResponseWriter, r *http.Request) error {
	r.PostForm.Del("source")
	work, err := computed(r.Context(), s, func() (runs.Work, error) { return s.sweepWork(r.PostForm) })
	if problems, ok := errors.AsType[population.Problems](err); ok {
		return s.sweepForm(w, r, http.StatusUnprocessableEntity, r.PostForm, problems)
	}
	if err != nil {
		return err
	}
	return s.start(w, r, work)
}

func (s *Server) readSweep(dir string) (saved, error) {
	sweep, err := s.savedSweep(dir)
	if err != nil {
		return saved{}, err
	}
	v := saved{View: sweep.view(), data: map[string]any{"Title": dir, "What": "sweep"}}
	v.Files = []figure.File{{Name: pointsJSON, About: "the same for programs", Write: sweep.writeJSON}}
	return v, nil
}
