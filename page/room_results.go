package page

import (
	"bytes"
	"context"
	"maps"
	"net/http"
	"net/url"
	"path"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/population/results"
)

// Results that almanac run --out wrote into a directory below ours.

// mostSummary is how long a summary can be that is read.
const mostSummary = 64 << 20

// summary reads the summary of a directory.
func (s *Server) summary(dir string) (*results.Summary, error) {
	data, err := s.files.read(path.Join(dir, "summary.json"), mostSummary)
	if err != nil {
		return nil, err
	}
	sum, err := results.ReadSummary(bytes.NewReader(data))
	if err != nil {
		return nil, problemf(http.StatusUnprocessableEntity, "summary.json in %s is not what almanac run writes: %v", dir, err)
	}
	return sum, nil
}

// resultIn is what there is to see of a directory.
func (s *Server) resultIn(ctx context.Context, dir string) (saved, error) {
	return s.savedIn(ctx, "result", dir, []string{"summary.json"}, func() (saved, error) {
		sum, err := s.summary(dir)
		if err != nil {
			return saved{}, err
		}
		return saved{View: View{Figures: summaryFigures(sum)},
			said: map[string]any{"Title": sum.Model, "Dir": dir, "Model": sum.Model, "Replicas": sum.Replicas, "Seed": sum.Seed, "Incomplete": sum.Incomplete, "Stopped": sum.Stopped}}, nil
	})
}

// result shows a directory.
func (s *Server) result(w http.ResponseWriter, r *http.Request) error {
	dir := dirOf(r)
	v, err := s.resultIn(r.Context(), dir)
	if err != nil {
		return err
	}
	figures, err := s.showInTurn(r.Context(), v.Figures, func(f Figure) (string, url.Values) {
		return "/result/" + url.PathEscape(f.ID), url.Values{"dir": {dir}}
	})
	if err != nil {
		return err
	}
	command, _ := s.files.read(path.Join(dir, "command.txt"), 1<<16)
	data := maps.Clone(v.said)
	data["Figures"], data["Command"], data["Files"] = figures, string(bytes.TrimSpace(command)), s.filesIn(dir, resultFiles)
	s.render(w, r, http.StatusOK, "result", "models", data)
	return nil
}

func (s *Server) resultFigure(w http.ResponseWriter, r *http.Request) error {
	v, err := s.resultIn(r.Context(), r.URL.Query().Get("dir"))
	if err != nil {
		return err
	}
	return s.serveFigure(w, r, v.Figures)
}

// mostLines is how many lines a chart of a summary has; of more, the first.
const mostLines = 24

// summaryFigures are the charts of a summary.
func summaryFigures(sum *results.Summary) []Figure {
	note := "one replica"
	if sum.Replicas > 1 {
		note = "lines: median of " + format.Count(sum.Replicas, "replica") + "; bands: middle 90 %"
	}
	chart := func(all results.Ordered[population.Series], steps bool) plot.Chart {
		c := plot.Chart{Title: sum.Model, Note: note, XLabel: sum.Unit, YLabel: "individuals", FromZero: true, LegendBeside: true}
		for name, in := range all.All() {
			if len(c.Series) == mostLines || len(in.Median) != len(sum.Times) {
				continue
			}
			s := plot.Series{Name: name, X: sum.Times, Y: in.Median, Steps: steps}
			if n := len(sum.Times); sum.Replicas > 1 && len(in.Q05) == n && len(in.Q95) == n {
				s.Low, s.High = in.Q05, in.Q95
			}
			c.Series = append(c.Series, s)
		}
		return c
	}
	figures := []Figure{{ID: "states", Caption: "Individuals in each state", Chart: chart(sum.States, false)}}
	if !sum.Incidence.IsZero() {
		figures = append(figures, Figure{ID: "incidence", Caption: "Changes of state in each interval", Chart: chart(sum.Incidence, true)})
	} else {
		flows := chart(sum.Flows, false)
		figures = append(figures, Figure{ID: "flows", Caption: "Changes of state since the start", Chart: flows})
	}
	return figures
}
