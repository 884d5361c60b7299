package sim

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"unsafe"

	"github.com/almanac-sim/almanac/sim/history"
)

// A path is what a level really was: values with the times from which they held, of several at an
// instant the last.
type path []struct{ at, value float64 }

func (p *path) set(at, x float64) {
	if n := len(*p); n > 0 && (*p)[n-1].at == at {
		*p = (*p)[:n-1]
	}
	*p = append(*p, struct{ at, value float64 }{at, x})
}

// over is the area, the least and the most from a time to another.
func (p path) over(from, to float64) (area, low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for i, x := range p {
		end := to
		if i+1 < len(p) {
			end = min(end, p[i+1].at)
		}
		if lasts := end - max(x.at, from); lasts > 0 {
			area += x.value * lasts
			low, high = min(low, x.value), max(high, x.value)
		}
	}
	return area, low, high
}

func (p path) at(t float64) float64 {
	x := math.NaN()
	for _, v := range p {
		if v.at <= t {
			x = v.value
		}
	}
	return x
}

// walk changes a level at random, often several times at an instant and sometimes not for long, and
// says what it was.
func walk(random *rand.Rand, now *float64, l *TimeWeighted, changes int) path {
	var p path
	p.set(*now, l.Value())
	for range changes {
		switch random.IntN(20) {
		case 0:
			*now += 1000 * random.ExpFloat64()
		case 1, 2, 3, 4:
		default:
			*now += random.ExpFloat64()
		}
		l.Set(float64(random.IntN(4)) - 1)
		p.set(*now, l.Value())
	}
	*now += random.Float64()
	return p
}

// A course is the path of its level: exactly as long as there is room, and then with the mean, the
// least and the most of every stretch; it takes no more room than it was given, and its integral is
// that of the level.
func TestTimeSeries(t *testing.T) {
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 1))
		most := 2 + random.IntN(60)
		changes := 1 + random.IntN(4000)
		if seed%4 == 0 {
			changes = most / 2
		}
		for _, k := range []Retention{EveryChange(most), Sampled(0.5+random.Float64(), most), Thinned(most)} {
			t.Run(fmt.Sprint(seed, k), func(t *testing.T) {
				random := rand.New(rand.NewPCG(seed, 2))
				now := 17.25
				l := NewTimeWeighted(func() float64 { return now }, 1)
				now += 3 // keeping may begin later
				l.Keep(k)
				reset := seed%3 == 0
				if reset {
					walk(random, &now, l, changes)
					l.Reset()
				}
				start := now
				p := walk(random, &now, l, changes)
				c, ok := l.TimeSeries()
				if room := l.series.points; !ok || len(c.Points) > most || cap(room) > most {
					t.Fatalf("%t: %d points, room for %d, want at most %d", ok, len(c.Points), cap(room), most)
				}
				if c.Start != start || c.Sampled != (k.how == sampled) || (c.Complete && c.End != now) || c.Complete !=
					(c.End == now) {
					t.Fatalf("from %v to %v of %v to %v: %+v", c.Start, c.End, start, now, c)
				}
				again, _ := l.TimeSeries() // asking changes nothing
				if fmt.Sprint(c) != fmt.Sprint(again) {
					t.Error("asked twice, it is another")
				}
				if c.Sampled {
					checkSamples(t, c, p, k, now)
					return
				}
				checkStretches(t, c, p, len(c.Points) < most)
				if area, _, _ := p.over(c.Start, c.End); !sameArea(c.Integral(c.Start, c.End), area) || c.Complete && reset &&
					!sameArea(c.Mean(), l.Mean()) {
					t.Errorf("the area is %v, want %v; the mean %v, want %v", c.Integral(c.Start, c.End), area, c.Mean(), l.Mean())
				}
				if k.how == thinned && !c.Complete {
					t.Error("a thinned course has everything")
				}
				sum, parts := 0.0, 7
				for _, x := range c.Means(parts) {
					sum += x / float64(parts)
				}
				if !sameArea(sum, c.Mean()) {
					t.Errorf("the mean of parts is %v, of all %v", sum, c.Mean())
				}
			})
		}
	}
}

func sameArea(a, b float64) bool { return math.Abs(a-b) <= 1e-11*max(1, math.Abs(a), math.Abs(b)) }

