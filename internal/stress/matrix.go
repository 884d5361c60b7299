package stress

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A Subject is what the matrix is about: a concurrent structure, with all that it can do. H is its
// type of handles.
type Subject[H any] interface {
	Insert(key float64, id int) H
	Remove(r *rand.Rand) (id int, ok bool) // in any way there is
	Cancel(h H) bool
	Look(key float64) // calls all that changes nothing
	Check() error
	Memory(most int) (held, allowed int) // if at most so many elements were there
}

// A token is an element that was inserted.
type token[H any] struct {
	id     int
	handle H
}

// A cell is one of the matrix: who does what, and with how many.
type cell struct {
	processors, goroutines int
	most                   int // elements that are there at once
	all                    int // elements that pass through
	idle                   time.Duration
}

// A stage is where a cell is played.
type stage[H any] struct {
	cell
	subject  Subject[H]
	places   chan struct{} // one for each element that is there
	fates    []atomic.Uint32
	inserted atomic.Int64
	removed  atomic.Int64
}

// put inserts an element, if one more may be there and is to come.
func (s *stage[H]) put(r *rand.Rand) (token[H], bool) {
	select {
	case s.places <- struct{}{}:
	default:
		return token[H]{}, false
	}
	id := int(s.inserted.Add(1)) - 1
	if id >= s.all {
		<-s.places
		return token[H]{}, false
	}
	h := s.subject.Insert(float64(id)/float64(s.all)+r.ExpFloat64(), id)
	return token[H]{id, h}, true
}

// took is told of an element that has been removed.
func (s *stage[H]) took(id int) {
	s.fates[id].Add(1)
	s.removed.Add(1)
	<-s.places
}

func (s *stage[H]) get(r *rand.Rand) bool {
	id, ok := s.subject.Remove(r)
	if ok {
		s.took(id)
	}
	return ok
}

func (s *stage[H]) over() bool { return int(s.inserted.Load()) >= s.all }

// play has each goroutine do something until it reports that it is done, and now and then look
// around.
func (s *stage[H]) play(what func(g int, r *rand.Rand) (did, done bool)) {
	var wg sync.WaitGroup
	for g := range s.goroutines {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(g), uint64(s.goroutines)))
			for i := 0; ; i++ {
				did, done := what(g, r)
				if i%256 == g {
					s.subject.Look(r.Float64())
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

// roles are what goroutines do.
func roles[H any]() map[string]func(s *stage[H]) {
	return map[string]func(s *stage[H]){
		"producers and consumers": func(s *stage[H]) {
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
		"one deleter among others": func(s *stage[H]) {
			tokens := make(chan token[H], 64)
			s.play(func(g int, r *rand.Rand) (did, done bool) {
				if g == 0 {
					select {
					case k := <-tokens:
						if s.subject.Cancel(k.handle) {
							s.took(k.id)
							if s.subject.Cancel(k.handle) {
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
		"everybody does everything": func(s *stage[H]) {
			s.play(func(g int, r *rand.Rand) (did, done bool) {
				k, ok := s.put(r)
				if ok && r.IntN(4) == 0 {
					if s.subject.Cancel(k.handle) {
						s.took(k.id)
					}
				} else if !ok || r.IntN(3) > 0 {
					s.get(r)
				}
				return true, s.over()
			})
		},
		"bursts, and little between": func(s *stage[H]) {
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
}

// run plays a role, and then takes all that is left. Every element is removed exactly once, and
// memory is no more than the most elements need.
func run[H any](t *testing.T, c cell, what Subject[H], role func(*stage[H])) {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(c.processors))
	s := &stage[H]{cell: c, subject: what, places: make(chan struct{}, c.most), fates: make([]atomic.Uint32, c.all)}
	role(s)
	r := rand.New(rand.NewPCG(1, 1))
	for s.get(r) {
	}
	for id := range s.fates {
		if n := s.fates[id].Load(); n != 1 {
			t.Fatalf("element %d was removed %d times", id, n)
		}
	}
	if err := what.Check(); err != nil {
		t.Fatal(err)
	}
	if held, allowed := what.Memory(c.most); held > allowed {
		t.Errorf("%d nodes or bytes are held, and %d allowed, for %d elements", held, allowed, c.most)
	}
}

// Matrix runs all roles on 1, 2 and 8 processors with 1 to 64 goroutines, each on a new structure.
// At most so many elements are there at once, and so many pass through in all.
func Matrix[H any](t *testing.T, most, all int, idle time.Duration,
	subject func(processors, goroutines int) Subject[H]) {
	for name, role := range roles[H]() {
		for _, processors := range []int{1, 2, 8} {
			for _, goroutines := range []int{1, 2, 8, 64} {
				t.Run(fmt.Sprintf("%s/%d-%d", name, processors, goroutines), func(t *testing.T) {
					run(t, cell{processors, goroutines, most, all, idle}, subject(processors, goroutines), role)
				})
			}
		}
	}
}
