package calendar_test

import (
	"testing"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/calendar/calendartest"
)

func TestQueueConforms(t *testing.T) {
	calendartest.Run(t, func(start float64) calendartest.Set { return calendar.New(calendar.StartAt(start)) })
}
