package page

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/almanac-sim/almanac/internal/fitted"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/modelfit"
	"github.com/almanac-sim/almanac/internal/pictures"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/page/internal/figure"
	"github.com/almanac-sim/almanac/page/internal/folder"
	"github.com/almanac-sim/almanac/page/internal/httperr"
	"github.com/almanac-sim/almanac/page/internal/runs"
	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/study"
)

// savedFit reads a directory of almanac fit, and its model if there is one.
func (s *Server) savedFit(dir string) (*fitted.Fit, *population.Model, error) {
	report, err := s.files.Read(path.Join(dir, "fit.json"), folder.MaxResults)
	if err != nil {
		return nil, nil, err
	}
	sample, err := s.files.Read(path.Join(dir, "posterior.csv"), folder.MaxResults)
	if err != nil {
		sample = nil // some methods have no posterior
		if httperr.Is(err, http.StatusRequestEntityTooLarge) {
			return nil, nil, err
		}
	}
	f, err := fitted.Read(report, sample)
	if err != nil {
		return nil, nil, httperr.Unprocessable("%s is not what almanac fit writes: %v", dir, err)
	}
	model := path.Join(dir, "model.yaml")
	source, err := s.files.Read(model, folder.MaxModel)
	if err != nil {
		return f, nil, nil
	}
	m, err := population.Compile("model.yaml", source, s.files.Tables(model))
	if err != nil {
		return f, nil, nil // the view does not need it
	}
	f.TimeLabel, f.Dates = pictures.TimeLabel(m), pictures.Dates(m)
	return f, m, nil
}

func fitView(f *fitted.Fit) runs.View {
	var v runs.View
	add := func(id, group, band string, ps plot.Panels, small bool) {
		for i, c := range ps.Charts {
			caption := cmp.Or(c.Title, c.XLabel+" and "+c.YLabel)
			if small { // the group has the note of the panels
				if c.Note != "" {
					caption += ", " + c.Note
				}
				c.Note = ps.Note
			}
			v.Figures = append(v.Figures, figure.Figure{ID: fmt.Sprintf("%s-%d", id, i), Caption: caption, Group: group,
				Band: band, Small: small, Chart: c})
		}
	}
	predictions := f.Predictions()
	few := len(predictions.Charts) <= 2
	for i := range predictions.Charts {
		c := &predictions.Charts[i]
		if few {
			c.Note = predictions.Note + "; " + c.Note
		}
		c.Series[0].Name, c.Series[1].Name = "predicted, 90 %", "predicted, 50 %"
	}
	add("predictive", "What the model then says of the data",
		"median (from–to of the share in the name) of what is predicted", predictions, !few)
	add("marginal", "What became known of each unknown, and what was known before", "", f.Marginals(), true)
	add("pair", "The unknowns against each other", "", f.Pairs(), true)
	add("trace", "How the fit went", "", f.Traces(), true)
	v.Tables = []figure.Table{unknownsTable(f)}
	return v
}

// unknownsTable is the posterior in numbers.
func unknownsTable(f *fitted.Fit) figure.Table {
	r := f.Result
	t := figure.Table{Caption: "The unknowns", Head: []string{"unknown", "best", "prior"}}
	digits := func(x float64) string {
		if math.IsNaN(x) {
			return "–"
		}
		return fmt.Sprintf("%.4g", x)
	}
	marginals := r.Marginals()
	if len(marginals) > 0 {
		t.Head = []string{"unknown", "mean", "sd", "5 %", "median", "95 %", "best", "prior"}
	}
	for j, u := range r.Unknowns {
		name := u.Name
		if u.Unit != "" {
			name += " (" + u.Unit + ")"
		}
		row := []string{name}
		if len(marginals) > 0 {
			q := r.Posterior.Quantiles(j, 0.05, 0.5, 0.95)
			row = append(row, digits(marginals[j].Mean), digits(marginals[j].SD), digits(q[0]), digits(q[1]), digits(q[2]))
		}
		t.Rows = append(t.Rows, append(row, digits(r.Best[j]), u.Prior.String()))
	}
	return t
}

func (s *Server) readFit(dir string) (saved, error) {
	f, m, err := s.savedFit(dir)
	if err != nil {
		return saved{}, err
	}
	lead := fmt.Sprintf("%s to %s by %s, seed %d, %s", format.Count(len(f.Result.Unknowns), "unknown"), f.Data.File,
		f.Result.Method, f.Result.Seed, format.Count(f.Result.Runs, "run"))
	said := map[string]any{"Title": cmp.Or(f.Model, dir), "Lead": lead, "Notes": f.Result.Notes, "Command": f.Command}
	if m != nil && len(f.Result.Posterior.Rows) > 0 {
		said["Project"], said["Scenarios"], said["Until"] = "/fits/"+pathEscape(dir), m.Scenarios(), format.Number(m.End())
	}
	return saved{View: fitView(f), data: said}, nil
}

func (s *Server) fitPage(w http.ResponseWriter, r *http.Request) error {
	return s.showFit(w, r, http.StatusOK, modelForm{Seed: "1", Replicas: "200"}, nil)
}

func (s *Server) showFit(w http.ResponseWriter, r *http.Request, status int, a modelForm,
	problems population.Problems) error {
	return s.showSaved(w, r, status, &savedFits, map[string]any{"Form": a, "Problems": locate(problems)})
}

// project runs the model of a fit with draws from its posterior, as almanac run --from.
func (s *Server) project(w http.ResponseWriter, r *http.Request) error {
	dir := requestDir(r)
	form := url.Values{"path": {path.Join(dir, "model.yaml")}}
	for _, name := range []string{"seed", "replicas", "until", "scenario"} {
		form[name] = r.PostForm[name]
	}
	a, err := s.readModelForm(form)
	if err != nil {
		return err
	}
	a.From = path.Join(dir, "posterior.csv")
	return s.startModel(w, r, a, s.showFit, func(work *runs.Work) { work.From = "/fits/" + pathEscape(dir) })
}

// drawFrom sets up draws from a posterior, if the form has one.
func (s *Server) drawFrom(a modelForm, m *population.Model, o *population.Options) (*modelfit.Drawn, error) {
	if a.From == "" {
		return nil, nil
	}
	sample, err := s.files.Read(a.From, folder.MaxResults)
	if err != nil {
		return nil, err
	}
	report, _ := s.files.Read(path.Join(path.Dir(a.From), "fit.json"), folder.MaxResults) // optional
	from, err := study.ParseFrom(a.From, sample, report, m)
	if err == nil {
		err = from.Try(m)
	}
	if err != nil {
		return nil, population.Problems{{File: "posterior", Message: strings.TrimPrefix(err.Error(), "fit: ")}}
	}
	o.Vary = from.Vary(m, o.Seed)
	return from.Told(m, s.commandPath(a.From)), nil
}
