package eventqueue

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
)

var (
	extremeInts   = []int{math.MinInt, math.MinInt + 1, -1, 0, 1, math.MaxInt - 1, math.MaxInt}
	extremeIDs    = []ID{0, 1, math.MaxUint32 - 1, math.MaxUint32}
	extremeFloats = []float64{math.NaN(), math.Inf(-1), -math.MaxFloat64, -math.SmallestNonzeroFloat64, 0,
		math.SmallestNonzeroFloat64, math.MaxFloat64, math.Inf(1)}
)

// tolerates calls do, which may panic with a message of the package and with nothing else.
func tolerates(t *testing.T, what string, do func()) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil && !strings.HasPrefix(fmt.Sprint(p), "calendar: ") {
			t.Errorf("%s panics: %v", what, p)
		}
	}()
	do()
}

// Every number of its type is either taken or refused in words.
func TestExtremeArguments(t *testing.T) {
	for _, x := range extremeFloats {
		for _, id := range extremeIDs {
			tolerates(t, fmt.Sprintf("Queue with id %d and time %v", id, x), func() {
				q := New()
				noError(t, q.Schedule(7, 0))
				_ = q.Schedule(id, x)
				_ = q.Reschedule(id, x)
				q.PrefetchID(id)
				q.Due(id)
				_ = q.Renumber(id, math.MaxUint32-id)
				q.NextBy(x)
				q.NextTied(x)
				for range 3 {
					q.NextBy(x)
				}
				q.Cancel(id)
				noError(t, q.check())
			})
		}
		tolerates(t, fmt.Sprintf("StartAt(%v)", x), func() { New(StartAt(x)) })
		tolerates(t, fmt.Sprintf("Reset(%v)", x), func() { New().Reset(x) })
	}
	for _, n := range extremeInts {
		tolerates(t, fmt.Sprintf("Capacity(%d)", n), func() { New(Capacity(n), MaxID(100)) })
		tolerates(t, fmt.Sprintf("ArrayOf(%d)", n), func() {
			q := New()
			q.Prefetch(ArrayOf(make([]int64, 10), n))
			for _, id := range extremeIDs {
				q.PrefetchID(id)
			}
		})
		tolerates(t, fmt.Sprintf("ScheduleAll of %d ids", n), func() {
			stop := errors.New("stop")
			err := New(MaxID(5)).ScheduleAll(t.Context(), 1, n, 1, func(int, ID, []float64) error { return stop })
			if n > 0 && !errors.Is(err, stop) {
				t.Errorf("%v", err)
			}
		})
	}
}

// Ahead knows a few of the next events, and no others whatever the number.
func TestAheadOfEveryNumber(t *testing.T) {
	q := New()
	for id := range ID(10) {
		noError(t, q.Schedule(id, float64(id)))
	}
	for range 3 { // so that the next event is not the first of what is sorted
		q.Next()
	}
	for _, k := range append(extremeInts, math.MinInt+2, -2, -3, math.MaxInt-2, math.MaxInt-3, 6, 7) {
		id, ok := q.Ahead(k)
		if known := k >= 0 && k < 7; ok != known || ok && id != ID(3+k) {
			t.Errorf("Ahead(%d) = %d, %v, want %d, %v", k, id, ok, 3+k, known)
		}
	}
}

// However many workers are wanted, ScheduleAll has at least one, one for each block at most, and no
// more than maxWorkers: each takes memory before the first block is asked for.
func TestScheduleAllBoundsItsWorkers(t *testing.T) {
	for _, blocks := range []int{0, 1, 3, maxWorkers, 1 << 18} {
		most := min(max(blocks, 1), maxWorkers)
		for _, wanted := range extremeInts {
			want := min(wanted, most)
			if wanted <= 0 {
				want = min(runtime.GOMAXPROCS(0), most)
			}
			if got := workersFor(wanted, blocks); got != want {
				t.Errorf("%d workers for %d blocks if %d are wanted, want %d", got, blocks, wanted, want)
			}
		}
	}
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
