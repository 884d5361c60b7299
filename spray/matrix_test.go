package spray

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/internal/stress"
	"github.com/almanac-sim/almanac/internal/testscale"
)

// A listSubject is a List in the matrix.
type listSubject struct{ l *List[int, int] }

func (s listSubject) Insert(key float64, id int) Handle {
	return s.l.Insert(int(key*100), id)
}

func (s listSubject) Remove(r *rand.Rand) (id int, ok bool) {
	if r.IntN(2) == 0 {
		_, id, ok = s.l.Spray()
	} else {
		_, id, ok = s.l.DeleteMin()
	}
	return id, ok
}

func (s listSubject) Cancel(h Handle) bool { return s.l.Delete(h) }

func (s listSubject) Look(key float64) {
	s.l.Search(int(key * 100))
	s.l.Len()
	s.l.Stats()
}

func (s listSubject) Check() error { return check(s.l, nil) }

func (s listSubject) Memory(most int) (held, allowed int) { return s.l.Stats().Nodes, s.l.most(most) }

func matrix(t *testing.T, most, all int, idle time.Duration) {
	stress.Matrix(t, most, all, idle, func(_, goroutines int) stress.Subject[Handle] {
		return listSubject{New[int, int](Concurrency(min(goroutines, 8)))}
	})
}

// Goroutines of different roles, more or fewer than processors: nothing is lost, and memory is
// bounded by the most that is there.
func TestMatrix(t *testing.T) {
	matrix(t, 100, stress.FewerRaced(testscale.Size(3_000, 10_000), 250), time.Millisecond)
}
