package bench

import (
	"context"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/almanac-sim/almanac/calendar/timers"
)

// A TimerResult is what was measured of timers: the best of all rounds, except for the ratios.
type TimerResult struct {
	Name string `json:"name"`
	// Nanoseconds of one goroutine, while as many are at work as there are processors.
	Reset       float64 `json:"resetNs"`
	ResetAny    float64 `json:"resetRandomNs"` // timers in random order
	ResetOwn    float64 `json:"resetOwnNs"`    // each timer to a duration of its own
	ResetJitter float64 `json:"resetJitterNs"` // each timer to another duration every time
	StartStop   float64 `json:"startStopNs"`
	Bytes       float64 `json:"bytes"`     // with what the caller keeps
	GC          float64 `json:"gcNs"`      // processor time of one collection for a timer
	GCAlone     float64 `json:"gcAloneNs"` // if the caller keeps nothing
	Processor   float64 `json:"fireProcessorNs"`
	LateMedian  float64 `json:"lateMedianMs"`
	Late99      float64 `json:"late99Ms"`
	LateMost    float64 `json:"lateMostMs"`
	// How many times the first kind of timers takes, in the same round: median, least and most.
	Ratios map[string][3]float64 `json:"ratios,omitempty"`
}

// timerKind is a kind of timers with n of them pending. Loops are its own, so that nothing is
// called through an interface that is measured.
type timerKind interface {
	fill(d time.Duration)
	forget(n int, d time.Duration)                           // starts n and keeps nothing of them
	resets(ids []int32, from, to int, d, each time.Duration) // timer i to d + i·each
	startStops(n int, d time.Duration)
	fire(start time.Time, due func(i int) time.Duration, fired func(i int))
	close()
}

func idleTimer() {}

type timeTimers []*time.Timer

func (t timeTimers) fill(d time.Duration) {
	for i := range t {
		t[i] = time.AfterFunc(d, idleTimer)
	}
}

func (t timeTimers) forget(n int, d time.Duration) {
	for range n {
		time.AfterFunc(d, idleTimer)
	}
}

func (t timeTimers) resets(ids []int32, from, to int, d, each time.Duration) {
	if ids == nil {
		d += time.Duration(from) * each
		for i := range t[from:to] {
			t[from+i].Reset(d)
			d += each
		}
	}
	for _, i := range ids {
		t[i].Reset(d)
	}
}

func (t timeTimers) startStops(n int, d time.Duration) {
	for range n {
		time.AfterFunc(d, idleTimer).Stop()
	}
}

func (t timeTimers) fire(start time.Time, due func(i int) time.Duration, fired func(i int)) {
	for i := range t {
		t[i] = time.AfterFunc(due(i)-time.Since(start), func() { fired(i) })
	}
}

func (t timeTimers) close() {
	for _, t := range t {
		t.Stop()
	}
}

type setTimers struct {
	set *timers.Set
	all []timers.Timer
}

func (t setTimers) fill(d time.Duration) {
	for i := range t.all {
		t.all[i] = t.set.AfterFunc(d, idleTimer)
	}
}

func (t setTimers) forget(n int, d time.Duration) {
	for range n {
		t.set.AfterFunc(d, idleTimer)
	}
}

func (t setTimers) resets(ids []int32, from, to int, d, each time.Duration) {
	if ids == nil {
		d += time.Duration(from) * each
		for i := range t.all[from:to] {
			t.all[from+i].Reset(d)
			d += each
		}
	}
	for _, i := range ids {
		t.all[i].Reset(d)
	}
}

func (t setTimers) startStops(n int, d time.Duration) {
	for range n {
		one := t.set.AfterFunc(d, idleTimer)
		one.Stop()
	}
}

func (t setTimers) fire(start time.Time, due func(i int) time.Duration, fired func(i int)) {
	for i := range t.all {
		t.all[i] = t.set.AfterFunc(due(i)-time.Since(start), func() { fired(i) })
	}
}

func (t setTimers) close() { t.set.Close() }

// TimerPlan is a comparison of timers with those of package time.
type TimerPlan struct {
	N, Rounds int
	Least     time.Duration // how long a measurement lasts at least
	Processor func() float64
	Progress  func(done, of int, what string)
}

// timerKinds are compared; ratios are to the first one.
var timerKinds = []struct {
	name string
	make func(n int) timerKind
}{
	{"time.AfterFunc", func(n int) timerKind { return make(timeTimers, n) }},
	{"timers.Set", func(n int) timerKind { return setTimers{new(timers.Set), make([]timers.Timer, n)} }},
}

// Timers compares timers by turns: in each round, each kind has n timers pending, is measured and
// stopped.
func Timers(ctx context.Context, p TimerPlan) ([]TimerResult, error) {
	rounds := make([][]TimerResult, len(timerKinds))
	order := make([]int32, p.N)
	for i := range order {
		order[i] = int32(uint64(i) * 0x9e3779b1 % uint64(p.N)) // as good as random for the caches
	}
	for r := range p.Rounds {
		for k, kind := range timerKinds {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			p.Progress(r*len(timerKinds)+k, p.Rounds*len(timerKinds), kind.name)
			rounds[k] = append(rounds[k], p.round(kind.make, order))
		}
	}
	return p.summarise(rounds), nil
}

// endless is longer than the measurement.
const endless = time.Hour

