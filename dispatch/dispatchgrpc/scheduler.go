package dispatchgrpc

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"

	"google.golang.org/grpc/balancer"

	"github.com/almanac-sim/almanac/dispatch/health"
	"github.com/almanac-sim/almanac/dispatch/slots"
)

// A scheduler assigns the slots of servers to calls. gRPC asks for a server by Pick, which must not
// block: a call for which there is none gets a ticket, and gRPC repeats the Pick when wake has been
// called.
//
//	            a slot                 Pick again              the call has ended
//	waiting ─────────────▶ granted ─────────────────▶ in flight ────────────────▶ gone
//	   ▲  ▲                   │
//	   │  └───────────────────┘  the server is no longer ready
//	   │
//	   ▼  all servers fail; Pick again
//	parked
//
// A granted ticket is parked too, if its Pick began when all servers failed. A call in flight whose
// server is gone before it has sent anything becomes a parked ticket again, with its age: gRPC
// repeats it if it may.
//
// A ticket goes by the Done channel of the call's context. gRPC makes one for each call, and it is
// closed when the call ends: then the ticket is removed, and its slot goes to the next. The
// contexts of a call's attempts have it in common, and gRPC makes one attempt after the other, so a
// call has one ticket. A context itself is no key, since it need not be comparable. All contexts
// that end before Done is first called share one channel, which is closed: so a call whose context
// has ended gets no ticket, and a ticket is never replaced by another.
//
// A parked ticket keeps its age and takes no slot. Its attempt may have failed, and the retry may
// come much later: only another Pick shows that the call waits. So when a server returns, the first
// slots go to the calls that Pick first. A parked ticket counts for the limit of the queue, unless
// its call was in flight: most of these are not repeated, and end in a moment.
//
// One mutex protects all of it, that of the channel. Every step takes constant time, except for
// changes of servers. Between two steps
//
//  1. no server has more than capacity slots taken, by granted tickets and calls in flight, unless
//     the capacity was lowered since, or two endpoints have become one;
//  2. if a ticket waits, no server that is ready has a free slot;
//  3. the queue is ordered by age, and every ticket is waiting, granted or parked.
//
// verify in scheduler_test.go checks them.
type scheduler struct {
	wake func() // makes gRPC repeat the Picks that wait; must not block

	*channel // mu protects what follows

	random   *rand.Rand
	capacity int
	limit    int // of tickets that wait or are parked, when another comes; 0 means none
	closed   bool
	ready    int // servers
	lastSeq  uint64
	waiting  slots.Queue[call]
	parked   int // tickets that count for the limit
	bins     slots.Bins[server]
	tickets  map[done]*ticket
}

// A server has slots.
type server struct {
	scheduler *scheduler
	addresses []string
	overlaps  []*server // other servers of the channel with one of these addresses

	bin   slots.Bin[server]
	taken int    // slots, by granted tickets and calls in flight
	epoch uint64 // of the last setReady

	health health.State

	picker balancer.Picker // of its connection; nil unless it is ready
}

// A slot of a server that a call holds.
type slot struct {
	server *server
	picker balancer.Picker // of the server, when the slot was picked
	epoch  uint64          // of the server at that time
	seq    uint64          // the age of the call

	attempt health.Attempt
}

// A done channel identifies a call.
type done <-chan struct{}

// A ticket is a call that has no server yet, with its age.
type ticket = slots.Item[call]

type call struct {
	done   done
	stop   func() bool // stops watching the context
	parked parking

	server  *server // if granted
	attempt health.Attempt
}

// A parking says whether a ticket is parked.
type parking uint8

const (
	notParked   parking = iota
	unreachable         // because all servers fail; it counts for the limit
	repeated            // because the server of its call has said nothing; gRPC may repeat the call
)

// errFull refuses a call because of the limit of the queue.
var errFull = errors.New("the queue is full")

// errNoDone refuses a call that could wait for ever. gRPC's own contexts are never like that.
var errNoDone = errors.New("the call's context cannot be cancelled; " +
	"expected that of gRPC or one derived from it, also from TagRPC of a stats.Handler")

