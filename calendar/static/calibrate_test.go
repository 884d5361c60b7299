package static

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// Nothing here depends on how fast the machine is.

// synthetic are points whose times a model gives.
func synthetic(n int, model func(p CalibrationPoint) float64) []CalibrationPoint {
	var points []CalibrationPoint
	for _, x := range defaultWidths(n) {
		p := CalibrationPoint{X: x, Width: x / float64(n), Buckets: bucketsToTime(n, x), Spread: 1}
		p.Measured = model(p)
		points = append(points, p)
	}
	return points
}

// linear is the model of the theory, with the given costs.
func linear(n int, k Costs) func(CalibrationPoint) float64 {
	return func(p CalibrationPoint) float64 {
		empty, entries := p.steps(n)
		return k.Empty*empty + k.Entry*entries + k.Fixed
	}
}

func TestFitFindsExactCosts(t *testing.T) {
	for _, n := range []int{2, 50, 10_000, 10_000_000} {
		for _, want := range []Costs{{2e-9, 3e-9, 30e-9}, {1e-3, 1e-6, 5}, {1, 1, 1}} {
			c, err := fitCalibration(n, Ordered, synthetic(n, linear(n, want)))
			if err != nil {
				t.Fatal(err)
			}
			wantNear(t, "b", c.Costs.Empty/want.Empty, 1, 1e-6)
			wantNear(t, "c", c.Costs.Entry/want.Entry, 1, 1e-3) // a millionth of d
			wantNear(t, "d", c.Costs.Fixed/want.Fixed, 1, 1e-6)
			if !c.Fits || c.Why != "" || c.Misfit > 1e-9 || c.N != n || c.Discipline != Ordered {
				t.Errorf("N = %d: %+v", n, c)
			}
			wantNear(t, "the predicted x", c.PredictedX, math.Sqrt(2*c.Costs.Empty/c.Costs.Entry), 0)
			wantNear(t, "the predicted time", c.PredictedTime/must(c.Costs.Least()), 1, 1e-12)
		}
	}
}

// What is off by a sixth at the narrow end when many buckets do not fit into memory is accounted
// for.
func TestFitKnowsOfTheExcess(t *testing.T) {
	const n = 1_000_000
	narrow := CalibrationPoint{X: 1. / 64, Width: 1. / 64 / n, Buckets: bucketsToTime(n, 1./64)}
	if narrow.Buckets != mostBuckets {
		t.Fatalf("%d buckets", narrow.Buckets)
	}
	_, entries := narrow.steps(n)
	l := must(Excess(n, narrow.Buckets, ExponentialJump(1), narrow.Width))
	want := must(Costs{1e-300, 1, 0}.WithBuckets(n, 1, narrow.Width,
		must(Costs{1e-300, 1, 0}.PerEvent(n, 1, narrow.Width)), l))
	wantNear(t, "entries for each event", entries/want, 1, 1e-6)
}

// Errors of 5 % and, at two of 23 widths, a time 1.5 to 3 times as long. Over many samples the
// costs are right on average, and each within 4.5 of the standard errors that it came with, but for
// a factor of 1.5: with twenty degrees of freedom those are themselves uncertain by a sixth, and at
// 1.5 times too small by chance in a sample of hundreds. Not so where both long times are among the
// three narrowest widths or the three widest: they alone tell b or c, and no fit can know that they
// lie.
func TestFitIsRobust(t *testing.T) {
	const n, samples = 10_000, 300
	want := Costs{2e-9, 3e-9, 30e-9}
	rng := rand.New(rand.NewPCG(1, 0))
	var b, c, d batchMeans
	for range samples {
		points := synthetic(n, linear(n, want))
		bad := rng.Perm(len(points))[:2]
		hopeless := max(bad[0], bad[1]) < 3 || min(bad[0], bad[1]) >= len(points)-3
		for i := range points {
			points[i].Measured *= 1 + 0.05*rng.NormFloat64()
			if slices.Contains(bad, i) {
				points[i].Measured *= 1.5 + 1.5*rng.Float64()
			}
		}
		got, err := fitCalibration(n, Unordered, points)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range []struct {
			got, want, se float64
			all           *batchMeans
		}{
			{got.Costs.Empty, want.Empty, got.StdErr.Empty, &b},
			{got.Costs.Entry, want.Entry, got.StdErr.Entry, &c},
			{got.Costs.Fixed, want.Fixed, got.StdErr.Fixed, &d},
		} {
			k.all.add(k.got / k.want)
			if z := (k.got - k.want) / k.se; math.Abs(z) > 4.5*1.5 && !hopeless {
				t.Errorf("%v is off by %.1f standard errors from %v", k.got, z, k.want)
			}
		}
	}
	for name, all := range map[string]batchMeans{"b": b, "c": c, "d": d} {
		mean, se := all.mean()
		t.Logf("%s: %.4f ± %.4f", name, mean, se)
		// Weights of 1/measured² favour what came out short: by 2σ² = 0.5 %, and b or c by some
		// times that at the cost of d.
		wantNear(t, name+", on average", mean, 1, 4.5*se+4*0.05*0.05)
	}
}

