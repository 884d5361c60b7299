package relaxedtest_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/relaxed/relaxedtest"
	"github.com/almanac-sim/almanac/spray"
)

// plain is a queue of which everything can be chosen: a sorted slice behind a mutex.
type plain struct {
	mu    sync.Mutex
	all   []pair
	among int // removes one of the first so many, chosen at random
	lose  int // loses every so many insertions
	twice int // returns every so many elements twice
	calls int
	last  pair
}

type pair struct {
	key float64
	id  uint64
}

func (q *plain) Insert(key float64, id uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.calls++; q.lose > 0 && q.calls%q.lose == 0 {
		return
	}
	at, _ := slices.BinarySearchFunc(q.all, key, func(p pair, key float64) int {
		if p.key <= key {
			return -1
		}
		return 1
	})
	q.all = slices.Insert(q.all, at, pair{key, id})
}

func (q *plain) Remove() (float64, uint64, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.calls++; q.twice > 0 && q.calls%q.twice == 0 && q.last != (pair{}) {
		return q.last.key, q.last.id, true
	}
	if len(q.all) == 0 {
		return 0, 0, false
	}
	at := 0
	if q.among > 1 {
		at = rand.IntN(min(q.among, len(q.all)))
	}
	q.last = q.all[at]
	q.all = slices.Delete(q.all, at, at+1)
	return q.last.key, q.last.id, true
}

func (q *plain) Collisions() uint64 { return uint64(q.calls) }

// An exact queue measures 0: with one goroutine, and with many.
func TestMeterExact(t *testing.T) {
	for _, goroutines := range []int{1, 2, 8, 64} {
		for name, work := range map[string]func(*relaxedtest.Recorder){"hold": relaxedtest.Hold,
			"mixed": relaxedtest.Mixed(20)} {
			m := relaxedtest.Meter{Goroutines: goroutines, Fill: 200, Operations: 8000 / goroutines, Workload: work, Drain: true}
			r, err := relaxedtest.Replay(m.Run(&plain{}))
			if err != nil {
				t.Fatal(err)
			}
			none := relaxedtest.Summary{}
			if r.Rank != none || r.Delay != none || r.LeftDelay != 0 || r.Missed != 0 || goroutines == 1 && r.MeanRankAtMost !=
				0 {
				t.Errorf("%s, %d goroutines: %v", name, goroutines, r)
			}
			if r.Operations() < 4000 || r.Left != 200+r.Insertions-r.Removals || r.Left > 200+20*goroutines || r.Collisions ==
				0 {
				t.Errorf("%s, %d goroutines: %v", name, goroutines, r)
			}
		}
	}
}

// A queue that removes one of the first k at random has rank errors uniform on 0 … k−1, independent
// of each other.
func TestMeterUniform(t *testing.T) {
	for _, k := range []int{2, 7, 40} {
		trace := relaxedtest.Meter{Fill: 300, Operations: 20_000}.Run(&plain{among: k})
		r, err := relaxedtest.Replay(trace)
		if err != nil {
			t.Fatal(err)
		}
		want := float64(k-1) / 2
		standardError := math.Sqrt(float64(k*k-1) / 12 / float64(r.Removals))
		if math.Abs(r.Rank.Mean-want) > 4.5*standardError || r.Rank.Max != k-1 || r.MeanRankAtMost != r.Rank.Mean {
			t.Errorf("among %d: %+v, want a mean of %v ± %v", k, r, want, 4.5*standardError)
		}
	}
}

// With several goroutines what is certain and what is possible have the truth between them.
func TestMeterBrackets(t *testing.T) {
	const k = 20
	trace := relaxedtest.Meter{Goroutines: 4, Fill: 300, Operations: 20_000}.Run(&plain{among: k})
	r, err := relaxedtest.Replay(trace)
	if err != nil {
		t.Fatal(err)
	}
	want := float64(k-1) / 2
	slack := 4.5 * math.Sqrt(float64(k*k-1)/12/float64(r.Removals))
	if r.Rank.Mean > want+slack || r.MeanRankAtMost < want-slack || r.Rank.Max > k-1 {
		t.Errorf("%+v, want a mean of %v", r, want)
	}
}

// What a queue loses or returns twice is noticed.
func TestMeterNotices(t *testing.T) {
	for want, q := range map[string]*plain{"were lost": {lose: 1000}, "which was removed before": {twice: 333}} {
		for _, goroutines := range []int{1, 3} {
			q := plain{lose: q.lose, twice: q.twice}
			trace := relaxedtest.Meter{Goroutines: goroutines, Fill: 100, Operations: 3000, Drain: true}.Run(&q)
			if _, err := relaxedtest.Replay(trace); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
		}
	}
	// An id that was never handed out.
	trace := relaxedtest.Meter{Fill: 10, Operations: 10}.Run(liar{})
	if _, err := relaxedtest.Replay(trace); err == nil || !strings.Contains(err.Error(), "is about element 4294967295") {
		t.Errorf("got %v", err)
	}
}

