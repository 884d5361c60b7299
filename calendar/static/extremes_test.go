package static

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/calendar"
)

// Every number of its type is either taken or refused in words.
func TestQueueExtremeArguments(t *testing.T) {
	tolerates := func(what string, do func()) {
		t.Helper()
		defer func() {
			if p := recover(); p != nil && !strings.HasPrefix(fmt.Sprint(p), "static: ") {
				t.Errorf("%s panics: %v", what, p)
			}
		}()
		do()
	}
	floats := []float64{math.NaN(), math.Inf(-1), -math.MaxFloat64, -math.SmallestNonzeroFloat64, 0,
		math.SmallestNonzeroFloat64, math.MaxFloat64, math.Inf(1)}
	ids := []calendar.ID{0, 1, math.MaxUint32 - 1, math.MaxUint32}
	ints := []int{math.MinInt, math.MinInt + 1, -1, 0, 1, math.MaxInt - 1, math.MaxInt}
	for _, x := range floats {
		for _, id := range ids {
			tolerates(fmt.Sprintf("Queue with id %d and time %v", id, x), func() {
				s, err := New(Config{Buckets: 3, Width: 1, Capacity: 3, Start: -1})
				if err != nil {
					t.Fatal(err)
				}
				_ = s.Schedule(id, x)
				_ = s.Reschedule(id, x)
				_ = s.Renumber(id, math.MaxUint32-id)
				for range s.Until(x) {
				}
				s.Due(id)
				s.Cancel(id)
				if err := s.check(); err != nil {
					t.Error(err)
				}
			})
		}
		tolerates(fmt.Sprintf("New with width and start %v", x), func() {
			_, _ = New(Config{Buckets: 1, Width: x, Capacity: 1})
			_, _ = New(Config{Buckets: 1, Width: 1, Capacity: 1, Start: x})
		})
	}
	for _, n := range ints {
		tolerates(fmt.Sprintf("New with %d", n), func() {
			_, _ = New(Config{Buckets: n, Width: 1, Capacity: 1})
			_, _ = New(Config{Buckets: 1, Width: 1, Capacity: n})
		})
	}
}
