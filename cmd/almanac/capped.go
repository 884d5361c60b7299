package main

import (
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/cmd/internal/progress"
	"github.com/almanac-sim/almanac/internal/allocation"
)

// cappedFlags are the flags of almanac capped. Numbers are text, since they may be powers and
// fractions.
type cappedFlags struct {
	bins, capacity, rate, choices string
	process, arrivals             string
	rounds, burnIn                string
	warm, byBin                   bool
	seed                          uint64
	sweep                         string
	json                          bool
	out                           string
}

func newCapped() *cobra.Command {
	var f cappedFlags
	c := &cobra.Command{
		Use:   "capped",
		Short: "Simulate balls thrown into bins of finite capacity, and compare with theory",
		Long: `Simulate balls thrown into bins of finite capacity, round by round, and compare the pool and the
waits with theory.

There are n bins. In every round λn new balls join a pool, and each ball of the pool requests one
bin, chosen at random. A bin has room for c balls. It accepts the oldest of the balls that request
it, as many as fit; the others stay in the pool. At the end of the round every bin that has a ball
deletes the one that it accepted first. The wait of a ball is its age when it is deleted, 0 in the
round in which it arrived. This is CAPPED(c, λ) of Berenbrink et al. (ICDCS 2021).

The process runs until the empty start no longer matters (the burn-in), and is then measured. The
measurements are printed beside

  limit      the computed law of the process for an infinite number of bins
  bound      exceeded only with negligible probability, as the paper proves (Theorem 1 for c = 1,
             Theorem 2 for larger c)
  estimate   not exceeded in the simulations of the paper's authors (section V)

With a large capacity balls wait in bins, with a small one in the pool. The output has the best
capacity, the sweet spot.

` +
			cli.List("Processes (--process)", cappedProcesses, func(p cappedProcess) (string, string) {
				return p.kind.String(), p.about
			}) +
			`The same command gives the same result; only the speed differs. An interrupt (Ctrl-C or SIGTERM)
ends the run; the results so far are reported and marked as incomplete, and do not replace complete
ones in DIR.

--out DIR writes these files:

  capped.json       everything, as --json prints it
  rounds.csv        each round, or with more than 100,000 rounds every k-th
  waits.csv         the number of balls by their wait
  pool.svg, waits.svg, loads.svg
                    charts
  sweep.csv, sweep-pool.svg, sweep-waits.svg
                    with --sweep, in place of the other tables and charts`,
		Example: `  almanac capped
  almanac capped --capacity 3 --rate 1-2^-10 --bins 1e6 --out results
  almanac capped --rate 1-2^-12 --warm
  almanac capped --process greedy --choices 2
  almanac capped --process threshold --capacity 1 --rate 1
  almanac capped --sweep capacity=1..8 --rate 1-2^-10
  almanac capped --sweep rate=1-2^-1..1-2^-10 --out results`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	c.Flags().StringVar(&f.bins, "bins", "32768", "`number` of bins, n: 32768, 2^15, 1e5 or 1_000_000")
	c.Flags().StringVar(&f.capacity, "capacity", "2", "`number` of balls for which a bin has room, c; for threshold, "+
		"that it accepts in a round")
	c.Flags().StringVar(&f.rate, "rate", "0.99", "new balls per bin and round, λ: 0.99, 1-2^-10, 1-1/1024 or 1-1e-3; "+
		"for threshold,\nballs per bin")
	c.Flags().StringVar(&f.process, "process", "capped", "process: capped, modcapped, greedy or threshold")
	c.Flags().StringVar(&f.choices, "choices", "2", "`number` of bins among which a ball chooses, d, for greedy")
	c.Flags().StringVar(&f.arrivals, "arrivals", "exact", "`law` of the number of new balls in a round: exact (λn), "+
		"binomial (n sources, one ball each\nwith probability λ) or poisson (mean λn)")
	c.Flags().StringVar(&f.rounds, "rounds", "", "`number` of rounds to measure (default: 100 relaxation times, at least "+
		"1000)")
	c.Flags().StringVar(&f.burnIn, "burn-in", "", "`number` of rounds before measuring (default: 10 relaxation times, or "+
		"none with --warm)")
	c.Flags().BoolVar(&f.warm, "warm", false, "start at the limit of many bins instead of empty bins, for capped")
	c.Flags().BoolVar(&f.byBin, "by-bin", false, "throw every ball, instead of drawing how many bins get how many: "+
		"the same law, slower")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "random seed")
	c.Flags().StringVar(&f.sweep, "sweep", "", "`values` to measure: capacity=1..8, capacity=1,2,4, "+
		"rate=1-2^-1..1-2^-10 or rate=0.5,0.9,0.99")
	c.Flags().BoolVar(&f.json, "json", false, "print the results as JSON")
	c.Flags().StringVar(&f.out, "out", "", "`directory` for results and charts")
	return c
}

