package epoch

import (
	"sync/atomic"

	"github.com/almanac-sim/almanac/internal/interleave"
)

// A bundle is nodes that are passed on together.
type bundle struct {
	next  atomic.Uint32 // the bundle below it in a stack
	nodes [Batch]uint32
}

func (d *Domain[T]) next(i uint32) *atomic.Uint32 { return &d.bundles.At(i).next }

// put puts a bundle of nodes on a stack.
func (d *Domain[T]) put(s *Stack, nodes *[Batch]uint32) {
	i := d.blank.Pop(d.next)
	if i == None {
		i = d.fresh.Add(1)
		d.bundles.Ensure(i)
	}
	b := d.bundles.At(i)
	b.nodes = *nodes
	s.Push(i, &b.next)
}

// get takes a bundle of free nodes, if there is one.
func (d *Domain[T]) get(nodes *[Batch]uint32) bool {
	i := d.free.Pop(d.next)
	if i == None {
		return false
	}
	b := d.bundles.At(i)
	*nodes = b.nodes
	d.blank.Push(i, &b.next)
	return true
}

// Retire puts a node aside that is not linked anywhere any more.
func (d *Domain[T]) Retire(p *Participant[T], node uint32) {
	interleave.Point()
	p.bag[p.bagged&(Batch-1)] = node
	if p.bagged++; p.bagged == Batch {
		p.bagged = 0
		d.retired.Add(1)
		d.put(&d.limbo[d.epoch.Load()%4], &p.bag)
		d.Advance()
	}
}

// Advance moves the epoch on if every operation under way has seen it, and frees the nodes that no
// operation can know of any more. The caller is inside.
func (d *Domain[T]) Advance() {
	epoch := d.epoch.Load()
	for _, p := range *d.all.Load() {
		if shown := p.word.Load() & epochMask; shown != 0 && shown != mark(epoch) {
			return
		}
	}
	interleave.Point()
	if !d.epoch.CompareAndSwap(epoch, epoch+1) {
		return
	}
	interleave.Point()
	first := d.limbo[(epoch-1)%4].clear()
	if first == None {
		return
	}
	last := d.bundles.At(first)
	for n := int32(1); ; n++ {
		if d.reclaimed != nil {
			d.reclaimed(&last.nodes)
		}
		next := last.next.Load()
		if next == None {
			d.retired.Add(-n)
			break
		}
		last = d.bundles.At(next)
	}
	d.free.Push(first, &last.next)
}

// Refill gets nodes for a participant that has none, and reports whether there were any to be used
// again.
func (d *Domain[T]) Refill(p *Participant[T]) bool {
	if !d.get(&p.Free) {
		d.Advance()
		if !d.get(&p.Free) {
			return false
		}
	}
	p.Frees = Batch
	return true
}

// Retired returns how many nodes are in bundles that wait for the epoch.
func (d *Domain[T]) Retired() int { return Batch * int(d.retired.Load()) }
