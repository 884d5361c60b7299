package spray

import "math"

// Buckets of signposts should have as many elements as a board has room for, where most insertions go. So insertions look at the gaps they find, and now and then
// buckets are laid out anew. That costs most posts their place, and they are put up again only as insertions come by: it should be rare.
//
// All buckets of a ring are of equal width, which suits times: their gaps stay as they are while times grow. Where gaps grow with the keys, only keys of about the
// size of those that are inserted have buckets that suit them.

// A survey is what a seat knows of gaps: sums over their logarithms.
type survey struct {
	count     int // of gaps since buckets were found to be right, or were changed
	few, many int // sums over the last few, and over the last many
	middle    int // about the mean of the last few
}

const (
	few  = 64   // gaps that tell when a width is wrong by far
	many = 4096 // and when it is by little

	// outlier is how far from the others a gap is taken to be at most: the few elements that are never due do not tell how far apart the others are.
	outlier = 16
)

// widthFor is the binary logarithm of the best width of buckets, by a sum of logarithms of gaps. A gap that an insertion has found is wider than most, and those near
// the front, where most insertions go, are narrower than the mean tells: a bucket of two such gaps has some 10 elements there.
func widthFor(sum, count int) float64 { return float64(sum)/float64(count) + 0.9 }

// survey looks at the gap into which an element was inserted, and now and then at whether buckets are as wide as they should be, and
// a quarter as many as the elements; if they are not, they are laid out anew. Only when there have never been so many before does that take memory.
func (l *List[K, V]) survey(s *seat, key K) {
	pred, succ, posts := s.preds[0], s.succs[0], l.posts.Load()
	if posts == nil || pred == headNode { // a search from the head is short
		return
	}
	end := key // of what is inserted behind all others, a gap comes to be before it
	if succ != none {
		end = l.nodes.at(succ).key
	}
	gap, ok := gapOf(l.kind, l.nodes.at(pred).key, end)
	if !ok {
		return
	}
	v := &s.survey
	gap = min(max(gap, v.middle-outlier), v.middle+outlier)
	v.few += gap
	v.many += gap
	if v.count++; v.count%few != 0 {
		return
	}
	now := posts.lay()
	width := v.best(now.width())
	if width == now.width() && v.count%256 != 0 {
		return // elements are counted more rarely: that looks at all seats
	}
	log, elements := now.log, l.elements()
	for perBoard/2<<log < elements {
		log++
	}
	for 1<<log > elements && log > firstPosts {
		log--
	}
	if log == now.log && width == now.width() {
		return
	}
	if 1<<log <= len(posts.ring[0]) {
		posts.shape.Store(shapeOf(log, width))
	} else {
		l.posts.CompareAndSwap(posts, newPosts(log, width))
	}
}

// best says how wide buckets should be, whenever few more gaps have been seen. What is wrong by little stays until many say so.
func (v *survey) best(width int) int {
	ideal, most := widthFor(v.few, few), 1.6
	if v.count == many && math.Abs(ideal-float64(width)) <= most {
		ideal, most = widthFor(v.many, many), 0.8
	}
	wrong := math.Abs(ideal-float64(width)) > most
	v.middle, v.few = v.few/few, 0
	if wrong || v.count == many {
		v.count, v.many = 0, 0
	}
	if wrong {
		return int(math.Round(ideal))
	}
	return width
}
