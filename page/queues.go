package page

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"

	"github.com/almanac-sim/almanac/internal/allocation"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/page/internal/figure"
	"github.com/almanac-sim/almanac/page/internal/folder"
	"github.com/almanac-sim/almanac/page/internal/httperr"
	"github.com/almanac-sim/almanac/page/internal/runs"
	"github.com/almanac-sim/almanac/sim"
	"github.com/almanac-sim/almanac/sim/analysis"
	"github.com/almanac-sim/almanac/sim/history"
	"github.com/almanac-sim/almanac/sim/output"
)

// A queueForm is the form of a queue: Poisson arrivals, several servers, optionally another number
// of servers at night. Times are in hours.
type queueForm struct {
	Servers, Night, Rate, Service, Shape, Until, Seed string
}

var defaultQueue = queueForm{Servers: "3", Rate: "16", Service: "10", Shape: "exponential", Until: "2000", Seed: "1"}

// A serviceShape is a distribution of service times, given the mean.
type serviceShape struct {
	Name, About, Call string
	law               func(mean float64) sim.Distribution
	square            float64 // second moment over the squared mean
}

var serviceShapes = []serviceShape{
	{"exponential", "exponential: memoryless", "sim.Exponential(%v)", sim.Exponential, 2},
	{"constant", "constant: all the same", "sim.Constant(%v)", sim.Constant, 1},
	{"lognormal", "lognormal: a few take very long; the deviation is the mean", "sim.Lognormal(%[1]v, %[1]v)",
		func(mean float64) sim.Distribution { return sim.Lognormal(mean, mean) }, 2},
}

// Bounds of a queue.
const (
	maxServers   = 1000
	maxCustomers = 1_000_000
	maxCourse    = 8192 // points of a time series, observations of a tally

	// Of a waiting customer: request, time and callback take half of it, and the garbage collector
	// lets the heap double.
	customerBytes = 512
	queueBytes    = 16 << 20 // of an empty queue: statistics and views
)

func readQueueForm(form url.Values) queueForm {
	get := func(name string) string { return strings.TrimSpace(form.Get(name)) }
	return queueForm{get("servers"), get("night"), get("rate"), get("service"), get("shape"), get("until"), get("seed")}
}

func (q queueForm) query() url.Values {
	return url.Values{"servers": {q.Servers}, "night": {q.Night}, "rate": {q.Rate}, "service": {q.Service},
		"shape": {q.Shape}, "until": {q.Until}, "seed": {q.Seed}}
}

// A queueModel is a valid queueForm. Exported fields are for the generated program.
type queueModel struct {
	Servers, Night int // Night is −1 if the number does not change
	Rate, Service  float64
	Until          float64
	Seed           uint64
	Law            string // Go expression of the distribution

	shape int
}

func (q queueForm) read() (c queueModel, err error) {
	var f fieldReader
	number := func(field, text, what string, least, most float64) float64 {
		x := allocation.ParseNumber(text)
		if !(x >= least && x <= most) {
			f.errorf(field, "%q is not %s; wanted is a number from %s to %s",
				text, what, format.Number(least), format.Number(most))
		}
		return x
	}
	c.Servers, c.Night = f.whole("Servers", q.Servers, "servers", 1, maxServers), -1
	if q.Night != "" {
		c.Night = f.whole("At night", q.Night, "servers", 0, maxServers)
	}
	c.Rate = number("Customers an hour", q.Rate, "a rate", 1e-6, 1e6)
	c.Service = number("Minutes of service", q.Service, "a time", 1e-6, 1e6) / 60
	c.Until = number("Hours", q.Until, "a time", 1e-3, 1e6)
	if n := c.Rate * c.Until; n > maxCustomers {
		f.errorf("Hours", "about %s customers would come, and at most %s are served here",
			format.Thousands(math.Round(n)), format.Thousands(maxCustomers))
	}
	c.Seed = f.seed(q.Seed)
	if c.shape = slices.IndexFunc(serviceShapes, func(s serviceShape) bool { return s.Name == q.Shape }); c.shape < 0 {
		f.errorf("Service", "there is none that is %q", q.Shape)
		return c, f.err
	}
	c.Law = fmt.Sprintf(serviceShapes[c.shape].Call, c.Service)
	return c, f.err
}

// build adds the queue to a simulation.
func (c queueModel) build(s *sim.Simulation) *sim.Resource {
	servers := sim.NewResource(s, "servers", c.Servers)
	if c.Night >= 0 {
		servers.Schedule(sim.Daily{Shifts: []sim.Shift{{From: 8, To: 20, Units: c.Servers}}, Otherwise: c.Night})
	}
	service := s.Sampler("service", serviceShapes[c.shape].law(c.Service))
	s.Arrive(sim.Poisson(s.Stream("arrivals"), c.Rate), func() {
		takes := service()
		servers.RequestThen(1, func(g *sim.Grant, _ error) { s.After(takes, g.Release) })
	})
	return servers
}

