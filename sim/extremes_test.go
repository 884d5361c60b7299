package sim

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/sim/history"
)

var (
	extremeInts   = []int{math.MinInt, math.MinInt + 1, -1, 0, 1, 2, math.MaxInt - 1, math.MaxInt}
	extremeFloats = []float64{math.NaN(), math.Inf(-1), -math.MaxFloat64, -1, -math.SmallestNonzeroFloat64, 0,
		math.SmallestNonzeroFloat64, 1e-300, 1, 1e300, math.MaxFloat64, math.Inf(1)}
)

// tolerates calls do, which may panic with a message of the package and with nothing else.
func tolerates(t *testing.T, what string, do func()) {
	t.Helper()
	defer func() {
		t.Helper()
		p := recover()
		if text := fmt.Sprint(p); p != nil && !strings.HasPrefix(text, "sim: ") && !strings.HasPrefix(text, "history: ") {
			t.Errorf("%s panics: %v", what, p)
		}
	}()
	do()
}

// Every int is either taken or refused in words.
func TestExtremeInts(t *testing.T) {
	course := history.Series{End: 1, Points: []history.Point{{From: 0, Mean: 1}}}
	for _, n := range extremeInts {
		for name, f := range map[string]func(){
			"Means":       func() { course.Means(n) },
			"EveryChange": func() { keepAndChange(EveryChange(n)) },
			"Sampled":     func() { keepAndChange(Sampled(1, n)) },
			"Thinned":     func() { keepAndChange(Thinned(n)) },
			"Tally.KeepObservations": func() {
				tally := NewTally()
				tally.KeepObservations(n, nil)
				for i := range 10 {
					tally.Add(float64(i))
				}
				tally.Observations()
			},
			"Erlang": func() { Erlang(n, 1).Draw(rand.New(rand.NewPCG(1, 1))) },
			"Batches": func() {
				b := Batches(Poisson(rand.New(rand.NewPCG(1, 1)), 1), func() int { return n })
				at, _ := b.Next(0)
				b.Next(at)
			},
			"NewStore": func() {
				st := NewStore[int](New(), "store", n)
				st.TryPut(1)
				st.TryPut(2)
				st.TryGet()
			},
			"NewSortedStore": func() { NewSortedStore(New(), "store", n, cmp.Compare[int]).TryPut(1) },
			"AtMost":         func() { AtMost(n) },
			"Daily": func() {
				d := Daily{Shifts: []Shift{{From: 1, To: 2, Units: n}}, Otherwise: n}
				d.At(1.5)
				d.Most()
			},
			"Dated": func() {
				s := New()
				r := NewResource(s, "desk", 1)
				r.Schedule(Dated{Shifts: []Shift{{From: 1, To: 2, Units: n}}})
				_ = s.Run(context.Background(), 3)
			},
			"Priority": func() {
				s := New()
				s.At(1, func() {}, Priority(n))
				s.At(1, func() {}, Priority(-n))
				s.At(1, func() { s.After(0, func() {}, Priority(n)) })
				_ = s.Run(context.Background(), 3)
			},
			"BreakdownConfig": func() {
				s := New()
				NewResource(s, "machine", 2).Break(BreakdownConfig{ToFailure: Constant(1), Repair: Constant(1), Units: n})
				_ = s.Run(context.Background(), 5)
			},
		} {
			tolerates(t, fmt.Sprintf("%s(%d)", name, n), f)
		}
		for _, capacity := range extremeInts {
			tolerates(t, fmt.Sprintf("a resource of %d, and %d units", capacity, n), func() {
				s := New()
				r := NewResource(s, "desk", capacity)
				r.KeepHoldings(max(n, 1))
				r.SetCapacity(max(capacity, 1))
				for range 2 {
					s.Go("one", func(p *Process) {
						_ = r.Use(p, n, func() error { return p.Wait(1) }, Rank(n))
						_ = r.Use(p, 1, func() error { return p.Wait(1) }, Rank(-n), AtMost(max(n, 0)))
					})
					r.TryRequest(n)
				}
				_ = s.Run(context.Background(), 100)
				if r.InUse() < 0 || r.InUse() > r.Capacity() {
					t.Errorf("a resource of %d, and %d units: %d are in use", capacity, n, r.InUse())
				}
				s.Close()
			})
		}
	}
}