func (p TimerPlan) round(make func(n int) timerKind, order []int32) (r TimerResult) {
	before := heapInUse()
	gc := p.collection()
	k := make(p.N)
	k.fill(endless)
	r.Bytes = (heapInUse() - before) / float64(p.N)
	r.GC = max(0, p.collection()-gc) * 1e9 / float64(p.N)
	r.Reset = p.loops(p.N, func(from, to int) { k.resets(nil, from, to, endless, 0) })
	r.ResetAny = p.loops(p.N, func(from, to int) { k.resets(order[from:to], 0, 0, endless, 0) })
	r.ResetOwn = p.loops(p.N, func(from, to int) { k.resets(nil, from, to, endless, time.Microsecond) })
	var resets atomic.Uint32
	r.ResetJitter = p.loops(p.N, func(from, to int) {
		each := time.Duration(resets.Add(1) * 0x9e3779b1 >> 22) // up to a thousand nanoseconds
		k.resets(nil, from, to, endless, each*time.Millisecond/time.Duration(p.N))
	})
	r.StartStop = p.loops(p.N/4, func(from, to int) { k.startStops(to-from, endless) })
	k.close()
	k = make(0)
	gc = p.collection()
	expire := 2*time.Second + time.Duration(p.N)*time.Microsecond // longer than the collections
	k.forget(p.N, expire)
	filled := time.Now()
	r.GCAlone = max(0, p.collection()-gc) * 1e9 / float64(p.N)
	time.Sleep(expire + expire/4 - time.Since(filled))
	k.close()
	k = make(p.N)
	p.firing(k, &r)
	k.close()
	return r
}

// loops runs a loop of n operations on all processors, several times, and returns the best time of
// one operation of a goroutine in nanoseconds.
func (p TimerPlan) loops(n int, f func(from, to int)) float64 {
	best, g := math.Inf(1), runtime.GOMAXPROCS(0)
	runtime.GC()
	for began := time.Now(); time.Since(began) < p.Least; {
		var wg sync.WaitGroup
		start := time.Now()
		for i := range g {
			wg.Go(func() { f(n*i/g, n*(i+1)/g) })
		}
		wg.Wait()
		best = min(best, float64(time.Since(start).Nanoseconds())*float64(g)/float64(n))
	}
	return best
}

// firing lets n timers expire within a second, evenly.
func (p TimerPlan) firing(k timerKind, r *TimerResult) {
	late := make([]time.Duration, p.N)
	var wg sync.WaitGroup
	wg.Add(p.N)
	runtime.GC()
	lead := time.Second + time.Duration(p.N)*time.Microsecond // to start them
	due := func(i int) time.Duration { return lead + time.Duration(int64(i)*int64(time.Second)/int64(p.N)) }
	start := time.Now()
	k.fire(start, due, func(i int) {
		late[i] = time.Since(start) - due(i)
		wg.Done()
	})
	time.Sleep(lead - time.Since(start))
	processor := p.Processor()
	wg.Wait()
	r.Processor = (p.Processor() - processor) * 1e9 / float64(p.N)
	slices.Sort(late)
	at := func(q float64) float64 { return late[int(q*float64(p.N-1))].Seconds() * 1e3 }
	r.LateMedian, r.Late99, r.LateMost = at(0.5), at(0.99), at(1)
}

// collection returns the processor time of a garbage collection, the least of nine.
func (p TimerPlan) collection() float64 {
	best := math.Inf(1)
	runtime.GC() // sweeps what was there
	for range 9 {
		before := p.Processor()
		runtime.GC()
		best = min(best, p.Processor()-before)
	}
	return best
}

func heapInUse() float64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// timerMeasures are the numbers of a result that are compared.
var timerMeasures = []struct {
	name string
	of   func(r *TimerResult) *float64
}{
	{"reset", func(r *TimerResult) *float64 { return &r.Reset }},
	{"resetRandom", func(r *TimerResult) *float64 { return &r.ResetAny }},
	{"resetOwn", func(r *TimerResult) *float64 { return &r.ResetOwn }},
	{"resetJitter", func(r *TimerResult) *float64 { return &r.ResetJitter }},
	{"startStop", func(r *TimerResult) *float64 { return &r.StartStop }},
	{"bytes", func(r *TimerResult) *float64 { return &r.Bytes }},
	{"gc", func(r *TimerResult) *float64 { return &r.GC }},
	{"gcAlone", func(r *TimerResult) *float64 { return &r.GCAlone }},
	{"fireProcessor", func(r *TimerResult) *float64 { return &r.Processor }},
	{"lateMedian", func(r *TimerResult) *float64 { return &r.LateMedian }},
	{"late99", func(r *TimerResult) *float64 { return &r.Late99 }},
	{"lateMost", func(r *TimerResult) *float64 { return &r.LateMost }},
}

func (p TimerPlan) summarise(rounds [][]TimerResult) (results []TimerResult) {
	for k, kind := range timerKinds {
		r := TimerResult{Name: kind.name}
		if k > 0 {
			r.Ratios = map[string][3]float64{}
		}
		for _, m := range timerMeasures {
			best := math.Inf(1)
			var ratios []float64
			for i := range rounds[k] {
				value := *m.of(&rounds[k][i])
				best = min(best, value)
				if value > 0 { // 0 is less than what can be measured
					ratios = append(ratios, *m.of(&rounds[0][i])/value)
				}
			}
			*m.of(&r) = best
			if slices.Sort(ratios); k > 0 && len(ratios) > 0 {
				r.Ratios[m.name] = [3]float64{ratios[len(ratios)/2], ratios[0], ratios[len(ratios)-1]}
			}
		}
		results = append(results, r)
	}
	return results
}
