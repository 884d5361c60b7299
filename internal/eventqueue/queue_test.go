package eventqueue_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/calendar/calendartest"
	"github.com/almanac-sim/almanac/internal/eventqueue"
	"github.com/almanac-sim/almanac/internal/testscale"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// work is what a queue did between two looks, per operation.
func work(t *testing.T, q *eventqueue.Queue, ops int, do func()) (moved, passed float64) {
	t.Helper()
	before := q.Stats()
	do()
	must(t, q.Check())
	after := q.Stats()
	return float64(after.Moved-before.Moved) / float64(ops), float64(after.Passed-before.Passed) / float64(ops)
}

// The promise of constant cost, in steps and not in seconds: however many events, wherever they
// are, few are moved and few buckets passed over for each that is dispatched.
func TestQueueWorkIsConstant(t *testing.T) {
	for _, d := range calendartest.Distributions() {
		for _, n := range testscale.Size([]int{1, 10, 1000, 30_000}, []int{1, 10, 100, 1000, 10_000, 100_000}) {
			q := eventqueue.New()
			j := calendartest.NewJumps(d, n, 1)
			must(t, calendartest.Fill(q, n, j))
			must(t, calendartest.Hold(q, 4*n, j))
			ops := max(4*n, 10_000)
			moved, passed := work(t, q, ops, func() { must(t, calendartest.Hold(q, ops, j)) })
			if moved > 4 || passed > 1.5 {
				t.Errorf("%s, %d events: %.2f entries moved and %.2f buckets passed per event", d.Name, n, moved, passed)
			}
		}
	}
}

func TestQueueFollowsTheScale(t *testing.T) {
	const n = 10_000
	exponential, _ := calendartest.ByName("exponential")
	jumps := calendartest.NewJumps(exponential, n, 2)
	q := eventqueue.New()
	must(t, calendartest.Fill(q, n, jumps))
	for _, scale := range []float64{1, 1e-10, 1, 1e10, 1e-5, 1e300, 1} {
		hold := func() {
			for range 5 * n {
				id, at, ok := q.Next()
				if !ok {
					t.Fatal("empty")
				}
				must(t, q.Schedule(id, at+scale*jumps.Next()))
			}
		}
		if moved, passed := work(t, q, 5*n, hold); moved > 4 || passed > 1.5 {
			t.Errorf("scale %g: %.2f entries moved and %.2f buckets passed per event", scale, moved, passed)
		}
	}
}

func TestQueueDropsStaleEntries(t *testing.T) {
	const n = 10_000
	q := eventqueue.New()
	r := rand.New(rand.NewPCG(4, 0))
	bound := func() {
		t.Helper()
		if s := q.Stats(); s.Stale > s.Pending+eventqueue.StaleSlack {
			t.Fatalf("%d stale entries, %d pending", s.Stale, s.Pending)
		}
	}
	for id := range eventqueue.ID(n) {
		must(t, q.Schedule(id, r.ExpFloat64()))
	}
	for range 20 * n {
		must(t, q.Reschedule(eventqueue.ID(r.IntN(n)), q.Now()+r.ExpFloat64()))
		bound()
	}
	must(t, q.Check())
	for id := range eventqueue.ID(n) { // far away, so that no bucket of theirs is opened soon
		must(t, q.Reschedule(id, q.Now()+1e6+r.Float64()))
	}
	for id := range eventqueue.ID(n / 2) {
		q.Cancel(id)
		bound()
	}
	for q.Len() > 0 {
		q.Next()
		bound()
	}
	must(t, q.Check())

	// The stale entries are far away and the live ones near: those that are dispatched leave the
	// stale ones in the majority.
	for id := range eventqueue.ID(n) {
		must(t, q.Schedule(id, q.Now()+1))
		must(t, q.Schedule(id+n, q.Now()+1e6))
	}
	for id := range eventqueue.ID(n) {
		q.Cancel(id + n)
	}
	for q.Len() > 0 {
		q.Next()
		bound()
	}
	must(t, q.Check())
}

// A version that is given again must not make a stale entry valid.
func TestQueueVersionsStartAgain(t *testing.T) {
	q := eventqueue.New()
	q.SetVersions(2)
	must(t, q.Schedule(1, 5)) // version 0
	must(t, q.Schedule(2, 5))
	q.Cancel(1) // its entry is stale, and still there
	must(t, q.Schedule(1, 4))
	must(t, q.Reschedule(1, 5)) // the versions start again; behind id 2
	must(t, q.Check())
	for _, want := range []eventqueue.ID{2, 1} {
		if id, at, ok := q.Next(); id != want || at != 5 || !ok {
			t.Errorf("got %d at %v, want %d at 5", id, at, want)
		}
	}
}