//go:embed templates/queue.go.txt
var queueProgramText string

// queueProgram is the template of a program that does the same as build and run.
var queueProgram = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Parse(queueProgramText))
})

// A queueTheory has the expectations in the long run.
type queueTheory struct{ wait, line, busy float64 }

// theory is Erlang's formula for exponential services, and that of Pollaczek and Khinchine for one
// server. It reports false if there is no steady state, or no closed form.
func (c queueModel) theory() (t queueTheory, ok bool) {
	a := c.Rate * c.Service // mean number of busy servers
	if c.Night >= 0 && c.Night != c.Servers || !(a < float64(c.Servers)) {
		return t, false
	}
	square := serviceShapes[c.shape].square
	switch {
	case serviceShapes[c.shape].Name == "exponential":
		// Erlang's B by recurrence over the number of servers, and C from B.
		b := 1.0
		for k := 1; k <= c.Servers; k++ {
			b = a * b / (float64(k) + a*b)
		}
		waits := b / (1 - a/float64(c.Servers)*(1-b))
		t.wait = waits * c.Service / (float64(c.Servers) - a)
	case c.Servers == 1:
		t.wait = c.Rate * square * c.Service * c.Service / 2 / (1 - a)
	default:
		return t, false
	}
	t.line, t.busy = c.Rate*t.wait, a // Little's law
	return t, true
}

// title is Kendall's notation.
func (c queueModel) title() string {
	if c.Night >= 0 && c.Night != c.Servers {
		return fmt.Sprintf("%s by day, %d at night", format.Count(c.Servers, "server"), c.Night)
	}
	return fmt.Sprintf("M/%s/%d", []string{"M", "D", "G"}[c.shape], c.Servers)
}

// memory estimates the peak of a run in bytes: if the servers are overloaded, nearly all customers
// wait at once.
func (c queueModel) memory() uint64 {
	n := c.Rate * c.Until
	return queueBytes + customerBytes*uint64(n+6*math.Sqrt(n)+1)
}

// A queueSample is a snapshot of the statistics.
type queueSample struct {
	courses      []history.Series
	observations []history.Observations
	report       sim.Report
	now          float64
	over         bool
}

func (q queueForm) work() (runs.Work, error) {
	c, err := q.read()
	if err != nil {
		return runs.Work{}, err
	}
	w := runs.Work{Title: c.title(), From: "/queues?" + q.query().Encode(), Command: "go run queue.go",
		ResultBytes: 6 * 64 * maxCourse, Memory: c.memory()}
	hours := format.Number(c.Until)
	if c.Until >= 1000 {
		hours = format.Thousands(c.Until)
	}
	w.About = fmt.Sprintf("%s customers an hour, %s service of %s minutes on average, %s hours, seed %d",
		format.Number(c.Rate), q.Shape, q.Service, hours, c.Seed)
	w.Do = func(ctx context.Context, report *runs.Reporter) error {
		var seen latest[queueSample]
		report.Show(func() runs.View {
			if now := seen.get(); now != nil {
				return c.view(now)
			}
			return runs.View{}
		})
		s := sim.New(sim.Seed(c.Seed), sim.Name(c.title()))
		defer s.Close()
		s.Keep(sim.Thinned(maxCourse))
		c.build(s)
		look := func() *queueSample {
			return &queueSample{s.AllTimeSeries(), s.AllObservations(), s.Report(), s.Now(), s.Now() >= c.Until}
		}
		seen.requested.Store(true)
		const steps = 500
		for i := 1; i <= steps; i++ {
			until := c.Until * float64(i) / steps
			if i == steps { // without rounding
				until = c.Until
			}
			if err := s.Run(ctx, until); err != nil {
				seen.set(look())
				return err
			}
			seen.put(look)
			report.Progress(runs.Progress{Fraction: float64(i) / steps, Note: "hour " + figure.Short(s.Now())})
		}
		seen.set(look())
		return nil
	}
	return w, nil
}