// A cappedProcess describes a process for the help text.
type cappedProcess struct {
	kind  capped.Kind
	about string
}

var cappedProcesses = []cappedProcess{
	{capped.Capped, "bins with room for c balls, as above"},
	{capped.ModCapped, "the process by which the paper bounds CAPPED: it throws at least m* balls in every round"},
	{capped.Greedy, "unlimited bins and no pool: a ball goes to the least loaded of d random bins"},
	{capped.Threshold, "one batch of λn balls: a bin accepts c in a round, none is deleted, until all have a place"},
}

// A cappedTask is a parsed command line.
type cappedTask struct {
	config capped.Config
	plan   capped.Plan
	sweep  *allocation.Sweep // or nil
	out    string
	json   bool
}

// task parses the command line.
func (f *cappedFlags) task(c *cobra.Command) (*cappedTask, error) {
	var kinds, ways []string
	for _, p := range cappedProcesses {
		kinds = append(kinds, p.kind.String())
	}
	for _, a := range []capped.Arrivals{capped.Exact, capped.Binomial, capped.Poisson} {
		ways = append(ways, a.String())
	}
	t := &cappedTask{
		config: capped.Config{Seed: f.seed, ByBin: f.byBin, Warm: f.warm},
		out:    f.out,
		json:   f.json,
	}
	kind, err := cli.ChooseOne("--process", f.process, kinds)
	if err != nil {
		return nil, err
	}
	way, err := cli.ChooseOne("--arrivals", f.arrivals, ways)
	if err != nil {
		return nil, err
	}
	t.config.Kind, t.config.Arrivals = cappedProcesses[kind].kind, capped.Arrivals(way)
	if err := applies(t.config.Kind, c.Flags().Changed); err != nil {
		return nil, err
	}
	if t.config.Bins, err = cli.ParseWhole("--bins", f.bins, "bins", 1, 1<<31); err != nil {
		return nil, err
	}
	if t.config.Kind == capped.Greedy {
		t.config.Choices, err = cli.ParseWhole("--choices", f.choices, "bins to look at", 1, 1<<20)
	} else {
		t.config.Capacity, err = cli.ParseWhole("--capacity", f.capacity, "balls", 1, 1<<20)
	}
	if err != nil {
		return nil, err
	}
	if t.config.Rate, err = cli.ParseRate("--rate", f.rate, t.config.Kind); err != nil {
		return nil, err
	}
	if t.plan.Rounds, t.plan.BurnIn, err = f.howLong(t.config.Kind); err != nil {
		return nil, err
	}
	if f.sweep != "" {
		if t.sweep, err = parseSweep(f.sweep, t.config, c.Flags().Changed); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// applies rejects flags that a process does not have.
func applies(kind capped.Kind, given func(string) bool) error {
	greedy, threshold := kind == capped.Greedy, kind == capped.Threshold
	switch {
	case greedy && given("capacity"):
		return cli.Usagef("--capacity does not apply to greedy: its bins have no limit; --choices says at how many bins a " +
			"ball looks")
	case !greedy && given("choices"):
		return cli.Usagef("--choices does not apply to %v: its balls ask one bin; only --process greedy has choices", kind)
	case kind != capped.Capped && given("warm"):
		return cli.Usagef("--warm does not apply to %v: only --process capped can start warm", kind)
	case threshold && given("burn-in"):
		return cli.Usagef("--burn-in does not apply to threshold: it has one batch of balls, which is followed from its " +
			"first round on")
	case threshold && given("sweep"):
		return cli.Usagef("--sweep does not apply to threshold: it ends when all balls have a place, and has no long run " +
			"to measure")
	}
	return nil
}

const mostRounds = 1e12

// howLong parses --rounds and --burn-in for a capped.Plan: 0 means the default, and a negative
// burn-in none.
func (f *cappedFlags) howLong(kind capped.Kind) (rounds, burnIn int, err error) {
	least := 20.0 // needed for a standard error
	if kind == capped.Threshold {
		least = 1
	}
	if f.rounds != "" {
		if rounds, err = cli.ParseWhole("--rounds", f.rounds, "rounds", least, mostRounds); err != nil {
			return 0, 0, err
		}
	}
	if f.burnIn != "" {
		if burnIn, err = cli.ParseWhole("--burn-in", f.burnIn, "rounds", 0, mostRounds); err != nil {
			return 0, 0, err
		}
		if burnIn == 0 {
			burnIn = -1
		}
	}
	return rounds, burnIn, nil
}

// The JSON of one process, of a sweep, and of a batch of balls.
type (
	cappedReport struct {
		Command string `json:"command"`
		*allocation.Point
	}
	sweepReport struct {
		Command string `json:"command"`
		*allocation.Swept
	}
	thresholdReport struct {
		Command string `json:"command"`
		*allocation.Batch
	}
)

func (f *cappedFlags) run(c *cobra.Command) error {
	t, err := f.task(c)
	if err != nil {
		return err
	}
	out, err := cli.OpenOutput(t.out, "capped", cappedFiles...)
	if err != nil {
		return err
	}
	defer out.Drop()
	bar := progress.New(c.ErrOrStderr())
	defer bar.Close()
	switch {
	case t.config.Kind == capped.Threshold:
		batch, err := allocation.Threshold(c.Context(), t.config, t.plan.Rounds, bar.Set, nil)
		bar.Close()
		if batch == nil {
			return t.inFlags(err)
		}
		return conclude(c, t, out, &thresholdReport{cli.CommandLine(c), batch}, err, writeThreshold, printThreshold)
	case t.sweep != nil:
		swept, err := t.sweep.Measure(c.Context(), t.config, t.plan, bar.Set)
		bar.Close()
		if swept == nil {
			return t.inFlags(err)
		}
		return conclude(c, t, out, &sweepReport{cli.CommandLine(c), swept}, err, writeSweep, printSweep)
	}
	point, err := allocation.Measure(c.Context(), t.config, t.plan, t.out != "", bar.Set)
	bar.Close()
	if point == nil {
		return t.inFlags(err)
	}
	return conclude(c, t, out, &cappedReport{cli.CommandLine(c), point}, err, writeCapped, printCapped)
}

// inFlags words an error of a configuration in terms of the flags.
func (t *cappedTask) inFlags(err error) error {
	if errors.Is(err, capped.ErrSlow) {
		advice := "say how many rounds there should be, with --burn-in and --rounds"
		if t.config.Kind == capped.Capped {
			advice += "; with --warm no burn-in is needed"
		}
		return cli.Usagef("%w; %s", err, advice)
	}
	words := strings.NewReplacer("with ByBin", "with --by-bin", "leave ByBin out", "leave --by-bin out",
		", or set MinThrown", "")
	return cli.Usagef("%s", words.Replace(err.Error()))
}

// conclude delivers a report and prints the time that it took: to standard error with --json, so
// that the output is reproducible. It returns the error that ended the work.
func conclude[R interface{ took() (int, float64) }](c *cobra.Command, t *cappedTask, out *cli.Output, report R,
	ended error, write func(string, R) error, print func(io.Writer, R) error) error {
	if err := cli.Deliver(c, report, ended != nil, out, t.json, write, print); err != nil {
		return err
	}
	speed := c.OutOrStdout()
	if t.json {
		speed = c.ErrOrStderr()
	}
	thrown, seconds := report.took()
	if err := printSpeed(speed, thrown, seconds); err != nil {
		return err
	}
	return ended
}