// newScheduler returns a scheduler for a policy of the client connection that the key identifies.
func newScheduler(key any, seed uint64, wake func()) *scheduler {
	d := &scheduler{
		wake: wake, random: rand.New(rand.NewPCG(seed, 0)), capacity: defaultCapacity, tickets: map[done]*ticket{},
	}
	d.join(key)
	return d
}

// pick returns a slot for a call. ok is false if the call has to wait.
func (d *scheduler) pick(ctx context.Context) (_ slot, ok bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return slot{}, false, nil
	}
	if ctx.Done() == nil {
		return slot{}, false, errNoDone
	}
	if ctx.Err() != nil {
		return slot{}, false, nil // gRPC ends a call that has to wait
	}
	t := d.tickets[ctx.Done()]
	if t == nil {
		if bin := d.bins.Pick(d.random, nil); bin != nil { // and so no ticket waits
			d.lastSeq++
			return bin.Of.slot(d.lastSeq, bin.Of.take()), true, nil
		}
		if d.limit > 0 && d.waiting.Len+d.parked >= d.limit {
			return slot{}, false, errFull
		}
		d.lastSeq++
		if t := d.enter(ctx, d.lastSeq); t != nil {
			d.waiting.Push(t)
		}
		return slot{}, false, nil
	}
	if t.Value.parked != notParked && d.ready > 0 {
		d.unpark(t)
		d.waiting.Insert(nil, t)
		d.fill() // which may grant it a slot
	}
	s := t.Value.server
	if s == nil {
		return slot{}, false, nil
	}
	t.Value.stop()
	delete(d.tickets, t.Value.done)
	return s.slot(t.Seq, t.Value.attempt), true, nil
}

func (s *server) slot(seq uint64, a health.Attempt) slot { return slot{s, s.picker, s.epoch, seq, a} }

// enter makes a ticket for a call. It returns nil if the call has one or has ended, or the
// policy has.
func (d *scheduler) enter(ctx context.Context, seq uint64) *ticket {
	done := ctx.Done() // before Err: a channel that was open then is of this call alone
	if d.closed || ctx.Err() != nil || d.tickets[done] != nil {
		return nil
	}
	t := &ticket{Seq: seq, Value: call{done: done}}
	d.tickets[done] = t
	// If ctx ends before this the function runs at once, in a goroutine of its own.
	t.Value.stop = context.AfterFunc(ctx, func() { d.leave(t) })
	return t
}

// unpark counts a ticket that is parked no longer.
func (d *scheduler) unpark(t *ticket) {
	if t.Value.parked == unreachable {
		d.parked--
	}
	t.Value.parked = notParked
}

// leave withdraws the ticket of a call that has ended.
func (d *scheduler) leave(t *ticket) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.tickets[t.Value.done] != t { // it got its server in the meantime
		return
	}
	delete(d.tickets, t.Value.done)
	switch {
	case t.Value.server != nil:
		d.free(t.Value.server, t.Value.attempt, health.Neutral)
	case t.Value.parked != notParked:
		d.unpark(t)
	default:
		d.waiting.Remove(t)
	}
}

// park keeps the age of a call that waits while all servers fail: its Pick returns their error. If
// a server has become ready since the Pick began, the call may have been granted a slot. The error
// may end the attempt all the same, so the slot goes to the next.
func (d *scheduler) park(ctx context.Context) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t := d.tickets[ctx.Done()]
	if t == nil || t.Value.parked != notParked {
		return
	}
	t.Value.parked = unreachable
	d.parked++
	if s := t.Value.server; s != nil {
		t.Value.server = nil
		d.free(s, t.Value.attempt, health.Neutral)
	} else {
		d.waiting.Remove(t)
	}
}

// release gives back the slot of a call in flight.
func (d *scheduler) release(s slot, v health.Verdict) {
	d.mu.Lock()
	d.free(s.server, s.attempt, v)
	unused := d.isUnused()
	d.mu.Unlock()
	if unused {
		d.forget()
	}
}

