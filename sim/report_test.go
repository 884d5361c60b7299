package sim

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestReport(t *testing.T) {
	s := New()
	wait, length := s.NewTally("wait"), s.NewLevel("Länge der Schlange", 0)
	s.NewTally("never seen")
	s.WarmUp(2)
	for i := range 12 {
		s.At(float64(i)+0.5, func() {
			wait.Add(float64(i))
			length.Set(float64(i % 3))
		})
	}
	if err := s.Run(t.Context(), 12); err != nil {
		t.Fatal(err)
	}
	r := s.Report()
	// After the reset at 2: waits 2 … 11, and lengths 1 for half a unit, then 2, 0, 1, 2, … for one each, and 2 for the last half.
	if row, ok := r.Row("wait"); !ok || row.Level || row.N != 10 || row.Mean != 6.5 || row.Min != 2 || row.Max != 11 || row.Time != 0 {
		t.Errorf("wait: %+v", row)
	}
	row, ok := r.Row("Länge der Schlange")
	if !ok || !row.Level || row.Time != 10 || row.N != 0 || !near(row.Mean, 1.05, 1e-14) || row.Min != 0 || row.Max != 2 {
		t.Errorf("length: %+v", row)
	}
	if row, ok := r.Row("never seen"); !ok || row.N != 0 || !math.IsNaN(row.Mean) {
		t.Errorf("never seen: %+v", row)
	}
	if _, ok := r.Row("nobody's"); ok || r.Now != 12 || len(r.Rows) != 3 {
		t.Errorf("the report is %+v", r)
	}
	want := `statistic           mean        sd  min  max   n  time
wait                 6.5   3.02765    2   11  10
Länge der Schlange  1.05  0.804674    0    2        10
never seen             –         –    –    –   0
`
	if r.String() != want {
		t.Errorf("the report is\n%s, want\n%s", r, want)
	}
	// The names are as wide as they look, not as many bytes as they have.
	for _, line := range strings.Split(r.String(), "\n")[1:3] {
		if column := utf8.RuneCountInString(line[:strings.Index(line, "5  ")]); column != 23 && column != 22 {
			t.Errorf("the mean ends in column %d of %q", column, line)
		}
	}
}
