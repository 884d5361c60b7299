package pictures

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/modelfit"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/internal/quantile"
	"github.com/almanac-sim/almanac/internal/suggest"
	"github.com/almanac-sim/almanac/population"
)

// A View says what a picture of a run shows. The zero value shows all states that were ever
// occupied.
type View struct {
	// Show has states, those of machines (hiv=early), flows (a->b), names ([a] if a state has the same
	// name), observations (of a survey the share that is positive, and [survey] how many), values,
	// machines, "total", "states" or "flows". If there are none: what the data are of, or states. States are with those of machines, each machine in a panel of its own, unless there is
	// a panel for each group.
	Show   []string
	Panels string  // a grouping of the model: a panel for each group
	Log    bool    // logarithmic y axis
	Per    float64 // numbers are per so many individuals; 0 for counts
	Title  string  // the name of the model if empty
	Data   *Data   // points over the lines; nil for none
}

// A Picture can be written as .svg, .pdf or .png.
type Picture interface{ Save(path string) error }

// A Mistake is a part of a view that a model does not have.
type Mistake struct{ Part, Problem string } // Part: show, panels, data

func (e *Mistake) Error() string { return e.Problem }

// Check returns a [*Mistake] if the view cannot be drawn of any run of a model.
func (v View) Check(m *population.Model) error {
	all, err := v.quantities(m)
	if err != nil {
		return err
	}
	if v.Panels != "" {
		if _, err := v.grouping(m); err != nil {
			return err
		}
		for _, q := range all {
			if q.kind == value {
				return &Mistake{"panels", q.name + " is of everybody, and panels are of groups"}
			}
			if q.asked && q.ofNobody(m) {
				return &Mistake{"panels", q.name + " only sets parameters, which happens to no individual, so no group has any"}
			}
		}
		if mixed(all) {
			return &Mistake{"panels", "a panel has states or flows or shares of surveys; show only one of these"}
		}
	}
	for _, q := range all {
		if q.delayed(m) {
			return &Mistake{"show", m.Observations()[q.index] + " " + resultsLater}
		}
	}
	if v.Data == nil {
		return nil
	}
	if not := v.undrawn(m, all); len(not) == len(v.Data.Columns) {
		return v.Data.nothing(not)
	}
	_, err = v.Data.rows(m)
	return err
}

// A kind is what a quantity counts.
type kind int

const (
	state      kind = iota
	total           // the living
	flow            // changes of state in each interval
	named           // what happened in each interval
	cumulative      // changes of state since the start
	happened        // what happened since the start
	seen            // what an observation has seen in each interval
	survey          // the mean chance that a survey finds somebody positive
	value           // a recorded value
)

// A quantity is a line of a picture.
type quantity struct {
	kind   kind
	index  int    // of the state, flow or name
	name   string // in the legend
	asked  bool   // shown by its own name
	part   string // "states", or the machine that is shown whole; empty if it is shown by its own name only
	column *Column
	groups []int     // of the model, which are added up; nil means everybody
	panels []*Column // with --panels: of the groups that have a panel
}

// same reports whether two quantities count the same, and have the same data.
func (q quantity) same(p quantity) bool {
	return p.kind == q.kind && p.index == q.index && slices.Equal(p.groups, q.groups) && p.column == q.column
}

// insert appends a quantity to others, unless it is there. Quantities that differ only in their
// data are named after them.
func insert(all []quantity, q quantity) []quantity {
	if i := slices.IndexFunc(all, q.same); i >= 0 {
		all[i].asked = all[i].asked || q.asked
		all[i].part = cmp.Or(all[i].part, q.part)
		return all
	}
	if q.column != nil && slices.ContainsFunc(all, func(p quantity) bool { return p.name == q.name }) {
		q.name += " (" + q.column.Name + ")"
	}
	return append(all, q)
}

// interval reports whether the quantity is counted in each interval.
func (q quantity) interval() bool { return q.kind == flow || q.kind == named || q.kind == seen }

// counts reports whether the quantity is a number of individuals.
func (q quantity) counts() bool { return q.kind != survey && q.kind != value }

// alike reports whether two quantities can be drawn over the same axis.
func (q quantity) alike(p quantity) bool {
	if q.counts() && p.counts() {
		return q.interval() == p.interval()
	}
	return q.kind == p.kind && (q.kind == survey || q.index == p.index)
}

