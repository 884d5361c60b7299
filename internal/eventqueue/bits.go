package eventqueue

// A bitPage has a bit for each id of a page of records: whether it is pending. It is for Cancel
// (see deferred.go), and made for a page when it is first needed.
type bitPage [pageLen / 64]uint64

const bitPageBytes = pageLen / 8

// makeBits makes the bits of page p, which has records. No id of the page has a deferred
// invalidation of a cancelled event, since deferring one needs the bits. For ids that were moved,
// the record is still right about what is pending.
//
//go:noinline
func (q *Queue) makeBits(p int) {
	if p >= len(q.bits) {
		bits := make([]*bitPage, len(q.pages))
		copy(bits, q.bits)
		q.bits = bits
	}
	bits := new(bitPage)
	for i := range q.pages[p] {
		if q.pages[p][i].key() != noKey {
			bits[i/64] |= 1 << (i % 64)
		}
	}
	q.bits[p] = bits
	q.bitPages++
}

// dropBits drops the bits of page p.
func (q *Queue) dropBits(p int) {
	if p < len(q.bits) && q.bits[p] != nil {
		q.bits[p] = nil
		q.bitPages--
	}
}

// mark sets the bit of an id that is pending.
func (q *Queue) mark(id ID) {
	if p := int(id >> pageBits); p < len(q.bits) && q.bits[p] != nil {
		q.bits[p][id&pageMask/64] |= 1 << (id % 64)
	}
}

// unmark clears the bit of an id that is no longer pending.
func (q *Queue) unmark(id ID) {
	if p := int(id >> pageBits); p < len(q.bits) && q.bits[p] != nil {
		q.bits[p][id&pageMask/64] &^= 1 << (id % 64)
	}
}