func keepAndChange(k Retention) {
	s := New()
	l := s.NewTimeWeighted("level", 0)
	l.Keep(k)
	for i := range 100 {
		s.At(float64(i), func() { l.Set(float64(i)) })
	}
	_ = s.Run(context.Background(), 100)
	l.TimeSeries()
}

// A unit more than there are is not granted, however many are asked for.
func TestResourceOfTheLargestNumber(t *testing.T) {
	s := New()
	r := NewResource(s, "desk", math.MaxInt)
	one, ok := r.TryRequest(1)
	if !ok {
		t.Fatal("one unit is refused")
	}
	if _, ok := r.TryRequest(math.MaxInt); ok {
		t.Error("more units are granted than there are")
	}
	s.Go("greedy", func(p *Process) {
		g, err := r.Request(p, math.MaxInt)
		if err != nil || p.Now() != 5 {
			t.Errorf("granted at %v: %v", p.Now(), err)
		}
		if _, ok := r.TryRequest(1); ok {
			t.Error("a unit is granted and none is free")
		}
		g.Release()
	})
	s.At(5, one.Release)
	if err := s.Run(context.Background(), 10); err != nil {
		t.Fatal(err)
	}
	if r.InUse() != 0 {
		t.Errorf("%d are in use", r.InUse())
	}
	s.Close()
}

// Every float64 is either taken or refused in words.
func TestExtremeFloats(t *testing.T) {
	ctx := context.Background()
	for _, x := range extremeFloats {
		r := rand.New(rand.NewPCG(1, 1))
		course := history.Series{End: 1, Points: []history.Point{{From: 0, Mean: 1}}}
		table, err := NewRateTable([]float64{0, 8, 12}, []float64{0, 20, 1e-300}, 24)
		if err != nil {
			t.Fatal(err)
		}
		for name, f := range map[string]func(){
			"At":             func() { New().At(x, func() {}) },
			"After":          func() { New().After(x, func() {}) },
			"GoAt":           func() { New().GoAt(x, "p", func(*Process) {}) },
			"GoAfter":        func() { New().GoAfter(x, "p", func(*Process) {}) },
			"Timeout":        func() { New().Timeout(x) },
			"WarmUp":         func() { New().WarmUp(x) },
			"StartAt":        func() { New(StartAt(x)) },
			"RealTime":       func() { New(RealTime(x)) },
			"Run":            func() { _ = New().Run(ctx, x) },
			"Patience":       func() { Patience(x) },
			"QuantileSketch": func() { NewTally(QuantileSketch(x)).Add(1) },
			"Tally": func() {
				tally := NewTally(QuantileSketch(0.01))
				tally.Add(x)
				tally.Add(1)
				tally.Quantile(0.5)
				tally.CI(0.95)
			},
			"Tally.Quantile": func() { NewTally(QuantileSketch(0.01)).Quantile(x) },
			"Tally.CI":       func() { NewTally().CI(x) },
			"TimeWeighted": func() {
				l := NewTimeWeighted(func() float64 { return 0 }, x, QuantileSketch(0.01))
				l.Set(x)
				l.Add(x)
				l.Quantile(0.5)
			},
			"TimeSeries": func() {
				course.At(x)
				course.Integral(x, 1)
				course.Integral(0, x)
			},
			"Rate": func() {
				table.Rate(x)
				table.Expected(x, 1)
				table.Expected(1, x)
				table.Poisson(r).Next(x)
			},
			"NewRateTable": func() {
				for _, from := range []float64{0, x} {
					for _, period := range []float64{0, x} {
						if table, err := NewRateTable([]float64{from}, []float64{x}, period); err == nil {
							table.Poisson(r).Next(0)
							table.Rate(x)
							table.Expected(0, x)
						}
					}
				}
			},
			"Poisson":      func() { Poisson(r, x).Next(0) },
			"Appointments": func() { Appointments(r, []float64{1, x}, 0.5, Constant(0)) },
			"noShow":       func() { Appointments(r, []float64{1}, x, Constant(0)) },
			"Recorded":     func() { Recorded([]float64{0, x}).Next(0) },
			"Gaps":         func() { Gaps([]float64{0, x}) },
			"Constant":     func() { Constant(x).Draw(r) },
			"Exponential":  func() { Exponential(x).Draw(r) },
			"Empirical":    func() { Empirical([]float64{1, x}).Draw(r) },
			"Interpolated": func() { Interpolated([]float64{1, x}).Draw(r) },
			"Erlang":       func() { Erlang(2, x).Draw(r) },
			"Sampled":      func() { keepAndChange(Sampled(x, 10)) },
			"Gate": func() {
				NewGate(New(), "door", Daily{Shifts: []Shift{{From: 0, To: x, Units: 1}}}).Enter()
			},
			"Dated": func() { Dated{Shifts: []Shift{{From: x, To: 5, Units: 1}}}.At(x) },
			"Daily": func() {
				Daily{Shifts: []Shift{{From: 8, To: 12, Units: 1}}}.At(x)
				Daily{Shifts: []Shift{{From: 0, To: x / 2, Units: 1}}, Day: x}.At(1)
			},
			"Begins": func() { Daily{Shifts: []Shift{{From: 8, To: 12, Units: 1}}, Begins: x}.At(1) },
			"Except": func() {
				of := Dated{Shifts: []Shift{{From: 0, To: 5, Units: 1}}}
				Except{Of: of, Times: []Shift{{From: x, To: 1, Units: 1}}}.At(x)
			},
		} {
			tolerates(t, fmt.Sprintf("%s(%v)", name, x), f)
		}
		for _, y := range extremeFloats {
			for name, f := range map[string]func(a, b float64) Distribution{
				"Gamma": Gamma, "Hyperexponential": Hyperexponential, "Lognormal": Lognormal, "Normal": Normal,
				"Uniform": Uniform, "Weibull": Weibull,
				"Triangular": func(a, b float64) Distribution { return Triangular(a, a, b) },
			} {
				tolerates(t, fmt.Sprintf("%s(%v, %v)", name, x, y), func() {
					d := f(x, y)
					for range 10 {
						if draw := d.Draw(r); math.IsNaN(draw) {
							t.Errorf("%s(%v, %v) gives %v", name, x, y, draw)
						}
					}
					_ = d.String()
				})
			}
			tolerates(t, fmt.Sprintf("a container of %v with %v", x, y), func() {
				s := New()
				c := NewContainer(s, "tank", x, y)
				c.TryGet(x)
				c.TryPut(y)
				s.Go("p", func(p *Process) {
					_ = c.Put(p, x, Patience(1))
					_ = c.Get(p, y, Patience(1))
				})
				_ = s.Run(ctx, 10)
				s.Close()
			})
			tolerates(t, fmt.Sprintf("Every(%v, %v)", x, y), func() {
				s := New()
				n := 0
				s.Every(x, y, func() {
					if n++; n == 5 {
						s.Stop()
					}
				})
				_ = s.Run(ctx, math.Inf(1))
			})
			tolerates(t, fmt.Sprintf("VaryingPoisson(%v, %v)", x, y), func() {
				VaryingPoisson(r, func(float64) float64 { return x }, x, y).Next(0)
			})
		}
	}
}

