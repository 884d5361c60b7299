package eventqueue_test

import (
	"testing"

	"github.com/almanac-sim/almanac/calendar/calendartest"
	"github.com/almanac-sim/almanac/internal/eventqueue"
	"github.com/almanac-sim/almanac/internal/testscale"
)

func TestQueueConforms(t *testing.T) {
	calendartest.Run(t, func(start float64) calendartest.Set {
		return eventqueue.New(eventqueue.StartAt(start))
	}, calendartest.AtMost(testscale.Size(20_000, calendartest.MaxID)))
}

func FuzzQueue(f *testing.F) {
	f.Add([]byte("schedule, cancel, peek, next"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := calendartest.Replay(data, eventqueue.New(), eventqueue.New(eventqueue.StartAt(-1e9))); err != nil {
			t.Error(err)
		}
	})
}
