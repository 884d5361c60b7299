//go:build !race

package relaxed

import (
	"cmp"
	"container/heap"
	"math"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/internal/timekey"
)

// No call moves more entries than a full bucket has, but for some, neither while a queue is
// filled nor when its time has gone through several octaves: all events together are never divided
// at once. (They were when the first of them was due, and whenever time had grown by half.)
// TestQueueMovesMany has the exceptions.
func TestQueueMovesFewAtOnce(t *testing.T) {
	n, holds := 100_000, testscale.Size(200_000, 400_000)
	for name, next := range map[string]func(r *rand.Rand) float64{
		"exponential": (*rand.Rand).ExpFloat64,
		"uniform":     func(r *rand.Rand) float64 { return 2 * r.Float64() },
		"log-normal":  func(r *rand.Rand) float64 { return math.Exp(2 * r.NormFloat64()) },
		"two scales": func(r *rand.Rand) float64 {
			if r.IntN(2) == 0 {
				return 1000 + r.Float64()
			}
			return r.ExpFloat64()
		},
		"of many times": func(r *rand.Rand) float64 { return float64(1 + r.IntN(40)) },
		"of few times":  func(r *rand.Rand) float64 { return float64(1 + r.IntN(3)) },
	} {
		q := newSubqueue[int](0)
		r := rand.New(rand.NewPCG(21, 0))
		largest, nested := uint64(0), 0
		counted := func(f func()) {
			before := q.moved
			f()
			largest = max(largest, q.moved-before)
			nested = max(nested, len(q.nested))
		}
		for i := range n {
			counted(func() { q.add(timekey.Of(next(r)), i) })
		}
		now := 0.0
		for i := range holds {
			key := q.top()
			at := timekey.Time(key)
			if at < now {
				t.Fatalf("%s: %v comes after %v", name, at, now)
			}
			now = at
			var v int
			counted(func() { v = q.take(key) })
			counted(func() { q.add(timekey.Of(at+next(r)), v) })
			if i%(holds/4) == 0 {
				if err := checkSubqueue(q); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
		}
		if err := checkSubqueue(q); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		t.Logf("%s, up to %.0f: at most %d entries moved at once, %d nested levels, %.2f moves an event", name, now, largest,
			nested,
			float64(q.moved)/float64(q.dispatched))
		most := uint64(maxInBucket + chunkSlots + 1000) // one bucket, and then one of what came of it
		if strings.HasPrefix(name, "of ") {
			most *= 7 // ties are nested until a bucket is of one key, by 10 of 64 bits or so at a time
		}
		if largest > most {
			t.Errorf("%s: %d entries were moved at once, more than %d", name, largest, most)
		}
	}
}

// Where a call moves many entries after all, there are so many calls that do not that each event is
// moved a few times: those that are scheduled backwards, which are taken up from level to level,
// each time into one at least half as large again, and those that are left when others are swept
// out.
func TestQueueMovesMany(t *testing.T) {
	const n = 100_000
	q := newSubqueue[int](0)
	largest := uint64(0)
	counted := func(f func()) {
		before := q.moved
		f()
		largest = max(largest, q.moved-before)
	}
	var es []entry
	for i := range n {
		counted(func() { es = append(es, q.add(timekey.Of(float64(n-i)), i)) })
	}
	moves := float64(q.moved) / n
	t.Logf("backwards: at most %d entries moved at once, %.2f moves an event", largest, moves)
	if most := 1 + math.Log(n/bottomMax)/math.Log(1.5); largest > 2*n || moves > most {
		t.Errorf("backwards: %d entries were moved at once, and an event %.2f times, more than %.2f", largest, moves, most)
	}

	before := q.moved
	largest = 0
	rand.New(rand.NewPCG(28, 0)).Shuffle(n, func(i, k int) { es[i], es[k] = es[k], es[i] })
	for _, e := range es {
		counted(func() { q.cancel(e.ID, e.Version) })
	}
	moves = float64(q.moved-before) / n
	t.Logf("cancelled: at most %d entries moved at once, %.2f moves an event", largest, moves)
	// More than half of what is looked at is stale, and then gone; nested levels may be put back
	// besides, and the bottom is filled.
	if largest < n/2 || moves > 4 {
		t.Errorf("cancelled: %d entries were moved at once, and an event %.2f times", largest, moves)
	}
	if err := checkSubqueue(q); err != nil {
		t.Error(err)
	}
}

// byTime is a heap of events: the earliest first, and of equal times the one that was scheduled
// first, which has the smaller value.
type byTime []diaryEntry

func (h byTime) Len() int { return len(h) }
func (h byTime) Less(i, k int) bool {
	return cmp.Or(cmp.Compare(h[i].at, h[k].at), cmp.Compare(h[i].value, h[k].value)) < 0
}
func (h byTime) Swap(i, k int) { h[i], h[k] = h[k], h[i] }
func (h *byTime) Push(x any)   { *h = append(*h, x.(diaryEntry)) }
func (h *byTime) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}