func checkStretches(t *testing.T, c history.Series, p path, roomy bool) {
	t.Helper()
	at := c.Start
	for _, x := range c.Points {
		area, low, high := p.over(x.From, x.To)
		if x.From != at || !(x.To > x.From) || !sameArea(x.Mean*(x.To-x.From), area) || x.Min != low || x.Max != high {
			t.Fatalf("%+v after %v; the area is %v, from %v to %v", x, at, area, low, high)
		}
		if c.Width == 0 && (x.Min != x.Max || c.At(x.From) != p.at(x.From)) {
			t.Fatalf("%+v is not exact, and the value was %v", x, p.at(x.From))
		}
		if x.Min != x.Max && x.To-x.From > c.Width {
			t.Fatalf("%+v is longer than a part of %v", x, c.Width)
		}
		at = x.To
	}
	if at != c.End || c.Width > 0 && roomy && c.Width > 16*(c.End-c.Start)/float64(len(c.Points)) {
		t.Errorf("it ends at %v of %v, with %d points of %v", at, c.End, len(c.Points), c.Width)
	}
}

func checkSamples(t *testing.T, c history.Series, p path, k Retention, now float64) {
	t.Helper()
	for i, x := range c.Points {
		if x.From != c.Start+float64(float64(i)*c.Width) || x.To != x.From || x.Mean != p.at(x.From) {
			t.Fatalf("sample %d is %+v, every %v from %v; the value was %v", i, x, c.Width, c.Start, p.at(x.From))
		}
	}
	if want := int((now-c.Start)/c.Width) + 1; len(c.Points) != want || math.Log2(c.Width/k.interval) !=
		math.Trunc(math.Log2(c.Width/k.interval)) {
		t.Errorf("%d samples, want %d, every %v for %v", len(c.Points), want, c.Width, k.interval)
	}
	if c.Width > k.interval && len(c.Points) < k.most/2 {
		t.Errorf("only %d of %d samples", len(c.Points), k.most)
	}
}

// A sample that is due now is there, of the value of now, also when room has to be made for it.
func TestSampleOfNow(t *testing.T) {
	for _, most := range []int{4, 5} {
		now := 0.0
		l := NewTimeWeighted(func() float64 { return now }, 0)
		l.Keep(Sampled(1, most))
		for range 9 {
			c, _ := l.TimeSeries()
			if last := c.Points[len(c.Points)-1]; last.From != c.Width*math.Floor(now/c.Width) || last.Mean != last.From ||
				len(c.Points) > most {
				t.Errorf("at %v, with room for %d: %+v", now, most, c)
			}
			now++
			l.Set(now)
		}
	}
}

// What nobody asked for takes no memory; what is documented is what is taken.
func TestKeepingSizes(t *testing.T) {
	sizes64 := map[string][2]uintptr{
		"a Tally": {unsafe.Sizeof(Tally{}), 80}, "a stretch": {unsafe.Sizeof(span{}), 32},
		"an observation": {unsafe.Sizeof(history.Observation{}), 48}, "a holding": {unsafe.Sizeof(history.Holding{}), 64},
	}
	for what, sizes := range sizes64 {
		if strconv.IntSize == 64 && sizes[0] != sizes[1] {
			t.Errorf("%s takes %d bytes, documented are %d", what, sizes[0], sizes[1])
		}
	}
	now := 0.0
	l, tally := NewTimeWeighted(func() float64 { return now }, 0), NewTally()
	l.Keep(Thinned(64))
	tally.KeepObservations(64, nil)
	change := func() {
		now++
		l.Add(1)
		tally.Add(now)
	}
	for range 100 {
		change()
	}
	if n := testing.AllocsPerRun(1000, change); n != 0 {
		t.Errorf("%v allocations a change, once all room is taken", n)
	}
}

// A thinned course costs amortised constant time, counted in stretches that are looked at when room
// is made.
func TestThinningIsCheap(t *testing.T) {
	for name, step := range map[string]func(*rand.Rand) float64{
		"regular": func(*rand.Rand) float64 { return 1 },
		// most of the time passes without a change
		"bursts": func(r *rand.Rand) float64 { return math.Exp(8 * r.NormFloat64()) },
	} {
		now := 0.0
		l := NewTimeWeighted(func() float64 { return now }, 0)
		const most, changes = 1000, 200_000
		l.Keep(Thinned(most))
		c, random := l.series, rand.New(rand.NewPCG(1, 1))
		looked, before, width := 0, 0, 0.0
		for range changes {
			now += step(random)
			l.Add(1)
			if len(c.points) < before {
				if len(c.points) > most/2+1 {
					t.Fatalf("%s: %d of %d stretches are left", name, len(c.points), most)
				}
				if width == 0 {
					width = now / most
				}
				looked += most * (1 + int(math.Log2(c.width/width))) // once for each width that was tried
				width = c.width
			}
			before = len(c.points)
		}
		if looked == 0 || looked > changes {
			t.Errorf("%s: %d looks for %d changes", name, looked, changes)
		}
	}
}