func (c queueModel) view(now *queueSample) (v runs.View) {
	theory, known := c.theory()
	long := func(y float64) *float64 {
		if !known {
			return nil
		}
		return &y
	}
	t := figure.Table{Caption: "Means, with intervals of 95 %", Head: []string{"", "measured", "theory", "interval"}}
	var tooShort []string
	row := func(name string, e analysis.Estimate, expected *float64) {
		cells := []string{name, figure.Short(e.Value), "–", "the run is too short"}
		if !math.IsInf(e.Low, 0) && !math.IsInf(e.High, 0) && !math.IsNaN(e.Low+e.High) {
			cells[3] = figure.Short(max(0, e.Low)) + " to " + figure.Short(e.High)
		}
		if len(e.Problems) > 0 {
			tooShort = append(tooShort, name+", "+strings.Join(e.Problems, "; "))
		}
		if expected != nil {
			cells[2] = figure.Short(*expected)
		}
		t.Rows = append(t.Rows, cells)
	}
	for _, course := range now.courses {
		name, expected := course.Name, (*float64)(nil)
		switch course.Name {
		case "servers queue":
			name, expected = "customers in line", long(theory.line)
		case "servers in use":
			name, expected = "busy servers", long(theory.busy)
		case "servers capacity":
			if c.Night < 0 {
				continue // constant
			}
			name = "servers there"
		}
		chart := courseChart(course, name, c.Until)
		if expected != nil && len(chart.Series[0].X) > 0 {
			chart.Series = append(chart.Series, plot.Series{Name: "theory, long run", Dashed: true, X: []float64{0, c.Until},
				Y: []float64{*expected, *expected}})
		}
		chart.XLabel = "hour"
		v.Figures = append(v.Figures, figure.Figure{ID: figure.FileName(course.Name),
			Caption: strings.ToUpper(name[:1]) + name[1:], Chart: chart, Band: courseBand})
		if now.over && name != "servers there" && c.Night < 0 {
			row(name, analysis.TimeSeries(course), expected)
		}
	}
	for _, o := range now.observations {
		if len(o.Entries) == 0 {
			continue
		}
		v.Figures = append(v.Figures, figure.Figure{ID: "waits", Caption: "How long customers wait",
			Chart: waitsHistogram(c.title(), o)})
		if now.over && c.Night < 0 {
			row("wait, in hours", analysis.Observations(o), long(theory.wait))
		}
	}
	if len(t.Rows) > 0 {
		if !known {
			t.Note = "Theory has no closed form for this, or there is no long run: the line grows without end if customers " +
				"bring more work than servers can do. "
		}
		if len(tooShort) > 0 {
			t.Note += "The run is too short to believe the interval of " + strings.Join(tooShort, "; of ") + "."
		}
		v.Tables = []figure.Table{t}
	}
	v.Files = []figure.File{{Name: "queue.go", About: "the program that gives the same, for go run within a module " +
		"that requires this one",
		Write: func(w io.Writer) error { return queueProgram().Execute(w, c) }},
		{Name: "report.txt", About: "what the program prints", Write: func(w io.Writer) error {
			return errOnly(fmt.Fprintln(w, now.report))
		}},
		{Name: "report.csv", About: "the statistics", Write: func(w io.Writer) error {
			return output.WriteReport(w, output.CSV, now.report)
		}},
		{Name: "report.json", About: "the same for programs", Write: func(w io.Writer) error {
			return output.WriteReport(w, output.JSON,
				now.report)
		}},
		{Name: "courses.csv", About: "levels over time", Write: func(w io.Writer) error {
			return output.WriteTimeSeries(w, output.CSV,
				now.courses)
		}},
		{Name: "observations.csv", About: "waiting times", Write: func(w io.Writer) error {
			return output.WriteObservations(w, output.CSV, now.observations)
		}}}
	return v
}

const courseBand = "mean (least–most) of a part of the time"

// courseChart draws every change, or of many changes the means over intervals with a band from the
// minimum to the maximum.
func courseChart(c history.Series, name string, until float64) plot.Chart {
	const parts = 240
	s := plot.Series{Name: name, Unmarked: true}
	chart := plot.Chart{Title: name, XLabel: "time", YLabel: name, FromZero: true, Headroom: true, UpToX: until,
		FromZeroX: true, LegendBeside: true}
	if len(c.Points) <= parts {
		for _, p := range c.Points {
			s.Add(p.From, p.Mean)
			s.Add(p.To, p.Mean)
		}
		chart.Note = "every change"
		chart.Series = []plot.Series{s}
		return chart
	}
	chart.Note = "lines: means over parts of the time; bands: from the least to the most in it"
	means, k := c.Means(parts), 0
	for i, mean := range means {
		from, to := c.Start+(c.End-c.Start)*float64(i)/parts, c.Start+(c.End-c.Start)*float64(i+1)/parts
		low, high := mean, mean
		for k < len(c.Points) && c.Points[k].To <= from {
			k++
		}
		for j := k; j < len(c.Points) && c.Points[j].From < to; j++ {
			low, high = min(low, c.Points[j].Min), max(high, c.Points[j].Max)
		}
		s.Add((from+to)/2, mean)
		s.Low, s.High = append(s.Low, low), append(s.High, high)
	}
	chart.Series = []plot.Series{s}
	return chart
}

