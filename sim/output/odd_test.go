package output_test

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/sim"
	"github.com/almanac-sim/almanac/sim/analysis"
	"github.com/almanac-sim/almanac/sim/history"
	"github.com/almanac-sim/almanac/sim/output"
)

// Names of all kinds make files that can be read, and pictures that are XML, with each name in one
// line.
func TestNamesOfAllKinds(t *testing.T) {
	for i, name := range []string{"a, b;\t\"c\"", "two\nlines\r\nof it", "Zürich 東京 🚀", "</text><b>&amp;",
		"\x00\x01\x1f\u0085", "\xff\xfe broken", "../../etc/x", " ", "CON"} {
		s := sim.New(sim.Name(name))
		s.Keep(sim.EveryChange(100))
		desk := sim.NewResource(s, name, 1)
		s.NewTally(name + "!").Add(1)
		for range 3 {
			s.Go(name, func(p *sim.Process) { _ = desk.Work(p, 1, 2) })
		}
		if err := s.Run(context.Background(), 10); err != nil {
			t.Fatal(err)
		}
		for _, p := range []output.Picture{
			output.TimeSeries(name, s.AllTimeSeries()), output.Utilization(name, s.AllTimeSeries()),
			output.Histogram(name, s.AllObservations()[0]), output.Gantt(name, s.AllHoldings()),
			output.Bands(name, [][]history.Series{s.AllTimeSeries()}, 0.9), output.WarmUp(name, []float64{1, 2},
				analysis.WarmUp{}),
		} {
			text := svg(t, p)
			for d := xml.NewDecoder(strings.NewReader(text)); ; {
				if _, err := d.Token(); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatalf("%q: %v", name, err)
				}
			}
			for _, m := range regexp.MustCompile(`(?s)(?:<text [^>]*>|aria-label=")([^<"]*)`).FindAllStringSubmatch(text, -1) {
				if strings.ContainsAny(m[1], "\n\r\t") || strings.Contains(m[1], "&#xA;") {
					t.Errorf("%q is drawn as %q", name, m[1])
				}
			}
		}
		dir := t.TempDir()
		for range 1 + max(0, 1-i) { // the second time over the first, for one of the names
			if err := output.Save(dir, s, output.Tables(output.Formats()...), output.Pictures(".svg")); err != nil {
				t.Errorf("%q: %v", name, err)
			}
		}
		if got := len(files(t, dir)); got != 4*3+5 {
			t.Errorf("%q: %d files, %q", name, got, files(t, dir))
		}
		s.Close()
	}
}

// A histogram has bars that are filled, and none where observations are so far apart that there is
// no number for how far.
func TestHistogramOfAllKinds(t *testing.T) {
	of := func(values ...float64) output.Picture {
		o := history.Observations{N: int64(len(values)), Batch: 1}
		for _, x := range values {
			o.Entries = append(o.Entries, history.Observation{Value: x, Mean: x, Min: x, Max: x, N: 1})
		}
		return output.Histogram("", o)
	}
	filled := regexp.MustCompile(`<path [^>]*fill:#D45D00;fill-opacity`)
	for _, p := range []output.Picture{of(1), of(1, 2), of(-3, -2, -2), of(1e15, 1e15+1), of(1e-300, 2e-300),
		of(-1e307, 1e307)} {
		if text := svg(t, p); !filled.MatchString(text) || strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
			t.Error("there are bars that are not filled, or not drawn")
		}
	}
	if text := svg(t, of(-math.MaxFloat64, 0, math.MaxFloat64)); !strings.Contains(text, "too far apart") {
		t.Error("nothing is said of what is too far apart")
	}
	if err := (output.Picture{}).Save(filepath.Join(t.TempDir(), "a.svg")); err == nil {
		t.Error("nothing is drawn")
	}
}

// The end of the warm-up is drawn through all that is drawn of the values, above 0 and below.
func TestWarmUpBelowZero(t *testing.T) {
	dashed := regexp.MustCompile(`<path d="M[\d.]+,([\d.]+)L[\d.]+,([\d.]+)"[^>]*stroke-dasharray`)
	for _, sign := range []float64{1, -1} {
		x := make([]float64, 200)
		for i := range x {
			x[i] = sign * (10 - 8*math.Exp(-float64(i)/10))
		}
		m := dashed.FindStringSubmatch(svg(t, output.WarmUp("", x, analysis.MSER5(x))))
		if m == nil || m[1] == m[2] {
			t.Errorf("the end of the warm-up of values around %g is drawn at %q", 10*sign, m)
		}
	}
}

// Wrong options are told once, and before anything is written.
func TestWrongOptionsWriteNothing(t *testing.T) {
	s := shop(t)
	r, runs := experiment(t)
	for want, option := range map[string]output.Option{`no format "xml"`: output.Tables(output.CSV, "xml"),
		`the ending "gif"`: output.Pictures(".svg", "gif")} {
		dir := t.TempDir()
		for _, err := range []error{output.Save(dir, s, option), output.SaveResults(dir, r, runs, option)} {
			if err == nil || strings.Count(err.Error(), want) != 1 || len(files(t, dir)) > 0 {
				t.Errorf("%v; %v are written", err, files(t, dir))
			}
		}
	}
}
