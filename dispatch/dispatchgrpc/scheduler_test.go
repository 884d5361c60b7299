package dispatchgrpc

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc/balancer"
	"google.golang.org/grpc/connectivity"

	"github.com/almanac-sim/almanac/dispatch/health"
	"github.com/almanac-sim/almanac/dispatch/slots"
)

// verify checks the invariants of a scheduler; those of the capacity if it was never lowered.
func (d *scheduler) verify(all []*server) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	granted := map[*server]int{}
	waiting, parked := 0, 0
	for done, t := range d.tickets {
		switch c := t.Value; {
		case c.done != done:
			return errors.New("a ticket goes by another call")
		case c.server != nil && c.parked != notParked:
			return fmt.Errorf("ticket %d is granted and parked", t.Seq)
		case c.server != nil:
			granted[c.server]++
		case c.parked == unreachable:
			parked++
		case c.parked == repeated:
		default:
			waiting++
		}
	}
	if waiting != d.waiting.Len || parked != d.parked {
		return fmt.Errorf("%d tickets wait, and %d are in the queue; %d are parked, and %d are counted",
			waiting, d.waiting.Len, parked, d.parked)
	}
	last := uint64(0)
	for t := d.waiting.Head; t != nil; t = t.Links[0].Next {
		if t.Seq <= last || d.tickets[t.Value.done] != t || t.Value.server != nil || t.Value.parked != notParked {
			return fmt.Errorf("ticket %d should not be in the queue behind %d", t.Seq, last)
		}
		last = t.Seq
	}
	for i, s := range all {
		class := slots.None
		if s.picker != nil && s.health.Available() {
			class = slots.ClassOf(s.load(), d.capacity)
		}
		switch {
		case s.taken < granted[s]:
			return fmt.Errorf("server %d has %d slots taken, %d of them by tickets", i, s.taken, granted[s])
		case s.taken > d.capacity:
			return fmt.Errorf("server %d has %d slots taken, of %d", i, s.taken, d.capacity)
		case !d.bins.Has(&s.bin, class):
			return fmt.Errorf("server %d is not in class %d", i, class)
		case class != slots.None && d.waiting.Len > 0 && !d.closed:
			return fmt.Errorf("server %d has a free slot, and %d wait", i, d.waiting.Len)
		case s.picker == nil && granted[s] > 0:
			return fmt.Errorf("server %d is not ready, and %d tickets have its slots", i, granted[s])
		}
	}
	return nil
}

type pickerFunc func() (balancer.PickResult, error)

func (f pickerFunc) Pick(balancer.PickInfo) (balancer.PickResult, error) { return f() }

type nonePicker struct{}

func (nonePicker) Pick(balancer.PickInfo) (balancer.PickResult, error) {
	return balancer.PickResult{}, nil
}

