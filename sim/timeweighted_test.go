package sim

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A stretch is a part of a path: a value and how long it lasted.
type stretch struct{ value, lasted float64 }

// A pathLevel is a TimeWeighted beside all stretches of its path, of which the statistics are found
// anew each time.
type pathLevel struct {
	now   float64
	level *TimeWeighted
	path  []stretch
}

func newPathLevel(start, initial float64, opts ...StatOption) *pathLevel {
	p := &pathLevel{now: start}
	p.level = NewTimeWeighted(func() float64 { return p.now }, initial, opts...)
	return p
}

func (p *pathLevel) advance(d float64) {
	before := p.now
	p.now += d
	p.path = append(p.path, stretch{p.level.Value(), p.now - before})
}

func (p *pathLevel) reset() {
	p.level.Reset()
	p.path = nil
}

// check compares all statistics with those of the path.
func (p *pathLevel) check(t *testing.T, tolerance, accuracy float64) {
	t.Helper()
	l := p.level
	total, area := 0.0, 0.0
	low, high := l.Value(), l.Value()
	var lasting []stretch
	for _, s := range p.path {
		if s.lasted > 0 {
			lasting = append(lasting, s)
			total += s.lasted
			area += s.value * s.lasted
			low, high = min(low, s.value), max(high, s.value)
		}
	}
	mean, variance := l.Value(), 0.0
	if total > 0 {
		mean = area / total
		for _, s := range lasting {
			variance += (s.value - mean) * (s.value - mean) * s.lasted / total
		}
	}
	if math.Abs(l.Mean()-mean) > tolerance || math.Abs(l.Var()-variance) > tolerance || !near(l.Observed(), total, 1e-12) {
		t.Fatalf("mean %v, variance %v, time %v; want %v, %v, %v", l.Mean(), l.Var(), l.Observed(), mean, variance, total)
	}
	if l.Min() != low || l.Max() != high {
		t.Fatalf("min %v and max %v, want %v and %v", l.Min(), l.Max(), low, high)
	}
	if accuracy == 0 {
		return
	}
	slices.SortFunc(lasting, func(a, b stretch) int { return cmp.Compare(a.value, b.value) })
	for _, q := range []float64{0, 0.123, 0.5, 0.877, 1} {
		want, passed := l.Value(), 0.0
		for _, s := range lasting {
			want = s.value
			if passed += s.lasted; passed >= q*total {
				break
			}
		}
		switch q {
		case 0:
			want = low
		case 1:
			want = high
		}
		if got := l.Quantile(q); !near(got, want, accuracy*(1+1e-9)) {
			t.Fatalf("quantile %v is %v, want %v", q, got, want)
		}
	}
}

// Random paths, with several changes at an instant, instants without a change, questions in between
// and resets.
func TestTimeWeightedAgainstItsPath(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	for range 300 {
		p := newPathLevel(100*random.NormFloat64(), float64(random.IntN(5)), QuantileSketch(0.01))
		scale := math.Exp(3 * random.NormFloat64()) // also far less than a unit of time in all
		for range random.IntN(100) {
			switch random.IntN(8) {
			case 0, 1, 2:
				p.advance(scale * random.ExpFloat64())
			case 3, 4:
				p.level.Set(float64(random.IntN(9) - 4))
			case 5:
				p.level.Add(random.NormFloat64())
			case 6:
				p.check(t, 1e-11, 0.01)
			case 7:
				if random.IntN(10) == 0 {
					p.reset()
				}
			}
		}
		p.check(t, 1e-11, 0.01)
	}
}

// The same path 10⁹ higher has the same variance, in all digits.
func TestTimeWeightedIsStable(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 14))
	low, high := newPathLevel(0, 0), newPathLevel(0, 1e9)
	for range 5000 {
		d, x := random.ExpFloat64(), float64(random.IntN(8))
		low.advance(d)
		high.advance(d)
		low.level.Set(x)
		high.level.Set(1e9 + x)
	}
	low.check(t, 1e-11, 0)
	if high.level.Var() != low.level.Var() || high.level.Mean() != 1e9+low.level.Mean() {
		t.Errorf("10⁹ higher: %v; else: %v", high.level, low.level)
	}
}

