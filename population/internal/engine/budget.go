package engine

import (
	"fmt"
	"runtime/debug"
	"strconv"
	"sync"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/memory"
)

// A Budget is the memory that the replicas of a run have together. Whoever is to take much more asks first, so that a
// population that grows is stopped while there is enough left to tell what was recorded.
//
// What a replica takes is worked out, not measured. What is left is what the machine says at the time, or what the options allow
// less what all replicas take.
type Budget struct {
	Limit uint64  // 0 if it is the machine's
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

	budgetLook = 4 << 20  // of the machine nobody asks for less
	budgetKeep = 32       // a part of so many is kept for what comes at the end
	budgetLeft = 16 << 20 // and so much more of the machine
)

func NewBudget(o *Options) *Budget {
	p := &Budget{Limit: o.Memory, spare: usualSpare, room: memory.Free, release: debug.FreeOSMemory}
	if p.Limit > 0 {
		if strconv.IntSize == 32 {
			p.Limit = min(p.Limit, memory.Space32)
		}
		p.room = func() memory.Room { return roomOf(p.Limit, p.taken) }
	}
	return p
}

// Take notes what a replica takes now, and tells whether it may take so much more, in use and asked for; do is then done before
// anybody else may take something.
func (p *Budget) Take(r *Run, more, asked uint64, do func()) bool {
	if p == nil {
		do()
		return true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := r.Bytes()
	p.taken += now - r.taken
	r.taken = now
	if (p.Limit > 0 || more >= budgetLook) && !p.has(more, asked) {
		if p.Limit > 0 {
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
func (p *Budget) give(r *Run) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken -= r.taken
	r.taken = 0
}

func (p *Budget) has(more, asked uint64) bool {
	room := p.room()
	keep := room.Pages / budgetKeep
	if p.Limit > 0 {
		keep = p.Limit / budgetKeep
	} else {
		keep += budgetLeft
	}
	return room.Pages == memory.Unknown && asked <= room.Address || more+keep <= room.Pages && asked <= room.Address
}

// Bytes is about what a replica takes.
func (r *Run) Bytes() uint64 {
	n := r.Used*(8*r.stride+r.besideWords()) + 4*(len(r.free.Ring)+cap(r.ties.ids))
	if r.windows != nil {
		n += r.windows.bytes()
	} else {
		n += int(eventBytes * float64(r.Queue.Len()))
	}
	for _, g := range r.groups {
		if g != nil {
			n += groupBytes * r.Alive
		}
	}
	if r.living != nil {
		n += groupBytes * r.Alive
	}
	if r.sparseTimers != nil {
		n += 16 * r.sparseTimers.Room()
	}
	return uint64(n)
}

// checkMemory asks for more if the replica takes more than it was granted.
func (r *Run) checkMemory() error {
	if r.Budget == nil {
		return nil
	}
	now := r.Bytes()
	if now <= r.granted {
		return nil
	}
	step := max(now/16, budgetLook)
	if r.Budget.Limit > 0 {
		step = now / 16
	}
	// All replicas may grow alike until the next look.
	if !r.Budget.Take(r, step*uint64(r.Budget.workers), 0, func() {}) {
		return r.OutOfMemory()
	}
	r.granted = now + step
	return nil
}

// OutOfMemory is the error if there is no more.
func (r *Run) OutOfMemory() error {
	return fmt.Errorf("at time %.12g: %w: %s individuals take %s, and there is none for more", r.Program.Start+r.Now, ErrMemory, format.Thousands(float64(r.Alive)), inBytes(float64(r.Bytes())))
}

// enlarge makes room for more individuals, while there is still a place for one. If there is no memory for it, the run ends
// after this event.
func (r *Run) enlarge() {
	if r.failed != nil {
		return
	}
	// The arrays are copied, and so will be the calendar's.
	copied := uint64(r.capacity+r.windows.temporary()) * uint64(8*r.stride+r.besideWords())
	for _, spare := range []int{usualSpare, leastSpare} {
		asked := copied + copied/uint64(spare)
		if r.Budget.Take(r, copied+copied/leastSpare, asked, func() { r.grow(r.capacity+1, spare) }) {
			return
		}
	}
	r.failed, r.limit = r.OutOfMemory(), -1
}

// Small is for one replica with so few individuals that nobody looks whether there is memory for them.
func (p *Budget) Small(individuals int) {
	p.each, p.workers = fixedBytes/float64(max(individuals, 1)), 1
}