// Random steps keep the invariants; no call passes those that wait; and when all have ended nothing
// is left. That the oldest is granted a slot first is tested with servers.
func TestScheduler(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 1))
		woken := 0
		d := newScheduler(nil, seed, func() { woken++ })
		all := make([]*server, 1+r.IntN(4))
		for i := range all {
			all[i] = d.newServer()
		}
		d.configure(1+r.IntN(3), 0, all)
		type rpc struct {
			ctx    context.Context
			cancel context.CancelFunc
			number int
		}
		var waiting []rpc // oldest first, and those that are granted
		flying := map[int]slot{}
		flyingCalls := map[int]rpc{}
		number := 0
		pick := func(c rpc) bool {
			fresh := d.tickets[c.ctx.Done()] == nil
			s, ok, err := d.pick(c.ctx)
			if err != nil {
				t.Fatal(err)
			}
			if ok {
				flying[c.number], flyingCalls[c.number] = s, c
			}
			if ok && fresh && d.waiting.Len > 0 {
				t.Fatalf("seed %d: call %d has a server at once, and %d wait", seed, c.number, d.waiting.Len)
			}
			return ok
		}
		anyFlying := func() (int, bool) {
			for k := range number { // in order, so that a seed repeats
				if _, ok := flying[k]; ok && r.IntN(2) == 0 {
					return k, true
				}
			}
			return 0, false
		}
		for step := range 600 {
			switch r.IntN(13) {
			case 0, 1, 2, 3:
				c := rpc{number: number}
				number++
				c.ctx, c.cancel = context.WithCancel(context.Background())
				if !pick(c) {
					waiting = append(waiting, c)
				}
			case 4, 5: // gRPC repeats the Picks, in any order
				r.Shuffle(len(waiting), func(i, j int) { waiting[i], waiting[j] = waiting[j], waiting[i] })
				waiting = slices.DeleteFunc(waiting, pick)
			case 6, 7, 8:
				if k, ok := anyFlying(); ok {
					d.release(flying[k], health.Neutral)
					flyingCalls[k].cancel()
					delete(flying, k)
				}
			case 9: // a connection was lost
				if k, ok := anyFlying(); ok {
					d.giveBack(flyingCalls[k].ctx, flying[k])
					waiting = append(waiting, flyingCalls[k])
					delete(flying, k)
				}
			case 12: // a server has gone, and gRPC repeats the call
				if k, ok := anyFlying(); ok {
					d.lose(flyingCalls[k].ctx, flying[k])
					waiting = append(waiting, flyingCalls[k])
					delete(flying, k)
				}
			case 10:
				ready := map[*server]balancer.Picker{}
				for _, s := range all {
					if r.IntN(4) > 0 {
						ready[s] = nonePicker{}
					}
				}
				d.setReady(all, ready)
				for _, c := range waiting {
					// A Pick may have begun before a server was ready.
					if len(ready) == 0 || r.IntN(4) == 0 {
						d.park(c.ctx)
					}
				}
			case 11:
				if len(waiting) > 0 {
					i := r.IntN(len(waiting))
					c := waiting[i]
					d.mu.Lock()
					held := d.tickets[c.ctx.Done()]
					d.mu.Unlock()
					if held != nil && held.Value.stop() { // leave is called here, and not by another goroutine
						d.leave(held)
					}
					c.cancel()
					waiting = slices.Delete(waiting, i, i+1)
				}
			}
			if err := d.verify(all); err != nil {
				t.Fatalf("seed %d, step %d: %v", seed, step, err)
			}
		}
		ready := map[*server]balancer.Picker{}
		for _, s := range all {
			ready[s] = nonePicker{}
		}
		d.setReady(all, ready)
		for len(waiting)+len(flying) > 0 {
			before := len(waiting) + len(flying)
			waiting = slices.DeleteFunc(waiting, pick)
			for k, s := range flying {
				d.release(s, health.Neutral)
				flyingCalls[k].cancel()
				delete(flying, k)
			}
			if len(waiting)+len(flying) == before {
				t.Fatalf("seed %d: %d calls wait for ever", seed, before)
			}
		}
		for _, s := range all {
			if s.taken != 0 {
				t.Errorf("seed %d: %d slots are lost", seed, s.taken)
			}
		}
		if len(d.tickets) > 0 || woken == 0 {
			t.Errorf("seed %d: %d tickets are left, %d times woken", seed, len(d.tickets), woken)
		}
	}
}

// A slot that was granted to a call whose context ends before it Picks again goes to the next.
func TestGrantedAndGone(t *testing.T) {
	d := newScheduler(nil, 1, func() {})
	s := d.newServer()
	d.configure(1, 0, []*server{s})
	d.setReady([]*server{s}, map[*server]balancer.Picker{s: nonePicker{}})
	held, ok, _ := d.pick(t.Context())
	if !ok {
		t.Fatal("there is no slot")
	}
	first, cancel := context.WithCancel(t.Context())
	second, end := context.WithCancel(t.Context())
	defer end()
	for _, ctx := range []context.Context{first, second} {
		if _, ok, _ := d.pick(ctx); ok {
			t.Fatal("two slots")
		}
	}
	d.release(held, health.Neutral) // for the first
	if _, ok, _ := d.pick(second); ok {
		t.Fatal("the second is served before the first")
	}
	cancel()
	until(t, "the second has the slot", func() bool { _, ok, _ := d.pick(second); return ok })
	if err := d.verify([]*server{s}); err != nil || s.taken != 1 {
		t.Errorf("%d slots are taken: %v", s.taken, err)
	}
}

// Contexts that have ended before Done is first called share one channel. Two calls of that kind
// lose their connections between the Pick and the call, and neither keeps a slot.
func TestEndedCallsKeepNoSlot(t *testing.T) {
	d := newScheduler(nil, 1, func() {})
	s := d.newServer()
	all, ready := []*server{s}, map[*server]balancer.Picker{s: nonePicker{}}
	d.configure(2, 0, all)
	d.setReady(all, ready)
	var calls []context.Context
	var held []slot
	for range 2 {
		// Done is called first by the balancer, and the context ends in the same moment.
		ctx, cancel := context.WithCancel(t.Context())
		slot, ok, err := d.pick(&neverAsked{ctx})
		if !ok || err != nil {
			t.Fatal(ok, err)
		}
		cancel()
		calls, held = append(calls, ctx), append(held, slot)
	}
	if calls[0].Done() != calls[1].Done() {
		t.Fatal("the contexts have different channels")
	}
	for i, ctx := range calls {
		d.giveBack(ctx, held[i])
	}
	if len(d.tickets) != 0 || d.waiting.Len != 0 {
		t.Errorf("%d tickets of calls that have ended, %d in the queue", len(d.tickets), d.waiting.Len)
	}
	d.setReady(all, ready)
	if err := d.verify(all); err != nil || s.taken != 0 {
		t.Errorf("%d slots are taken by no call: %v", s.taken, err)
	}
	if _, ok, err := d.pick(calls[0]); ok || err != nil || len(d.tickets) != 0 {
		t.Errorf("a call that has ended gets a slot (%v), %v, or one of %d tickets", ok, err, len(d.tickets))
	}
}