// Nested levels keep order, of equal times too, and lose nothing, when events are cancelled and
// swept out of them, and when events that come before all others have them taken up into another
// level.
func TestQueueNested(t *testing.T) {
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(22, seed))
		c := New[int](Concurrency(1), perProcess(1))
		q := c.open(0)
		var due byTime
		handles := map[int]Handle{} // of what is pending, by value
		value, most := 0, 0
		schedule := func(at float64) {
			h, err := c.Schedule(at, value)
			if err != nil {
				t.Fatal(err)
			}
			heap.Push(&due, diaryEntry{at, value, h})
			handles[value] = h
			value++
			most = max(most, len(q.nested))
		}
		cancel := func(v int) {
			if !c.Cancel(handles[v]) || c.Cancel(handles[v]) {
				t.Fatalf("%d could not be cancelled, or twice", v)
			}
			delete(handles, v)
		}
		take := func() {
			want := heap.Pop(&due).(diaryEntry)
			for handles[want.value] != want.event { // it was cancelled
				want = heap.Pop(&due).(diaryEntry)
			}
			delete(handles, want.value)
			if v, at, ok := c.Next(); !ok || v != want.value || at != want.at {
				t.Fatalf("Next is %d at %v, %v, want %d at %v", v, at, ok, want.value, want.at)
			}
		}
		// wide at first, so that buckets are, then narrow, in steps of which many are equal
		for i := range maxInFirst + maxInBucket + 1000 {
			if i < maxInFirst+100 {
				schedule(1 + 1000*r.Float64())
			} else {
				schedule(500 + math.Floor(800*r.Float64())/1000)
			}
		}
		mustCheck(t, c)
		if most == 0 {
			t.Fatal("nothing was nested")
		}
		switch seed % 3 {
		case 0: // most are cancelled
			for _, v := range r.Perm(value)[maxInFirst:] {
				cancel(v)
			}
		case 1: // ever earlier ones come
			for at := 400.0; at > 1e-3; at *= 0.99 {
				for range 10 {
					schedule(at * (1 + r.Float64()/1000))
				}
			}
		case 2: // all are cancelled
			for v := value - 1; v >= 0; v-- {
				cancel(v)
			}
		}
		mustCheck(t, c)
		for i := range 2000 {
			schedule(500 + r.Float64())
			if i%3 == 0 {
				take()
			}
		}
		mustCheck(t, c)
		for len(handles) > 0 {
			take()
		}
		mustCheck(t, c)
	}
}

// The last bucket of a level that rolls is nested when it gets what lies in its range, but beyond
// the level's end. (Those that came with a chunk of its own made the bucket forget its 9,000.)
func TestQueueRollsIntoNested(t *testing.T) {
	c := New[int](Concurrency(1))
	var want byTime
	schedule := func(at float64) {
		h, err := c.Schedule(at, len(want))
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, diaryEntry{at, len(want), h})
	}
	schedule(1000)
	for i := range 90 {
		schedule(900 + 1.1*float64(i))
	}
	for range 9000 {
		schedule(1000)
	}
	for range 10 {
		schedule(math.Nextafter(1000, 2000))
	}
	mustCheck(t, c)
	sort.Sort(want)
	for _, w := range want {
		if v, at, ok := c.Next(); !ok || v != w.value || at != w.at {
			t.Fatalf("Next is %d at %v, %v, want %d at %v", v, at, ok, w.value, w.at)
		}
	}
	if _, _, ok := c.Next(); ok {
		t.Error("something is left")
	}
	mustCheck(t, c)
}

// Events that are each later than all before make few levels, and those that are filled in so are
// taken in order.
func TestQueueFilledInOrder(t *testing.T) {
	q := newSubqueue[int](0)
	const n = 200_000
	deepest := 0
	for i := range n {
		q.add(timekey.Of(float64(i)), i)
		deepest = max(deepest, len(q.levels))
	}
	if err := checkSubqueue(q); err != nil {
		t.Fatal(err)
	}
	if deepest >= maxLevels {
		t.Errorf("%d levels", deepest)
	}
	for i := range n {
		if key := q.top(); key != timekey.Of(float64(i)) || q.take(key) != i {
			t.Fatalf("at %v, want %d", timekey.Time(key), i)
		}
	}
	t.Logf("%d levels, %.2f moves an event", deepest, float64(q.moved)/n)
}

// Nor are all events divided at once where they are scheduled in order after a busy time, or ever
// further apart: levels are then short for what is to come, and soon as many as there may be. (What
// was later waited in level 0 until it was due.)
func TestQueueFilledInOrderMovesFewAtOnce(t *testing.T) {
	const n = 20_000
	for name, later := range map[string]func(at float64) float64{
		"as far apart": func(at float64) float64 { return at + 1 },
		"further":      func(at float64) float64 { return at * 1.03 },
	} {
		q := newSubqueue[int](0)
		q.maxInBucket, q.maxInFirst, q.refined = maxInBucket/16, maxInFirst/16, refined/16
		r := rand.New(rand.NewPCG(24, 0))
		largest, deepest, events := uint64(0), 0, 0
		add := func(at float64) {
			before := q.moved
			q.add(timekey.Of(at), events)
			events++
			largest, deepest = max(largest, q.moved-before), max(deepest, len(q.levels))
		}
		take := func() float64 {
			key, before := q.top(), q.moved
			q.take(key)
			largest = max(largest, q.moved-before)
			return timekey.Time(key)
		}
		for range n / 10 {
			add(r.ExpFloat64())
		}
		for range n {
			add(take() + r.ExpFloat64())
		}
		at := 30.0
		for range n {
			add(at)
			at = later(at)
		}
		if err := checkSubqueue(q); err != nil {
			t.Fatal(err)
		}
		for now := 0.0; q.live > 0; {
			next := take()
			if next < now {
				t.Fatalf("%s: %v comes after %v", name, next, now)
			}
			now = next
		}
		t.Logf("%s: at most %d entries moved at once, %d levels", name, largest, deepest)
		if most := uint64(q.maxInBucket + chunkSlots + 1000); largest > most {
			t.Errorf("%s: %d entries were moved at once, more than %d", name, largest, most)
		}
	}
}
