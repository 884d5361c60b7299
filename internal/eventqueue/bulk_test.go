package eventqueue_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/almanac-sim/almanac/calendar/calendartest"
	"github.com/almanac-sim/almanac/internal/eventqueue"
	"github.com/almanac-sim/almanac/internal/panics"
	"github.com/almanac-sim/almanac/internal/testscale"
)

// oneByOne is what ScheduleAll should do.
func oneByOne(q *eventqueue.Queue, first eventqueue.ID, times []float64) error {
	for i, at := range times {
		if !math.IsInf(at, 1) {
			if err := q.Schedule(first+eventqueue.ID(i), at); err != nil {
				return err
			}
		}
	}
	return nil
}

// atOnce gives ScheduleAll times from a slice. It is told a number of workers, and sees to it that
// due is called as promised.
func unbufferedFor(t testing.TB, q *eventqueue.Queue, first eventqueue.ID, times []float64, workers int) error {
	t.Helper()
	var mutex sync.Mutex
	seen := make(map[eventqueue.ID]bool)
	return q.ScheduleAll(context.Background(), first, len(times), workers, func(worker int, id eventqueue.ID,
		at []float64) error {
		mutex.Lock()
		defer mutex.Unlock()
		if worker < 0 || workers > 0 && worker >= workers || len(at) == 0 || len(at) > 1<<14 || seen[id] {
			t.Errorf("worker %d is asked for %d ids from %d on", worker, len(at), id)
		}
		seen[id] = true
		for i := range at {
			if !math.IsInf(at[i], 1) {
				t.Errorf("the time of id %d is %v before it is told", int(id)+i, at[i])
			}
		}
		copy(at, times[id-first:])
		return nil
	})
}

// sameQueues compares two queues, call by call, until they are empty.
func sameQueues(t *testing.T, got, want *eventqueue.Queue) {
	t.Helper()
	must(t, got.Check())
	for n := 0; ; n++ {
		if got.Len() != want.Len() {
			t.Fatalf("%d events, want %d", got.Len(), want.Len())
		}
		wantID, wantAt, wantOK := want.Next()
		id, at, ok := got.Next()
		if id != wantID || at != wantAt || ok != wantOK {
			t.Fatalf("event %d: %d at %v, %v; want %d at %v, %v", n, id, at, ok, wantID, wantAt, wantOK)
		}
		if !ok {
			break
		}
		if n%5000 == 0 {
			must(t, got.Check())
		}
	}
	must(t, got.Check())
}

// bulkStates are what a queue can be in before many events are scheduled: new, used and empty, with
// some of their ids pending, running with other ids, reset.
var bulkStates = []func(t testing.TB, q *eventqueue.Queue, r *rand.Rand, first eventqueue.ID, n int){
	func(testing.TB, *eventqueue.Queue, *rand.Rand, eventqueue.ID, int) {},
	func(t testing.TB, q *eventqueue.Queue, r *rand.Rand, first eventqueue.ID, _ int) {
		for i := range 3 * r.IntN(1000) {
			must(t, q.Schedule(first+eventqueue.ID(i), q.Now()+r.Float64()))
		}
		for i := 0; q.Len() > 0; i++ { // some of them leave stale entries behind
			if r.IntN(2) == 0 {
				q.Next()
			}
			q.Cancel(first + eventqueue.ID(i))
		}
	},
	func(t testing.TB, q *eventqueue.Queue, r *rand.Rand, first eventqueue.ID, n int) {
		for range 20 {
			must(t, q.Reschedule(first+eventqueue.ID(r.IntN(max(n, 1))), q.Now()+r.Float64()))
		}
	},
	func(t testing.TB, q *eventqueue.Queue, r *rand.Rand, first eventqueue.ID, n int) {
		for i := range 3000 {
			must(t, q.Reschedule(first+eventqueue.ID(n+i), q.Now()+r.ExpFloat64()))
		}
		for range r.IntN(2500) {
			q.Next()
		}
	},
	func(t testing.TB, q *eventqueue.Queue, r *rand.Rand, first eventqueue.ID, n int) {
		start := q.Now()
		for i := range 100 {
			must(t, q.Schedule(first+eventqueue.ID(i), start+1))
		}
		q.Next()
		q.Reset(start)
	},
}

