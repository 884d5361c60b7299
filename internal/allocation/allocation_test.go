package allocation

import (
	"bytes"
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/internal/plot"
)

// The mean of the longest wait, by counting: two bins, each of which deletes a ball with
// probability ½, which waited for 0, 1 or 2 rounds.
func TestMeanLongest(t *testing.T) {
	waits := []float64{0.5, 0.25, 0.25}
	one := map[int]float64{0: 0.5 + 0.25, 1: 0.125, 2: 0.125} // by bin, where none deleted is a wait of 0
	want := 0.0
	for a, p := range one {
		for b, q := range one {
			want += p * q * float64(max(a, b))
		}
	}
	if got := meanLongest(waits, 0.5, 2); math.Abs(got-want) > 1e-15 {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := meanLongest([]float64{0, 0, 1}, 1, 1e6); got != 2 {
		t.Errorf("got %v, want 2", got)
	}
}

// Pictures have no more points than a line needs, and no number that cannot be drawn.
func TestCharts(t *testing.T) {
	rows := make([]Row, 100_000)
	for i := range rows {
		rows[i] = Row{Number: 3 * (i + 1), Round: capped.Round{Pool: i % 7}}
	}
	of := func(r Row) float64 { return float64(r.Pool) }
	for _, logX := range []bool{false, true} {
		s := overTime("measured", rows, 10, logX, of)
		if len(s.X) > mostPoints || len(s.X) < mostPoints/2 || len(s.Low) != len(s.X) {
			t.Errorf("%d points", len(s.X))
		}
		for i := range s.X {
			if !(s.Low[i] <= s.Y[i] && s.Y[i] <= s.High[i]) || i > 0 && s.X[i] <= s.X[i-1] {
				t.Fatalf("point %d at %v is %v in a band from %v to %v", i, s.X[i], s.Y[i], s.Low[i], s.High[i])
			}
		}
	}
	long := plot.Series{X: make([]float64, 12_345), Y: make([]float64, 12_345)}
	long.X[12_344] = 1
	if s := thinned(long); len(s.X) > mostPoints || s.X[len(s.X)-1] != 1 {
		t.Errorf("%d points, the last at %v", len(s.X), s.X[len(s.X)-1])
	}
	for _, waits := range [][]float64{nil, {1}, {0, 1}, {0.5, 0.5, 0, 1e-9, 1e-30}, make([]float64, 5000)} {
		for _, limit := range [][]float64{nil, waits} {
			for _, c := range []plot.Chart{waitsChart("", "", waits, limit), loadsChart("", waits, limit)} {
				if svg, err := c.SVG(); err != nil || bytes.Contains(svg, []byte("NaN")) || bytes.Contains(svg, []byte("Inf")) {
					t.Errorf("%v: %v", waits[:min(5, len(waits))], err)
				}
			}
		}
	}
}

// What is wrong is said in the words of the package: there are no flags here, and the value of a
// sweep is named.
func TestErrors(t *testing.T) {
	none := func(int, int, string) {}
	slow := capped.Config{Bins: 100, Capacity: 2, Rate: 1 - 0x1p-45, Seed: 1}
	_, one := Measure(context.Background(), slow, capped.Plan{}, false, none)
	_, swept := NewSweep(Rate, []Value{{"near", slow.Rate}, {"half", 0.5}}).Measure(context.Background(), slow,
		capped.Plan{}, none)
	_, batch := Threshold(context.Background(), capped.Config{Kind: capped.Threshold, Bins: -1, Capacity: 1, Rate: 1}, 0,
		none, nil)
	for err, want := range map[error]string{one: "takes 1.76e+13 rounds to relax", swept: "rate near: the process takes",
		batch: "capped: "} {
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "--") {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if !errors.Is(one, capped.ErrSlow) || !errors.Is(swept, capped.ErrSlow) {
		t.Errorf("%v and %v are not ErrSlow", one, swept)
	}
}

// A sweep is in order, each value once.
func TestNewSweep(t *testing.T) {
	s := NewSweep(Capacity, []Value{{"4", 4}, {"1", 1}, {"2", 2}, {"2^1", 2}})
	var names []string
	for _, v := range s.Values {
		names = append(names, v.Name)
	}
	if got := strings.Join(names, " "); got != "1 2 4" {
		t.Errorf("got %s", got)
	}
}

// What is interrupted says so, and has what there is.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	stop := func(int, int, string) { cancel() }
	c := capped.Config{Bins: 1000, Capacity: 2, Rate: 0.99, Seed: 1}
	p, err := Measure(ctx, c, capped.Plan{Rounds: 100_000}, true, stop)
	if !errors.Is(err, context.Canceled) || !p.Incomplete || p.Measured != nil || len(p.Rows()) == 0 || len(p.Rows()) >
		1000 {
		t.Errorf("%v, %+v", err, p)
	}
	swept, err := NewSweep(Capacity, []Value{{"1", 1}}).Measure(ctx, c, capped.Plan{Rounds: 100}, stop)
	if !errors.Is(err, context.Canceled) || !swept.Incomplete || len(swept.Points) > 0 {
		t.Errorf("%v, %+v", err, swept)
	}
}
