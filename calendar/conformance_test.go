package calendar_test

import (
	"math"
	"testing"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/calendar/calendartest"
)

// The queue is tested where it is made, in internal/eventqueue. Here its calls are tried as users
// see them, of a zero queue and of one with options.
func TestQueueConforms(t *testing.T) {
	calendartest.Run(t, func(start float64) calendartest.Set {
		if start == 0 {
			return new(calendar.Queue)
		}
		return calendar.New(calendar.StartAt(start))
	}, calendartest.AtMost(2000))
}

// Every call on a zero queue and a zero agenda does what it does on an empty one.
func TestZeroValues(t *testing.T) {
	for name, call := range map[string]func(q *calendar.Queue) bool{
		"Schedule":      func(q *calendar.Queue) bool { return q.Schedule(7, 1) == nil && q.Len() == 1 },
		"Reschedule":    func(q *calendar.Queue) bool { return q.Reschedule(7, 1) == nil && q.Len() == 1 },
		"Schedule, NaN": func(q *calendar.Queue) bool { return q.Schedule(7, math.NaN()) == calendar.ErrTime },
		"Cancel":        func(q *calendar.Queue) bool { return !q.Cancel(7) },
		"Renumber":      func(q *calendar.Queue) bool { return q.Renumber(7, 8) == calendar.ErrNotScheduled },
		"Next":          func(q *calendar.Queue) bool { _, _, ok := q.Next(); return !ok },
		"NextBy":        func(q *calendar.Queue) bool { _, _, ok := q.NextBy(1); return !ok },
		"Peek":          func(q *calendar.Queue) bool { _, _, ok := q.Peek(); return !ok },
		"Due":           func(q *calendar.Queue) bool { _, ok := q.Due(7); return !ok },
		"Len":           func(q *calendar.Queue) bool { return q.Len() == 0 },
		"Now":           func(q *calendar.Queue) bool { return q.Now() == 0 },
		"Reset":         func(q *calendar.Queue) bool { q.Reset(3); return q.Now() == 3 },
		"Trim":          func(q *calendar.Queue) bool { q.Trim(); return q.Len() == 0 },
		"Stats":         func(q *calendar.Queue) bool { return q.Stats().Pending == 0 },
		"Until": func(q *calendar.Queue) bool {
			for range q.Until(9) {
				return false
			}
			return true
		},
		"ScheduleAll": func(q *calendar.Queue) bool {
			err := q.ScheduleAll(t.Context(), 5, 3, 2, func(_ int, _ calendar.ID, at []float64) error {
				for i := range at {
					at[i] = 1
				}
				return nil
			})
			return err == nil && q.Len() == 3
		},
	} {
		t.Run(name, func(t *testing.T) {
			var q calendar.Queue
			if !call(&q) {
				t.Error("wrong answer")
			}
			// and it goes on as any other
			if err := q.Reschedule(100, 5); err != nil {
				t.Fatal(err)
			}
			for q.Len() > 1 {
				q.Next()
			}
			if id, at, ok := q.Next(); id != 100 || at != 5 || !ok {
				t.Errorf("id %d at %v, %v", id, at, ok)
			}
		})
	}
	var a calendar.Agenda[string]
	if _, _, ok := a.Next(); ok || a.Len() != 0 {
		t.Error("a zero agenda is not empty")
	}
	h, err := a.Schedule(2, "later")
	if at, ok := a.Due(h); err != nil || at != 2 || !ok {
		t.Errorf("due at %v, %v, %v", at, ok, err)
	}
	if v, _, ok := a.Next(); v != "later" || !ok {
		t.Errorf("value %q, %v", v, ok)
	}
}
