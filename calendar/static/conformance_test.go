package static_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/almanac-sim/almanac/calendar/calendartest"
	"github.com/almanac-sim/almanac/calendar/static"
	"github.com/almanac-sim/almanac/internal/testscale"
)

var disciplines = []static.Discipline{static.Unordered, static.Ordered, static.JustInTime}

func TestQueueConforms(t *testing.T) {
	for _, d := range disciplines {
		t.Run(d.String(), func(t *testing.T) {
			calendartest.Run(t, func(start float64) calendartest.Set {
				s := newQueue(t, static.Config{Buckets: 1000, Width: 0.1, Discipline: d, Capacity: calendartest.MaxID,
					Start: start})
				return struct{ calendartest.Set }{s} // without its check, which looks at every id there could be
			}, calendartest.AtMost(testscale.Size(800, 2000)))
		})
	}
}

// Random operations on calendars of all shapes, with their check after each.
func TestQueueReplays(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 0))
	for range 300 {
		data := make([]byte, 2+r.IntN(100))
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		if err := replay(data); err != nil {
			t.Fatal(err)
		}
	}
}

// replay takes the shape of a calendar from the first two bytes and operations from the rest.
func replay(data []byte) error {
	// Widths that divide the times evenly, that do not, and that make all days the same or the day
	// numbers overflow.
	widths := []float64{1, 0.1, 1. / 3, 7, 1e-9, 1e-300, 1e300, 5e-324}
	buckets := []int{1, 2, 3, 10, 64, 1000}
	for _, d := range disciplines {
		s, err := static.New(static.Config{
			Buckets:    buckets[int(data[0])%len(buckets)],
			Width:      widths[int(data[1])%len(widths)],
			Discipline: d,
			Capacity:   calendartest.MaxReplayID,
		})
		if err != nil {
			return err
		}
		if err := calendartest.Replay(data[2:], s); err != nil {
			return fmt.Errorf("%v: %w", d, err)
		}
	}
	return nil
}

func newQueue(t testing.TB, cfg static.Config) *static.Queue {
	t.Helper()
	s, err := static.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func FuzzQueue(f *testing.F) {
	f.Add([]byte("schedule, cancel, peek, next"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 2 {
			return
		}
		if err := replay(data); err != nil {
			t.Error(err)
		}
	})
}