// Minus zero is a time like zero, and the clock never shows it.
func TestMinusZero(t *testing.T) {
	minus := math.Copysign(0, -1)
	for name, f := range map[string]func(s *Simulation){
		"At":        func(s *Simulation) { s.At(minus, func() {}) },
		"WaitUntil": func(s *Simulation) { s.GoAt(-1, "p", func(p *Process) { _ = p.WaitUntil(minus) }) },
		"Run":       func(*Simulation) {},
	} {
		s := New(StartAt(-1))
		f(s)
		if err := s.Run(background, minus); err != nil || math.Signbit(s.Now()) {
			t.Errorf("%s: the clock is at %g: %v", name, s.Now(), err)
		}
	}
	s := New(StartAt(-1))
	s.At(minus, func() {
		if math.Signbit(s.Now()) {
			t.Errorf("in an event at %g", s.Now())
		}
	})
	s.Go("p", func(p *Process) {
		if _ = p.WaitUntil(minus); math.Signbit(p.Now()) {
			t.Errorf("in a process at %g", p.Now())
		}
	})
	run(t, s)
}

// Work that goes on so late that it would end after the largest time never ends.
func TestWorkBeyondTheLargestTime(t *testing.T) {
	s := New()
	defer s.Close()
	desk := NewResource(s, "desk", 1)
	desk.Schedule(Dated{Shifts: []Shift{{1, 1e308, 0}}, Otherwise: 1}, Restart)
	p := s.Go("worker", func(p *Process) { _ = desk.Work(p, 1, 1.7e308) })
	run(t, s)
	if got := p.Status(); got != "works with desk" || s.Now() != 1e308 || desk.InUse() != 1 {
		t.Errorf("at %g it %s, and %d are in use", s.Now(), got, desk.InUse())
	}
}
