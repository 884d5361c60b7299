package spray

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/internal/soak"
)

// A subject is what the matrix is about: a List or a Calendar, with all that they can do.
type subject interface {
	insert(key float64, id int) token
	remove(r *rand.Rand) (id int, ok bool) // in any way there is
	cancel(k token) bool
	look(key float64) // calls all that changes nothing
	check() error
	memory(most int) (held, allowed int) // if at most so many elements were there
}

type token struct {
	id int
	h  Handle
	e  Handle
}

type listSubject struct {
	l *List[int, int]
}

func (s listSubject) insert(key float64, id int) token {
	return token{id: id, h: s.l.Insert(int(key*100), id)}
}

func (s listSubject) remove(r *rand.Rand) (id int, ok bool) {
	if r.IntN(2) == 0 {
		_, id, ok = s.l.Spray()
	} else {
		_, id, ok = s.l.DeleteMin()
	}
	return id, ok
}

func (s listSubject) cancel(k token) bool { return s.l.Delete(k.h) }

func (s listSubject) look(key float64) {
	s.l.Search(int(key * 100))
	s.l.Len()
	s.l.Stats()
}

func (s listSubject) check() error { return check(s.l, nil) }

func (s listSubject) memory(most int) (held, allowed int) { return s.l.Stats().Nodes, s.l.most(most) }

type calendarSubject struct{ c *Calendar[int] }

func (s calendarSubject) insert(key float64, id int) token {
	e, err := s.c.Schedule(key, id)
	if err != nil {
		panic(err)
	}
	return token{id: id, e: e}
}

func (s calendarSubject) remove(*rand.Rand) (id int, ok bool) {
	id, _, ok = s.c.Next()
	return id, ok
}

func (s calendarSubject) cancel(k token) bool { return s.c.Cancel(k.e) }

func (s calendarSubject) look(float64) {
	s.c.Peek()
	s.c.Len()
	s.c.Stats()
}

func (s calendarSubject) check() error { return checkCalendar(s.c) }

// A queue takes some 4 KB, and a level with the buckets for a few events as much again. With so few, an event may be alone in its bucket, with a chunk of 256 bytes;
// it has a slot of 16, and both grow by doubling. Events go to the queues of those who schedule them, so that each of them may have had most of them
// once.
func (s calendarSubject) memory(most int) (held, allowed int) {
	sum, _ := s.c.Stats()
	fixed := len(s.c.shards)*512 + len(s.c.affinities)*64 + len(s.c.queues)*(16<<10)
	return sum.Bytes, fixed + len(s.c.queues)*most*2*(256+16)
}

// A cell is one of the matrix: who does what, and with how many.
type cell struct {
	processors, goroutines int
	most                   int // elements that are there at once
	all                    int // elements that pass through
	idle                   time.Duration
}

// A stage is where a cell is played.
type stage struct {
	cell
	subject
	places   chan struct{} // one for each element that is there
	fates    []atomic.Uint32
	inserted atomic.Int64
	removed  atomic.Int64
}

// put inserts an element, if one more may be there and is to come.
func (s *stage) put(r *rand.Rand) (token, bool) {
	select {
	case s.places <- struct{}{}:
	default:
		return token{}, false
	}
	id := int(s.inserted.Add(1)) - 1
	if id >= s.all {
		<-s.places
		return token{}, false
	}
	return s.insert(float64(id)/float64(s.all)+r.ExpFloat64(), id), true
}

// took is told of an element that has been removed.
func (s *stage) took(id int) {
	s.fates[id].Add(1)
	s.removed.Add(1)
	<-s.places
}

func (s *stage) get(r *rand.Rand) bool {
	id, ok := s.remove(r)
	if ok {
		s.took(id)
	}
	return ok
}

func (s *stage) over() bool { return int(s.inserted.Load()) >= s.all }

// play has each goroutine do something until it reports that it is done, and now and then look around.
func (s *stage) play(what func(g int, r *rand.Rand) (did, done bool)) {
	var wg sync.WaitGroup
	for g := range s.goroutines {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(g), uint64(s.goroutines)))
			for i := 0; ; i++ {
				did, done := what(g, r)
				if i%256 == g {
					s.look(r.Float64())
				}
				if done {
					return
				}
				if !did {
					runtime.Gosched()
				}
			}
		})
	}
	wg.Wait()
}