func TestKeepingRefuses(t *testing.T) {
	var tally Tally
	s := New()
	defer s.Close()
	for _, c := range []struct {
		says string
		f    func()
	}{
		{"EveryChange(0)", func() { EveryChange(0) }},
		{"Thinned(1)", func() { Thinned(1) }},
		{"Sampled(0, 10)", func() { Sampled(0, 10) }},
		{"Sampled(NaN, 10)", func() { Sampled(math.NaN(), 10) }},
		{"Sampled(+Inf, 10)", func() { Sampled(math.Inf(1), 10) }},
		{"Sampled(1, 1)", func() { Sampled(1, 1) }},
		{"is made by", func() { s.NewTimeWeighted("", 0).Keep(Retention{}) }},
		{"is made by", func() { s.Keep(Retention{}) }},
		{"is made by", func() { NewStore[int](s, "", Unlimited).Keep(Retention{}) }},
		{"Tally.KeepObservations(1)", func() { tally.KeepObservations(1, nil) }},
		{"KeepHoldings(0)", func() { NewResource(s, "", 1).KeepHoldings(0) }},
		{"keeps its observations", func() {
			kept, other := NewTally(), NewTally()
			kept.KeepObservations(10, nil)
			other.Add(1)
			kept.Merge(other)
		}},
	} {
		mustPanic(t, c.says, c.f)
	}
}

// Observations are all there as long as there is room. Then entries stand for as many each, with
// their mean and extremes and one of them, and take no more room than they were given.
func TestObservations(t *testing.T) {
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 4))
		most := 2 + random.IntN(50)
		n := 1 + random.IntN(3000)
		if seed%3 == 0 {
			n = 1 + random.IntN(most)
		}
		t.Run(fmt.Sprint(seed, most, n), func(t *testing.T) {
			now := 0.0
			var tally Tally
			tally.KeepObservations(most, func() float64 { return now })
			tally.Add(7)
			tally.Reset()
			var all []float64
			for i := range n {
				now = float64(i) / 4
				all = append(all, math.Floor(1000*random.NormFloat64()))
				tally.Add(all[i])
			}
			o, ok := tally.Observations()
			if !ok || o.N != int64(n) || len(o.Entries) > most || cap(tally.observations.entries) > most {
				t.Fatalf("%t: %d of %d in %d entries of %d", ok, o.N, n, len(o.Entries), most)
			}
			if n <= most && (o.Batch != 1 || !slices.Equal(o.Values(), all) || !slices.Equal(o.Means(), all)) {
				t.Fatalf("there is room for all, and %v are there", o.Values())
			}
			i := 0
			for k, e := range o.Entries {
				part := all[i:min(i+int(o.Batch), n)]
				var want Tally
				for _, x := range part {
					want.Add(x)
				}
				if e.N != want.N() || math.Abs(e.Mean-want.Mean()) > 1e-9 || e.Min != want.Min() || e.Max != want.Max() ||
					e.At != float64(i)/4 ||
					!slices.Contains(part, e.Value) {
					t.Fatalf("entry %d is %+v, want %v of %v", k, e, want.String(), part)
				}
				i += len(part)
			}
			if whole := n / int(o.Batch); i != n || len(o.Means()) != max(whole, 1) || len(o.Values()) != max(whole, 1) {
				t.Errorf("entries stand for %d of %d; %d of %d are whole", i, n, len(o.Means()), whole)
			}
			if n > most && len(o.Entries) < most/2 {
				t.Errorf("%d entries where there is room for %d", len(o.Entries), most)
			}
		})
	}
}

