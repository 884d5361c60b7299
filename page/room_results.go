package page

import (
	"bytes"
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

// result shows a directory.
func (s *Server) result(w http.ResponseWriter, r *http.Request) error {
	dir := r.PathValue("path")
	sum, err := s.summary(dir)
	if err != nil {
		return err
	}
	figures, err := showAll(summaryFigures(sum), func(f Figure) (string, url.Values) {
		return "/result/" + url.PathEscape(f.ID), url.Values{"dir": {dir}}
	})
	if err != nil {
		return err
	}
	command, _ := s.files.read(path.Join(dir, "command.txt"), 1<<16)
	s.render(w, r, http.StatusOK, "result", "models", map[string]any{"Title": sum.Model, "Dir": dir, "Summary": sum, "Figures": figures, "Command": string(bytes.TrimSpace(command))})
	return nil
}

func (s *Server) resultFigure(w http.ResponseWriter, r *http.Request) error {
	sum, err := s.summary(r.URL.Query().Get("dir"))
	if err != nil {
		return err
	}
	return s.serveFigure(w, r, summaryFigures(sum))
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
			if sum.Replicas > 1 {
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
