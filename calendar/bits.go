package calendar

// bitPage tells which ids of a page of records are pending, for Cancel (see deaths.go). There is none for a page until it is needed.
type bitPage [pageLen / 64]uint64

const bitPageBytes = pageLen / 8

// makeBits makes the bits of page p, of which there are records. No id of it was cancelled whose death still waits, since that takes the bits, and of those that
// were moved the record says what it did before.
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

// dropBits lets go of the bits of page p.
func (q *Queue) dropBits(p int) {
	if p < len(q.bits) && q.bits[p] != nil {
		q.bits[p] = nil
		q.bitPages--
	}
}

// mark takes note that an id is pending.
func (q *Queue) mark(id ID) {
	if p := int(id >> pageBits); p < len(q.bits) && q.bits[p] != nil {
		q.bits[p][id&pageMask/64] |= 1 << (id % 64)
	}
}

// unmark takes note that an id is not pending any more.
func (q *Queue) unmark(id ID) {
	if p := int(id >> pageBits); p < len(q.bits) && q.bits[p] != nil {
		q.bits[p][id&pageMask/64] &^= 1 << (id % 64)
	}
}
