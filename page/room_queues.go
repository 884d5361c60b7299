package page

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/sim"
)

// Queues: a place with servers, run here, and the courses that programs of package sim have written below our directory.

func (s *Server) queues(w http.ResponseWriter, r *http.Request) error {
	q := usualQueueing
	if r.URL.Query().Has("servers") {
		q = askedQueueing(r.URL.Query())
	}
	return s.showQueues(w, r, http.StatusOK, q, "")
}

func (s *Server) showQueues(w http.ResponseWriter, r *http.Request, status int, q queueing, wrong string) error {
	there, err := s.list(r.Context(), false)
	if err != nil {
		return err
	}
	s.render(w, r, status, "queues", "queues", map[string]any{"Title": "Queues", "Ask": q, "Wrong": wrong, "Shapes": serviceShapes, "Saved": there.courses.all, "Notes": there.courses.notes(there.unseen...),
		"Most": format.Thousands(mostCustomers)})
	return nil
}

func (s *Server) startQueue(w http.ResponseWriter, r *http.Request) error {
	q := askedQueueing(r.PostForm)
	return s.startOr(w, r, q.work, func(status int, wrong string) error { return s.showQueues(w, r, status, q, wrong) })
}

// readCourseFigures are the figures of a file that output.Save wrote.
func (s *Server) readCourseFigures(dir string) (v saved, err error) {
	data, err := s.files.read(path.Join(dir, "courses.csv"), mostTable)
	if err != nil {
		return v, err
	}
	courses, err := readCourses(bytes.NewReader(data))
	if err != nil {
		return v, problemf(http.StatusUnprocessableEntity, "courses.csv in %s is not what sim/output writes: %v", dir, err)
	}
	v.said = map[string]any{"Title": dir}
	for i, c := range courses {
		v.Figures = append(v.Figures, Figure{ID: fmt.Sprintf("course-%d", i), Caption: c.Name, Chart: courseChart(c, c.Name, 0), Band: severalChanges})
	}
	return v, nil
}

// readCourses reads courses: statistic, from, to, mean, min, max, in the order of time.
func readCourses(r io.Reader) (all []sim.Course, err error) {
	in := csv.NewReader(r)
	head, err := in.Read()
	if err != nil || !slices.Equal(head, []string{"statistic", "from", "to", "mean", "min", "max"}) {
		return nil, fmt.Errorf("its first line is %q, and not statistic,from,to,mean,min,max", strings.Join(head, ","))
	}
	place := map[string]int{}
	for {
		row, err := in.Read()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		var x [5]float64
		line, _ := in.FieldPos(0)
		for i := range x {
			if x[i], err = strconv.ParseFloat(row[i+1], 64); err != nil || !(x[i]-x[i] == 0) {
				return nil, fmt.Errorf("line %d: %q is not a number", line, row[i+1])
			}
		}
		k, ok := place[row[0]]
		if !ok {
			k = len(all)
			place[row[0]] = k
			all = append(all, sim.Course{Name: row[0], Start: x[0], Complete: true})
		}
		c := &all[k]
		if x[0] > x[1] || len(c.Points) > 0 && x[0] < c.End {
			return nil, fmt.Errorf("line %d: it goes back in time", line)
		}
		c.Sampled = c.Sampled || x[0] == x[1]
		c.End = x[1]
		c.Points = append(c.Points, sim.CoursePoint{From: x[0], To: x[1], Mean: x[2], Min: x[3], Max: x[4]})
	}
}
