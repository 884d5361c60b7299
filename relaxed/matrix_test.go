package relaxed

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/internal/stress"
	"github.com/almanac-sim/almanac/internal/testscale"
)

// A queueSubject is a Queue in the matrix.
type queueSubject struct{ c *Queue[int] }

func (s queueSubject) Insert(key float64, id int) Handle {
	h, err := s.c.Schedule(key, id)
	if err != nil {
		panic(err)
	}
	return h
}

func (s queueSubject) Remove(*rand.Rand) (id int, ok bool) {
	id, _, ok = s.c.Next()
	return id, ok
}

func (s queueSubject) Cancel(h Handle) bool { return s.c.Cancel(h) }

func (s queueSubject) Look(float64) {
	s.c.Peek()
	s.c.Len()
	s.c.Stats()
}

func (s queueSubject) Check() error { return checkQueue(s.c) }

// A queue takes some 4 KB, and a level with the buckets for a few events as much again. With so
// few, an event may be alone in its bucket, with a chunk of 256 bytes; it has a slot of 16, and
// both grow by doubling. Events go to the shards of the goroutines that schedule them, so that each
// of them may have had most of them once.
func (s queueSubject) Memory(most int) (held, allowed int) {
	sum, _ := s.c.Stats()
	fixed := len(s.c.shards)*512 + len(s.c.affinities)*64 + len(s.c.subqueues)*(16<<10)
	return sum.Bytes, fixed + len(s.c.subqueues)*most*2*(256+16)
}

func matrix(t *testing.T, most, all int, idle time.Duration) {
	stress.Matrix(t, most, all, idle, func(processors, _ int) stress.Subject[Handle] {
		return queueSubject{New[int](Concurrency(processors))}
	})
}

// Goroutines of different roles, more or fewer than processors: nothing is lost, and memory is
// bounded by the most that is there.
func TestMatrix(t *testing.T) {
	matrix(t, 100, stress.FewerRaced(testscale.Size(3_000, 10_000), 300), time.Millisecond)
}
