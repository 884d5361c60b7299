package calendar

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

// bytes is the memory of the places and their tables.
func (ps *places[V]) bytes() int {
	n := cap(ps.pages)*int(unsafe.Sizeof(placePage[V]{})) + cap(ps.roomy)*8
	for _, page := range ps.pages {
		n += cap(page.places) * int(unsafe.Sizeof(place[V]{}))
	}
	return n
}

// agendaSizes are numbers of events: two pages of places, 18 of them, and 245, which are several
// words of the bitmap.
var agendaSizes = []int{5_000, 70_000, 1_000_000}

// recordPage is how many ids a page of the queue's records has.
const recordPage = 16_384

func pagesFor(events int) int { return (events + placePageLen - 1) >> placePageBits }

// An agenda takes 28 bytes for an event, 8 for its handle, and its value, and a few pages on top,
// and it has exactly as many events as MaxID says. Both hold in the first burst and in a later one.
// After a burst the memory goes back, except for the pages of the events that are left.
func TestAgendaMemory(t *testing.T) {
	const left = 3
	for _, n := range agendaSizes {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			r := rand.New(rand.NewPCG(61, uint64(n)))
			a := NewAgenda[[2]int](MaxID(ID(n - 1)))
			var stay [left]Handle // these are left after the first burst, in pages far apart
			for burst := range 2 {
				handles := make([]Handle, 0, n)
				for i := a.Len(); i < n; i++ {
					h, err := a.Schedule(a.Now()+r.ExpFloat64(), [2]int{burst, i})
					if err != nil {
						t.Fatalf("burst %d: event %d of %d: %v", burst, i, n, err)
					}
					handles = append(handles, h)
				}
				if _, err := a.Schedule(a.Now(), [2]int{}); !errors.Is(err, ErrID) {
					t.Errorf("burst %d: one event more than %d: %v, want %v", burst, n, err, ErrID)
				}
				checkPlaces(t, a)
				if got := a.places.held; got != pagesFor(n) {
					t.Errorf("burst %d: %d pages of places for %d events, want %d", burst, got, n, pagesFor(n))
				}
				// The last page may have one event, and append may have given the first one room
				// for a half more.
				if got, most := a.places.bytes(), (n+3*placePageLen/2)*24+4096; got > most {
					t.Errorf("burst %d: %d bytes of places for %d events, want at most %d", burst, got, n, most)
				}
				// The queue has up to 8 MB in chunks that are not full, and one page of records
				// that is not.
				if got, most := a.Stats().Bytes, 29*n+8<<20+recordPage*12; got > most {
					t.Errorf("burst %d: %d bytes of queue for %d events, want at most %d", burst, got, n, most)
				}

				if burst == 0 {
					stay = [left]Handle{handles[1], handles[n/2], handles[n-1]}
					for _, h := range stay {
						if err := a.Reschedule(h, 1e9); err != nil {
							t.Fatal(err)
						}
					}
				}
				for i := range handles {
					h := handles[uint64(i)*7919%uint64(len(handles))]
					if i%2 == 0 && !slices.Contains(stay[:], h) {
						a.Cancel(h)
					}
				}
				for a.Len() > left {
					a.Next()
				}
				if err := a.check(); err != nil {
					t.Fatalf("burst %d, with %d events left: %v", burst, left, err)
				}
				for _, h := range stay {
					if _, ok := a.Value(h); !ok {
						t.Errorf("burst %d: event %v is gone", burst, h)
					}
				}
				// As many pages may be empty as have an event.
				if got := a.places.held; got > 2*left {
					t.Errorf("burst %d: %d pages of places for %d events, want at most %d", burst, got, left, 2*left)
				}
				for range 2000 { // the queue gives memory back as it works
					_, _ = a.Schedule(a.Now(), [2]int{})
					a.Next()
				}
				if got, most := a.Stats().Bytes, (left+2)*(recordPage*12+2048)+300_000; got > most {
					t.Errorf("burst %d: %d bytes of queue for %d events, want at most %d", burst, got, left, most)
				}
				if got, most := a.places.bytes(), (2*left+1)*placePageLen*24+n/16; got > most {
					t.Errorf("burst %d: %d bytes of places for %d events, want at most %d", burst, got, left, most)
				}
			}
		})
	}
}

// MaxID allows as many events as it says, whatever pages of places they end in, also after some
// were removed.
func TestAgendaMaxIDIsReached(t *testing.T) {
	for _, n := range []int{1, 63, placePageLen - 1, placePageLen, placePageLen + 1, 10_000} {
		r := rand.New(rand.NewPCG(62, uint64(n)))
		a := NewAgenda[int](MaxID(ID(n - 1)))
		var handles []Handle
		for _, left := range []int{0, n - 1, n / 2, min(n, 3), 0} {
			r.Shuffle(len(handles), func(i, j int) { handles[i], handles[j] = handles[j], handles[i] })
			for len(handles) > left {
				a.Cancel(handles[len(handles)-1])
				handles = handles[:len(handles)-1]
			}
			for len(handles) < n {
				h, err := a.Schedule(r.Float64(), len(handles))
				if err != nil {
					t.Fatalf("MaxID(%d) refuses event %d: %v", n-1, len(handles), err)
				}
				handles = append(handles, h)
			}
			if _, err := a.Schedule(1, 0); !errors.Is(err, ErrID) {
				t.Fatalf("MaxID(%d) with %d events: another one gives %v, want %v", n-1, n, err, ErrID)
			}
			checkPlaces(t, a)
		}
	}
}

// checkPlaces verifies the places of an agenda, and not its queue.
func checkPlaces[V any](t *testing.T, a *Agenda[V]) {
	t.Helper()
	used, err := a.places.check(func(i uint32) bool {
		_, pending := a.queue.Due(ID(i))
		return pending
	})
	if err != nil || used != a.Len() {
		t.Fatalf("%d places used, %d pending: %v", used, a.Len(), err)
	}
}