// delayed reports whether the quantity is of a survey whose results come after a delay. A run
// records how many tests have a result, and so does not say how many are of one survey.
func (q quantity) delayed(m *population.Model) bool {
	return q.kind == survey && modelfit.Delayed(m, q.index)
}

const resultsLater = "counts results after a delay, and a run does not record how many it asked each time"

// ofNobody reports whether the quantity counts what happens to no individual, and so to no group.
func (q quantity) ofNobody(m *population.Model) bool {
	return (q.kind == named || q.kind == happened) && !m.CountedByGroup(q.index)
}

func happens(names []string) string {
	if len(names) == 1 {
		return "happens"
	}
	return "happen"
}

func mixed(all []quantity) bool {
	return slices.ContainsFunc(all, func(q quantity) bool { return !q.alike(all[0]) })
}

// known returns everything that can be shown by its name, in the order in which names are looked
// up.
func known(m *population.Model) (all []quantity, words []string) {
	for i, s := range m.Counted() {
		all, words = append(all, quantity{kind: state, index: i, name: s}), append(words, s)
	}
	for i, f := range m.Flows() {
		all, words = append(all, quantity{kind: flow, index: i, name: flowTitle(f)}), append(words, f.String())
	}
	for _, brackets := range []string{"%s", "[%s]"} {
		for i, n := range m.Names() {
			all = append(all, quantity{kind: named, index: i, name: n})
			words = append(words, fmt.Sprintf(brackets, n))
		}
	}
	all, words = append(all, quantity{kind: total, name: "total"}), append(words, "total")
	for i, o := range m.Observations() {
		if m.IsSurvey(i) {
			all = append(all, quantity{kind: survey, index: i, name: o + ": share positive"},
				quantity{kind: seen, index: i, name: o + ": positive"})
			words = append(words, o, "["+o+"]")
			continue
		}
		all, words = append(all, quantity{kind: seen, index: i, name: o}), append(words, o)
	}
	for i, v := range m.Values() {
		all, words = append(all, quantity{kind: value, index: i, name: v}), append(words, v)
	}
	return all, words
}

// quantities returns what is shown. Those that are not named but belong to states or flows are
// checked for being empty when they are drawn.
func (v View) quantities(m *population.Model) (all []quantity, err error) {
	every, words := known(m)
	add := func(q quantity) {
		for _, one := range v.withData(m, q) {
			all = insert(all, one)
		}
	}
	show := v.Show
	if len(show) == 0 {
		if v.Data != nil {
			return v.ofData(m)
		}
		show = []string{"states"}
	}
	for _, name := range show {
		clean := strings.Join(strings.Fields(strings.ReplaceAll(name, "→", "->")), " ")
		clean = strings.ReplaceAll(strings.ReplaceAll(clean, " ->", "->"), "-> ", "->")
		i := slices.Index(words, clean)
		switch {
		case i >= 0:
			q := every[i]
			q.asked = true
			add(q)
		case clean == "states":
			for _, part := range v.parts(m) {
				for _, i := range part.states {
					every[i].part = part.name
					add(every[i])
				}
			}
		case clean == "flows":
			for _, q := range every[len(m.Counted()):][:len(m.Flows())+len(m.Names())] {
				add(q)
			}
		case slices.Contains(m.Machines(), clean):
			for _, i := range machineStates(m, clean) {
				every[i].part = clean
				add(every[i])
			}
		default:
			return nil, &Mistake{"show", unknown(name, words, m)}
		}
	}
	if len(all) == 0 {
		return nil, &Mistake{"show", "the model has no flows"}
	}
	return all, nil
}

// unknown is the message about a name that is not known.
func unknown(name string, words []string, m *population.Model) string {
	if strings.HasPrefix(strings.TrimSpace(name), "all") {
		switch {
		case strings.HasSuffix(name, "flows"):
			return fmt.Sprintf("%q: write flows, which means all of them", name)
		case strings.HasSuffix(name, "states"):
			return fmt.Sprintf("%q: write states, which means all of them", name)
		case name == "all":
			return `"all": write states for all states, flows for all flows, or both: states,flows`
		}
	}
	text := fmt.Sprintf("%q is no state, flow or name of the model", name)
	if near := suggest.Name(name, slices.Concat(words, m.Machines())); near != "" {
		return text + fmt.Sprintf("; did you mean %q?", near)
	}
	states := m.Counted()
	some := slices.Concat(words[:len(states)+len(m.Flows())+len(m.Names())], m.Observations(), m.Values())
	if len(some) > 20 {
		return text + "; it has the states " + strings.Join(states[:min(20, len(states))], ", ")
	}
	return text + "; it has " + strings.Join(some, ", ")
}