// compareBulk schedules the same times at once and one by one, into queues of buckets of so many
// entries that are in the same state, and lets both run on. All that it does follows from the seed.
func compareBulk(t *testing.T, seed uint64, first eventqueue.ID, most, workers int, state int, jumps []float64) {
	t.Helper()
	n := len(jumps)
	queues := [2]*eventqueue.Queue{}
	for i := range queues {
		r := rand.New(rand.NewPCG(seed, 62))
		queues[i] = eventqueue.New(eventqueue.StartAt(1e3*r.NormFloat64()),
			eventqueue.MaxID(math.MaxUint32-eventqueue.ID(r.IntN(2)*(max(n, 2000)+2000))))
		queues[i].SetMost(most)
		if first < math.MaxUint32>>1 || state == 0 {
			bulkStates[state](t, queues[i], r, first, n)
		}
	}
	got, want := queues[0], queues[1]
	r := rand.New(rand.NewPCG(seed, 63))
	times := make([]float64, n)
	sparse := r.IntN(3)
	for i := range times {
		times[i] = got.Now() + jumps[i]
		_, pending := got.Due(first + eventqueue.ID(i))
		if r.IntN(5) < sparse || pending && r.IntN(20) > 0 {
			times[i] = math.Inf(1)
		}
	}
	if n > 0 && r.IntN(4) == 0 { // refused, once or several times
		for range 1 + r.IntN(3) {
			times[r.IntN(n)] = []float64{math.NaN(), math.Inf(-1), math.Nextafter(got.Now(), math.Inf(-1))}[r.IntN(3)]
		}
	}
	wantErr := oneByOne(want, first, times)
	err := unbufferedFor(t, got, first, times, workers)
	if !errors.Is(err, wantErr) || (err == nil) != (wantErr == nil) {
		t.Fatalf("error %v, want %v", err, wantErr)
	}
	must(t, got.Check())
	for i := range times {
		id := first + eventqueue.ID(i)
		at, ok := got.Due(id)
		if wantAt, wantOK := want.Due(id); at != wantAt || ok != wantOK {
			t.Fatalf("id %d at %v, %v; want %v, %v", id, at, ok, wantAt, wantOK)
		}
	}
	for i := range min(n, 6000) { // some leave, some come back, some are cancelled
		id, at, ok := want.Next()
		gotID, gotAt, gotOK := got.Next()
		if id != gotID || at != gotAt || ok != gotOK {
			t.Fatalf("%d at %v, %v; want %d at %v, %v", gotID, gotAt, gotOK, id, at, ok)
		}
		if !ok {
			break
		}
		switch i % 3 {
		case 0:
			at += math.Abs(jumps[r.IntN(n)])
			if err := want.Reschedule(id, at); !errors.Is(got.Reschedule(id, at), err) {
				t.Fatal(err)
			}
		case 1:
			other := first + eventqueue.ID(r.IntN(n))
			if want.Cancel(other) != got.Cancel(other) {
				t.Fatalf("%d was cancelled by one of them", other)
			}
		}
	}
	sameQueues(t, got, want)
}

// What ScheduleAll does is what Schedule does one by one, for all distributions of times, whatever
// is in the queue before, for any number of workers and wherever blocks begin and end, with times
// that are refused and without.
func TestScheduleAllIsOneByOne(t *testing.T) {
	all := calendartest.Distributions()
	for seed := range testscale.Size[uint64](30, 45) {
		r := rand.New(rand.NewPCG(seed, 61))
		d := all[r.IntN(len(all))]
		n := []int{0, 1, 41, 1000, 16_384, 16_385, 40_000}[r.IntN(7)]
		first := []eventqueue.ID{0, 0, 1, 16_383, 16_384, 40_000, math.MaxUint32 - 40_000}[r.IntN(7)]
		most := []int{40, 500, 8000, eventqueue.Most}[r.IntN(4)]
		jumps := calendartest.NewJumps(d, max(n, 1), seed)
		times := make([]float64, n)
		for i := range times {
			times[i] = jumps.Next()
		}
		t.Run(fmt.Sprintf("%d %s", seed, d.Name), func(t *testing.T) {
			compareBulk(t, seed, first, most, []int{0, 1, 2, 3, 8}[r.IntN(5)], int(seed)%len(bulkStates), times)
		})
	}
}

