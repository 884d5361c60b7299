package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/almanac-sim/almanac/population"
)

// printRun prints what became of the population.
func printRun(w io.Writer, m *population.Model, r *population.Result, peak uint64) error {
	fmt.Fprintf(w, "%s: %s, %s %.12g to %.12g, %s, seed %d\n", m.Name(), counted(m.Size(), "individual"), m.Unit(), m.Start(), m.End(), counted(r.Replicas, "replica"), r.Seed)
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
		fmt.Fprintf(w, "INCOMPLETE: %s; %d of %s done, %s\n", why, r.Done, counted(r.Replicas, "replica"), reached)
	}
	if rows > 0 {
		printStates(w, m, r, rows-1)
		printFlows(w, m, r, rows-1)
	}
	return printPace(w, r, peak)
}

// printPace prints what it took.
func printPace(w io.Writer, r *population.Result, peak uint64) error {
	setup := ""
	if len(r.Runs) == 1 {
		run := &r.Runs[0]
		setup = fmt.Sprintf(" (%.2f s to set up, then %.2f million events/s)", run.Setup, float64(run.Events)/(run.Seconds-run.Setup)/1e6)
	}
	_, err := fmt.Fprintf(w, "\n%s events in %.2f s: %.2f million events/s%s, %.2f million person-years/s; %s of memory at most\n",
		thousands(float64(r.Events)), r.Seconds, float64(r.Events)/r.Seconds/1e6, setup, r.PersonYears/r.Seconds/1e6, size(peak))
	return err
}

func printStates(w io.Writer, m *population.Model, r *population.Result, last int) {
	out := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	many := r.Replicas > 1
	head := "state\tat the end\tpeak\twhen\t"
	if many {
		head = "state\tat the end: mean\tsd\t5%\t95%\tpeak: mean\twhen\t"
	}
	fmt.Fprintf(out, "\n%s\n", head)
	for i, name := range m.States() {
		s := r.State(i)
		count, when := r.Peak(i)
		fmt.Fprintf(out, "%s\t%s\t", name, thousands(s.Mean[last]))
		if many {
			q := r.StateQuantiles(i, 0.05, 0.95)
			fmt.Fprintf(out, "%s\t%s\t%s\t", deviation(s.SD[last]), thousands(q[0][last]), thousands(q[1][last]))
		}
		fmt.Fprintf(out, "%s\t%.5g\t\n", thousands(count), when)
	}
	total := r.Total()
	fmt.Fprintf(out, "total\t%s\t", thousands(total.Mean[last]))
	if many {
		fmt.Fprintf(out, "%s\t", deviation(total.SD[last]))
	}
	fmt.Fprintln(out)
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
		fmt.Fprintf(out, "%s\t%s\t", name, thousands(s.Mean[last]))
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

// deviation writes a standard deviation, or a dash if it is missing: one replica alone has none.
func deviation(sd float64) string {
	if math.IsNaN(sd) {
		return "–"
	}
	return thousands(sd)
}

// thousands writes a number with commas, and with decimals if it is small and not whole.
func thousands(x float64) string {
	decimals := 0
	if x != float64(int64(x)) && x < 1000 {
		decimals = 2
	}
	s := strconv.FormatFloat(x, 'f', decimals, 64)
	whole, rest, _ := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0 && whole[i-1] != '-'; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if rest != "" {
		return whole + "." + rest
	}
	return whole
}

// size is a number of bytes as one says it.
func size(bytes uint64) string {
	if bytes >= 1e9 {
		return fmt.Sprintf("%.2f GB", float64(bytes)/1e9)
	}
	return fmt.Sprintf("%.0f MB", float64(bytes)/1e6)
}
