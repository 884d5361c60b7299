package page

import (
	"cmp"
	"context"
	"net/http"
	"path"
	"strings"

	"github.com/almanac-sim/almanac/reproduce"
	"github.com/almanac-sim/almanac/reproduce/papers"
)

// The papers: what they claim, what became of it, and a button that checks a claim here.

// A claimShown is a claim in the list.
type claimShown struct {
	reproduce.Claim
	Verdict reproduce.Verdict // of the report that is looked at, or what was found before
	Mark    string            // that it is another than was found before
	Class   string
	Run     string // the address of the latest run of it here, or nothing
	State   State
}

// A paperShown is a paper with its claims.
type paperShown struct {
	Name   string
	Claims []claimShown
}

// savedReport is a report that was written below our directory.
func (s *Server) savedReport(ctx context.Context, name string) (*reproduce.Report, error) {
	return made(ctx, s, func() (*reproduce.Report, error) {
		data, err := s.files.read(name, mostTable)
		if err != nil {
			return nil, err
		}
		report, err := readReport(data)
		if err != nil {
			return nil, problemf(http.StatusUnprocessableEntity, "%s is not what almanac reproduce writes: %v", name, err)
		}
		return report, nil
	})
}

var verdictClasses = map[reproduce.Verdict]string{reproduce.Holds: "good", reproduce.HoldsThus: "thus", reproduce.DoesNotHold: "bad", reproduce.NotDecided: "undecided"}

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
		data["Machine"], data["Command"], data["Files"] = report.Machine, report.Command, s.filesIn(path.Dir(from), claimFiles)
	}
	there, err := s.list(r.Context(), false)
	if err != nil {
		return err
	}
	runs := map[string]*Run{}
	for _, run := range s.runs.List() {
		if name, ok := strings.CutPrefix(run.From, "/papers/"); ok && runs[name] == nil {
			runs[name] = run
		}
	}
	var all []paperShown
	var verdicts []reproduce.Verdict
	for _, c := range papers.Claims() {
		v := claimShown{Claim: c, Verdict: c.Found}
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
			all = append(all, paperShown{Name: c.Paper})
		}
		last := &all[len(all)-1]
		last.Claims = append(last.Claims, v)
	}
	data["Saved"], data["Notes"] = there.claims.all, there.claims.notes(there.unseen...)
	data["Papers"], data["Tally"], data["Count"] = all, tallied(verdicts), len(verdicts)
	s.render(w, r, http.StatusOK, "papers", "papers", data)
	return nil
}

// claim shows a claim, with what a report says of it.
func (s *Server) claim(w http.ResponseWriter, r *http.Request) error {
	c, err := claimNamed(r.PathValue("name"))
	if err != nil {
		return err
	}
	data := map[string]any{"Title": c.Name, "Claim": c, "Class": verdictClasses[c.Found], "Command": "almanac reproduce " + c.Name}
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

// checkClaim puts the check of a claim into the queue.
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