// Times as they come from bytes: several scales, many ties, some before now.
func FuzzScheduleAll(f *testing.F) {
	f.Add([]byte("schedule all of them, in some state of the queue"))
	f.Add([]byte{1, 2, 3, 200, 0, 0, 0, 0, 255, 255, 1, 1, 128, 7, 9})
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 5 {
			return
		}
		head, data := data[:4], data[4:]
		first := []eventqueue.ID{0, 16_380, 1 << 20, math.MaxUint32 - 5000}[head[0]%4]
		repeat := 1 + int(head[1])%8
		jumps := make([]float64, 0, repeat*len(data))
		for i := range min(repeat*len(data), 5000) {
			b := data[i%len(data)]
			jumps = append(jumps, float64(b&15)*math.Pow(10, float64(b>>4)-8))
		}
		compareBulk(t, uint64(head[1]), first, []int{40, 70, 300}[head[2]%3], 1+int(head[3]>>4)%3,
			int(head[3])%len(bulkStates), jumps)
	})
}

// The number of workers makes no difference to anything that can be seen, not even to how the
// entries lie.
func TestScheduleAllByAnyWorkers(t *testing.T) {
	const n = 150_000
	r := rand.New(rand.NewPCG(64, 0))
	times := make([]float64, n)
	for i := range times {
		times[i] = r.ExpFloat64()
	}
	var want eventqueue.Stats
	for _, workers := range []int{1, 2, 3, 8} {
		q := eventqueue.New()
		must(t, unbufferedFor(t, q, 7, times, workers))
		if got := q.Stats(); workers == 1 {
			want = got
		} else if got != want {
			t.Errorf("%d workers: %+v, one has %+v", workers, got, want)
		}
	}
}

// Nothing is kept beside what the queue keeps, and no more is allocated on the way than that and a
// little; of ids without an event there is nothing.
func TestScheduleAllMemory(t *testing.T) {
	const n = 1_000_000
	q := eventqueue.New()
	r := rand.New(rand.NewPCG(65, 0))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	must(t, q.ScheduleAll(context.Background(), 0, n, 1, func(_ int, _ eventqueue.ID, at []float64) error {
		for i := range at {
			at[i] = r.ExpFloat64()
		}
		return nil
	}))
	runtime.ReadMemStats(&after)
	if got := float64(q.Stats().Bytes) / n; got > 33 {
		t.Errorf("%.1f bytes an event", got)
	}
	if got := float64(after.TotalAlloc-before.TotalAlloc) / n; got > 36 {
		t.Errorf("%.1f bytes allocated for each event", got)
	}
	empty := eventqueue.New()
	must(t, empty.ScheduleAll(context.Background(), 0, 100*n, 2, func(_ int, first eventqueue.ID, at []float64) error {
		if first == 0 {
			at[5] = 1
		}
		return nil
	}))
	if s := empty.Stats(); s.Bytes > 1<<20 || s.Pending != 1 {
		t.Errorf("%d events, %d bytes", s.Pending, s.Bytes)
	}
}