func TestQueueGivesMemoryBack(t *testing.T) {
	n := testscale.Size(600_000, 1_000_000)
	exponential, _ := calendartest.ByName("exponential")
	j := calendartest.NewJumps(exponential, n, 5)
	q := eventqueue.New()
	must(t, calendartest.Fill(q, n, j))
	must(t, calendartest.Hold(q, n, j))
	full := q.Stats().Bytes
	if perEvent := float64(full) / float64(n); perEvent > 36 { // records grow by a quarter at a time
		t.Errorf("%.1f bytes per event", perEvent)
	}
	const left = 1000
	for q.Len() > left {
		id, at, _ := q.Next()
		if id < left {
			must(t, q.Schedule(id, at+j.Next()))
		}
	}
	must(t, calendartest.Hold(q, 4*n, j)) // it takes some work to pay for the move
	must(t, q.Check())
	s := q.Stats()
	if s.Bytes > full/10 || s.Shrinks == 0 {
		t.Errorf("%d bytes for %d events, of %d for %d; shrunk %d times", s.Bytes, s.Pending, full, n, s.Shrinks)
	}
}

func TestQueueAllocatesNothing(t *testing.T) {
	n := testscale.Size(4000, 10_000)
	for _, d := range calendartest.Distributions() {
		j := calendartest.NewJumps(d, n, 6)
		q := eventqueue.New()
		must(t, calendartest.Fill(q, n, j))
		must(t, calendartest.HoldCancel(q, 40*n, n, j))
		if allocs := testing.AllocsPerRun(10, func() { must(t, calendartest.HoldCancel(q, n, n, j)) }); allocs > 1 {
			t.Errorf("%s: %v allocations in %d operations", d.Name, allocs, n)
		}
	}
}

func TestQueueUntil(t *testing.T) {
	q := eventqueue.New()
	for id, at := range []float64{3, 1, 2, 2, 4} {
		must(t, q.Schedule(eventqueue.ID(id), at))
	}
	var got []eventqueue.ID
	for id, at := range q.Until(3) {
		got = append(got, id)
		if id == 1 {
			must(t, q.Schedule(7, at+0.5)) // joins
			must(t, q.Schedule(8, 3.5))    // does not
			q.Cancel(2)
		}
	}
	if want := []eventqueue.ID{1, 7, 3, 0}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if q.Now() != 3 || q.Len() != 2 {
		t.Errorf("now %v, %d pending", q.Now(), q.Len())
	}
	for range q.Until(math.Inf(1)) {
		break
	}
	if q.Now() != 3.5 || q.Len() != 1 {
		t.Errorf("after a break: now %v, %d pending", q.Now(), q.Len())
	}
	for id := range q.Until(math.NaN()) {
		t.Errorf("dispatched %d until NaN", id)
	}
}

func TestQueueOptions(t *testing.T) {
	q := eventqueue.New(eventqueue.Capacity(100), eventqueue.StartAt(-5))
	if q.Now() != -5 {
		t.Errorf("the clock starts at %v", q.Now())
	}
	if err := q.Schedule(0, -5.1); !errors.Is(err, eventqueue.ErrPast) {
		t.Errorf("before the start: %v", err)
	}
	must(t, q.Schedule(1000, -5)) // capacity is no bound
	for name, bad := range map[string]func(){
		"NaN":      func() { eventqueue.StartAt(math.NaN()) },
		"infinite": func() { eventqueue.StartAt(math.Inf(-1)) },
		"negative": func() { eventqueue.Capacity(-1) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if s, _ := recover().(string); len(s) < 9 || s[:9] != "calendar:" {
					t.Errorf("recovered %q", s)
				}
			}()
			bad()
		})
	}
}

// NextBy takes what Peek shows if it is due by then, and nothing else; with cancelled entries in
// front, too.
func TestQueueNextBy(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	q := eventqueue.New()
	for id := range eventqueue.ID(5000) {
		if err := q.Schedule(id, float64(r.IntN(2000))/4); err != nil {
			t.Fatal(err)
		}
	}
	for limit := 0.0; q.Len() > 0; limit += float64(r.IntN(3)) / 4 {
		for range r.IntN(20) {
			q.Cancel(eventqueue.ID(r.IntN(5000)))
		}
		id, at, ok := q.Peek()
		before := q.Len()
		gotID, gotAt, gotOK := q.NextBy(limit)
		if wantOK := ok && at <= limit; gotOK != wantOK || gotOK && (gotID != id || gotAt != at) || !gotOK &&
			q.Len() != before {
			t.Fatalf("NextBy(%v) is %v, %v, %v with %v, %v, %v in front", limit, gotID, gotAt, gotOK, id, at, ok)
		}
	}
	if _, _, ok := q.NextBy(math.NaN()); ok {
		t.Error("an event by NaN")
	}
}

