package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/almanac-sim/almanac/cmd/almanac/internal/terminal"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/modelfit"
	"github.com/almanac-sim/almanac/internal/outdir"
	"github.com/almanac-sim/almanac/internal/pictures"
	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/population/results"
	"github.com/almanac-sim/almanac/study"
)

// printRun prints the final state of the population. first is the number of the first replica.
func printRun(w io.Writer, m *population.Model, r *population.Result, first int, peak uint64) error {
	dates := ""
	if d := m.Dates(); len(d) > 0 {
		dates = fmt.Sprintf(" (%s to %s)", d[0], d[len(d)-1])
	}
	fmt.Fprintf(w, "%s: %s, %s %.12g to %.12g%s, %s, seed %d\n", m.Name(), format.Count(m.Size(), "individual"), m.Unit(),
		m.Start(), r.Times[len(r.Times)-1], dates, replicasText(first, r.Replicas), r.Seed)
	rows := r.Rows()
	if r.Incomplete {
		reached := "nothing was recorded"
		if rows > 0 {
			reached = fmt.Sprintf("recorded until %s %.12g", m.Unit(), r.Times[rows-1])
		}
		why := "stopped"
		if errors.Is(r.Stopped, context.Canceled) || errors.Is(r.Stopped, context.DeadlineExceeded) {
			why = "interrupted"
		}
		fmt.Fprintf(w, "INCOMPLETE: %s; %d of %s done, %s\n", why, r.Done, format.Count(r.Replicas, "replica"), reached)
	}
	if rows > 0 {
		screen := terminal.Of(w)
		printStates(w, m, r, rows-1, screen)
		printFlows(w, m, r, rows-1)
		printAmounts(w, m, r, rows-1)
		printSupplies(w, m, r, rows-1)
		printPlaces(w, m, r, rows-1)
		printGroups(w, m, r, rows-1)
		printChart(w, m, r, screen)
	}
	return printPace(w, r, peak)
}

// replicasText is how many replicas there are, or which, if they are some of many.
func replicasText(first, n int) string {
	switch {
	case first == 0:
		return format.Count(n, "replica")
	case n == 1:
		return fmt.Sprintf("replica %d", first)
	}
	return fmt.Sprintf("replicas %d to %d", first, first+n-1)
}

// printPace prints time and memory. Of a run that goes on with a saved state, only what happened
// since counts.
func printPace(w io.Writer, r *population.Result, peak uint64) error {
	events, setup, since := r.Events, "", ""
	for i := range r.Runs {
		events -= r.Runs[i].Before
	}
	years := fmt.Sprintf(", %.2f million person-years/s", r.PersonYears/r.Seconds/1e6)
	if events < r.Events {
		since, years = " since the saved state", ""
	}
	if len(r.Runs) == 1 {
		run := &r.Runs[0]
		by := ""
		if run.Windows > 0 {
			by = fmt.Sprintf(" by %s", format.Count(run.Windows, "window"))
		}
		setup = fmt.Sprintf(" (%.2f s to set up, then %.2f million events/s%s)", run.Setup,
			float64(events)/(run.Seconds-run.Setup)/1e6, by)
	}
	_, err := fmt.Fprintf(w, "\n%s events%s in %.2f s: %.2f million events/s%s%s; %s of memory at most\n",
		format.Thousands(float64(events)), since, r.Seconds, float64(events)/r.Seconds/1e6, setup, years, format.Bytes(peak))
	return err
}

