package page

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/page/internal/figure"
	"github.com/almanac-sim/almanac/page/internal/folder"
	"github.com/almanac-sim/almanac/page/internal/httperr"
	"github.com/almanac-sim/almanac/page/internal/runs"
	"github.com/almanac-sim/almanac/reproduce"
	"github.com/almanac-sim/almanac/reproduce/papers"
)

func claimNamed(name string) (reproduce.Claim, error) {
	for _, c := range papers.Claims() {
		if c.Name == name {
			return c, nil
		}
	}
	return reproduce.Claim{}, httperr.NotFound("there is no claim %q", name)
}

// claimMemory bounds the memory of a check. The most is 160 MB, for lehman-timing (/usr/bin/time -v
// almanac reproduce NAME).
const claimMemory = 256 << 20

// claimWork checks a claim at the default size of the command, where all claims together take
// three minutes.
func claimWork(c reproduce.Claim, seed uint64) runs.Work {
	w := runs.Work{Title: c.Name, About: c.Paper + ", " + c.Place + ": " + c.Says, From: "/papers/" + c.Name,
		Command: "almanac reproduce " + format.Word(c.Name), ResultBytes: 1 << 20, Memory: claimMemory}
	if seed != 1 {
		w.Command += fmt.Sprintf(" --seed %d", seed)
	}
	w.Do = func(ctx context.Context, report *runs.Reporter) error {
		o := reproduce.Options{Seed: seed}
		from := reproduce.NewProvenance(o, "", w.Command)
		results, err := reproduce.Run(ctx, []reproduce.Claim{c}, o,
			func(_ string, fraction float64) {
				report.Progress(runs.Progress{Fraction: fraction, Note: c.How})
			})
		if err != nil {
			return err
		}
		r := results[0]
		note := string(r.Verdict)
		if !r.AsBefore() {
			note += ", and not as before: " + string(r.Found)
		}
		report.Progress(runs.Progress{Fraction: 1, Note: note})
		report.Show(func() runs.View { return resultView(&r, from) })
		return nil
	}
	return w
}

// resultView is the view of a checked claim.
func resultView(r *reproduce.Result, from reproduce.Provenance) (v runs.View) {
	for i, c := range r.Finding.Charts {
		v.Figures = append(v.Figures, figure.Figure{ID: fmt.Sprintf("figure-%d", i), Caption: c.Title, Chart: c,
			Band: "value (from–to)"})
	}
	v.Tables = append(verdictTables(r), measuredTables(r)...)
	v.Files = []figure.File{{Name: r.Name + ".json", About: "everything that was found", Write: func(w io.Writer) error {
		return (&reproduce.Report{Provenance: from, Results: []reproduce.Result{*r}}).JSON(w)
	}}, {Name: "report.html", About: "the same as one page", Write: func(w io.Writer) error {
		return (&reproduce.Report{Provenance: from, Results: []reproduce.Result{*r}}).HTML(w)
	}}}
	return v
}

// verdictTables are the verdict and the checks that decide it.
func verdictTables(r *reproduce.Result) []figure.Table {
	said := figure.Table{Words: true, Caption: "Verdict", Head: []string{"", "in words"},
		Rows: [][]string{{"verdict", string(r.Verdict)}, {"found before", string(r.Found)}, {"evidence", string(r.Grade)},
			{"measured", r.Words()}}}
	for _, n := range r.Notes {
		said.Rows = append(said.Rows, []string{"note", n})
	}
	checks := figure.Table{Words: true, Caption: "Checks: the verdict follows from them alone",
		Head: []string{"what", "passes",
			"of", "measured", "expected", "may be off by", "because"}}
	for _, c := range r.Checks {
		passes := "yes"
		if !c.OK {
			passes = "no"
		}
		number := func(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }
		checks.Rows = append(checks.Rows, []string{c.What, passes, string(c.Kind), number(c.Measured), number(c.Expected),
			number(c.Tolerance), c.Because})
	}
	return []figure.Table{said, checks}
}