// waitsHistogram draws waiting times. A long tail is cut at the 99.5 % quantile.
func waitsHistogram(title string, o history.Observations) plot.Chart {
	const n = 40
	x := slices.Sorted(slices.Values(o.Values()))
	top := x[min(len(x)-1, int(0.995*float64(len(x))))]
	chart := plot.Chart{Title: title, XLabel: "wait, in hours", YLabel: "share of customers (%)", FromZero: true,
		Headroom: true, LegendBeside: true}
	chart.Note = format.Count(int(o.N), "customer")
	if o.Batch > 1 {
		chart.Note += ", a sample of " + format.Thousands(float64(len(x))) + " of them"
	}
	if x[len(x)-1] > top {
		chart.Note += "; the longest waits, up to " + figure.Short(x[len(x)-1]) + " hours, are not drawn"
	}
	width := top / n
	if width == 0 { // no customer waits
		width = 1.0 / n
	}
	bars := plot.Series{Name: "share of customers", Bars: width, X: make([]float64, n), Y: make([]float64, n)}
	for i := range bars.X {
		bars.X[i] = (float64(i) + 0.5) * width
	}
	for _, w := range x {
		if w <= top {
			bars.Y[min(n-1, int(w/width))] += 100 / float64(len(x))
		}
	}
	chart.Series = []plot.Series{bars}
	return chart
}

func (s *Server) queues(w http.ResponseWriter, r *http.Request) error {
	q := defaultQueue
	if r.URL.Query().Has("servers") {
		q = readQueueForm(r.URL.Query())
	}
	return s.showQueues(w, r, http.StatusOK, q, "")
}

func (s *Server) showQueues(w http.ResponseWriter, r *http.Request, status int, q queueForm, wrong string) error {
	there, err := s.list(r.Context(), false)
	if err != nil {
		return err
	}
	s.render(w, r, status, "queues", "queues", map[string]any{"Title": "Queues", "Form": q, "Wrong": wrong,
		"Shapes": serviceShapes, "Saved": there.courses.all, "Notes": there.courses.notes(there.notes...),
		"Most": format.Thousands(maxCustomers)})
	return nil
}

func (s *Server) startQueue(w http.ResponseWriter, r *http.Request) error {
	q := readQueueForm(r.PostForm)
	return s.startForm(w, r, q.work, func(status int, wrong string) error { return s.showQueues(w, r, status, q, wrong) })
}

func (s *Server) readCourseFigures(dir string) (v saved, err error) {
	data, err := s.files.Read(path.Join(dir, "courses.csv"), folder.MaxTable)
	if err != nil {
		return v, err
	}
	courses, err := readCourses(bytes.NewReader(data))
	if err != nil {
		return v, httperr.Unprocessable("courses.csv in %s is not what sim/output writes: %v", dir, err)
	}
	v.data = map[string]any{"Title": dir}
	for i, c := range courses {
		v.Figures = append(v.Figures, figure.Figure{ID: fmt.Sprintf("course-%d", i), Caption: c.Name,
			Chart: courseChart(c, c.Name,
				0), Band: courseBand})
	}
	return v, nil
}

// readCourses parses courses.csv: statistic, from, to, mean, min, max, in the order of time.
func readCourses(r io.Reader) (all []history.Series, err error) {
	in := csv.NewReader(r)
	head, err := in.Read()
	if err != nil || !slices.Equal(head, []string{"statistic", "from", "to", "mean", "min", "max"}) {
		return nil, fmt.Errorf("its first line is %q, and not statistic,from,to,mean,min,max", strings.Join(head, ","))
	}
	place := map[string]int{}
	for {
		row, err := in.Read()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		var x [5]float64
		line, _ := in.FieldPos(0)
		for i := range x {
			if x[i], err = strconv.ParseFloat(row[i+1], 64); err != nil || !(x[i]-x[i] == 0) {
				return nil, fmt.Errorf("line %d: %q is not a number", line, row[i+1])
			}
		}
		k, ok := place[row[0]]
		if !ok {
			k = len(all)
			place[row[0]] = k
			all = append(all, history.Series{Name: row[0], Start: x[0], Complete: true})
		}
		c := &all[k]
		if x[0] > x[1] || len(c.Points) > 0 && x[0] < c.End {
			return nil, fmt.Errorf("line %d: it goes back in time", line)
		}
		c.Sampled = c.Sampled || x[0] == x[1]
		c.End = x[1]
		c.Points = append(c.Points, history.Point{From: x[0], To: x[1], Mean: x[2], Min: x[3], Max: x[4]})
	}
}