// printStates prints the counts by state and, on a terminal, a sparkline.
func printStates(w io.Writer, m *population.Model, r *population.Result, last int, screen *terminal.Screen) {
	out := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	many := r.Replicas > 1
	head := "state\tat the end\tpeak\twhen\t"
	if many {
		head = "state\tat the end: mean\tsd\t5%\t95%\tpeak: mean\twhen\t"
	}
	blocks := 0 // of a sparkline
	if screen != nil && last > 0 {
		blocks = min(max(screen.Columns/5, 8), 24)
		head += "course\t"
	}
	fmt.Fprintf(out, "\n%s\n", head)
	states := len(m.States())
	line := func(i int, name string) {
		s := r.State(i)
		count, when := r.Peak(i)
		fmt.Fprintf(out, "%s\t%s\t", name, format.Thousands(s.Mean[last]))
		if many {
			q := r.StateQuantiles(i, 0.05, 0.95)
			fmt.Fprintf(out, "%s\t%s\t%s\t", deviation(s.SD[last]), format.Thousands(q[0][last]), format.Thousands(q[1][last]))
		}
		fmt.Fprintf(out, "%s\t%.5g\t", format.Thousands(count), when)
		if blocks > 0 {
			fmt.Fprintf(out, "%s\t", terminal.Blocks(r.Times[:last+1], s.Mean[:last+1], blocks))
		}
		fmt.Fprintln(out)
	}
	for i, name := range m.States() {
		line(i, name)
	}
	total := r.Total()
	fmt.Fprintf(out, "total\t%s\t", format.Thousands(total.Mean[last]))
	if many {
		fmt.Fprintf(out, "%s\t", deviation(total.SD[last]))
	}
	if len(m.Machines()) > 0 { // empty cells, so that what follows is aligned
		written := 2
		if many {
			written = 3
		}
		fmt.Fprint(out, strings.Repeat("\t", strings.Count(head, "\t")-written))
	}
	fmt.Fprintln(out)
	for i, name := range m.Counted()[states:] { // of machines
		line(states+i, name)
	}
	out.Flush()
}

func printFlows(w io.Writer, m *population.Model, r *population.Result, last int) {
	out := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	head := "\nsince the start\tindividuals\t"
	if r.Replicas > 1 {
		head = "\nsince the start\tindividuals: mean\tsd\t"
	}
	fmt.Fprintln(out, head)
	line := func(name string, s population.Series) {
		fmt.Fprintf(out, "%s\t%s\t", name, format.Thousands(s.Mean[last]))
		if r.Replicas > 1 {
			fmt.Fprintf(out, "%s\t", deviation(s.SD[last]))
		}
		fmt.Fprintln(out)
	}
	for i, f := range m.Flows() {
		line(f.String(), r.Flow(i))
	}
	for i, name := range m.Names() {
		line("["+name+"]", r.Named(i))
	}
	out.Flush()
}

// printTable prints a row for each name, below a line with the heads of the columns; nothing if
// there are none.
func printTable(w io.Writer, heads, names []string, row func(i int) []string) {
	if len(names) == 0 {
		return
	}
	out := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintf(out, "\n%s\t\n", strings.Join(heads, "\t"))
	for i, name := range names {
		fmt.Fprintf(out, "%s\t%s\t\n", name, strings.Join(row(i), "\t"))
	}
	out.Flush()
}

// ofMeans is what a head adds if the numbers below are means.
func ofMeans(r *population.Result) string {
	if r.Replicas > 1 {
		return ": mean"
	}
	return ""
}

// meansAt formats the means of series at a row.
func meansAt(row int, all ...population.Series) (texts []string) {
	for _, s := range all {
		texts = append(texts, format.Thousands(s.Mean[row]))
	}
	return texts
}

// printAmounts prints what each outcome has accrued, what has been observed, and the values of record.
func printAmounts(w io.Writer, m *population.Model, r *population.Result, last int) {
	for _, table := range []struct {
		of, when string
		names    []string
		series   func(i int) population.Series
	}{
		{"outcome", "since the start", m.Outcomes(), r.Outcome},
		{"observed", "since the start", m.Observations(), r.Seen},
		{"value", "at the end", m.Values(), r.Value},
	} {
		heads := []string{table.of, table.when}
		if r.Replicas > 1 {
			heads = []string{table.of, table.when + ": mean", "sd", "5%", "95%"}
		}
		printTable(w, heads, table.names, func(i int) []string {
			s := table.series(i)
			row := []string{amount(s.Mean[last]), amount(s.SD[last]), amount(s.Q05[last]), amount(s.Q95[last])}
			return row[:len(heads)-1]
		})
	}
}