// measuredTables are the first rows of each table of a result; its JSON has all.
func measuredTables(r *reproduce.Result) (all []figure.Table) {
	for _, t := range r.Tables {
		shown := figure.Table{Caption: t.Name, Head: t.Columns}
		for i, row := range t.Rows {
			if i == figure.MaxRows {
				shown.Caption += fmt.Sprintf("; the first %d of %d rows", figure.MaxRows, len(t.Rows))
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

// readReport parses a claims.json.
func readReport(data []byte) (*reproduce.Report, error) {
	var r reproduce.Report
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, err
	}
	if len(r.Results) == 0 || r.Results[0].Name == "" || !slices.Contains(reproduce.Verdicts(), r.Results[0].Verdict) {
		return nil, fmt.Errorf("it has no results")
	}
	return &r, nil
}

// tally counts the verdicts.
func tally(of []reproduce.Verdict) string {
	var words []string
	counts := map[reproduce.Verdict]int{}
	for _, v := range of {
		counts[v]++
	}
	for _, v := range reproduce.Verdicts() {
		if n := counts[v]; n > 0 {
			words = append(words, fmt.Sprintf("%s: %d", v, n))
		}
	}
	return strings.Join(words, ", ")
}

// A claimRow is a claim in the list.
type claimRow struct {
	reproduce.Claim
	Verdict reproduce.Verdict // of the report, or the recorded one
	Mark    string            // set if Verdict is not the recorded one
	Class   string
	Run     string // address of its latest run here, if any
	State   runs.State
}

type paperGroup struct {
	Name   string
	Claims []claimRow
}

// savedReport reads a report below the directory.
func (s *Server) savedReport(ctx context.Context, name string) (*reproduce.Report, error) {
	return computed(ctx, s, func() (*reproduce.Report, error) {
		data, err := s.files.Read(name, folder.MaxTable)
		if err != nil {
			return nil, err
		}
		report, err := readReport(data)
		if err != nil {
			return nil, httperr.Unprocessable("%s is not what almanac reproduce writes: %v", name, err)
		}
		return report, nil
	})
}

var verdictClasses = map[reproduce.Verdict]string{reproduce.Holds: "good", reproduce.HoldsCorrected: "thus",
	reproduce.DoesNotHold: "bad", reproduce.Ambiguous: "undecided", reproduce.Undecided: "undecided",
	reproduce.Answered: "thus", reproduce.OwnResult: "thus"}

func (s *Server) papers(w http.ResponseWriter, r *http.Request) error {
	from := r.URL.Query().Get("report")
	found := map[string]*reproduce.Result{}
	data := map[string]any{"Title": "Papers", "From": from, "Command": "almanac reproduce --out report"}
	if from != "" {
		report, err := s.savedReport(r.Context(), from)
		if err != nil {
			return err
		}
		for i := range report.Results {
			found[report.Results[i].Name] = &report.Results[i]
		}
		data["Machine"], data["Command"], data["Files"] = report.Machine, report.Command,
			s.filesIn(path.Dir(from), claimFiles)
	}
	there, err := s.list(r.Context(), false)
	if err != nil {
		return err
	}
	runs := map[string]*runs.Run{}
	for _, run := range s.runs.List() {
		if name, ok := strings.CutPrefix(run.From, "/papers/"); ok && runs[name] == nil {
			runs[name] = run
		}
	}
	var all []paperGroup
	var verdicts []reproduce.Verdict
	for _, c := range papers.Claims() {
		v := claimRow{Claim: c, Verdict: c.Found}
		if from != "" {
			result := found[c.Name]
			if result == nil {
				continue
			}
			if v.Verdict = result.Verdict; v.Verdict != c.Found {
				v.Mark = "found before: " + string(c.Found)
			}
		}
		v.Class = verdictClasses[v.Verdict]
		if run := runs[c.Name]; run != nil {
			v.Run, v.State = "/runs/"+run.ID, run.State()
		}
		verdicts = append(verdicts, v.Verdict)
		if len(all) == 0 || all[len(all)-1].Name != c.Paper {
			all = append(all, paperGroup{Name: c.Paper})
		}
		last := &all[len(all)-1]
		last.Claims = append(last.Claims, v)
	}
	data["Saved"], data["Notes"] = there.claims.all, there.claims.notes(there.notes...)
	data["Papers"], data["Tally"], data["Count"] = all, tally(verdicts), len(verdicts)
	s.render(w, r, http.StatusOK, "papers", "papers", data)
	return nil
}

// claim shows a claim, with the result in a report.
func (s *Server) claim(w http.ResponseWriter, r *http.Request) error {
	c, err := claimNamed(r.PathValue("name"))
	if err != nil {
		return err
	}
	data := map[string]any{"Title": c.Name, "Claim": c, "Class": verdictClasses[c.Found],
		"Command": "almanac reproduce " + c.Name}
	if from := r.URL.Query().Get("report"); from != "" {
		report, err := s.savedReport(r.Context(), from)
		if err != nil {
			return err
		}
		data["From"], data["Command"], data["Files"] = from, report.Command, s.filesIn(path.Dir(from), claimFiles)
		for i := range report.Results {
			if result := &report.Results[i]; result.Name == c.Name {
				data["Tables"] = append(verdictTables(result), measuredTables(result)...)
			}
		}
	}
	s.render(w, r, http.StatusOK, "claim", "papers", data)
	return nil
}

func (s *Server) checkClaim(w http.ResponseWriter, r *http.Request) error {
	c, err := claimNamed(r.PathValue("name"))
	if err != nil {
		return err
	}
	var f fieldReader
	seed := f.seed(cmp.Or(strings.TrimSpace(r.PostFormValue("seed")), "1"))
	if f.err != nil {
		return f.err
	}
	return s.start(w, r, claimWork(c, seed))
}
