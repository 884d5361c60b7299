package spray

import (
	"sync/atomic"
	"unsafe"

	"github.com/almanac-sim/almanac/internal/interleave"
	"github.com/almanac-sim/almanac/internal/prefetch"
)

// A view is what posts tell of the surroundings of a place in a ring: for each of the ring's levels, the nearest post before it and the nearest after it,
// without their turns. There is none before it if that is 0, and none after it if that is nowhere.
type view struct{ before, after [storey]uint64 }

const nowhere = 1 << turnShift

// look looks at the posts of a turn on a board, from so far in the bucket. Which of them are of that turn, and how high, cannot be foreseen, and so there are no
// branches: the compiler makes conditional moves of these.
func (v *view) look(b *board, turn, fraction uint64) {
	limit := fraction | 1<<fractionShift - 1
	for i := range b {
		e := b[i].Load() - turn // if it is of another turn, that is at least nowhere
		before, after := e, e
		if e > limit {
			before = 0
		}
		if e <= limit {
			after = nowhere
		}
		v.before[0], v.after[0] = max(v.before[0], before), min(v.after[0], after)
		if e&(3<<aboveShift) == 0 {
			before, after = 0, nowhere
		}
		v.before[1], v.after[1] = max(v.before[1], before), min(v.after[1], after)
		if e&(2<<aboveShift) == 0 {
			before, after = 0, nowhere
		}
		v.before[2], v.after[2] = max(v.before[2], before), min(v.after[2], after)
	}
}

// back is how many buckets before that of a place are looked at.
const back = 2

// sight is the view of a place in a ring. If its bucket has nothing before it at a level, those before are looked at.
func (p *posts) sight(y lay, place uint64, r, level int) view {
	bucket := y.bucket(place, r)
	v := view{after: [storey]uint64{nowhere, nowhere, nowhere}}
	v.look(p.board(y, bucket, r), y.turn(bucket, r), y.fraction(place, r))
	for i := uint64(1); i <= back && v.before[level] == 0; i++ {
		var w view
		w.look(p.board(y, bucket-i, r), y.turn(bucket-i, r), nowhere-1)
		for k := range v.before {
			if v.before[k] == 0 {
				v.before[k] = w.before[k]
			}
		}
	}
	return v
}

// approach is the place of a key, if there are posts. It asks for the boards of it in the first ring.
func (l *List[K, V]) approach(key K) (place uint64) {
	if posts := l.posts.Load(); posts != nil {
		lay := posts.lay()
		place = axis(l.kind, lay, key)
		posts.ask(lay, place, 0)
	}
	return place
}

// ask asks for the boards of a place in a ring: that of its bucket, and the one before, since there may be nothing before it in its own.
func (p *posts) ask(y lay, place uint64, r int) {
	bucket := y.bucket(place, r)
	prefetch.Lines(unsafe.Pointer(p.board(y, bucket, r)), 1)
	prefetch.Lines(unsafe.Pointer(p.board(y, bucket-1, r)), 1)
}

// standing says whether a node in a state is in the list at a level, and all below it.
func standing(state uint64, level int) bool {
	return state&(alive|linked) == alive|linked && heightOf(state) > level
}

// guide looks for elements from which to search for a key. One is so high that the search finds what comes before the place at all levels below height; it returns
// that, and the level at which to begin. Where a ring has none, the next one, with wider buckets, may have one. The nearest of every level below, which search
// goes on from if it is further ahead, it leaves in the seat.
func (l *List[K, V]) guide(p *participant, key K, place uint64, height int) (start uint32, level int) {
	posts := l.posts.Load()
	if posts == nil {
		return none, 0
	}
	y := posts.lay()
	p.Local.near = [inline]uint32{}
	if p.Local.preds[0] == headNode { // the last one came before all others: if this does, too, it is found from the head at once
		if first := atomic.LoadUint32(&l.head.next[0]); first == none || key < l.nodes.At(first).key {
			return none, 0
		}
	}
	level = min(height, inline) - 1
	top := level / storey
	for r := 1; r <= top; r++ {
		posts.ask(y, place, r)
	}
	for r := range top {
		v := posts.sight(y, place, r, 0)
		l.ask(p, &v, r, storey)
	}
	if height > inline { // only a search from the head finds what comes before it further up
		v := posts.sight(y, place, top, 0)
		l.ask(p, &v, top, inline-storey*top)
		return none, 0
	}
	for r := top; r < rings; r++ {
		level = max(level, storey*r)
		for range 3 {
			v := posts.sight(y, place, r, level-storey*r)
			l.ask(p, &v, r, level-storey*r+1)
			i := p.Local.near[level]
			if i == none {
				break
			}
			// Being in the list, it is there until this operation is over at least, and its key can be read.
			n := l.nodes.At(i)
			interleave.Point()
			if standing(n.state.Load(), level) {
				interleave.Point()
				if key < n.key {
					break
				}
				if y.bucket(place, r)-y.bucket(axis(l.kind, y, n.key), r) <= back {
					return i, level
				}
			}
			posts.takeDown(y, place, r, i) // it is, or it was used again for, another element
		}
	}
	return none, 0
}

// ask leaves the nearest nodes before a place in the seat, for some levels of a ring, and asks for them and for those after it.
func (l *List[K, V]) ask(p *participant, v *view, r, levels int) {
	for k := range levels {
		before := uint32(v.before[k]) & postNode
		p.Local.near[(storey*r+k)&(inline-1)] = before
		if before != none {
			prefetch.Lines(unsafe.Pointer(l.nodes.At(before)), 1)
		}
		if v.after[k] < nowhere {
			prefetch.Lines(unsafe.Pointer(l.nodes.At(uint32(v.after[k])&postNode)), 1)
		}
	}
}

// takeDown takes down the posts of a node where sight has found one.
func (p *posts) takeDown(y lay, place uint64, r int, node uint32) {
	bucket := y.bucket(place, r)
	for i := range uint64(back + 1) {
		b := p.board(y, bucket-i, r)
		for j := range b {
			if e := b[j].Load(); uint32(e)&postNode == node {
				b[j].CompareAndSwap(e, 0)
			}
		}
	}
}

// scout is told of the last key that was removed. When that is in another bucket than before, it asks for the elements of the next one. They were inserted long ago;
// removals will soon come by one after the other, and would wait for each.
func (l *List[K, V]) scout(p *participant, key K) {
	posts := l.posts.Load()
	if posts == nil {
		return
	}
	y := posts.lay()
	next := y.bucket(axis(l.kind, y, key), 0) + 1
	if p.Local.scouted-next < 4 {
		return // sprays go to and fro
	}
	p.Local.scouted = next
	turn := y.turn(next, 0)
	b := posts.board(y, next, 0)
	for j := range b {
		if e := b[j].Load() - turn; e < nowhere {
			prefetch.Lines(unsafe.Pointer(l.nodes.At(uint32(e)&postNode)), 1)
		}
	}
	prefetch.Lines(unsafe.Pointer(posts.board(y, next+1, 0)), 1)
}
