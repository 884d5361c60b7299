package spray

import (
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/internal/epoch"
	"github.com/almanac-sim/almanac/internal/stress"
	"github.com/almanac-sim/almanac/internal/testscale"
)

// most is how many nodes a list may have that had at most so many elements: its quota then, and
// what each participant may have taken from the arena beyond that, when several found that there
// was still one bundle to be had.
func (l *List[K, V]) most(elements int) int {
	return 2*elements + quotaSlack + 5*epoch.Batch*len(l.epochs.Participants())
}

// One goroutine inserts and another removes, so that nodes are always put aside where none are
// needed. They are used again.
func TestListMemoryOfProducerAndConsumer(t *testing.T) {
	for name, remove := range map[string]func(l *List[int, int], handles <-chan Handle) bool{
		"min":    func(l *List[int, int], _ <-chan Handle) bool { _, _, ok := l.DeleteMin(); return ok },
		"spray":  func(l *List[int, int], _ <-chan Handle) bool { _, _, ok := l.Spray(); return ok },
		"delete": func(l *List[int, int], handles <-chan Handle) bool { return l.Delete(<-handles) },
	} {
		const elements = 200
		all := stress.FewerRaced(30_000, 7000)
		l := New[int, int](Concurrency(2))
		handles := make(chan Handle, elements)
		places := make(chan struct{}, elements) // full when there are enough elements
		var wg sync.WaitGroup
		wg.Go(func() {
			for i := range all {
				places <- struct{}{}
				h := l.Insert(i*7919%100_000, i)
				if name == "delete" {
					handles <- h
				}
			}
		})
		wg.Go(func() {
			for removed := 0; removed < all; {
				if remove(l, handles) {
					removed++
					<-places
				} else {
					runtime.Gosched()
				}
			}
		})
		wg.Wait()
		if n := l.Stats().Nodes; n > l.most(elements) {
			t.Errorf("%s: %d nodes for %d elements", name, n, elements)
		}
		if l.Len() != 0 {
			t.Errorf("%s: %d elements are left", name, l.Len())
		}
	}
}

// A goroutine is halted in the middle of an operation, and nothing that was put aside since can be
// used again until it goes on. The others soon wait for it, instead of using more and more memory;
// and Stats does not wait for anybody.
func TestListMemoryWithOneHalted(t *testing.T) {
	const elements = 1000
	l := New[int, int](Concurrency(2))
	for i := range elements {
		l.Insert(i, i)
	}
	halted := l.epochs.Enter()
	var done atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		defer done.Store(true)
		for range 10_000 {
			k, v, _ := l.Spray()
			l.Insert(k+elements, v)
		}
	})
	for l.Stats().Waits == 0 && !done.Load() {
		runtime.Gosched()
	}
	halted.Leave()
	wg.Wait()
	if s := l.Stats(); s.Nodes > l.most(elements) || s.Waits == 0 {
		t.Errorf("%d nodes for %d elements, after %d waits", s.Nodes, elements, s.Waits)
	}
}

// Dead nodes that nobody has unlinked are swept up before there are more and more.
func TestListSweepsWhenItMust(t *testing.T) {
	l := New[int, int](Concurrency(2))
	var handles []Handle
	for i := range 3 * quotaSlack {
		handles = append(handles, l.Insert(i, i))
	}
	for _, h := range handles {
		kill(l, h)
	}
	for _, p := range l.epochs.Participants() {
		// so that the first insertion finds that there is none, before it comes by the dead and
		// unlinks them itself
		p.Frees = 0
	}
	before := l.Stats()
	for i := range 100 {
		l.Insert(i, i)
	}
	if after := l.Stats(); after.Waits == 0 || after.Unlinked < 3*quotaSlack/2 || after.Nodes > before.Nodes+epoch.Batch {
		t.Errorf("%+v, and then %+v", before, after)
	}
}

// If the one that is halted never goes on, the others do nevertheless.
func TestListGoesOnWithoutOneHalted(t *testing.T) {
	l := New[int, int](Concurrency(2))
	l.epochs.Enter()
	l.Delete(l.Insert(0, 0))
	// a goroutine may come to another participant, for which there is a quota too
	for i := 0; i < l.nodeQuota()+epoch.Batch; i++ {
		l.Delete(l.Insert(1, 1))
	}
	if s := l.Stats(); s.Waits == 0 || s.Waits > 3 || s.Nodes <= l.nodeQuota() {
		t.Errorf("%d nodes, %d waits, with a quota of %d", s.Nodes, s.Waits, l.nodeQuota())
	}
}