func TestFitRefusesOtherModels(t *testing.T) {
	for name, c := range map[string]struct {
		model func(CalibrationPoint) float64
		why   string
	}{
		"narrow widths cost nothing": {func(p CalibrationPoint) float64 { return 1e-9 * (10 + p.X) }, "b came out as"},
		"wide widths cost nothing": {func(p CalibrationPoint) float64 { return 1e-9 * (10 + 1/p.X - 1e-3*p.X) },
			"c came out as -"},
		"nothing is fixed": {func(p CalibrationPoint) float64 {
			return 1e-9 * (5/p.X + 10*p.X - 2)
		}, "d came out as -"},
		"a cliff": {func(p CalibrationPoint) float64 {
			if p.X < 1 {
				return 100e-9 / p.X
			}
			return 1e-9 * (2 + p.X)
		}, "apart"},
		"quadratic lists": {func(p CalibrationPoint) float64 { return 1e-9 * (1/p.X + p.X*p.X) }, "apart"},
	} {
		got, err := fitCalibration(1000, Unordered, synthetic(1000, c.model))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got.Fits || !strings.Contains(got.Why, c.why) {
			t.Errorf("%s: fits %v, because %q", name, got.Fits, got.Why)
		}
		if err := got.Costs.check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := json.Marshal(got); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		// The calendar is as wide as the best that was timed.
		cfg, err := got.Config(500, 3, 0.01)
		if err != nil || cfg.Width != got.BestX*3/500 || cfg.Buckets != int(math.Ceil(math.Log(101)*500/got.BestX)) {
			t.Errorf("%s: %+v, %v", name, cfg, err)
		}
	}
	points := synthetic(1000, linear(1000, unit))
	points[3].Measured = 0
	if _, err := fitCalibration(1000, Unordered, points); err == nil || !strings.Contains(err.Error(),
		"a time measured is 0") {
		t.Errorf("no time at all: %v", err)
	}
}

func TestTimeBetweenPoints(t *testing.T) {
	points := []CalibrationPoint{{X: 1, Measured: 4}, {X: 4, Measured: 1}, {X: 16, Measured: 9}}
	for _, c := range [][2]float64{{0.5, 4}, {1, 4}, {2, 2}, {4, 1}, {8, 3}, {16, 9}, {100, 9}} {
		wantNear(t, "the time", timeAt(points, c[0]), c[1], 1e-14)
	}
	// Costs of 1, 1, 1 have their best at √2, which was not timed.
	c := must(fitCalibration(10_000, Unordered, synthetic(10_000, linear(10_000, unit))))
	if c.Off < 0 || c.Off > 0.01 || c.BestX < 1.2 || c.BestX > 1.6 {
		t.Errorf("best %v, off by %v", c.BestX, c.Off)
	}
}

