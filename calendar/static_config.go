package calendar

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/memory"
)

// A Discipline says how a bucket of a [Static] keeps its list of events.
type Discipline uint8

const (
	// Unordered drops a new event on top of the list and searches the whole list for the earliest: the discipline that
	// Erickson, Ladner and LaMarca analyse.
	Unordered Discipline = iota
	// Ordered puts a new event in its place, so that the earliest comes first: Brown's.
	Ordered
	// JustInTime drops a new event on top, and sorts the list when the bucket's turn comes: Lehman, Keen and Barnes's.
	JustInTime
)

// String returns the discipline's name.
func (d Discipline) String() string {
	switch d {
	case Unordered:
		return "unordered"
	case Ordered:
		return "ordered"
	case JustInTime:
		return "just-in-time"
	}
	return fmt.Sprintf("Discipline(%d)", uint8(d))
}

// StaticConfig describes a [Static].
type StaticConfig struct {
	Buckets    int        // M, the number of buckets: 1 to 2³¹-2
	Width      float64    // δ, the time that a bucket stands for: positive and finite
	Discipline Discipline // how a bucket keeps its list
	Capacity   int        // ids run from 0 to Capacity-1: 1 to 2³¹-2
	Start      float64    // the clock's first value, which may be negative
}

// maxStatic is the most buckets and ids there can be. Links are int32 and carry a sign, and entry 0 of the arrays is no event's.
const maxStatic = math.MaxInt32 - 1

// worthAsking is from how many bytes on the machine is asked whether it has them.
const worthAsking = 64 << 20

// NewStatic makes an empty calendar, or says what is wrong with the configuration, or that the machine has not enough memory for it.
// All the memory that the calendar will ever use is reserved here.
func NewStatic(cfg StaticConfig) (*Static, error) {
	switch {
	case cfg.Buckets < 1 || cfg.Buckets > maxStatic:
		return nil, fmt.Errorf("calendar: StaticConfig.Buckets is %d, must be from 1 to %d", cfg.Buckets, maxStatic)
	case !(cfg.Width > 0) || !isFinite(cfg.Width):
		return nil, fmt.Errorf("calendar: StaticConfig.Width is %v, must be positive and finite", cfg.Width)
	case cfg.Discipline > JustInTime:
		return nil, fmt.Errorf("calendar: StaticConfig.Discipline is %v, must be Unordered, Ordered or JustInTime", cfg.Discipline)
	case cfg.Capacity < 1 || cfg.Capacity > maxStatic:
		return nil, fmt.Errorf("calendar: StaticConfig.Capacity is %d, must be from 1 to %d", cfg.Capacity, maxStatic)
	case !isFinite(cfg.Start):
		return nil, fmt.Errorf("calendar: StaticConfig.Start is %v, must be finite", cfg.Start)
	}
	// Where int has 32 bits, the limits above allow for more than can be addressed.
	need := 12*(uint64(cfg.Capacity)+1) + 4*uint64(cfg.Buckets)
	if need > math.MaxInt {
		return nil, fmt.Errorf("calendar: StaticConfig asks for %d bytes, must be %d or less: take a smaller Capacity or fewer Buckets", need, math.MaxInt)
	}
	// What has to be asked for is more than the machine has if somebody mistook a number.
	if need >= worthAsking {
		room := memory.Free()
		if has := min(room.Pages, room.Address); need > has {
			return nil, fmt.Errorf("calendar: StaticConfig asks for %d bytes, and there are %d: take a smaller Capacity or fewer Buckets", need, has)
		}
	}
	s := &Static{
		at:         make([]float64, cfg.Capacity+1),
		next:       make([]int32, cfg.Capacity+1),
		heads:      make([]int32, cfg.Buckets),
		width:      cfg.Width,
		discipline: cfg.Discipline,
		now:        cfg.Start + 0, // minus zero becomes zero
	}
	for i := range s.next {
		s.next[i] = idle
	}
	s.turnTo(s.dayOf(s.now))
	return s, nil
}
