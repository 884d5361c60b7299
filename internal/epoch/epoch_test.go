package epoch

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

func newDomain() *Domain[struct{}] {
	d := new(Domain[struct{}])
	d.Init(func(int) struct{} { return struct{}{} }, nil)
	return d
}

// A node that was retired while an operation was under way is not free before that is over, and is
// free soon afterwards.
func TestRetiredNodesWaitForOperations(t *testing.T) {
	d := newDomain()
	other := new(Participant[struct{}]) // as if another goroutine had it
	d.all.Store(&[]*Participant[struct{}]{other})
	if !d.TryEnter(other) {
		t.Fatal("cannot enter")
	}
	for i := range uint32(10 * Batch) {
		p := d.Enter()
		d.Retire(p, i+1)
		p.Leave()
	}
	p := d.Enter()
	if d.Refill(p) {
		t.Fatal("a node became free while an operation was under way")
	}
	if d.Retired() != 10*Batch {
		t.Errorf("%d nodes wait, want %d", d.Retired(), 10*Batch)
	}
	p.Leave()
	other.Leave()
	seen := map[uint32]bool{}
	for range 10 {
		for range 3 { // the epoch advances by one each time
			p := d.Enter()
			d.Advance()
			p.Leave()
		}
		p := d.Enter()
		if !d.Refill(p) || p.Frees != Batch {
			t.Fatal("nothing became free")
		}
		for _, i := range p.Free {
			if i < 1 || i > 10*Batch || seen[i] {
				t.Fatalf("node %d is free twice, or was never retired", i)
			}
			seen[i] = true
		}
		p.Leave()
	}
	if d.Retired() != 0 {
		t.Errorf("%d nodes wait still", d.Retired())
	}
}

// Writers replace the node of a slot and retire the old one; what readers find there stays as it is
// until they leave.
func TestNodesAreNotUsedWhileKnown(t *testing.T) {
	type node struct{ use atomic.Uint64 }
	var arena Arena[node]
	var fresh, wanted atomic.Uint32
	var slots [4]atomic.Uint32
	d := newDomain()
	obtain := func(p *Participant[struct{}]) uint32 {
		wanted.Add(1)
		if p.Frees == 0 && !d.Refill(p) {
			i := fresh.Add(1)
			arena.Ensure(i)
			return i
		}
		p.Frees--
		return p.Free[p.Frees]
	}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(g), 1))
			for range 5000 {
				p := d.Enter()
				if r.IntN(2) == 0 {
					i := obtain(p)
					arena.At(i).use.Add(1) // now it is another
					if old := slots[r.IntN(len(slots))].Swap(i); old != None {
						d.Retire(p, old)
					}
				} else if i := slots[r.IntN(len(slots))].Load(); i != None {
					before := arena.At(i).use.Load()
					runtime.Gosched()
					if after := arena.At(i).use.Load(); after != before {
						t.Errorf("node %d was used again", i)
					}
				}
				p.Leave()
			}
		})
	}
	wg.Wait()
	if fresh.Load() >= wanted.Load() {
		t.Error("no node was used again")
	}
}

// The total is that of all participants, whichever goroutine counted.
func TestTotal(t *testing.T) {
	d := newDomain()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 1000 {
				p := d.Enter()
				p.Counts[0]++
				if p.Count++; i%2 == 0 {
					p.Count -= 2
				}
				p.Leave()
			}
		})
	}
	wg.Wait()
	p := d.Enter()
	p.Count += 7
	p.Leave()
	if d.Total() != 7 {
		t.Errorf("%d, want 7", d.Total())
	}
	sum := uint64(0)
	for _, p := range d.Participants() {
		sum += p.Counts[0]
	}
	if sum != 8000 {
		t.Errorf("%d operations, want 8000", sum)
	}
}

// Things of an arena do not move, and are not each other's.
func TestArena(t *testing.T) {
	var a Arena[uint32]
	var at [1000]*uint32
	for i := range uint32(1000) {
		a.Ensure(i)
		at[i] = a.At(i)
		*at[i] = i
	}
	for i := range uint32(1000) {
		if a.At(i) != at[i] || *a.At(i) != i {
			t.Fatalf("thing %d is %d, at %p and then at %p", i, *a.At(i), at[i], a.At(i))
		}
	}
	if a.Parts() != 11 {
		t.Errorf("%d parts, want 11", a.Parts())
	}
}
