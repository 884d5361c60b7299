package terminal

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

func whole(v float64) string { return fmt.Sprintf("%.0f", v) }

func TestBlocks(t *testing.T) {
	for _, c := range []struct {
		name          string
		times, values []float64
		n             int
		want          string
	}{
		{"up", []float64{0, 1}, []float64{0, 1}, 8, "▁▂▃▄▅▆▇█"},
		{"up and down", []float64{0, 1, 2}, []float64{0, 6, 0}, 4, "▃██▃"},
		{"rows that are not equally far apart", []float64{0, 9, 10}, []float64{0, 0, 1}, 10,
			"▁▁▁▁▁▁▁▁▁█"},
		{"nobody", []float64{0, 1}, []float64{0, 0}, 3, "▁▁▁"},
		{"always as many", []float64{0, 1}, []float64{7, 7}, 3, "███"},
		{"a step at one time", []float64{0, 1, 1, 2}, []float64{0, 0, 4, 4}, 4, "▁▁██"},
		{"one row", []float64{3}, []float64{5}, 2, "██"},
		{"below zero", []float64{0, 1}, []float64{-1, -1}, 2, "▁▁"},
	} {
		if got := Blocks(c.times, c.values, c.n); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestTelling(t *testing.T) {
	names := func(lines []Line) string {
		var s []string
		for _, l := range lines {
			s = append(s, l.Name)
		}
		return strings.Join(s, " ")
	}
	line := func(name string, values ...float64) Line { return Line{name, values} }
	for _, c := range []struct {
		want  string
		lines []Line
	}{
		{"a c", []Line{line("a", 0, 100), line("b", 50, 50), line("c", 10, 23), line("d", 10, 22)}},
		// what comes and goes
		{"ill treated", []Line{line("well", 1000, 900), line("ill", 5, 20), line("immune", 200, 210),
			line("treated", 0, 30)}},
		{"well", []Line{line("well", 1000, 900), line("ill", 20, 19)}}, // nothing does
		{"", []Line{line("a", 3, 3), line("b", 0, 0)}},
		{"", nil},
		{"b c d e f", []Line{line("a", 0, 1), line("b", 0, 2), line("c", 0, 3), line("d", 0, 4), line("e", 0, 5),
			line("f", 0, 6)}},
		{"a b c d e", []Line{line("a", 0, 1), line("b", 0, 1), line("c", 0, 1), line("d", 0, 1), line("e", 0, 1),
			line("f", 0, 1)}},
	} {
		if got := names(Telling(c.lines)); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestChart(t *testing.T) {
	times := []float64{0, 5, 10}
	lines := []Line{{"up", []float64{0, 50, 100}}, {"down", []float64{100, 0, 0}}}
	plain := (&Screen{Columns: 60}).Chart(times, lines, "day", whole)
	for i, row := range strings.Split(plain, "\n") {
		if n := utf8.RuneCountInString(row); n > 60 {
			t.Errorf("row %d has %d columns, there are 60: %s", i, n, row)
		}
	}
	for _, want := range []string{"* up", "• down", "across: day", "10\n"} {
		if !strings.Contains(plain, want) {
			t.Errorf("no %q in\n%s", want, plain)
		}
	}
	if strings.Contains(plain, "\x1b") {
		t.Errorf("colours that were not wanted:\n%q", plain)
	}
	if coloured := (&Screen{Columns: 60, Colours: true}).Chart(times, lines, "day", whole); !strings.Contains(coloured,
		"\x1b[38;5;166m") || !strings.HasSuffix(coloured, "across: day\n") {
		t.Errorf("colours:\n%q", coloured)
	}
	// The rightmost column is as the end is, the axis begins at nobody.
	if rows := strings.Split(plain, "\n"); !strings.HasSuffix(rows[0], "*") || !strings.Contains(plain, "  0 ┼") {
		t.Errorf("the end of the line is not at the top, or 0 not at the bottom:\n%s", plain)
	}
	for _, none := range []string{
		(&Screen{Columns: 20}).Chart(times, lines, "day", whole),
		(&Screen{Columns: 80}).Chart(times[:1], []Line{{"up", []float64{1}}}, "day", whole),
		(&Screen{Columns: 80}).Chart(times, nil, "day", whole),
	} {
		if none != "" {
			t.Errorf("there is nothing to draw, or no room:\n%s", none)
		}
	}
}

func TestNoScreen(t *testing.T) {
	if Of(new(bytes.Buffer)) != nil {
		t.Error("a buffer is no screen")
	}
	f, err := os.Create(t.TempDir() + "/file")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if Of(f) != nil {
		t.Error("a file is no screen")
	}
}