// 10 for one unit of time and 0 for nine: a mean of 1 and not 5, a variance of 9 and not 25.
func TestTimeWeightedWeighsByTime(t *testing.T) {
	p := newPathLevel(0, 10)
	p.advance(1)
	p.level.Set(0)
	p.advance(9)
	if l := p.level; l.Mean() != 1 || !near(l.Var(), 9, 1e-15) || !near(l.StdDev(), 3, 1e-15) || l.Observed() != 10 {
		t.Errorf("the level is %v", l)
	}
}

func TestTimeWeightedForgetsWhatDidNotLast(t *testing.T) {
	p := newPathLevel(0, 2)
	p.advance(4)
	p.level.Set(99)
	if p.level.Max() != 99 {
		t.Errorf("the value of now, 99, is not the maximum but %v", p.level.Max())
	}
	p.level.Add(-98)
	p.level.Set(3)
	if p.level.Min() != 2 || p.level.Max() != 3 {
		t.Errorf("from %v to %v, want from 2 to 3", p.level.Min(), p.level.Max())
	}
}

func TestTimeWeightedResetBeginsWithTheValueOfNow(t *testing.T) {
	p := newPathLevel(5, 100, QuantileSketch(0.01))
	p.advance(1)
	p.level.Set(7)
	p.advance(2)
	p.level.Reset()
	l := p.level
	if l.Mean() != 7 || l.Var() != 0 || l.Min() != 7 || l.Max() != 7 || l.Observed() != 0 || l.Quantile(0.5) != 7 {
		t.Errorf("just after Reset it is %v", l)
	}
	p.advance(3)
	l.Set(8)
	p.advance(3)
	if l.Mean() != 7.5 || l.Var() != 0.25 || l.Min() != 7 || l.Max() != 8 || l.Observed() != 6 {
		t.Errorf("later it is %v", l)
	}
}

// Asking is no part of the path: the moments are the same to the last bit.
func TestTimeWeightedAskingChangesNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(15, 16))
	a, b := newPathLevel(0, 0, QuantileSketch(0.01)), newPathLevel(0, 0, QuantileSketch(0.01))
	for range 1000 {
		d, x := random.ExpFloat64(), random.NormFloat64()
		for range 3 {
			a.advance(d / 3)
			a.level.Mean()
			a.level.Quantile(0.5)
		}
		b.advance(a.now - b.now)
		b.now = a.now
		a.level.Set(x)
		b.level.Set(x)
	}
	if a.level.Mean() != b.level.Mean() || a.level.Var() != b.level.Var() {
		t.Errorf("asked often: %v; never: %v", a.level, b.level)
	}
}

func TestTimeWeightedRefuses(t *testing.T) {
	p := newPathLevel(3, 1)
	mustPanic(t, "NaN", func() { p.level.Set(math.NaN()) })
	mustPanic(t, "-Inf", func() { p.level.Add(math.Inf(-1)) })
	mustPanic(t, "NewTimeWeighted", func() { NewTimeWeighted(nil, math.NaN()) })
	mustPanic(t, "QuantileSketch(0.01)", func() { p.level.Quantile(0.5) })
	p.now = 2
	mustPanic(t, "went back from 3 to 2", func() { p.level.Set(5) })
	p.now = math.NaN()
	mustPanic(t, "went back", func() { p.level.Mean() })
	p.now = 3
	if p.level.Value() != 1 {
		t.Errorf("what was refused has changed the value to %v", p.level.Value())
	}
}

func TestTimeWeightedDoesNotAllocate(t *testing.T) {
	now := 0.0
	l := NewTimeWeighted(func() float64 { return now }, 0)
	if n := testing.AllocsPerRun(1000, func() { now++; l.Add(1) }); n != 0 {
		t.Errorf("Add allocates %v times", n)
	}
}

func BenchmarkTimeWeighted(b *testing.B) {
	now := 0.0
	clock := func() float64 { return now }
	for _, c := range []struct {
		name  string
		level *TimeWeighted
	}{{"moments", NewTimeWeighted(clock, 0)}, {"quantiles", NewTimeWeighted(clock, 0, QuantileSketch(0.01))}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				now += 0.5
				c.level.Add(1)
				if c.level.Value() > 100 {
					c.level.Set(0)
				}
			}
		})
	}
}
