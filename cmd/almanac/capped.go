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
		Short: "Throw balls into bins of finite capacity, round by round, and compare pool and waits with theory",
		Long: "Throw balls into bins of finite capacity, round by round, and compare pool and waits with theory.\n\n" +
			"There are n bins. In every round λn new balls join those that wait in a pool, and each ball of the pool asks " +
			"one bin,\n" +
			"chosen at random. A bin has room for c balls: it accepts the oldest of those that ask, as many as fit, the " +
			"others stay in\n" +
			"the pool, and at the end of the round every bin that holds a ball deletes the one it accepted first. A ball's " +
			"wait is its\n" +
			"age when it is deleted, 0 in the round it came. This is CAPPED(c, λ) of Berenbrink et al. (ICDCS 2021).\n\n" +
			"The process runs until it has forgotten its empty start (the burn-in), and then it is measured. Beside what was " +
			"measured stand\n" +
			"  limit      what the law of the process becomes as the number of bins goes to infinity, computed\n" +
			"  bound      what the paper proves to be exceeded with next to no probability (Theorem 1 for c = 1, Theorem 2 " +
			"beyond)\n" +
			"  estimate   what the paper's authors found simulations to stay below (section V)\n" +
			"A large capacity makes balls wait in bins, a small one in the pool; which is best, the sweet spot, " +
			"is told too.\n\n" +
			cli.List("Processes", cappedProcesses, func(p cappedProcess) (string, string) { return p.kind.String(), p.about }) +
			"The same command gives the same result; only the speed differs. An interrupt (Ctrl-C) ends the run; what there " +
			"is until\n" +
			"then is reported, and marked as incomplete.\n\n" +
			"With --out DIR there are then in DIR: capped.json (what --json prints), rounds.csv (what happened in each " +
			"round, or in every\n" +
			"k-th if they are more than 100,000), waits.csv (how many balls waited how long), and as pictures pool.svg, " +
			"waits.svg and\n" +
			"loads.svg. After a sweep there are instead sweep.csv, sweep-pool.svg and sweep-waits.svg.",
		Example: "  almanac capped\n" +
			"  almanac capped --capacity 3 --rate 1-2^-10 --bins 1e6 --out results\n" +
			"  almanac capped --rate 1-2^-12 --warm\n" +
			"  almanac capped --process greedy --choices 2\n" +
			"  almanac capped --process threshold --capacity 1 --rate 1\n" +
			"  almanac capped --sweep capacity=1..8 --rate 1-2^-10\n" +
			"  almanac capped --sweep rate=1-2^-1..1-2^-10 --out results",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	c.Flags().StringVar(&f.bins, "bins", "32768", "n, the number of bins: 32768, 2^15, 1e5 or 1_000_000")
	c.Flags().StringVar(&f.capacity, "capacity", "2", "c, for how many balls a bin has room; for threshold, how many "+
		"it accepts in a round")
	c.Flags().StringVar(&f.rate, "rate", "0.99", "λ, new balls per bin and round: 0.99, 1-2^-10, 1-1/1024 or 1-1e-3; "+
		"for threshold, balls per bin")
	c.Flags().StringVar(&f.process, "process", "capped", "capped, modcapped, greedy or threshold")
	c.Flags().StringVar(&f.choices, "choices", "2", "for greedy: d, at how many bins a ball looks")
	c.Flags().StringVar(&f.arrivals, "arrivals", "exact",
		"how many balls come in a round: exact (λn), binomial (n sources, one ball each with probability λ) "+
			"or poisson (mean λn)")
	c.Flags().StringVar(&f.rounds, "rounds", "", "rounds to measure; unless told, 100 relaxation times, and at least 1000")
	c.Flags().StringVar(&f.burnIn, "burn-in", "", "rounds before measuring; unless told, 10 relaxation times, or none "+
		"with --warm")
	c.Flags().BoolVar(&f.warm, "warm", false, "for capped: start where the limit of many bins says the process will "+
		"be, not with empty bins")
	c.Flags().BoolVar(&f.byBin, "by-bin", false, "keep every bin and throw every ball, instead of drawing how many "+
		"bins get how many: the same law, slower")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "all that is random depends on it")
	c.Flags().StringVar(&f.sweep, "sweep", "", "measure several: capacity=1..8, capacity=1,2,4, rate=1-2^-1..1-2^-10 "+
		"or rate=0.5,0.9,0.99")
	c.Flags().BoolVar(&f.json, "json", false, "print everything as JSON")
	c.Flags().StringVar(&f.out, "out", "", "a directory to write numbers and pictures to")
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
	{capped.Greedy, "bins without a limit and no pool: a ball looks at d bins and goes to the one with the least load"},
	{capped.Threshold, "one batch of λn balls: a bin accepts c in a round, nothing is deleted, until all have a place"},
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
	if err := cli.Deliver(c.OutOrStdout(), report, out, t.json, write, print); err != nil {
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
