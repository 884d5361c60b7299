package page

import (
	"bytes"
	"net/http"
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

// readResult is what there is to see of a directory.
func (s *Server) readResult(dir string) (saved, error) {
	sum, err := s.summary(dir)
	if err != nil {
		return saved{}, err
	}
	size := "" // which a file of somebody else may lack
	if len(sum.Total.Mean) > 0 {
		size = summaryFacts(sum).asked[0] + ", "
	}
	return saved{View: View{Figures: summaryFigures(sum)},
		said: map[string]any{"Title": sum.Model, "Model": sum.Model, "Size": size, "Replicas": sum.Replicas, "Seed": sum.Seed, "Incomplete": sum.Incomplete, "Stopped": sum.Stopped}}, nil
}
