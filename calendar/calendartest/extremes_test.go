package calendartest_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/calendar/calendartest"
)

// stingy is a set that takes a few calls and refuses the others, so that no workload on it is long.
type stingy struct {
	*calendartest.Reference
	left int
}

var errSpent = errors.New("spent")

func (s *stingy) Schedule(id calendar.ID, at float64) error {
	if s.left--; s.left < 0 {
		return errSpent
	}
	return s.Reference.Schedule(id, at)
}

func (s *stingy) Reschedule(id calendar.ID, at float64) error {
	if s.left--; s.left < 0 {
		return errSpent
	}
	return s.Reference.Reschedule(id, at)
}

func (s *stingy) Due(id calendar.ID) (float64, bool) {
	if s.left--; s.left < -1000 {
		panic("calls without end")
	}
	return s.Reference.Due(id)
}

// A number of ids that is negative, or more than there are ids, is refused in words. All others do
// what they say.
func TestExtremeNumbers(t *testing.T) {
	exponential := calendartest.Distributions()[0]
	regimes, _ := calendartest.ByName("regimes")
	tooMany := math.MaxInt // where an int has 32 bits, every number that is not negative is a number of ids
	if ids := uint64(math.MaxUint32) + 1; ids < math.MaxInt {
		tooMany = int(ids) + 1
	}
	for _, n := range []int{math.MinInt, -1, 0, 1, 2, tooMany - 1, tooMany, math.MaxInt - 1, math.MaxInt} {
		bad := n < 0 || uint64(n) > math.MaxUint32+1
		j := calendartest.NewJumps(exponential, n, 1)
		type set = calendartest.Set
		for name, c := range map[string]struct {
			refused bool
			run     func(s set) error
		}{
			"Fill":           {bad, func(s set) error { return calendartest.Fill(s, n, j) }},
			"Hold":           {false, func(s set) error { return calendartest.Hold(s, n, j) }},
			"HoldCancel":     {bad || n == 0, func(s set) error { return calendartest.HoldCancel(s, 2, n, j) }},
			"HoldReschedule": {bad || n == 0, func(s set) error { return calendartest.HoldReschedule(s, 2, n, j) }},
			"GrowShrink to":  {bad, func(s set) error { return calendartest.GrowShrink(s, 0, n, j) }},
			"GrowShrink from": {bad, func(s set) error {
				return calendartest.GrowShrink(s, n, 2, j)
			}},
			"Pick":   {bad || n == 0, func(set) error { j.Pick(n); return nil }},
			"AtMost": {n < 1, func(set) error { calendartest.AtMost(n); return nil }},
		} {
			s := &stingy{calendartest.NewReference(0), 50}
			_ = s.Schedule(0, 0)
			before := s.left
			var err error
			refused := refusal(func() { err = c.run(s) })
			if (refused != "") != c.refused || refused != "" && !strings.HasPrefix(refused, "calendartest: ") {
				t.Errorf("%s of %d: panic %q, refused should be %v", name, n, refused, c.refused)
			}
			if name == "Fill" && refused == "" && n > 0 && s.left == before && err == nil {
				t.Errorf("Fill of %d does nothing", n)
			}
		}
		long := calendartest.NewJumps(regimes, n, 1)
		for range 1 << 19 {
			long.Next()
		}
	}
}

// refusal is what do panics with, if it does.
func refusal(do func()) (said string) {
	defer func() {
		if p := recover(); p != nil {
			said = fmt.Sprint(p)
		}
	}()
	do()
	return ""
}

func TestReferenceNeedsAFiniteStart(t *testing.T) {
	for _, start := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		said := refusal(func() { calendartest.NewReference(start) })
		if said != "calendartest: NewReference needs a finite time" {
			t.Errorf("NewReference(%v): %q", start, said)
		}
	}
	for _, start := range []float64{-math.MaxFloat64, math.MaxFloat64, math.SmallestNonzeroFloat64} {
		if got := calendartest.NewReference(start).Now(); got != start {
			t.Errorf("NewReference(%v) is at %v", start, got)
		}
	}
}
