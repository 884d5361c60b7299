package page

import (
	"bytes"
	"context"
	"maps"
	"net/http"
	"net/url"
	"path"

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
		size := "" // which a file of somebody else may lack
		if len(sum.Total.Mean) > 0 {
			size = summaryFacts(sum).asked[0] + ", "
		}
		return saved{View: View{Figures: summaryFigures(sum)},
			said: map[string]any{"Title": sum.Model, "Dir": dir, "Model": sum.Model, "Size": size, "Replicas": sum.Replicas, "Seed": sum.Seed, "Incomplete": sum.Incomplete, "Stopped": sum.Stopped}}, nil
	})
}

// result shows a directory.
func (s *Server) result(w http.ResponseWriter, r *http.Request) error {
	dir := dirOf(r)
	v, err := s.resultIn(r.Context(), dir)
	if err != nil {
		return err
	}
	charts, part := partOf(v.Figures, r.URL.Query())
	figures, err := s.showInTurn(r.Context(), charts, func(f Figure) (string, url.Values) {
		return "/result/" + url.PathEscape(f.ID), url.Values{"dir": {dir}}
	})
	if err != nil {
		return err
	}
	command, _ := s.files.read(path.Join(dir, "command.txt"), 1<<16)
	data := maps.Clone(v.said)
	data["Figures"], data["Part"], data["Command"], data["Files"] = figures, part, string(bytes.TrimSpace(command)), s.filesIn(dir, resultFiles)
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