// grouping finds the groups of the panels.
func (v View) grouping(m *population.Model) (Grouping, error) {
	var names []string
	for _, by := range Groupings(m) {
		if by.Name == strings.ReplaceAll(v.Panels, ", ", ",") {
			return by, nil
		}
		names = append(names, by.Name)
	}
	if len(names) == 0 {
		return Grouping{}, &Mistake{"panels", fmt.Sprintf("the model does not record by %s; write record: {by: [%[1]s]}",
			v.Panels)}
	}
	if near := suggest.Name(v.Panels, names); near != "" {
		return Grouping{}, &Mistake{"panels", fmt.Sprintf("the model does not record by %q; did you mean %q?", v.Panels,
			near)}
	}
	return Grouping{}, &Mistake{"panels", fmt.Sprintf("the model does not record by %q, but by %s", v.Panels,
		strings.Join(names, ", by "))}
}

// Draw draws the view of a run that has recorded something.
func (v View) Draw(r *population.Result) (Picture, error) {
	if r.Rows() == 0 {
		return nil, errors.New("nothing was recorded")
	}
	if err := v.Check(r.Model); err != nil {
		return nil, err
	}
	all, err := v.quantities(r.Model)
	if err != nil {
		return nil, err
	}
	all, note := v.occupied(r, all)
	note += v.observedNote(all)
	heading := v.Title
	if heading == "" {
		heading = title(r)
	}
	switch {
	case v.Panels != "":
		return v.groups(r, all, heading, note)
	case mixed(all):
		ps := plot.Panels{Title: heading, Note: note}
		for _, q := range all {
			c := v.chart(r, []quantity{q})
			c.Title = q.name
			if q.column != nil { // panels of their own have no legend
				c.Note = "points: " + q.column.title() + " (data)"
			}
			ps.Charts = append(ps.Charts, c)
		}
		return ps, nil
	case len(partsOf(all)) > 1:
		return v.machines(r, all, heading, note), nil
	}
	if parts := partsOf(all); len(parts) == 1 && parts[0] != "states" && !slices.ContainsFunc(all, unlike(parts[0])) {
		heading += ": " + parts[0]
		all = short(all)
	}
	c := v.chart(r, all)
	c.Title, c.Note, c.LegendBeside = heading, note, true
	return c, nil
}

// chart has a line for each quantity, and its data.
func (v View) chart(r *population.Result, all []quantity) plot.Chart {
	c := plot.Chart{YLabel: v.label(r, all[0]), FromZero: true, LogY: v.Log}
	SetTime(&c, r.Model)
	for _, q := range all {
		s := v.line(r, q)
		s.Unmarked = v.Data != nil
		if q.blank() {
			s = plot.Series{Name: q.name}
		}
		c.Series = append(c.Series, s)
		if q.column != nil {
			c.Series = append(c.Series, v.points(r, q))
		}
	}
	return c
}

// occupied leaves out states and flows that are 0 in all replicas, unless they are shown by name or
// all are 0. It returns the note of the picture.
func (v View) occupied(r *population.Result, all []quantity) ([]quantity, string) {
	var some []quantity
	var empty, nobody []string
	for _, q := range all {
		if !q.hasData() && q.empty(r) {
			empty = append(empty, q.name)
			if !q.asked || v.Log {
				continue
			}
		}
		switch {
		case v.Panels != "" && q.ofNobody(r.Model): // by name it is refused
			nobody = append(nobody, q.name)
			continue
		case q.asked || q.hasData():
		case q.kind == named && twin(r, q.index) >= 0:
			continue // drawn as a flow
		case q.kind == flow:
			q.name = flowName(r, q.index)
		}
		some = append(some, q)
	}
	some = once(r, some)
	note := linesAndBands(r)
	switch {
	case len(some) == 0 && v.Log:
		return all, note + "; all are 0, which is below a logarithmic axis"
	case len(some) == 0:
		return all, note
	case len(empty) > 0 && len(some) < len(all):
		note += "; " + leftOut(empty)
	}
	if len(nobody) > 0 {
		note += "; without " + few(nobody) + ", which " + happens(nobody) + " to no group"
	}
	return some, note
}

