package calendar

import "fmt"

// check verifies the invariants of an agenda, and tells the first one that it finds broken.
func (a *Agenda[V]) check() error {
	used, err := a.places.check(func(i uint32) bool {
		_, pending := a.queue.Due(ID(i))
		return pending
	})
	if err == nil && used != a.Len() {
		return fmt.Errorf("%d places used, %d pending", used, a.Len())
	}
	return err
}

// check verifies that a place is in use, by its number, just while its event is pending, and that
// the others are free or retired. It returns how many are in use.
func (ps *places[V]) check(pending func(uint32) bool) (used int, err error) {
	if want := (len(ps.pages) + 63) / 64; len(ps.roomy) != want || ps.first < 0 || ps.first > want {
		return 0, fmt.Errorf("%d words of bits for %d pages, searched from word %d",
			len(ps.roomy), len(ps.pages), ps.first)
	}
	for p := len(ps.pages); p < 64*len(ps.roomy); p++ {
		if ps.roomy[p/64]>>(p%64)&1 == 1 {
			return 0, fmt.Errorf("page %d is marked, and there are %d", p, len(ps.pages))
		}
	}
	held, empty := 0, 0
	for p := range ps.pages {
		page := &ps.pages[p]
		in, spent, free := 0, 0, 0
		for i := range page.places {
			at, use := uint32(p<<placePageBits+i), page.places[i].use
			if due := pending(at); due != (use%2 == 1) {
				return 0, fmt.Errorf("place %d: use %d, pending %v", at, use, due)
			}
			switch {
			case use%2 == 1:
				in++
			case use == retired:
				spent++
			}
			if use > page.floor+1 {
				return 0, fmt.Errorf("place %d: use %d, of at most %d", at, use, page.floor+1)
			}
		}
		for next := page.free; next != 0; next = page.places[next-1].next {
			if free++; free > len(page.places) {
				return 0, fmt.Errorf("page %d: the free places go round in a circle", p)
			}
		}
		if in != int(page.used) || in+spent+free != len(page.places) {
			return 0, fmt.Errorf("page %d: %d places used, %d retired and %d free, of %d",
				p, in, spent, free, len(page.places))
		}
		room := free > 0 || len(page.places) < placePageLen
		if marked := ps.roomy[p/64]>>(p%64)&1 == 1; marked != room {
			return 0, fmt.Errorf("page %d: has room %v, and is marked so %v", p, room, marked)
		}
		if room && p/64 < ps.first {
			return 0, fmt.Errorf("page %d has room, in word %d of the bits: the search begins at word %d",
				p, p/64, ps.first)
		}
		if page.places != nil {
			held++
			if in == 0 {
				empty++
			}
		}
		used += in
	}
	if held != ps.held || empty != ps.empty {
		return 0, fmt.Errorf("%d pages, %d of them empty, counted as %d and %d", held, empty, ps.held, ps.empty)
	}
	return used, nil
}