// printSupplies prints how much of each supply is left, and what became of the rest.
func printSupplies(w io.Writer, m *population.Model, r *population.Result, last int) {
	heads := []string{"supplies" + ofMeans(r), "left", "used", "lost", "refused"}
	printTable(w, heads, m.Supplies(), func(i int) []string {
		s := r.Supply(i)
		return meansAt(last, s.Left, s.Used, s.Lost, s.Refused)
	})
}

// printPlaces prints how many places of each kind there are, who is in them, and how often there
// was no room.
func printPlaces(w io.Writer, m *population.Model, r *population.Result, last int) {
	heads := []string{"places" + ofMeans(r), "number", "members", "turned away"}
	if len(m.Queues()) > 0 {
		heads = append(heads, "waiting")
	}
	printTable(w, heads, m.Places(), func(i int) []string {
		p := r.Places(i)
		row := meansAt(last, p.Number, p.Members, p.TurnedAway)
		if q := slices.Index(m.Queues(), m.Places()[i]); q >= 0 {
			return append(row, meansAt(last, r.Waiting(q))...)
		}
		return append(row, "")[:len(heads)-1]
	})
}

// amount formats a number of an outcome, with six digits or, if it is large, as a whole number.
func amount(x float64) string {
	switch {
	case math.IsNaN(x):
		return "–"
	case math.Abs(x) >= 1e4:
		return format.Thousands(math.Round(x))
	}
	return fmt.Sprintf("%.6g", x)
}

// Larger tables by group are not printed.
const (
	mostStatesPrinted = 8
	mostGroupsPrinted = 20
)

// printGroups prints the counts by group and state, and by the states of machines, if there is room
// for them.
func printGroups(w io.Writer, m *population.Model, r *population.Result, last int) {
	states, groups := m.States(), m.Groups()
	if len(states) > mostStatesPrinted {
		return
	}
	for _, by := range pictures.Groupings(m) {
		if len(by.Groups) > mostGroupsPrinted {
			continue
		}
		attributes := groups[by.Groups[0]].Attributes
		machines := otherMachines(m, attributes)
		if len(states)+len(machines) > mostStatesPrinted {
			machines = nil
		}
		heads := []string{fmt.Sprintf("by %s, at the end%s", strings.Join(attributes, " and "), ofMeans(r))}
		heads = append(append(heads, states...), "total")
		for _, s := range machines {
			heads = append(heads, m.Counted()[s])
		}
		var names []string
		for _, g := range by.Groups {
			names = append(names, strings.Join(groups[g].Values, ", "))
		}
		printTable(w, heads, names, func(i int) (row []string) {
			part := r.In(by.Groups[i])
			for s := range states {
				row = append(row, meansAt(last, part.State(s))...)
			}
			row = append(row, meansAt(last, part.Total())...)
			for _, s := range machines {
				row = append(row, meansAt(last, part.State(s))...)
			}
			return row
		})
	}
}

// otherMachines returns the numbers of the states of machines that groups are not by.
func otherMachines(m *population.Model, by []string) (all []int) {
	states := len(m.States())
	for i, name := range m.Counted()[states:] {
		if machine, _, _ := strings.Cut(name, "="); !slices.Contains(by, machine) {
			all = append(all, states+i)
		}
	}
	return all
}

// printChart draws the states that change most, on a terminal.
func printChart(w io.Writer, m *population.Model, r *population.Result, screen *terminal.Screen) {
	if screen == nil {
		return
	}
	rows := r.Rows()
	var lines []terminal.Line
	for i, name := range m.Counted() {
		lines = append(lines, terminal.Line{Name: name, Values: r.State(i).Mean[:rows]})
	}
	if chart := screen.Chart(r.Times[:rows], terminal.Telling(lines), m.Unit(), func(v float64) string {
		return format.Thousands(math.Round(v))
	}); chart != "" {
		fmt.Fprintf(w, "\n%s", chart)
	}
}