// Goroutines come, insert or remove a few elements, and go for ever. What they put aside is used by
// others.
func TestListMemoryOfThoseWhoAreGone(t *testing.T) {
	l := New[int, int](Concurrency(2))
	const elements = 500
	for round := range stress.FewerRaced(200, 20) {
		var wg sync.WaitGroup
		wg.Go(func() {
			for i := range elements {
				l.Insert(i, round)
			}
		})
		wg.Wait()
		wg.Go(func() {
			for range elements {
				l.Spray()
			}
		})
		wg.Wait()
	}
	if n := l.Stats().Nodes; n > l.most(elements) {
		t.Errorf("%d nodes for %d elements", n, elements)
	}
}

// What values point to can be collected as soon as they are removed, however that is, and whatever
// has been searched for.
func TestListLetsGo(t *testing.T) {
	for name, remove := range map[string]func(l *List[int, *[256]byte], h Handle){
		"Delete":    func(l *List[int, *[256]byte], h Handle) { l.Delete(h) },
		"DeleteMin": func(l *List[int, *[256]byte], _ Handle) { l.DeleteMin() },
		"Spray":     func(l *List[int, *[256]byte], _ Handle) { l.Spray() },
	} {
		const n = 2000
		l := New[int, *[256]byte](Concurrency(4))
		var collected atomic.Int32
		var handles []Handle
		for i := range n {
			v := new([256]byte)
			runtime.AddCleanup(v, func(int) { collected.Add(1) }, 0)
			handles = append(handles, l.Insert(i, v))
			l.Search(i / 2)
		}
		for _, h := range handles {
			remove(l, h)
		}
		for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
			if runtime.GC(); collected.Load() == n {
				break
			}
		}
		if c := collected.Load(); c != n {
			t.Errorf("%s: %d of %d values were collected", name, c, n)
		}
		runtime.KeepAlive(l)
	}
}

// Some search for elements that others remove: who finds one has its value, and afterwards it is
// let go.
func TestListLetsGoOfWhatIsRead(t *testing.T) {
	stress.Jolted(3, func() {
		type value [4]int // large enough that the runtime does not put several together
		l := New[int, *value](Concurrency(4))
		var collected, found atomic.Int32
		var searching, removing sync.WaitGroup
		var done atomic.Bool
		for range 4 {
			searching.Go(func() {
				for i := 0; !done.Load(); i++ {
					if v, ok := l.Search(i % 8); ok {
						if found.Add(1); v[0] != i%8 {
							t.Errorf("%d has the value %d", i%8, v[0])
						}
					}
				}
			})
		}
		n := testscale.Size(stress.FewerRaced(300, 100), 2000)
		for g := range 2 {
			removing.Go(func() {
				for i := range n {
					v := &value{i % 8}
					runtime.AddCleanup(v, func(int) { collected.Add(1) }, 0)
					h := l.Insert(i%8, v)
					runtime.Gosched() // so that it is found
					if g == 0 {
						if k, v, ok := l.DeleteMin(); ok && v[0] != k {
							t.Errorf("%d was removed with the value %d", k, v[0])
						}
					} else {
						l.Delete(h)
					}
				}
			})
		}
		removing.Wait()
		done.Store(true)
		searching.Wait()
		for _, _, ok := l.DeleteMin(); ok; {
			_, _, ok = l.DeleteMin()
		}
		for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
			if runtime.GC(); int(collected.Load()) == 2*n {
				break
			}
		}
		if c := int(collected.Load()); c != 2*n || found.Load() == 0 {
			t.Errorf("%d of %d values were collected, %d were found", c, 2*n, found.Load())
		}
		runtime.KeepAlive(l)
	})
}

// Which values are to be let go of depends on whether they may point to something.
func TestPoints(t *testing.T) {
	type plain struct {
		A [3]int
		B struct{ C complex64 }
	}
	for _, v := range []any{plain{}, [0]*int{}, uintptr(0)} {
		if points(reflect.TypeOf(v)) {
			t.Errorf("%T does not point to anything", v)
		}
	}
	for _, v := range []any{"", struct{ a [2]any }{}, (func())(nil), (chan int)(nil), []int(nil), map[int]int(nil)} {
		if !points(reflect.TypeOf(v)) {
			t.Errorf("%T points to something", v)
		}
	}
	// A list asks for its own values. Each kind of list takes the compiler half a second, so that
	// these are of kinds that other tests have.
	if New[int, int]().clears || !New[int, string]().clears {
		t.Error("a list does not know what its values are")
	}
}