type liar struct{}

func (liar) Insert(float64, uint64)          {}
func (liar) Remove() (float64, uint64, bool) { return 1, math.MaxUint64, true }

// A meter stops when its time is over.
func TestMeterDuration(t *testing.T) {
	began := time.Now()
	trace := relaxedtest.Meter{Goroutines: 2, Fill: 50, Duration: 10 * time.Millisecond}.Run(&plain{})
	if took := time.Since(began); took < 10*time.Millisecond || took > time.Minute {
		t.Errorf("took %v", took)
	}
	if _, err := relaxedtest.Replay(trace); err != nil || len(trace.Logs[0])+len(trace.Logs[1]) == 0 || trace.Drain !=
		nil {
		t.Error(err)
	}
}

func TestMeterPanics(t *testing.T) {
	for _, m := range []relaxedtest.Meter{
		{Fill: -1}, {Operations: -1}, {Fill: math.MaxInt, Operations: math.MaxInt}, {Goroutines: 5, Operations: 1e9},
		{Goroutines: 2, Operations: math.MaxInt},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v did not panic", m)
				}
			}()
			m.Run(&plain{})
		}()
	}
}

// A meter may be given the largest and the smallest numbers there are: it works, or it panics with
// the package's prefix. It makes room for operations as they come.
func TestMeterExtremes(t *testing.T) {
	none := func(*relaxedtest.Recorder) {}
	try := func(m relaxedtest.Meter) (trace *relaxedtest.Trace) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		func() {
			defer func() {
				if p := recover(); p != nil && !strings.HasPrefix(fmt.Sprint(p), "relaxedtest: ") {
					t.Errorf("%+v: panicked with %v", m, p)
				}
			}()
			trace = m.Run(&plain{})
		}()
		runtime.ReadMemStats(&after)
		if made := after.TotalAlloc - before.TotalAlloc; made > 1<<29 {
			t.Errorf("%+v: allocated %d MB", m, made>>20)
		}
		return trace
	}
	large := uint32(math.MaxUint32 - 2)
	for _, n := range []int{math.MinInt, -1, 0, 1, math.MaxInt32, int(large), math.MaxInt} {
		try(relaxedtest.Meter{Goroutines: n, Workload: none})
		try(relaxedtest.Meter{Operations: n, Workload: none})
		try(relaxedtest.Meter{Operations: n, Workload: none, Goroutines: 3})
		if n <= 1 || uint64(n) > math.MaxUint32 { // otherwise so many are inserted
			try(relaxedtest.Meter{Fill: n, Workload: none})
		}
		try(relaxedtest.Meter{Operations: 1, Duration: time.Duration(n)})
		func() {
			defer func() {
				if p := recover(); p != nil && (n >= 1 || !strings.HasPrefix(fmt.Sprint(p), "relaxedtest: ")) {
					t.Errorf("Mixed(%d): panicked with %v", n, p)
				}
			}()
			try(relaxedtest.Meter{Operations: 100, Workload: relaxedtest.Mixed(n)})
			if n < 1 {
				t.Errorf("Mixed(%d) did not panic", n)
			}
		}()
	}
	if trace := try(relaxedtest.Meter{Fill: 10, Operations: 10, Duration: math.MaxInt64}); trace == nil ||
		len(trace.Logs[0]) < 10 {
		t.Error("the longest of all durations is over at once")
	}
}

// The list of this package, sprayed and exact.
type sprayed struct {
	*spray.List[float64, uint64]
	exact bool
}

func (q sprayed) Insert(key float64, id uint64) { q.List.Insert(key, id) }

func (q sprayed) Remove() (float64, uint64, bool) {
	if q.exact {
		return q.DeleteMin()
	}
	return q.Spray()
}

// Removals of the list fail only when it is empty, nothing is lost, and those that are exact
// measure 0.
func TestMeterList(t *testing.T) {
	for _, exact := range []bool{false, true} {
		for _, goroutines := range []int{1, 2, 8} {
			for name, fill := range map[string]int{"few": 3, "many": 1000} {
				q := sprayed{spray.New[float64, uint64](spray.Concurrency(goroutines)), exact}
				m := relaxedtest.Meter{Goroutines: goroutines, Fill: fill, Operations: 5000 / goroutines,
					Workload: relaxedtest.Mixed(fill), Drain: true}
				r, err := relaxedtest.Replay(m.Run(q))
				if err != nil || r.Missed > 0 || exact && (r.Rank.Max > 0 || r.Delay.Max > 0) {
					t.Errorf("%d goroutines, %s elements, exact %v: %+v, %v", goroutines, name, exact, r, err)
				}
			}
		}
	}
}