// giveBack gives back the slot of a call whose server had lost its connection, and queues the call
// with the age that it had: gRPC is going to Pick again. The server gets no calls until setReady
// says how it is, unless it has done so since the Pick.
func (d *scheduler) giveBack(ctx context.Context, s slot) {
	d.mu.Lock()
	if s.server.epoch == s.epoch {
		s.server.picker = nil
		d.takeBack()
	}
	if t := d.enter(ctx, s.seq); t != nil {
		d.waiting.Insert(nil, t)
	}
	d.mu.Unlock()
	d.release(s, health.Neutral)
}

// lose gives back the slot of a call in flight whose server has said nothing: its connection is lost,
// or the server ended it with GOAWAY before it had processed the call. gRPC repeats such a call, at
// once or as its retryPolicy says, or ends its context.
func (d *scheduler) lose(ctx context.Context, s slot) {
	d.mu.Lock()
	if t := d.enter(ctx, s.seq); t != nil {
		t.Value.parked = repeated
	}
	d.mu.Unlock()
	d.release(s, health.Neutral)
}

// free frees a slot, for the oldest that waits.
func (d *scheduler) free(s *server, a health.Attempt, v health.Verdict) {
	s.give(a, v)
	if d.closed && s.taken == 0 {
		d.remove(s)
	}
	d.channel.fill()
}

// update moves a server to the class of its load.
func (s *server) update() {
	class := slots.None
	if s.picker != nil && s.health.Available() {
		class = slots.ClassOf(s.load(), s.scheduler.capacity)
	}
	s.scheduler.bins.Put(&s.bin, class)
}

// fill grants free slots to the tickets that wait, the oldest first.
func (d *scheduler) fill() {
	granted := false
	for d.waiting.Len > 0 && !d.closed {
		bin := d.bins.Pick(d.random, nil)
		if bin == nil {
			break
		}
		t := d.waiting.Head
		d.waiting.Remove(t)
		t.Value.server = bin.Of
		t.Value.attempt = bin.Of.take()
		granted = true
	}
	if granted {
		d.wake()
	}
}

// configure sets the capacity of servers and the limit of the queue. all are the servers.
func (d *scheduler) configure(capacity, limit int, all []*server) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.capacity, d.limit = capacity, limit
	for _, s := range all {
		s.update()
	}
	d.fill()
}

// setReady sets the servers that are ready, with the pickers of their connections; all are the
// servers. A ticket that had a slot of one that is not ready returns to the queue with its age.
func (d *scheduler) setReady(all []*server, ready map[*server]balancer.Picker) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ready = len(ready)
	for _, s := range all {
		s.picker = ready[s]
		s.epoch++
	}
	d.takeBack()
	for _, s := range all {
		s.update()
	}
	d.channel.fill()
}

// takeBack takes the slots of servers that are not ready back from tickets.
func (d *scheduler) takeBack() {
	for _, t := range d.tickets {
		if s := t.Value.server; s != nil && s.picker == nil {
			t.Value.server = nil
			s.give(t.Value.attempt, health.Neutral)
			d.waiting.Insert(nil, t)
		}
	}
}

// removeUnused removes a server, and reports false if it has calls.
func (d *scheduler) removeUnused(s *server) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if s.taken > 0 {
		return false
	}
	d.remove(s)
	return true
}

// close forgets all tickets. Calls in flight may end later.
func (d *scheduler) close() {
	d.mu.Lock()
	d.closed = true
	for _, t := range d.tickets {
		t.Value.stop()
		if t.Value.server != nil {
			t.Value.server.give(t.Value.attempt, health.Neutral)
		}
	}
	clear(d.tickets)
	d.waiting, d.parked = slots.Queue[call]{}, 0
	d.schedulers = slices.DeleteFunc(d.schedulers, func(o *scheduler) bool { return o == d })
	for _, s := range slices.Clone(d.servers) {
		if s.scheduler != d {
			continue
		}
		s.picker = nil
		s.health.Disarm()
		s.update()
		if s.taken == 0 {
			d.remove(s)
		}
	}
	d.channel.fill()
	d.mu.Unlock()
	d.forget()
}
