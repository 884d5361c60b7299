package eventqueue

import "github.com/almanac-sim/almanac/internal/cpu"

// A record is what is known of an id: when its event is due, and which entry is valid.
//
// It is made of three 32-bit words so that it takes 12 bytes and not 16: with 10⁸ ids that is 400
// MB.
type record struct {
	keyLow, keyHigh uint32 // when, noKey if nothing is pending
	version         uint32 // of the live entry, or of the next one to be made
}

// lastVersion is never given to an entry.
const lastVersion = ^uint32(0)

func (r *record) key() uint64 { return uint64(r.keyLow) | uint64(r.keyHigh)<<32 }

func (r *record) setKey(k uint64) { r.keyLow, r.keyHigh = uint32(k), uint32(k>>32) }

// Records lie in pages, which are there for the ids that have been used and their neighbours. So
// growing copies nothing, one wrong number costs a page and its place in the tables of pages, at
// most 8 MB, and pages that are no longer needed can go.
const (
	pageBits = 14
	pageLen  = 1 << pageBits // 192 KiB: 10⁸ ids have 6104 of them, whose table stays in the cache of the second level
	pageMask = pageLen - 1

	firstPage = 64 // the first page begins with so many records, and doubles: a small queue should be small
	// maxAhead is for how many ids records are made before they are used: a wrong number should
	// cost no more than 50 MB here either.
	maxAhead = 1 << 22
	// manyPages is from how many pages on huge ones of the system are asked for behind them: 0.8
	// MB. From 32 on, a hold at 10⁶ ids would take some hundredths longer.
	manyPages = 4
)

// record returns the record of id, or nil if it has none yet.
func (q *Queue) record(id ID) *record {
	if p := int(id >> pageBits); p < len(q.pages) {
		if page := q.pages[p]; int(id&pageMask) < len(page) {
			return &page[id&pageMask]
		}
	}
	return nil
}

// live reports whether an entry has the version of its id's record.
func (q *Queue) live(e entry) bool {
	return q.pages[e.ID>>pageBits][e.ID&pageMask].version == e.Version
}

// admit makes a record for id, or refuses it if it is beyond the largest.
//
//go:noinline
func (q *Queue) admit(id ID) (*record, error) {
	q.ready()
	if id > q.maxID {
		return nil, ErrID
	}
	p := int(id >> pageBits)
	if p >= len(q.pages) {
		pages := make([][]record, min(max(p+1, 2*len(q.pages)), int(q.maxID>>pageBits)+1))
		copy(pages, q.pages)
		q.pages = pages
	}
	length := pageLen
	if p == int(q.maxID>>pageBits) {
		length = int(q.maxID&pageMask) + 1
	}
	if p == 0 {
		wanted := firstPage
		for wanted <= int(id) {
			wanted *= 2
		}
		length = min(length, max(wanted, 2*len(q.pages[0])))
	}
	page := make([]record, length)
	copy(page, q.pages[p])
	if q.ids >= manyPages*pageLen {
		cpu.AdviseHugeAround(page)
	}
	q.ids += len(page) - len(q.pages[p])
	q.pages[p] = page
	return q.record(id), nil
}

// recordBytes is how much memory the records take, with the table of their pages.
func (q *Queue) recordBytes() int {
	return cap(q.pages)*24 + q.ids*12 + cap(q.bits)*8 + q.bitPages*bitPageBytes
}