// once removes what counts the same as another quantity that is shown: a flow and its name are one
// line.
func once(r *population.Result, all []quantity) (some []quantity) {
	leave := make([]bool, len(all))
	for i := range all {
		f := &all[i]
		for k := range all {
			n := &all[k]
			switch {
			case f.kind != flow || n.kind != named || f.groups != nil || n.groups != nil || f.hasData() && n.hasData():
			case strings.Contains(f.name+n.name, asObserved) || f.empty(r) || !same(r, f.index, n.index):
			case n.hasData() || n.asked && !f.asked:
				leave[i] = true
			case f.hasData() || f.asked && !n.asked:
				leave[k] = true
			default:
				leave[max(i, k)] = true
				all[min(i, k)].name = flowTitle(r.Model.Flows()[f.index]) + " (" + r.Model.Names()[n.index] + ")"
			}
		}
	}
	for i, q := range all {
		if !leave[i] {
			some = append(some, q)
		}
	}
	return some
}

// leftOut is a note about what is 0 all the time.
func leftOut(empty []string) string {
	if len(empty) == 1 {
		return "without " + empty[0] + ", which is always 0"
	}
	return "without " + few(empty) + ", which are always 0"
}

// few lists names; of many, only how many there are.
func few(names []string) string {
	n := len(names)
	switch {
	case n > 5:
		return fmt.Sprintf("%s others", format.Thousands(float64(n)))
	case n > 1:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return names[0]
}

// empty reports whether a quantity is 0 at all times in all replicas.
func (q quantity) empty(r *population.Result) bool {
	var in population.Series
	switch q.kind {
	case state:
		in = r.State(q.index)
	case total:
		in = r.Total()
	case flow, cumulative:
		in = r.Flow(q.index)
	case seen:
		in = r.Seen(q.index)
	case survey:
		in = r.Expected(q.index)
	case value:
		in = r.Value(q.index)
	default:
		in = r.Named(q.index)
	}
	return len(in.Max) == 0 || slices.Max(in.Max) == 0
}

// mostPanels is the number of groups with a panel, the largest ones.
const mostPanels = 60

// groups has a panel for each group, all with the same lines and axes.
func (v View) groups(r *population.Result, all []quantity, heading, note string) (Picture, error) {
	by, err := v.grouping(r.Model)
	if err != nil {
		return nil, err
	}
	var without []string
	by.Groups = slices.DeleteFunc(slices.Clone(by.Groups), func(g int) bool {
		blank := !slices.ContainsFunc(inPanel(all, g), func(q quantity) bool { return !q.blank() })
		if blank {
			without = append(without, strings.Join(r.Model.Groups()[g].Values, ", "))
		}
		return blank
	})
	if len(without) > 0 {
		note += "; of " + few(without) + " there are no data"
	}
	chart := func(part *population.Result, g int) plot.Chart { return v.chart(part, inPanel(all, g)) }
	return smallMultiples(r, by, chart, heading, note), nil
}

// smallMultiples has a panel for each group, with a common legend and a common y axis.
func smallMultiples(r *population.Result, by Grouping, chart func(part *population.Result, group int) plot.Chart,
	heading, note string) plot.Panels {
	sizes := make([]float64, len(by.Groups))
	for i, g := range by.Groups {
		sizes[i] = slices.Max(r.In(g).Total().Mean)
	}
	drawn := Largest(sizes, mostPanels)
	groups := r.Model.Groups()
	words := strings.Join(groups[by.Groups[0]].Attributes, " and ")
	which := "by " + words
	if len(drawn) < len(sizes) {
		which = fmt.Sprintf("the largest %d of %s groups by %s", len(drawn), format.Thousands(float64(len(sizes))), words)
	}
	ps := plot.Panels{Title: heading, Note: which + "; " + note, Common: true, SameY: true}
	for _, k := range drawn {
		c := chart(r.In(by.Groups[k]), by.Groups[k])
		c.Title = strings.Join(groups[by.Groups[k]].Values, ", ")
		for i := range c.Series {
			c.Series[i].Unmarked = true
		}
		ps.Charts = append(ps.Charts, c)
	}
	return ps
}

// label is the label of the y axis.
func (v View) label(r *population.Result, q quantity) string {
	switch q.kind {
	case survey:
		return "share positive"
	case value:
		return r.Model.Values()[q.index]
	}
	what := "individuals"
	if v.Per > 0 {
		what = "per " + format.Thousands(v.Per) + " individuals"
	}
	switch {
	case q.kind == cumulative || q.kind == happened:
		return what + ", since the start"
	case !q.interval():
		return what
	}
	at := v.at(r, q)
	if len(at) < 2 {
		return what
	}
	every := r.Times[at[1]] - r.Times[at[0]]
	for k := 1; k < len(at); k++ {
		if d := r.Times[at[k]] - r.Times[at[k-1]]; math.Abs(d-every) > 1e-6*every {
			return what + ", in each interval"
		}
	}
	return what + " in " + length(r.Model, every)
}

// at returns the rows of a line: all of them; of what is counted in each interval, those of the
// data, if they count intervals, so that all lines have the same ones; and otherwise without a
// shorter last interval, which would look like a decline.
func (v View) at(r *population.Result, q quantity) []int {
	n := r.Rows()
	if q.interval() && v.Data.counted() {
		at, _ := v.Data.rows(r.Model) // checked before
		for len(at) > 0 && at[len(at)-1] >= n {
			at = at[:len(at)-1]
		}
		return at
	}
	if q.interval() {
		n = wholeIntervals(r)
	}
	at := make([]int, n)
	for i := range at {
		at[i] = i
	}
	return at
}

// line is the median of the replicas, with a band for the middle 90 % of several. That of a survey
// goes from one to the next.
func (v View) line(r *population.Result, q quantity) plot.Series {
	at := v.at(r, q)
	s := plot.Series{Name: q.name, Steps: q.interval()}
	values := make([]float64, 0, len(r.Runs))
	for k, row := range at {
		before := row
		if k > 0 {
			before = at[k-1]
		}
		values = values[:0]
		for i := range r.Runs {
			run := &r.Runs[i]
			if run.Rows() <= row {
				continue
			}
			if y := q.value(run, before, row, v.Per); !math.IsNaN(y) {
				values = append(values, y)
			}
		}
		if q.kind == survey && len(values) == 0 {
			continue
		}
		slices.Sort(values)
		s.Add(r.Times[row], median(values))
		if len(r.Runs) > 1 {
			s.Low, s.High = append(s.Low, quantile.Of(values, 0.05)), append(s.High, quantile.Of(values, 0.95))
		}
	}
	s.Triangles = q.kind == survey && len(s.X) == 1 // a dot would look like data
	return s
}

// value is the quantity of a replica at a row, or since the row before, per so many of the living
// at the row, or before. It is NaN if there are none.
func (q quantity) value(run *population.Run, before, row int, per float64) float64 {
	y, base, living := 0.0, row, uint64(0)
	if q.interval() {
		base = before
	}
	parts := []*population.Run{run}
	if q.groups != nil {
		parts = parts[:0]
		for _, g := range q.groups {
			parts = append(parts, run.In(g))
		}
	}
	for _, part := range parts {
		y += q.count(part, before, row)
		living += uint64(part.Total(base))
	}
	if q.column != nil {
		y *= q.column.share(run.Replica)
	}
	if per > 0 && q.counts() {
		if living == 0 {
			return math.NaN()
		}
		y = y * per / float64(living)
	}
	return y
}

// count is the quantity of a replica, or of a group of it, at a row, or since the row before.
func (q quantity) count(run *population.Run, before, row int) float64 {
	switch q.kind {
	case state:
		return float64(run.Count(row, q.index))
	case total:
		return float64(run.Total(row))
	case flow:
		return float64(run.Flow(row, q.index) - run.Flow(before, q.index))
	case named:
		return float64(run.Named(row, q.index) - run.Named(before, q.index))
	case cumulative:
		return float64(run.Flow(row, q.index))
	case seen:
		return float64(run.Seen(row, q.index) - run.Seen(before, q.index))
	case survey:
		expected, tested := run.Expected(row, q.index), run.Tested(row, q.index)
		if before < row { // otherwise those at the start
			expected, tested = expected-run.Expected(before, q.index), tested-run.Tested(before, q.index)
		}
		return expected / float64(tested) // NaN if there is no survey
	case value:
		return run.Value(row, q.index)
	}
	return float64(run.Named(row, q.index)) // happened
}

// median is the middle of sorted numbers, or the mean of the two in the middle.
func median(sorted []float64) float64 {
	n := len(sorted)
	if n == 0 {
		return math.NaN()
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
