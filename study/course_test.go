package study

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/population"
)

// stepwise is a model with so many states one after the other, recorded so often.
func stepwise(t *testing.T, states, rows int) *population.Model {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "name: chain\ntime: {unit: day, end: %d}\npopulation: {size: 10, start: {s0: rest}}\n", rows-1)
	b.WriteString("states:\n")
	for i := range states - 1 {
		fmt.Fprintf(&b, "  s%d: {race: [{rate: 1 per day, to: s%d}]}\n", i, i+1)
	}
	fmt.Fprintf(&b, "  s%d: {}\nrecord: {every: 1 day}\n", states-1)
	m, err := population.Compile("chain.yaml", []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// All is recorded over time if it fits into what a replica may report; otherwise fewer times, and
// only then fewer columns. What is left out is said.
func TestCourseFits(t *testing.T) {
	for _, c := range []struct {
		states, rows, scenarios, outputs int
		draw                             []string
		columns, times                   int
		notes                            string
	}{
		{3, 11, 2, 5, nil, 3 + 1 + 2, 11, "[]"},
		{3, 366, 3, 8, nil, 6, 366, "[]"}, // 6 × 366 × 5 are 10,980
		{3, 366, 8, 8, nil, 6, 123, "[over time, one of 3 recorded times is kept; with fewer names in --draw, more are]"},
		{3, 366, 8, 8, []string{"s1", "s1->s2"}, 2, 366, "[]"},
		{3, 2, 2, 5, nil, 6, 2, "[]"},
		{60, 366, 8, 8, nil, 20, 54, "[over time, one of 7 recorded times is kept; with fewer names in --draw, more are " +
			"over time, the first 20 of 120 states and flows are kept; choose with --draw]"},
	} {
		course, err := NewCourse(stepwise(t, c.states, c.rows), c.scenarios, c.outputs, c.draw)
		if err != nil {
			t.Fatal(err)
		}
		last := course.rows[len(course.rows)-1]
		if len(course.columns) != c.columns || len(course.rows) != c.times || fmt.Sprint(course.Notes) != c.notes ||
			course.rows[0] != 0 || last != c.rows-1 {
			t.Errorf("%+v: %d columns, %d times up to %d, %v", c, len(course.columns), len(course.rows), last, course.Notes)
		}
		if n := (len(course.columns)*len(course.rows) + c.outputs) * (2*c.scenarios - 1); n > ensemble.MaxOutputs {
			t.Errorf("%+v: %d numbers", c, n)
		}
	}
	if _, err := NewCourse(stepwise(t, 3, 4), 2, 1, []string{"s1->s3"}); err == nil ||
		!strings.Contains(err.Error(), `--draw: there is no "s1->s3"; did you mean`) {
		t.Error(err)
	}
}

// Thinned incidences are those of the longer intervals; what a scenario does not have is missing.
func TestCourseOfRun(t *testing.T) {
	m := stepwise(t, 3, 366)
	r, err := m.Run(t.Context(), population.Options{Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	course, err := NewCourse(m, 8, 8, []string{"s1", "s0->s1", "s1->s2", "total", "s2", "s0"})
	if err != nil || len(course.rows) != 123 {
		t.Fatalf("%d times, %v", len(course.rows), err)
	}
	numbers := course.Of(m)(&r.Runs[0])
	column := func(name string) (x []float64) {
		i := slices.IndexFunc(course.columns, func(c courseColumn) bool { return c.Name == name })
		for row := range course.rows {
			x = append(x, numbers[row*len(course.columns)+i])
		}
		return x
	}
	moved, left := 0.0, column("s0")
	for row, x := range column("s0->s1") {
		moved += x
		if left[row] != 10-moved {
			t.Errorf("row %d: %g left and %g moved", row, left[row], moved)
		}
	}
	if moved != 10 || column("total")[3] != 10 {
		t.Errorf("%g moved of %v", moved, column("total"))
	}
	for _, x := range course.Of(stepwise(t, 3, 365))(&r.Runs[0]) {
		if x == x { // not NaN
			t.Fatalf("a model with other times has %g", x)
		}
	}
}