// printDrawn describes draws from a posterior, if any.
func printDrawn(w io.Writer, d *modelfit.Drawn) error {
	if d == nil {
		return nil
	}
	if d.Last != nil {
		_, err := fmt.Fprintf(w, "each replica with its own %s, going on with a run of the fit from %.12g, the last data "+
			"point; drawn from %s (%s, effective %.0f)\n", strings.Join(d.Parameters, ", "), *d.Last, d.From,
			format.Count(d.Rows, "row"), d.Effective)
		return err
	}
	_, err := fmt.Fprintf(w, "each replica with its own %s, drawn from %s (%s, effective %.0f)\n",
		strings.Join(d.Parameters, ", "), d.From, format.Count(d.Rows, "row"), d.Effective)
	return err
}

// deviation formats a standard deviation, or a dash: a single replica has none.
func deviation(sd float64) string {
	if math.IsNaN(sd) {
		return "–"
	}
	return format.Thousands(sd)
}

// writeRun writes a result into a directory. Models that are too large get no diagram.
func writeRun(dir string, s *study.Study, r *population.Result) error {
	table := func(name string, write func(io.Writer, results.Format, *population.Result) error) func() error {
		return func() error {
			return outdir.WriteFile(dir, name+"."+s.Format, func(w io.Writer) error {
				return write(w, results.Format(s.Format), r)
			})
		}
	}
	steps := []func() error{
		func() error {
			return outdir.WriteFile(dir, "summary.json", func(w io.Writer) error { return printResult(w, r) })
		},
		table("series", results.WriteSeries),
		table("flows", results.WriteFlows),
		func() error { return writeTables(dir, s, r) },
		func() error { return writeRequest(dir, s.Request, s.Command()) },
		func() error { return writeDraws(dir, s) },
		func() error { return writeDiagramOf(dir, s.Plain) },
		func() error { return pictures.Save(dir, r) },
		func() error { return pictures.SaveNetwork(dir, r) },
		func() error { return writeTrees(dir, r) }, // reads what is above
	}
	if len(s.Plain.Outcomes()) > 0 {
		steps = append(steps, table("outcomes", results.WriteOutcomes))
	}
	for _, step := range steps { // on a full disk the others would fail alike, or read half a file
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// writeTrees draws who infected whom, if the model records it.
func writeTrees(dir string, r *population.Result) error {
	if !r.Model.RecordsTree() {
		return nil
	}
	d, err := results.Open(dir)
	if err != nil {
		return err
	}
	return pictures.SaveTrees(dir, r, func(yield func(population.Infection, error) bool) {
		for row, err := range d.Tree() {
			if !yield(population.Infection(row), err) {
				return
			}
		}
	})
}

// writeTables writes the tables of what only some models have.
func writeTables(dir string, s *study.Study, r *population.Result) error {
	var errs []error
	for _, table := range []struct {
		name  string
		has   int
		write func(io.Writer, results.Format, *population.Result) error
	}{
		{"supplies", len(r.Model.Supplies()), results.WriteSupplies},
		{"places", len(r.Model.Places()), results.WritePlaces},
		{"networks", len(r.Model.Networks()), results.WriteNetworks},
		{"values", len(r.Model.Values()), results.WriteValues},
		{"observed", len(r.Model.Observations()), results.WriteObserved},
	} {
		if table.has > 0 {
			errs = append(errs, outdir.WriteFile(dir, table.name+"."+s.Format, func(w io.Writer) error {
				return table.write(w, results.Format(s.Format), r)
			}))
		}
	}
	return errors.Join(errs...)
}

// writeDraws writes the values that each replica draws, if any.
func writeDraws(dir string, s *study.Study) error {
	if s.Posterior == nil {
		return nil
	}
	return outdir.WriteFile(dir, "draws.csv", func(w io.Writer) error {
		return s.Posterior.WriteDraws(w, s.Plain, s.Seed, s.Replica, s.Replicas)
	})
}

// writeDiagramOf writes the diagram, also after an interrupt.
func writeDiagramOf(dir string, m *population.Model) error {
	drawn, err := m.Diagram(context.Background())
	if errors.Is(err, population.ErrDiagram) {
		return nil
	}
	return errors.Join(err, outdir.WriteFile(dir, "diagram.svg", func(w io.Writer) error {
		_, err := w.Write(drawn)
		return err
	}))
}

func printResult(w io.Writer, r *population.Result) error {
	if err := r.WriteJSON(w); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