// Whatever arrays a queue prefetches, they stay as they are, and so does what the queue does.
func TestQueueAccompanied(t *testing.T) {
	n := testscale.Size(40_000, 100_000)
	pairs, bytes := make([]uint64, 2*n), make([]byte, 10) // the second is too short for most ids
	for i := range pairs {
		pairs[i] = uint64(i)
	}
	alone, prefetching := eventqueue.New(), eventqueue.New()
	prefetching.Prefetch(eventqueue.ArrayOf(pairs, 2), eventqueue.ArrayOf(bytes, 1), eventqueue.ArrayOf([]uint64(nil), 1))
	r := rand.New(rand.NewPCG(5, 6))
	for id := range eventqueue.ID(n) {
		at := r.ExpFloat64()
		must(t, alone.Schedule(id, at))
		must(t, prefetching.Schedule(id, at))
	}
	for range 3 * n {
		id, at, _ := alone.Next()
		otherID, otherAt, _ := prefetching.Next()
		if id != otherID || at != otherAt {
			t.Fatalf("%v at %v, prefetching %v at %v", id, at, otherID, otherAt)
		}
		at += r.ExpFloat64()
		must(t, alone.Schedule(id, at))
		must(t, prefetching.Schedule(id, at))
	}
	for i := range pairs {
		if pairs[i] != uint64(i) {
			t.Fatalf("element %d is %d", i, pairs[i])
		}
	}
	prefetching.Prefetch()
	defer func() {
		if recover() == nil {
			t.Error("no elements for each id were accepted")
		}
	}()
	_ = eventqueue.ArrayOf(pairs, 0)
}

// NextTied returns what NextBy does, and never misses an event of the same time, also among ties,
// stale entries, and what is scheduled for now; it is hardly ever wrong the other way.
func TestNextTied(t *testing.T) {
	for _, times := range []uint64{2, 30, 3000, 1 << 40} {
		s := rand.New(rand.NewPCG(1, 1))
		q, twin := eventqueue.New(), eventqueue.New()
		ties, wrong := 0, 0
		for step := range 60_000 {
			id := eventqueue.ID(s.Uint64N(2000))
			switch {
			case step%20_000 < 4000 || s.Uint64N(3) > 0:
				at := q.Now() + float64(s.Uint64N(times))
				if err, again := q.Reschedule(id, at), twin.Reschedule(id, at); err != nil || again != nil {
					t.Fatal(err, again)
				}
			case s.Uint64N(4) == 0:
				q.Cancel(id)
				twin.Cancel(id)
			default:
				by := q.Now() + float64(s.Uint64N(3))*float64(times)/16
				got, at, may, ok := q.NextTied(by)
				want, due, there := twin.NextBy(by)
				if got != want || at != due || ok != there || q.Now() != twin.Now() {
					t.Fatalf("%d times, step %d: %d at %v, %v; want %d at %v, %v", times, step, got, at, ok, want, due, there)
				}
				_, next, more := twin.Peek()
				switch tied := ok && more && next == at; {
				case tied && !may:
					t.Fatalf("%d times, step %d: a tie was missed", times, step)
				case tied:
					ties++
				case may:
					wrong++
				}
			}
		}
		if err := q.Check(); err != nil {
			t.Fatal(err)
		}
		if (ties > 100) != (times < 1<<40) || wrong > ties/10+20 {
			t.Errorf("%d times: %d ties, %d where there was none", times, ties, wrong)
		}
	}
}

// PrefetchID may be called for every id, known or not, and changes nothing; it allocates nothing.
func TestPrefetchID(t *testing.T) {
	q := eventqueue.New()
	words := make([]uint64, 3*100)
	for _, arrays := range [][]eventqueue.Array{nil, {eventqueue.ArrayOf(words, 3)}} {
		q.Prefetch(arrays...)
		for _, id := range []eventqueue.ID{0, 1, 99, 100, 16_383, 16_384, 1 << 20, math.MaxUint32} {
			q.PrefetchID(id)
		}
		if err := q.Reschedule(70_000, 1); err != nil { // from now on there are pages, some of them empty
			t.Fatal(err)
		}
	}
	if n := testing.AllocsPerRun(100, func() { q.PrefetchID(70_000) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if id, at, ok := q.Next(); id != 70_000 || at != 1 || !ok || q.Len() != 0 {
		t.Errorf("%d at %v, %v", id, at, ok)
	}
}