// What due fails with is what comes back, by whatever way it fails, and the ids before its block
// are scheduled, in queues that are empty and others.
func TestScheduleAllDueFails(t *testing.T) {
	const n, bad = 300_000, 7 * 16_384 // in the middle of what a worker takes at a time
	failed := errors.New("no more")
	for how, fail := range map[string]func() error{
		"error":  func() error { return failed },
		"panic":  func() error { panic(failed) },
		"goexit": func() error { runtime.Goexit(); return nil },
	} {
		for _, pending := range []bool{false, true} {
			for _, workers := range []int{1, 2, 5} {
				q := eventqueue.New()
				if pending {
					must(t, q.Schedule(n, 5))
				}
				got := func() (got any) {
					defer func() {
						if p := recover(); p != nil {
							got = p
						}
					}()
					return q.ScheduleAll(context.Background(), 0, n, workers, func(_ int, first eventqueue.ID, at []float64) error {
						for i := range at {
							at[i] = 1
						}
						if first >= bad {
							return fail()
						}
						return nil
					})
				}()
				switch err, _ := got.(error); how {
				case "error":
					if err != failed {
						t.Errorf("%d workers: %v", workers, got)
					}
				case "panic":
					var p *panics.Error
					if !errors.Is(err, failed) || !errors.As(err, &p) || p.Value != any(failed) || !strings.Contains(string(p.Stack),
						"TestScheduleAllDueFails") {
						t.Errorf("%d workers: %v", workers, got)
					}
				case "goexit":
					if err == nil || err.Error() != "calendar: ScheduleAll: due did not return" {
						t.Errorf("%d workers: %v", workers, got)
					}
				}
				must(t, q.Check())
				before := bad
				if pending {
					before++
				}
				if _, ok := q.Due(bad - 1); q.Len() != before || !ok {
					t.Errorf("%s, %d workers: %d events", how, workers, q.Len())
				}
			}
		}
	}
}

func TestScheduleAllRefuses(t *testing.T) {
	q := eventqueue.New(eventqueue.MaxID(99_999))
	all := func(_ int, _ eventqueue.ID, at []float64) error {
		for i := range at {
			at[i] = 1
		}
		return nil
	}
	err := q.ScheduleAll(context.Background(), 0, 200_000, 2, all)
	if !errors.Is(err, eventqueue.ErrID) || q.Len() != 100_000 || err.Error() !=
		"calendar: ScheduleAll: id 100000 at 1: calendar: id is beyond the largest" {
		t.Errorf("%d events, %v", q.Len(), err)
	}
	must(t, q.Check())
	if err := q.ScheduleAll(context.Background(), 50, 10, 0, all); !errors.Is(err, eventqueue.ErrScheduled) ||
		q.Len() != 100_000 {
		t.Errorf("%d events, %v", q.Len(), err)
	}
	numbers := []int{-1}
	// an int of 32 bits has no number that is too large
	if every := uint64(math.MaxUint32 + 1); math.MaxInt > math.MaxInt32 {
		numbers = append(numbers, int(every), math.MaxInt)
	}
	for _, n := range numbers {
		func() {
			defer func() {
				if s, _ := recover().(string); s != "calendar: ScheduleAll needs ids up to 2³²−1" {
					t.Errorf("%d ids: %q", n, s)
				}
			}()
			_ = q.ScheduleAll(context.Background(), 1, n, 0, all)
		}()
	}
}

// What was told of ids behind one that is refused is forgotten, also if it was told before.
func TestScheduleAllForgets(t *testing.T) {
	const block = 1 << 14
	q := eventqueue.New()
	q.SetMost(2)
	told := make(chan bool)
	err := q.ScheduleAll(context.Background(), 0, 5*block, 2, func(_ int, first eventqueue.ID, at []float64) error {
		for i := range at {
			at[i] = 1
		}
		switch first {
		case 0:
			<-told
			at[3] = math.NaN()
		case block:
			close(told)
		}
		return nil
	})
	if !errors.Is(err, eventqueue.ErrTime) || q.Len() != 3 {
		t.Errorf("%d events, %v", q.Len(), err)
	}
	must(t, q.Check())
	if _, ok := q.Due(block); ok {
		t.Error("an id behind the one that was refused is scheduled")
	}
}