// The roles that goroutines play.
var roles = map[string]func(s *stage){
	"producers and consumers": func(s *stage) {
		s.play(func(g int, r *rand.Rand) (did, done bool) {
			if g%2 == 0 {
				_, did = s.put(r)
				if s.goroutines > 1 {
					return did, s.over()
				}
				s.get(r) // who is alone must do both
				return did, s.over()
			}
			return s.get(r), s.over() && int(s.removed.Load()) >= s.all
		})
	},
	"one deleter among others": func(s *stage) {
		tokens := make(chan token, 64)
		s.play(func(g int, r *rand.Rand) (did, done bool) {
			if g == 0 {
				select {
				case k := <-tokens:
					if s.cancel(k) {
						s.took(k.id)
						if s.cancel(k) {
							panic("it was deleted twice")
						}
					}
					did = true
				default:
				}
				if s.goroutines > 1 {
					return did, s.over()
				}
			}
			k, ok := s.put(r)
			if ok && r.IntN(3) == 0 {
				select {
				case tokens <- k:
				default:
				}
			}
			if !ok || r.IntN(2) == 0 {
				s.get(r)
			}
			return true, s.over()
		})
	},
	"everybody does everything": func(s *stage) {
		s.play(func(g int, r *rand.Rand) (did, done bool) {
			k, ok := s.put(r)
			if ok && r.IntN(4) == 0 {
				if s.cancel(k) {
					s.took(k.id)
				}
			} else if !ok || r.IntN(3) > 0 {
				s.get(r)
			}
			return true, s.over()
		})
	},
	"bursts, and little between": func(s *stage) {
		const bursts = 4
		for burst := range bursts {
			limit := int64(s.all * (burst + 1) / bursts)
			// As many as may be there come, and nearly all go, again and again.
			for s.inserted.Load() < limit {
				s.play(func(_ int, r *rand.Rand) (did, done bool) {
					_, ok := s.put(r)
					return true, !ok
				})
				s.play(func(_ int, r *rand.Rand) (did, done bool) {
					return true, len(s.places) <= 3 || !s.get(r)
				})
			}
			time.Sleep(s.idle)
			r := rand.New(rand.NewPCG(uint64(burst), 1))
			for range 20 {
				s.put(r)
				s.get(r)
			}
		}
	},
}

// run plays a role, and then takes all that is left. Every element comes to one end, and memory is no more than the most elements need.
func (c cell) run(t *testing.T, what subject, role func(*stage)) {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(c.processors))
	s := &stage{cell: c, subject: what, places: make(chan struct{}, c.most), fates: make([]atomic.Uint32, c.all)}
	role(s)
	r := rand.New(rand.NewPCG(1, 1))
	for s.get(r) {
	}
	for id := range s.fates {
		if n := s.fates[id].Load(); n != 1 {
			t.Fatalf("element %d was removed %d times", id, n)
		}
	}
	if err := s.check(); err != nil {
		t.Fatal(err)
	}
	if held, allowed := s.memory(c.most); held > allowed {
		t.Errorf("%d nodes or bytes are held, and %d allowed, for %d elements", held, allowed, c.most)
	}
}

// matrix runs all roles on 1, 2 and 8 processors with 1 to 64 goroutines.
func matrix(t *testing.T, most, all int, idle time.Duration) {
	for name, role := range roles {
		for _, processors := range []int{1, 2, 8} {
			for _, goroutines := range []int{1, 2, 8, 64} {
				c := cell{processors, goroutines, most, all, idle}
				t.Run(fmt.Sprintf("List/%s/%d-%d", name, processors, goroutines), func(t *testing.T) {
					c.run(t, listSubject{New[int, int](Processes(min(goroutines, 8)))}, role)
				})
				t.Run(fmt.Sprintf("Calendar/%s/%d-%d", name, processors, goroutines), func(t *testing.T) {
					c.run(t, calendarSubject{NewCalendar[int](Processes(processors))}, role)
				})
			}
		}
	}
}

// Goroutines of different roles, more or fewer than processors: nothing is lost, and memory is bounded by the most that is there.
func TestMatrix(t *testing.T) {
	matrix(t, 100, fewerRaced(soak.Size(4_000, 10_000), 400), time.Millisecond)
}
