package page

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/page/internal/runs"
	"github.com/almanac-sim/almanac/sim"
	"github.com/almanac-sim/almanac/sim/analysis"
)

// Theory is right: M/M/3 with two busy servers has Erlang's C of 4/9, M/D/1 waits half as long as
// M/M/1, and what is measured agrees within four standard errors.
func TestQueueTheory(t *testing.T) {
	for _, x := range []struct {
		q    queueForm
		wait float64 // in hours
	}{
		{queueForm{"3", "", "12", "10", "exponential", "20000", "1"}, 4. / 9 / 6},
		{queueForm{"1", "", "6", "5", "exponential", "20000", "1"}, 1. / 12},
		{queueForm{"1", "", "6", "5", "constant", "20000", "1"}, 1. / 24},
		{queueForm{"1", "", "6", "5", "lognormal", "40000", "1"}, 1. / 12},
	} {
		c, err := x.q.read()
		if err != nil {
			t.Fatal(err)
		}
		theory, ok := c.theory()
		if !ok || math.Abs(theory.wait-x.wait) > 1e-12 || math.Abs(theory.line-c.Rate*x.wait) > 1e-12 ||
			math.Abs(theory.busy-c.Rate*c.Service) > 1e-12 {
			t.Errorf("%+v: %+v, want a wait of %v", x.q, theory, x.wait)
		}
		s := sim.New(sim.Seed(c.Seed))
		s.Keep(sim.Thinned(maxCourse))
		servers := c.build(s)
		if err := s.Run(t.Context(), c.Until); err != nil {
			t.Fatal(err)
		}
		waits, _ := servers.Waits().Observations()
		line, _ := servers.Queue().TimeSeries()
		busy, _ := servers.Usage().TimeSeries()
		s.Close()
		for what, m := range map[string]struct {
			e    analysis.Estimate
			want float64
		}{"wait": {analysis.Observations(waits), theory.wait}, "line": {analysis.TimeSeries(line), theory.line},
			"busy": {analysis.TimeSeries(busy), theory.busy}} {
			if off := math.Abs(m.e.Value - m.want); !(off < 2*m.e.HalfWidth()) || !(m.e.HalfWidth() < 0.2*m.want) {
				t.Errorf("%+v: %s is %v, want %v", x.q, what, m.e, m.want)
			}
		}
	}
	for _, q := range []queueForm{{"2", "", "12", "10", "exponential", "10", "1"}, {"3", "1", "12", "10", "exponential",
		"10", "1"}, {"3", "", "12", "10", "constant", "10", "1"}} {
		c, err := q.read()
		if err != nil {
			t.Fatal(err)
		}
		if theory, ok := c.theory(); ok {
			t.Errorf("%+v has %+v", q, theory)
		}
	}
}

// Courses are read as they were written, and what is wrong is told with its line.
func TestReadCourses(t *testing.T) {
	const head = "statistic,from,to,mean,min,max\n"
	all, err := readCourses(strings.NewReader(head + "a,0,1,2,2,2\nb,0,4,1,0,3\na,1,3,1,1,1\n"))
	if err != nil || len(all) != 2 || all[0].Mean() != 4./3 || all[1].End != 4 || len(all[0].Points) != 2 {
		t.Errorf("%v, %+v", err, all)
	}
	for text, want := range map[string]string{"": "first line", "x,y\n": "first line", head + "a,0,1,2,2,NaN\n": "line 2",
		head + "a,0,1,2,2,2\na,0.5,2,1,1,1\n": "back in time", head + "a,0\n": "fields"} {
		if _, err := readCourses(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A run goes on to its last hour, to the last digit, whatever parts it is done in: means come only
// then.
func TestQueueReachesItsEnd(t *testing.T) {
	const until = 184691.24352277754
	if last := float64(until) * 500; last/500 >= until { // one of a hundred numbers is such
		t.Fatal("this number is not one that parts do not add up to")
	}
	work, err := queueForm{"2", "", "0.01", "60", "exponential", strconv.FormatFloat(until, 'g', -1, 64), "2"}.work()
	if err != nil {
		t.Fatal(err)
	}
	q := runs.New(DefaultLimits().runs(), quietLog)
	defer q.Close()
	r, err := q.Start(work)
	if err != nil {
		t.Fatal(err)
	}
	<-r.Over()
	if n := len(r.View().Tables); n != 1 {
		t.Errorf("until %v: %d tables, %s", until, n, r.Status().Why)
	}
}

// Of several fields that make no sense the first is told, as they stand in the form.
func TestFirstWrongField(t *testing.T) {
	if _, err := (queueForm{"3", "", "x", "y", "exponential", "10", "z"}).read(); err == nil ||
		!strings.HasPrefix(err.Error(), "Customers an hour:") {
		t.Errorf("a queue: %v", err)
	}
	a := defaultCapped
	a.Bins, a.Rate, a.Seed = "x", "2", "z"
	if _, _, _, err := a.read(); err == nil || !strings.HasPrefix(err.Error(), "Bins:") {
		t.Errorf("balls and bins: %v", err)
	}
}