// Of each entry, every observation has the same chance to be the one: their places within a batch
// of 16 are uniform by Pearson's test. A threshold of 48 is passed by a fair lot in all but 3 of
// 100,000 (15 degrees of freedom).
func TestLotsAreFair(t *testing.T) {
	const most, batch = 4096, 16
	var tally Tally
	tally.KeepObservations(most, nil)
	for i := range most * batch {
		tally.Add(float64(i % batch))
	}
	o, _ := tally.Observations()
	var count [batch]float64
	for _, x := range o.Values() {
		count[int(x)]++
	}
	sum, want := 0.0, float64(most)/batch
	for _, n := range count {
		sum += (n - want) * (n - want) / want
	}
	if o.Batch != batch || len(o.Entries) != most || sum > 48 {
		t.Errorf("%d entries of %d, %v: Pearson's statistic is %v", len(o.Entries), o.Batch, count, sum)
	}
}

// What a simulation keeps is what has a name, whether it was made before or after; warming up
// forgets it.
func TestSimulationKeeps(t *testing.T) {
	s := New()
	defer s.Close()
	desk := NewResource(s, "desk", 2)
	NewResource(s, "", 1)
	s.NewTally("nothing")
	if s.AllTimeSeries() != nil || s.AllObservations() != nil || s.AllHoldings() != nil {
		t.Error("something is kept that nobody asked for")
	}
	s.Keep(EveryChange(100))
	tank, store := NewContainer(s, "tank", 10, 5), NewStore[int](s, "store", 3)
	s.Every(0, 2, func() {
		s.Go("ann", func(p *Process) {
			_ = desk.Use(p, 1, func() error { return p.Wait(5) })
			_ = tank.Get(p, 1)
			store.TryPut(1)
		})
	})
	s.At(7.5, func() { desk.SetCapacity(1) })
	if err := s.Run(context.Background(), 11); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range s.AllTimeSeries() {
		names = append(names, c.Name)
	}
	if want := []string{"desk in use", "desk queue", "desk capacity", "tank contents", "tank getters", "tank putters",
		"store contents", "store getters",
		"store putters"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
	if c := s.AllTimeSeries()[2]; fmt.Sprint(c.Points) != "[{0 7.5 2 2 2} {7.5 11 1 1 1}]" {
		t.Errorf("the capacity was %v", c)
	}
	o := s.AllObservations()
	if len(o) != 4 || o[0].Name != "desk wait" || fmt.Sprint(o[0].Values()) != "[0 0 1 1]" || o[0].Entries[2].At != 5 ||
		o[1].Name != "nothing" || o[1].Entries != nil {
		t.Errorf("%+v", o)
	}
	if got, want := fmt.Sprint(s.AllHoldings()), "[{desk ann 1 0 5 false false} {desk ann 1 2 7 false false} {desk ann "+
		"1 5 10 false false} {desk ann 1 7 11 true false}]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	s.ResetStatistics()
	if c := s.AllTimeSeries()[0]; c.Start != 11 || len(c.Points) != 0 || !math.IsNaN(c.Mean()) || len(s.AllHoldings()) !=
		1 || s.AllObservations()[0].N != 0 {
		t.Errorf("after a reset there is %+v, %v", c, s.AllHoldings())
	}
	desk.KeepHoldings(1)
	_ = s.Run(context.Background(), 30)
	if all, missed := desk.Holdings(); len(all) != 2 || missed != 3 {
		t.Errorf("%v, and %d are missed", all, missed)
	}
}

// Work that stops and goes on is held in pieces, which are together what was in use.
func TestHoldingsOfStoppedWork(t *testing.T) {
	s := New(Seed(3))
	defer s.Close()
	s.Keep(Thinned(5000))
	desk := NewResource(s, "desk", 2)
	desk.Schedule(Daily{Shifts: []Shift{{8, 12, 2}, {13, 17, 1}}}, Resume)
	random := s.Stream("all")
	for i := range 100 {
		s.GoAt(float64(3*i), fmt.Sprint(i), func(p *Process) { _ = desk.Work(p, 1, 2.5*random.ExpFloat64(), Rank(i%2)) })
	}
	if err := s.Run(context.Background(), 600); err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, h := range s.AllHoldings() {
		sum += float64(h.Units) * (h.To - h.From)
	}
	usage, _ := desk.Usage().TimeSeries()
	if area := usage.Integral(0, 600); math.Abs(sum-area) > 1e-9*area || desk.Stopped() == 0 {
		t.Errorf("held for %v, in use for %v; stopped %d times", sum, area, desk.Stopped())
	}
}