// What Stats says after a failure does not depend on how far others had come by then: they may have
// been behind it, with pages made and times far from all others, or have seen it before they began.
func TestScheduleAllStatsAfterFailure(t *testing.T) {
	const block, blocks, bad = 1 << 14, 12, 4
	failed := errors.New("no more")
	for how, fail := range map[string]func(at []float64) error{
		"error":   func([]float64) error { return failed },
		"refusal": func(at []float64) error { at[100] = math.NaN(); return nil },
	} {
		var want eventqueue.Stats
		for _, workers := range []int{1, 2, 3} {
			q := eventqueue.New()
			q.SetMost(40)
			r := rand.New(rand.NewPCG(66, 0))
			jumps := make([]float64, (bad+1)*block)
			for i := range jumps {
				jumps[i] = r.ExpFloat64()
			}
			beyond := make(chan bool)
			var once sync.Once
			err := q.ScheduleAll(context.Background(), 0, blocks*block, workers, func(_ int, first eventqueue.ID,
				at []float64) error {
				if k := int(first / block); k > bad { // what is behind the failure is told before it
					for i := range at {
						at[i] = 1e9 * float64(k)
					}
					once.Do(func() { close(beyond) })
					return nil
				}
				copy(at, jumps[first:])
				if first != bad*block {
					return nil
				}
				if workers > 1 {
					<-beyond
				}
				return fail(at)
			})
			if err == nil {
				t.Fatalf("%s: no error", how)
			}
			must(t, q.Check())
			if got := q.Stats(); workers == 1 {
				want = got
			} else if got != want {
				t.Errorf("%s, %d workers: %+v, one has %+v", how, workers, got, want)
			}
		}
	}
}

// An ending is a context that ends when it has been asked so many times.
type ending struct {
	context.Context
	asked atomic.Int64
	most  int64
}

func (e *ending) Err() error {
	if e.asked.Add(1) > e.most {
		return context.Canceled
	}
	return nil
}

// Whenever the context ends, little more is done, an empty queue is left without events, and it can
// be used as before. Half of the events share an instant, so that there is a bucket to be divided.
func TestScheduleAllEnds(t *testing.T) {
	const blocks, workers = 8, 2
	const n = blocks << 14
	r := rand.New(rand.NewPCG(14, 1))
	times := make([]float64, n)
	for i := range times {
		if times[i] = 0.5; i%2 == 0 {
			times[i] = r.ExpFloat64()
		}
	}
	due := func(_ int, first eventqueue.ID, at []float64) error {
		copy(at, times[first:])
		return nil
	}
	used := eventqueue.New()
	must(t, used.ScheduleAll(context.Background(), 0, n, workers, due))
	for most := int64(0); ; most++ {
		q := eventqueue.New()
		if most%2 == 0 { // one that has records
			q = used
			q.Reset(0)
		}
		ctx := &ending{Context: context.Background(), most: most}
		err := q.ScheduleAll(ctx, 0, n, workers, due)
		must(t, q.Check())
		if err == nil {
			if most < blocks { // one for each
				t.Errorf("it ended after %d looks at the context", most)
			}
			break
		}
		if !errors.Is(err, context.Canceled) || q.Len() != 0 {
			t.Fatalf("%d events after %d looks: %v", q.Len(), most, err)
		}
		if more := ctx.asked.Load() - most; more > 4*workers+2 {
			t.Fatalf("after %d looks there were %d more", most, more)
		}
		if most%8 == 0 {
			must(t, q.ScheduleAll(context.Background(), 0, n, workers, due))
			want := eventqueue.New()
			must(t, oneByOne(want, 0, times))
			if most == 0 {
				sameQueues(t, q, want)
			} else if q.Len() != want.Len() {
				t.Fatalf("then %d events, want %d", q.Len(), want.Len())
			}
			must(t, q.Check())
		}
	}
	// Beside other events, those before some id are there.
	q := eventqueue.New()
	must(t, q.Schedule(n, 1))
	if err := q.ScheduleAll(&ending{Context: context.Background(), most: 3}, 0, n, 1, due); !errors.Is(err,
		context.Canceled) || q.Len() != 1+1<<14 {
		t.Errorf("%d events: %v", q.Len(), err)
	}
	must(t, q.Check())
}
