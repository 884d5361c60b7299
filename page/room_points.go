package page

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/study"
)

// The points of a sweep, which cells of its maps and rows of its table lead to. To look at one changes nothing and is a link; to run one is a form,
// which the script sends when a point is chosen that has to be run, so that its run is one click away.

// A point is one that was asked for.
type point struct {
	sweep *swept
	k     int
	dir   string // of a saved sweep
	link  string // of the sweep
	name  string // of the sweep
}

// pointOf looks for a point of a sweep by its number.
func pointOf(sweep *swept, number string, p point) (point, error) {
	k, err := strconv.Atoi(number)
	if err != nil || sweep == nil || k < 0 || k >= len(sweep.Points()) {
		return p, problemf(http.StatusNotFound, "%s has no point %q", p.name, number)
	}
	p.sweep, p.k = sweep, k
	return p, nil
}

// pointOfRun is a point of a sweep that was run here.
func (s *Server) pointOfRun(r *http.Request) (point, error) {
	run, err := s.runs.Get(r.PathValue("id"))
	if err != nil {
		return point{}, err
	}
	return pointOf(run.View().Sweep, r.PathValue("point"), point{link: "/runs/" + run.ID, name: "run " + run.ID})
}

// pointOfDir is a point of a sweep in a directory, which the path of the address names, or that of a figure in a field.
func (s *Server) pointOfDir(r *http.Request) (point, error) {
	q := r.URL.Query()
	dir := cmp.Or(r.PathValue("path"), q.Get("dir"))
	v, err := s.savedAs(r.Context(), &savedSweeps, dir)
	if err != nil {
		return point{}, err
	}
	return pointOf(v.Sweep, q.Get("point"), point{dir: dir, link: "/sweeps/" + pathEscape(dir), name: dir})
}

// atPoint finds the point of an address before its handler.
func atPoint(find func(*http.Request) (point, error), h func(http.ResponseWriter, *http.Request, point) error) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		p, err := find(r)
		if err != nil {
			return err
		}
		return h(w, r, p)
	}
}

// pointFigure is a chart of a point of a saved sweep.
func (s *Server) pointFigure(w http.ResponseWriter, r *http.Request, p point) error {
	v, err := s.viewOfPoint(r, p)
	if err != nil {
		return err
	}
	return s.serveFigure(w, r, v.Figures)
}

// viewOfPoint is what there is to see of it.
func (s *Server) viewOfPoint(r *http.Request, p point) (View, error) {
	if p.dir == "" {
		return s.pointView(p.sweep, "", p.k)
	}
	v, err := s.savedIn(r.Context(), fmt.Sprintf("point %d", p.k), p.dir, []string{"points.csv", study.FileName, pointSeries}, func() (saved, error) {
		v, err := s.pointView(p.sweep, p.dir, p.k)
		return saved{View: v}, err
	})
	return v.View, err
}

// showPoint shows a point, with a button that runs it.
func (s *Server) showPoint(w http.ResponseWriter, r *http.Request, p point) error {
	if r.URL.Query().Get("form") == "json" {
		asFile(w, "point.json")
		return p.sweep.writePoints(w, p.sweep.Points()[p.k:p.k+1])
	}
	v, err := s.viewOfPoint(r, p)
	if err != nil {
		return err
	}
	figures, err := s.showInTurn(r.Context(), v.Figures, func(f Figure) (string, url.Values) {
		return "/point-figures/" + url.PathEscape(f.ID), url.Values{"dir": {p.dir}, "point": {strconv.Itoa(p.k)}}
	})
	if err != nil {
		return err
	}
	var values []string
	for i, a := range p.sweep.Axes {
		values = append(values, a.Name+" = "+p.sweep.Points()[p.k].Values[i])
	}
	seed := cmp.Or(p.sweep.base.Seed, "1, since the sweep does not tell its own")
	command, err := made(r.Context(), s, func() (string, error) {
		var work Work
		a, err := s.pointAsk(p.sweep, p.k)
		if err == nil {
			work, _ = s.work(a) // the button that runs it says what is wrong
		}
		return work.Command, nil
	})
	if err != nil {
		return err
	}
	form := "?form=json"
	if p.dir != "" {
		form = "&form=json"
	}
	s.render(w, r, http.StatusOK, "point", "studies", map[string]any{"Title": strings.Join(values, ", "), "Name": p.name, "Link": p.link, "Action": p.sweep.link(p.k), "Figures": figures, "Tables": v.Tables,
		"Lead": fmt.Sprintf("point %d of %d, %s, seed %s", p.k+1, len(p.sweep.Points()), format.Count(p.sweep.Points()[p.k].Replicas, "replica"), seed), "Recorded": p.sweep.recorded, "Command": command,
		"Files": []taken{{"point.json", "what it gave", p.sweep.link(p.k) + form}}})
	return nil
}

// startPoint runs a point, or leads to the run of it that there is.
func (s *Server) startPoint(w http.ResponseWriter, r *http.Request, p point) error {
	a, err := s.pointAsk(p.sweep, p.k)
	if err != nil {
		return err
	}
	return s.startAsked(w, r, a, s.showModel, func(work *Work) {
		work.From, work.Parent = p.link, p.name
		work.Key = digest([]byte(work.Command + "\x00" + a.Source))
	})
}