// A neverAsked context has a channel of its own, so that Done of the context within is not called.
type neverAsked struct{ context.Context }

func (neverAsked) Done() <-chan struct{} { return make(chan struct{}) }

// A lost connection that gRPC notices late does not put off a server that has been reported ready
// since.
func TestLateLoss(t *testing.T) {
	d := newScheduler(nil, 1, func() {})
	s := d.newServer()
	all, ready := []*server{s}, map[*server]balancer.Picker{s: nonePicker{}}
	d.configure(1, 0, all)
	d.setReady(all, ready)
	held, _, _ := d.pick(t.Context())
	d.setReady(all, ready) // it has connected again
	d.giveBack(t.Context(), held)
	if held, ok, _ := d.pick(t.Context()); !ok {
		t.Error("the server is not ready")
	} else {
		d.giveBack(t.Context(), held) // noticed first by a call
	}
	if _, ok, _ := d.pick(t.Context()); ok {
		t.Error("a call goes to a server whose connection is lost")
	}
	d.setReady(all, ready)
	if _, ok, _ := d.pick(t.Context()); !ok {
		t.Error("the server is not ready again")
	}
}

// A server becomes ready while a Pick is about to return the error of all servers. The attempt that
// the error ends keeps no slot: others have it, and then the retry of the call.
func TestReadyDuringFailingPick(t *testing.T) {
	d := newScheduler(nil, 1, func() {})
	s := d.newServer()
	all := []*server{s}
	d.configure(1, 0, all)
	wrong := errors.New("no server can be reached")
	failing := &picker{d, balancer.State{ConnectivityState: connectivity.TransientFailure,
		Picker: pickerFunc(func() (balancer.PickResult, error) {
			d.setReady(all, map[*server]balancer.Picker{s: nonePicker{}})
			return balancer.PickResult{}, wrong
		})}}
	good := &picker{d, balancer.State{ConnectivityState: connectivity.Ready}}
	// gRPC derives the contexts of a call's attempts from one, which ends with the call.
	call, cancel := context.WithCancel(t.Context())
	defer cancel()
	type attempt struct{}
	first, retry := context.WithValue(call, attempt{}, 1), context.WithValue(call, attempt{}, 2)
	if _, err := failing.Pick(balancer.PickInfo{Ctx: first}); err != wrong {
		t.Fatal(err)
	}
	if err := d.verify(all); err != nil || s.taken != 0 {
		t.Errorf("%d slots are taken by an attempt that has failed: %v", s.taken, err)
	}
	for _, ctx := range []context.Context{t.Context(), retry} {
		result, err := good.Pick(balancer.PickInfo{Ctx: ctx})
		if err != nil {
			t.Fatal(err)
		}
		result.Done(balancer.DoneInfo{BytesSent: true})
	}
	if err := d.verify(all); err != nil || s.taken != 0 {
		t.Errorf("%d slots are taken: %v", s.taken, err)
	}
}

// While all servers fail the queue has its limit too. A call that asks again is not refused, also
// if its attempt has failed and it is retried.
func TestLimitOfParked(t *testing.T) {
	d := newScheduler(nil, 1, func() {})
	s := d.newServer()
	all := []*server{s}
	d.configure(1, 2, all)
	failing := &picker{d, balancer.State{ConnectivityState: connectivity.TransientFailure,
		Picker: pickerFunc(func() (balancer.PickResult, error) {
			return balancer.PickResult{}, errors.New("no server can be reached")
		})}}
	type attempt struct{}
	var calls []context.Context
	for range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		calls = append(calls, ctx)
	}
	for i := range 3 {
		for j, ctx := range calls {
			_, err := failing.Pick(balancer.PickInfo{Ctx: context.WithValue(ctx, attempt{}, i)})
			if full := strings.Contains(err.Error(), errFull.Error()); full != (j == 2) {
				t.Errorf("attempt %d of call %d: %v", i, j, err)
			}
		}
	}
	if err := d.verify(all); err != nil || len(d.tickets) != 2 {
		t.Errorf("%d tickets: %v", len(d.tickets), err)
	}
	// The server returns, and the calls Pick in another order: one has the slot, the other waits,
	// and there is a place again.
	d.setReady(all, map[*server]balancer.Picker{s: nonePicker{}})
	var held slot
	for i, ctx := range []context.Context{calls[1], calls[0], calls[2]} {
		got, ok, err := d.pick(ctx)
		if ok {
			held = got
		}
		if ok != (i == 0) || err != nil {
			t.Errorf("Pick %d: %v, %v", i, ok, err)
		}
	}
	d.release(held, health.Neutral)
	if _, ok, _ := d.pick(calls[2]); ok {
		t.Error("the youngest is served first")
	}
	if _, ok, _ := d.pick(calls[0]); !ok {
		t.Error("the oldest is not served")
	}
	if err := d.verify(all); err != nil {
		t.Error(err)
	}
}
