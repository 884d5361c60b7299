package page

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/reproduce"
	"github.com/almanac-sim/almanac/reproduce/papers"
)

// claimNamed is the claim of a name.
func claimNamed(name string) (reproduce.Claim, error) {
	for _, c := range papers.Claims() {
		if c.Name == name {
			return c, nil
		}
	}
	return reproduce.Claim{}, problemf(http.StatusNotFound, "there is no claim %q", name)
}

// claimBytes is what a claim takes while it is checked, at most. Of all claims lehman-timing takes most, 160 MB with the program itself (/usr/bin/time -v almanac
// reproduce NAME).
const claimBytes = 256 << 20

// claimWork checks a claim, at the size that the command checks it at unless told: all of them together take it a minute and a half.
func claimWork(c reproduce.Claim, seed uint64) Work {
	w := Work{Title: c.Name, About: c.Paper + ", " + c.Place + ": " + c.Says, From: "/papers/" + c.Name, Command: "almanac reproduce " + format.Word(c.Name), Keeps: 1 << 20, Needs: claimBytes}
	if seed != 1 {
		w.Command += fmt.Sprintf(" --seed %d", seed)
	}
	w.Do = func(ctx context.Context, tell *Teller) error {
		results, err := reproduce.Run(ctx, []reproduce.Claim{c}, reproduce.Options{Seed: seed}, func(_ string, fraction float64) {
			tell.Progress(Progress{Fraction: fraction, Note: c.How})
		})
		if err != nil {
			return err
		}
		r := results[0]
		note := string(r.Verdict)
		if !r.AsBefore() {
			note += ", and not as before: " + string(r.Found)
		}
		tell.Progress(Progress{Fraction: 1, Note: note})
		tell.Show(func() View { return resultView(&r, w.Command) })
		return nil
	}
	return w
}

// resultView is what there is to see of a claim that has been checked.
func resultView(r *reproduce.Result, command string) (v View) {
	for i, c := range r.Finding.Charts {
		v.Figures = append(v.Figures, Figure{ID: fmt.Sprintf("figure-%d", i), Caption: c.Title, Chart: c, Band: "value (from–to)"})
	}
	v.Tables = append(verdictTables(r), measuredTables(r)...)
	v.Files = []File{{r.Name + ".json", "everything that was found", func(w io.Writer) error {
		return (&reproduce.Report{Command: command, Results: []reproduce.Result{*r}}).JSON(w)
	}}, {"report.html", "the same as one page", func(w io.Writer) error {
		return (&reproduce.Report{Command: command, Results: []reproduce.Result{*r}}).HTML(w)
	}}}
	return v
}

// verdictTables are the verdict and the checks that it follows from.
func verdictTables(r *reproduce.Result) []Table {
	said := Table{Words: true, Caption: "Verdict", Head: []string{"", "in words"}, Rows: [][]string{{"verdict", string(r.Verdict)}, {"found before", string(r.Found)}, {"measured", r.Words()}}}
	for _, n := range r.Notes {
		said.Rows = append(said.Rows, []string{"note", n})
	}
	checks := Table{Words: true, Caption: "Checks: the verdict follows from them alone", Head: []string{"what", "passes", "of", "measured", "expected", "may be off by", "because"}}
	for _, c := range r.Checks {
		passes := "yes"
		if !c.OK {
			passes = "no"
		}
		number := func(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }
		checks.Rows = append(checks.Rows, []string{c.What, passes, string(c.Kind), number(c.Measured), number(c.Expected), number(c.Tolerance), c.Because})
	}
	return []Table{said, checks}
}

// measuredTables are the numbers of a result, the first rows of each; its JSON has them all.
func measuredTables(r *reproduce.Result) (all []Table) {
	for _, t := range r.Tables {
		shown := Table{Caption: t.Name, Head: t.Columns}
		for i, row := range t.Rows {
			if i == mostRows {
				shown.Caption += fmt.Sprintf("; the first %d of %d rows", mostRows, len(t.Rows))
				break
			}
			cells := make([]string, len(row))
			for k, x := range row {
				cells[k] = strconv.FormatFloat(x, 'g', 6, 64)
			}
			shown.Rows = append(shown.Rows, cells)
		}
		all = append(all, shown)
	}
	return all
}

// readReport reads what almanac reproduce wrote as JSON.
func readReport(data []byte) (*reproduce.Report, error) {
	var r reproduce.Report
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, err
	}
	if len(r.Results) == 0 || r.Results[0].Name == "" || !slices.Contains(verdicts, r.Results[0].Verdict) {
		return nil, fmt.Errorf("it has no results")
	}
	return &r, nil
}

// verdicts are all of them, in the order in which they are counted.
var verdicts = []reproduce.Verdict{reproduce.Holds, reproduce.HoldsThus, reproduce.DoesNotHold, reproduce.NotDecided}

// tallied says how many claims there are of each verdict.
func tallied(of []reproduce.Verdict) string {
	var words []string
	counts := map[reproduce.Verdict]int{}
	for _, v := range of {
		counts[v]++
	}
	for _, v := range verdicts {
		if n := counts[v]; n > 0 {
			words = append(words, fmt.Sprintf("%s: %d", v, n))
		}
	}
	return strings.Join(words, ", ")
}
