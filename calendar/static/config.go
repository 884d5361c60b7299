package static

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/memory"
)

// A Discipline says how a bucket of a [Queue] keeps its list of events.
type Discipline uint8

const (
	// Unordered drops a new event on top of the list and searches the whole list for the earliest:
	// the discipline that Erickson, Ladner and LaMarca analyse.
	Unordered Discipline = iota
	// Ordered puts a new event in its place, so that the earliest comes first: Brown's.
	Ordered
	// JustInTime drops a new event on top, and sorts the list when the bucket's turn comes: Lehman,
	// Keen and Barnes's.
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

// MarshalText writes the discipline's name, so that it is what stands in JSON.
func (d Discipline) MarshalText() ([]byte, error) {
	if d > JustInTime {
		return nil, fmt.Errorf("static: %v is not a discipline", d)
	}
	return []byte(d.String()), nil
}

// UnmarshalText reads the discipline's name.
func (d *Discipline) UnmarshalText(text []byte) error {
	for _, known := range []Discipline{Unordered, Ordered, JustInTime} {
		if string(text) == known.String() {
			*d = known
			return nil
		}
	}
	return fmt.Errorf("static: there is no discipline %q; there are unordered, ordered and just-in-time", text)
}

// Config describes a [Queue].
type Config struct {
	Buckets    int        // M, the number of buckets: 1 to 2³¹-2
	Width      float64    // δ, the time that a bucket stands for: positive and finite
	Discipline Discipline // how a bucket keeps its list
	Capacity   int        // ids run from 0 to Capacity-1: 1 to 2³¹-2
	Start      float64    // the clock's first value, which may be negative
}

// maxSize is the most buckets and the most ids that a [Queue] can have. Links are int32 and carry a
// sign, and entry 0 of the arrays is no event's.
const maxSize = math.MaxInt32 - 1

// worthAsking is from how many bytes on the machine is asked whether it has them.
const worthAsking = 64 << 20

// New makes an empty calendar, or says what is wrong with the configuration, or that the machine
// has not enough memory for it. All the memory that the calendar will ever use is reserved here.
func New(cfg Config) (*Queue, error) {
	s := new(Queue)
	if err := s.Reset(cfg); err != nil {
		return nil, err
	}
	return s, nil
}

// Reset makes q what [New] would make of the configuration: empty, at its start. It reuses the
// memory of q where that is enough. If it returns an error, q is unchanged.
func (q *Queue) Reset(cfg Config) error {
	switch {
	case cfg.Buckets < 1 || cfg.Buckets > maxSize:
		return fmt.Errorf("static: Config.Buckets is %d, must be from 1 to %d", cfg.Buckets, maxSize)
	case !(cfg.Width > 0) || !isFinite(cfg.Width):
		return fmt.Errorf("static: Config.Width is %v, must be positive and finite", cfg.Width)
	case cfg.Discipline > JustInTime:
		return fmt.Errorf("static: Config.Discipline is %v, must be Unordered, Ordered or JustInTime", cfg.Discipline)
	case cfg.Capacity < 1 || cfg.Capacity > maxSize:
		return fmt.Errorf("static: Config.Capacity is %d, must be from 1 to %d", cfg.Capacity, maxSize)
	case !isFinite(cfg.Start):
		return fmt.Errorf("static: Config.Start is %v, must be finite", cfg.Start)
	}
	// Where int has 32 bits, the limits above allow for more than can be addressed.
	need := 12*(uint64(cfg.Capacity)+1) + 4*uint64(cfg.Buckets)
	if need > math.MaxInt {
		return fmt.Errorf("static: Config asks for %d bytes, must be %d or less: take a smaller Capacity or fewer Buckets",
			need, math.MaxInt)
	}
	// What has to be asked for is more than the machine has if somebody mistook a number.
	if held := uint64(q.Bytes()); need >= worthAsking && need > held {
		room := memory.Free()
		if has := held + min(room.Pages, room.Address, math.MaxUint64-held); need > has {
			return fmt.Errorf("static: Config asks for %d bytes, and there are %d: take a smaller Capacity or fewer Buckets",
				need, has)
		}
	}
	*q = Queue{
		at:         zeros(q.at, cfg.Capacity+1),
		next:       zeros(q.next, cfg.Capacity+1),
		heads:      zeros(q.heads, cfg.Buckets),
		width:      cfg.Width,
		discipline: cfg.Discipline,
		now:        cfg.Start + 0, // minus zero becomes zero
	}
	for i := range q.next {
		q.next[i] = idle
	}
	q.turnTo(q.dayOf(q.now))
	return nil
}

// zeros returns n zeros, in the given memory if there is room.
func zeros[T float64 | int32](memory []T, n int) []T {
	if n > cap(memory) {
		return make([]T, n)
	}
	memory = memory[:n]
	clear(memory)
	return memory
}
