package ladder

const (
	sortBits = 5
	// SortLen is how many entries Sort sorts at most.
	SortLen = 1 << sortBits
)

// Sort sorts up to SortLen entries by key into to, leaving equals in their order. The keys are
// equal after a shift.
//
// The keys differ in few bits, and these fit into a number beside the position, which breaks ties.
// Such numbers are sorted without a branch that depends on them, in about 6 ns an entry. Insertion
// sort takes 15 to 20 ns, because half of its branches are mispredicted.
func Sort(to, es []Entry, shift uint8) {
	if shift > 64-sortBits { // only in level 0
		copy(to, es)
		insertionSort(to)
		return
	}
	var p [SortLen]uint64
	n := len(es)
	used := 8
	for used < n {
		used *= 2
	}
	for i := n; i < used; i++ {
		p[i%SortLen] = ^uint64(0)
	}
	differs := uint64(1)<<shift - 1
	for i := range es {
		p[i%SortLen] = es[i].Key&differs<<sortBits | uint64(i)
	}
	sort8((*[8]uint64)(p[:8]))
	if n > 8 {
		sort8((*[8]uint64)(p[8:]))
		merge16((*[16]uint64)(p[:16]))
		if n > 16 {
			sort8((*[8]uint64)(p[16:]))
			sort8((*[8]uint64)(p[24:]))
			merge16((*[16]uint64)(p[16:]))
			merge32(&p)
		}
	}
	for i := range es {
		to[i] = es[p[i%SortLen]%SortLen]
	}
}

// sort8 is a sorting network of 19 comparators for 8 numbers (Knuth, The Art of Computer
// Programming 3, section 5.3.4).
func sort8(p *[8]uint64) {
	a, b, c, d, e, f, g, h := p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]
	a, c, b, d = min(a, c), max(a, c), min(b, d), max(b, d)
	e, g, f, h = min(e, g), max(e, g), min(f, h), max(f, h)
	a, e, b, f = min(a, e), max(a, e), min(b, f), max(b, f)
	c, g, d, h = min(c, g), max(c, g), min(d, h), max(d, h)
	a, b, c, d = min(a, b), max(a, b), min(c, d), max(c, d)
	e, f, g, h = min(e, f), max(e, f), min(g, h), max(g, h)
	c, e, d, f = min(c, e), max(c, e), min(d, f), max(d, f)
	b, e, d, g = min(b, e), max(b, e), min(d, g), max(d, g)
	b, c, d, e, f, g = min(b, c), max(b, c), min(d, e), max(d, e), min(f, g), max(f, g)
	p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7] = a, b, c, d, e, f, g, h
}

// merge16 merges two sorted halves by Batcher's odd-even network.
func merge16(p *[16]uint64) {
	order := func(i, j int) {
		a, b := p[i%16], p[j%16]
		p[i%16], p[j%16] = min(a, b), max(a, b)
	}
	for i := 0; i < 8; i++ {
		order(i, i+8)
	}
	for i := 4; i < 8; i++ {
		order(i, i+4)
	}
	for i := 2; i < 14; i += 4 {
		order(i, i+2)
		order(i+1, i+3)
	}
	for i := 1; i < 15; i += 2 {
		order(i, i+1)
	}
}

// merge32 does the same for twice as many.
func merge32(p *[32]uint64) {
	order := func(i, j int) {
		a, b := p[i%32], p[j%32]
		p[i%32], p[j%32] = min(a, b), max(a, b)
	}
	for i := 0; i < 16; i++ {
		order(i, i+16)
	}
	for i := 8; i < 16; i++ {
		order(i, i+8)
	}
	for i := 4; i < 28; i += 8 {
		order(i, i+4)
		order(i+1, i+5)
		order(i+2, i+6)
		order(i+3, i+7)
	}
	for i := 2; i < 30; i += 4 {
		order(i, i+2)
		order(i+1, i+3)
	}
	for i := 1; i < 31; i += 2 {
		order(i, i+1)
	}
}

// Merge sorts es, whose first n entries are sorted and so are the others, at most SortLen of
// them. Equals stay in their order.
func Merge(es []Entry, n int) {
	var run [SortLen]Entry
	a, b := n-1, copy(run[:], es[n:])-1
	for k := len(es) - 1; k > a; k-- {
		if a >= 0 && es[a].Key > run[b%SortLen].Key {
			es[k] = es[a]
			a--
		} else {
			es[k] = run[b%SortLen]
			b--
		}
	}
}

// insertionSort sorts a few entries of any keys, leaving equals in their order.
func insertionSort(es []Entry) {
	for i := 1; i < len(es); i++ {
		e, j := es[i], i
		for ; j > 0 && es[j-1].Key > e.Key; j-- {
			es[j] = es[j-1]
		}
		es[j] = e
	}
}
