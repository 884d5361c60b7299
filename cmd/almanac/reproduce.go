package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/cmd/internal/progress"
	"github.com/almanac-sim/almanac/reproduce"
	"github.com/almanac-sim/almanac/reproduce/papers"
)

type reproduceFlags struct {
	list bool
	full bool
	json bool
	out  string
	seed uint64
}

func newReproduce() *cobra.Command {
	var f reproduceFlags
	c := &cobra.Command{
		Use:   "reproduce [NAME...]",
		Short: "Check the claims of the papers",
		Long: `Check the claims of the papers on this machine: all of them, or those that are named.

Every claim gets a verdict, which follows from its checks alone:

  holds                    all checks of what is printed pass
  holds with a correction  those of a corrected claim, which is printed, pass
  does not hold            checks fail, and there is no correction
  ambiguous                it holds by one reading and not by another
  undecided                it cannot be checked here, such as a time on another machine

Answers to open questions and results of our own are counted separately. A verdict that differs from
the recorded one is marked, and the exit status is then 1.

--out DIR writes these files:

  report.html        the report, with tables and pictures
  report.md          its first table
  claims.json        the report without the pictures, which the page of almanac serve shows
  NAME.csv, NAME-*   tables (.csv) and pictures (.svg) of each claim`,
		Example: `  almanac reproduce
  almanac reproduce --list
  almanac reproduce figure-1 figure-3 --out report`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, names []string) error { return f.run(c, names) },
	}
	c.Flags().BoolVar(&f.list, "list", false, "list the claims")
	c.Flags().BoolVar(&f.full, "full", false, "use the sizes of the papers, which takes long and much memory")
	c.Flags().BoolVar(&f.json, "json", false, "print the report as JSON")
	c.Flags().StringVar(&f.out, "out", "", "`directory` for the report")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "random seed")
	return c
}

func (f *reproduceFlags) run(c *cobra.Command, names []string) error {
	claims, err := chooseClaims(names)
	if err != nil {
		return err
	}
	if f.list {
		return listClaims(c.OutOrStdout(), claims)
	}
	files := []string{"report.html", "report.md", "claims.json"}
	for _, claim := range claims {
		files = append(files, claim.Name+".csv", claim.Name+"-*.csv", claim.Name+".svg", claim.Name+"-*.svg")
	}
	out, err := cli.OpenOutput(f.out, "reproduce", files...)
	if err != nil {
		return err
	}
	defer out.Drop()
	bar := progress.New(c.ErrOrStderr())
	defer bar.Close()
	o := reproduce.Options{Full: f.full, Seed: f.seed}
	from := reproduce.NewProvenance(o, fmt.Sprint(cli.ThisMachine()), cli.CommandLine(c, names...))
	results, err := reproduce.Run(c.Context(), claims, o,
		func(name string, fraction float64) {
			bar.Set(int(1000*fraction), 1000, name)
		})
	bar.Close()
	if err != nil {
		return err
	}
	report := &reproduce.Report{Provenance: from, Results: results}
	write := func(dir string, r *reproduce.Report) error { return r.Write(dir) }
	if err := cli.Deliver(c, report, false, out, f.json, write, printClaims); err != nil {
		return err
	}
	var other []string
	for _, r := range results {
		if !r.AsBefore() {
			other = append(other, r.Name)
		}
	}
	if len(other) > 0 {
		return fmt.Errorf("%d of %d verdicts are not what was found before: %s", len(other), len(results),
			strings.Join(other, ", "))
	}
	return nil
}

// chooseClaims finds claims by name; no names mean all.
func chooseClaims(names []string) ([]reproduce.Claim, error) {
	all := papers.Claims()
	if len(names) == 0 {
		return all, nil
	}
	by := map[string]reproduce.Claim{}
	var known []string
	for _, c := range all {
		by[c.Name] = c
		known = append(known, c.Name)
	}
	chosen, err := cli.Choose("reproduce", names, known)
	if err != nil {
		return nil, err
	}
	var claims []reproduce.Claim
	for _, name := range chosen {
		claims = append(claims, by[name])
	}
	return claims, nil
}

func listClaims(w io.Writer, claims []reproduce.Claim) error {
	for _, c := range claims {
		if _, err := fmt.Fprintf(w, "%s\n  %s, %s\n  %s\n\n", c.Name, c.Paper, c.Place, c.Says); err != nil {
			return err
		}
	}
	return nil
}

// printClaims prints a line for each claim, and details of those that do not simply hold.
func printClaims(w io.Writer, r *reproduce.Report) error {
	fmt.Fprintf(w, "%s\n%s\nversion %s, commit %s, seed %d\n\n", r.Machine, r.Command, r.Version, r.Commit, r.Seed)
	out := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	fmt.Fprintln(out, "claim\tpaper\tplace\tchecks\tverdict\tevidence\tas before\tseconds")
	for _, c := range r.Results {
		good, before := 0, "yes"
		for _, k := range c.Checks {
			if k.OK {
				good++
			}
		}
		if !c.AsBefore() {
			before = "NO: " + string(c.Found)
		}
		fmt.Fprintf(out, "%s\t%s\t%s\t%d of %d\t%s\t%s\t%s\t%.1f\n", c.Name, c.Paper, c.Place, good, len(c.Checks), c.Verdict,
			c.Grade, before, c.Seconds)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	for _, c := range r.Results {
		if c.Verdict == reproduce.Holds && c.AsBefore() {
			continue
		}
		fmt.Fprintf(w, "\n%s: %s. %s\n", c.Name, c.Verdict, c.Words())
		for _, n := range c.Notes {
			fmt.Fprintf(w, "  %s\n", n)
		}
		for _, k := range c.Checks {
			if !k.OK {
				fmt.Fprintf(w, "  %s (%s): measured %.6g, expected %.6g ± %.2g (%s)\n", k.What, k.Kind, k.Measured, k.Expected,
					k.Tolerance, k.Because)
			}
		}
	}
	return nil
}
