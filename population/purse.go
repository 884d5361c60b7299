package population

import (
	"fmt"
	"runtime/debug"
	"strconv"
	"sync"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/memory"
)

// A purse is the memory that the replicas of a run have together. Whoever is to take much more asks first, so that a
// population that grows is stopped while there is enough left to tell what was recorded.
//
// What a replica takes is worked out, not measured. What is left is what the machine says at the time, or what the options allow
// less what all replicas take.
type purse struct {
	limit uint64  // 0 if it is the machine's
	each  float64 // bytes of an individual at the start
	busy  float64 // the share of them that has something to come
	spare int     // arrays have room for one in so many individuals more

	mu      sync.Mutex
	workers int
	taken   uint64 // by all replicas
	room    func() memory.Room
	release func() // gives the system back what is no longer in use
}

const (
	usualSpare = 2
	leastSpare = 16

	purseLook = 4 << 20  // of the machine nobody asks for less
	purseKeep = 32       // a part of so many is kept for what comes at the end
	purseLeft = 16 << 20 // and so much more of the machine
)

func newPurse(o *engineOptions) *purse {
	p := &purse{limit: o.memory, spare: usualSpare, room: memory.Free, release: debug.FreeOSMemory}
	if p.limit > 0 {
		if strconv.IntSize == 32 {
			p.limit = min(p.limit, memory.Space32)
		}
		p.room = func() memory.Room { return roomOf(p.limit, p.taken) }
	}
	return p
}

// take notes what a replica takes now, and tells whether it may take so much more, in use and asked for; do is then done before
// anybody else may take something.
func (p *purse) take(r *replica, more, asked uint64, do func()) bool {
	if p == nil {
		do()
		return true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := r.bytes()
	p.taken += now - r.taken
	r.taken = now
	if (p.limit > 0 || more >= purseLook) && !p.has(more, asked) {
		if p.limit > 0 {
			return false
		}
		p.release() // arrays that were outgrown
		if !p.has(more, asked) {
			return false
		}
	}
	do()
	return true
}

// give notes that a replica takes nothing any more.
func (p *purse) give(r *replica) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken -= r.taken
	r.taken = 0
}

func (p *purse) has(more, asked uint64) bool {
	room := p.room()
	keep := room.Pages / purseKeep
	if p.limit > 0 {
		keep = p.limit / purseKeep
	} else {
		keep += purseLeft
	}
	return room.Pages == memory.Unknown && asked <= room.Address || more+keep <= room.Pages && asked <= room.Address
}

// bytes is about what a replica takes.
func (r *replica) bytes() uint64 {
	n := r.ids*(8*r.stride+r.besideWords()) + 4*(len(r.free.ring)+cap(r.ties.called))
	if r.win != nil {
		n += r.win.bytes()
	} else {
		n += int(eventBytes * float64(r.queue.Len()))
	}
	for _, g := range r.groups {
		if g != nil {
			n += groupBytes * r.alive
		}
	}
	if r.all != nil {
		n += groupBytes * r.alive
	}
	if r.aside != nil {
		n += 16 * r.aside.room()
	}
	return uint64(n)
}

// grown asks for more if the replica takes more than it was granted.
func (r *replica) grown() error {
	if r.purse == nil {
		return nil
	}
	now := r.bytes()
	if now <= r.granted {
		return nil
	}
	step := max(now/16, purseLook)
	if r.purse.limit > 0 {
		step = now / 16
	}
	// All replicas may grow alike until the next look.
	if !r.purse.take(r, step*uint64(r.purse.workers), 0, func() {}) {
		return r.outOfMemory()
	}
	r.granted = now + step
	return nil
}

// outOfMemory is the error if there is no more.
func (r *replica) outOfMemory() error {
	return fmt.Errorf("at time %.12g: %w: %s individuals take %s, and there is none for more", r.m.start+r.now, ErrMemory, format.Thousands(float64(r.alive)), inBytes(float64(r.bytes())))
}

// enlarge makes room for more individuals, while there is still a place for one. If there is no memory for it, the run ends
// after this event.
func (r *replica) enlarge() {
	if r.broke != nil {
		return
	}
	// The arrays are copied, and so will be the calendar's.
	copied := uint64(r.room+r.win.temporary()) * uint64(8*r.stride+r.besideWords())
	for _, spare := range []int{usualSpare, leastSpare} {
		asked := copied + copied/uint64(spare)
		if r.purse.take(r, copied+copied/leastSpare, asked, func() { r.grow(r.room+1, spare) }) {
			return
		}
	}
	r.broke, r.most = r.outOfMemory(), -1
}

// small is for one replica with so few individuals that nobody looks whether there is memory for them.
func (p *purse) small(individuals int) {
	p.each, p.workers = fixedBytes/float64(max(individuals, 1)), 1
}
