package calendartest

import (
	"math"
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/calendar"
)

// naive keeps a list in order of scheduling and looks at all of it each time: what the reference is
// checked against.
type naive struct {
	now  float64
	list []naiveEvent
}

type naiveEvent struct {
	id calendar.ID
	at float64
}

func (s *naive) find(id calendar.ID) int {
	return slices.IndexFunc(s.list, func(e naiveEvent) bool { return e.id == id })
}

func (s *naive) remove(i int) naiveEvent {
	e := s.list[i]
	s.list = slices.Delete(s.list, i, i+1)
	return e
}

func (s *naive) Schedule(id calendar.ID, at float64) error {
	switch {
	case !(math.Abs(at) <= math.MaxFloat64):
		return calendar.ErrTime
	case at < s.now:
		return calendar.ErrPast
	case s.find(id) >= 0:
		return calendar.ErrScheduled
	}
	s.list = append(s.list, naiveEvent{id, at + 0})
	return nil
}

func (s *naive) Reschedule(id calendar.ID, at float64) error {
	i := s.find(id)
	if i < 0 {
		return s.Schedule(id, at)
	}
	old := s.remove(i)
	if err := s.Schedule(id, at); err != nil {
		s.list = slices.Insert(s.list, i, old)
		return err
	}
	return nil
}

func (s *naive) Cancel(id calendar.ID) bool {
	i := s.find(id)
	if i >= 0 {
		s.remove(i)
	}
	return i >= 0
}

func (s *naive) Renumber(from, to calendar.ID) error {
	i := s.find(from)
	switch {
	case i < 0:
		return calendar.ErrNotScheduled
	case from == to:
		return nil
	case s.find(to) >= 0:
		return calendar.ErrScheduled
	}
	s.list = append(s.list, naiveEvent{to, s.remove(i).at})
	return nil
}

// first returns the place of the earliest event; of equal ones the first in the list is the first
// scheduled.
func (s *naive) first() int {
	first := -1
	for i, e := range s.list {
		if first < 0 || e.at < s.list[first].at {
			first = i
		}
	}
	return first
}

func (s *naive) Next() (calendar.ID, float64, bool) {
	i := s.first()
	if i < 0 {
		return 0, 0, false
	}
	e := s.remove(i)
	s.now = e.at
	return e.id, e.at, true
}

func (s *naive) Peek() (calendar.ID, float64, bool) {
	i := s.first()
	if i < 0 {
		return 0, 0, false
	}
	return s.list[i].id, s.list[i].at, true
}

func (s *naive) Due(id calendar.ID) (float64, bool) {
	i := s.find(id)
	if i < 0 {
		return 0, false
	}
	return s.list[i].at, true
}

func (s *naive) Len() int     { return len(s.list) }
func (s *naive) Now() float64 { return s.now }

func newNaive(start float64) Set { return &naive{now: start + 0} }

func TestReferenceAgreesWithNaive(t *testing.T) {
	Run(t, newNaive, AtMost(200))
}

func TestReference(t *testing.T) {
	Run(t, func(start float64) Set { return NewReference(start) }, AtMost(2_000))
}

func FuzzReference(f *testing.F) {
	for _, seed := range replaySeeds() {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := Replay(data, newNaive(0), newNaive(-16)); err != nil {
			t.Fatal(err)
		}
	})
}

// replaySeeds are what random inputs hardly meet, and random ones, enough to reach the rest.
func replaySeeds() [][]byte {
	seeds := [][]byte{
		{0, 1, 14, 1}, // minus zero, before the clock has passed it
		{12, 0, 255, 0, 8, 0, 8, 13, 0, 255, 0, 8, 0, 15, 255}, // ties at one instant, moved to where it is
	}
	r := random(20)
	for range 20 {
		seed := make([]byte, 1000)
		for i := range seed {
			seed[i] = byte(r.Uint32())
		}
		seeds = append(seeds, seed)
	}
	return seeds
}