func TestConfigOfACalibration(t *testing.T) {
	c := must(fitCalibration(10_000, JustInTime, synthetic(10_000, linear(10_000, unit))))
	cfg, err := c.Config(1000, 5, 0.0501)
	if err != nil {
		t.Fatal(err)
	}
	wantNear(t, "the width", cfg.Width, math.Sqrt2*5/1000, 1e-9)
	if cfg.Buckets < 1915 || cfg.Buckets > 1925 || cfg.Capacity != 1000 || cfg.Discipline != JustInTime {
		t.Errorf("%+v", cfg)
	}
	s, err := c.New(1000, 5)
	if err != nil || s.Bytes() < 12*1001+4*3015 || s.Bytes() > 12*1001+4*3025 {
		t.Errorf("%d bytes, %v", s.Bytes(), err)
	}
	for _, wrong := range []error{
		second(c.Config(0, 1, 0.01)), second(c.Config(1, 0, 0.01)), second(c.Config(1, 1, math.NaN())), second(c.New(-1, 1)),
		second((&Calibration{}).New(10, 1)),
	} {
		if wrong == nil {
			t.Error("not refused")
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestCalibrateTiny(t *testing.T) {
	for _, d := range []Discipline{Unordered, Ordered, JustInTime} {
		calls := 0
		o := CalibrateOptions{N: 50, Discipline: d, Repetitions: 2, Least: 100 * time.Microsecond,
			Widths: []float64{4, 1, 0.25, 2, 0.5, 1}}
		o.Progress = func(done, of int) {
			if calls++; done != calls || of != 10 {
				t.Errorf("progress %d of %d at call %d", done, of, calls)
			}
		}
		c, err := Calibrate(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if calls != 10 || c.N != 50 || c.Discipline != d || len(c.Points) != 5 {
			t.Fatalf("%d calls, %+v", calls, c)
		}
		for i, x := range []float64{0.25, 0.5, 1, 2, 4} {
			p := c.Points[i]
			if p.X != x || p.Width != x/50 || p.Buckets != int(600/x+1) || !(p.Measured > 0 && p.Predicted > 0 && p.Spread >=
				1) {
				t.Errorf("%+v", p)
			}
			if p.Measured < c.BestTime {
				t.Errorf("the best is %v, but there is %v", c.BestTime, p.Measured)
			}
		}
		if s, err := c.New(50, 1); err != nil || s.Schedule(49, 1) != nil {
			t.Errorf("%v", err)
		}
		text, err := json.Marshal(c)
		var back Calibration
		if err != nil || json.Unmarshal(text, &back) != nil || back.Discipline != d || back.Costs != c.Costs ||
			!strings.Contains(string(text), `"discipline":"`+d.String()+`"`) {
			t.Errorf("JSON is %s, %v", text, err)
		}
	}
}

// What is timed is the hold model, and the calendar stays whole.
func TestTrialHolds(t *testing.T) {
	o, err := CalibrateOptions{N: 200}.complete()
	if err != nil || o.Repetitions != 5 || o.Least != 5*time.Millisecond || len(o.Widths) < 18 {
		t.Fatalf("%+v, %v", o, err)
	}
	tr := &trial{o: o, jumps: 1}
	for _, buckets := range []int{5000, 100} {
		if err := tr.fill(t.Context(), 12./float64(buckets), buckets); err != nil {
			t.Fatal(err)
		}
		tr.hold()
		if tr.s.Len() != 200 || tr.s.Work().Dispatched != chunk {
			t.Errorf("%d events, %+v", tr.s.Len(), tr.s.Work())
		}
	}
}

func TestCalibrateIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	o := CalibrateOptions{N: 50, Least: time.Microsecond, Progress: func(done, _ int) {
		if done == 3 {
			cancel()
		} else if done > 3 {
			t.Errorf("width %d was timed after that", done)
		}
	}}
	if _, err := Calibrate(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestCalibrateRefuses(t *testing.T) {
	for _, c := range []struct {
		o    CalibrateOptions
		want string
	}{
		{CalibrateOptions{N: 1}, "CalibrateOptions.N is 1, must be from 2 to"},
		{CalibrateOptions{N: -5}, "CalibrateOptions.N is -5"},
		{CalibrateOptions{Discipline: 9}, "CalibrateOptions.Discipline is Discipline(9)"},
		{CalibrateOptions{Repetitions: -1}, "CalibrateOptions.Repetitions is -1, must be from 1 to 1000000"},
		{CalibrateOptions{Least: -time.Second}, "CalibrateOptions.Least is -1s, must be not negative"},
		{CalibrateOptions{Widths: []float64{1, 2, 3, -4}},
			"a width of CalibrateOptions.Widths is -4, must be positive and finite"},
		{CalibrateOptions{Widths: []float64{1, 2, 3, math.NaN()}}, "Widths is NaN"},
		{CalibrateOptions{Widths: []float64{}}, "the number of different CalibrateOptions.Widths is 0"},
		{CalibrateOptions{Widths: []float64{1, 2, 3, 3}}, "is 3, must be 4 or more"},
	} {
		if _, err := Calibrate(t.Context(), c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

func TestDefaultWidths(t *testing.T) {
	widths := defaultWidths(1_000_000)
	if len(widths) < 18 || len(widths) > 25 || widths[0] != 1./64 || widths[len(widths)-1] != 64 ||
		!slices.IsSorted(widths) {
		t.Errorf("%v", widths)
	}
	if few := defaultWidths(2); few[len(few)-1] != 8 || len(few) < 15 {
		t.Errorf("%v", few)
	}
}
