package sim

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// expected is an event of the reference: a slice in which the next is searched for.
type expected struct {
	at       float64
	priority int
	seq      int // the order of scheduling
	label    int
	event    Event
	process  *Process
}

func compareExpected(a, b expected) int {
	switch {
	case a.at != b.at && a.at < b.at, a.at == b.at && a.priority < b.priority:
		return -1
	case a.at != b.at, a.priority > b.priority:
		return 1
	}
	return a.seq - b.seq
}

// An orderTest plays a simulation and the reference at the same time. What it does is decided by
// bytes, so that a fuzzer can choose it.
type orderTest struct {
	s       *Simulation
	script  []byte
	pending []expected
	seq     int
	labels  int
	stale   []Event
	err     error
}

// byte is the next byte of the script; at its end all are 0, which means to do nothing.
func (o *orderTest) byte() byte {
	if len(o.script) == 0 {
		return 0
	}
	b := o.script[0]
	o.script = o.script[1:]
	return b
}

func (o *orderTest) fail(format string, args ...any) {
	if o.err == nil {
		o.err = fmt.Errorf("at %g: "+format, append([]any{o.s.Now()}, args...)...)
	}
}

// delay is often 0, and often leads to the same time as another.
func (o *orderTest) delay() float64 {
	b := o.byte()
	switch b % 4 {
	case 0:
		return 0
	case 1:
		return float64(b / 64)
	case 2:
		return float64(b) / 16
	}
	return float64(b)*1e-17 + float64(b/128)*1e9 // may be too small to move the clock, or large
}

func (o *orderTest) priority() int { return []int{0, 0, 0, 0, 0, -1, 1, 7}[o.byte()%8] }

func (o *orderTest) expect(e expected) {
	o.seq++
	e.seq = o.seq
	o.pending = append(o.pending, e)
}

func (o *orderTest) find(label int) int {
	return slices.IndexFunc(o.pending, func(e expected) bool { return e.label == label })
}

// happens checks that what happens is what the reference has first.
func (o *orderTest) happens(label int) {
	if len(o.pending) == 0 {
		o.fail("%d happens, want nothing", label)
		return
	}
	first := slices.MinFunc(o.pending, compareExpected)
	if first.label != label || first.at != o.s.Now() {
		o.fail("%d happens, want %d at %g", label, first.label, first.at)
	}
	if i := o.find(label); i >= 0 {
		if e := o.pending[i].event; e != (Event{}) {
			o.stale = append(o.stale, e)
		}
		o.pending = slices.Delete(o.pending, i, i+1)
	}
	o.act()
}

// check compares what can be asked without changing anything.
func (o *orderTest) check() {
	if o.s.PendingEvents() != len(o.pending) {
		o.fail("%d pending, want %d", o.s.PendingEvents(), len(o.pending))
	}
	at, ok := o.s.Peek()
	if ok != (len(o.pending) > 0) || (ok && at != slices.MinFunc(o.pending, compareExpected).at) {
		o.fail("Peek: %g, %t", at, ok)
	}
}

// act does what the script says, from within an event or from outside.
func (o *orderTest) act() {
	for range o.byte() % 8 {
		var e *expected
		if len(o.pending) > 0 {
			e = &o.pending[int(o.byte())%len(o.pending)]
		}
		switch b := o.byte() % 8; {
		case b < 3:
			o.schedule()
		case b == 3:
			o.spawn()
		case e == nil:
		case b == 4 && e.process == nil:
			o.stale = append(o.stale, e.event)
			if !e.event.Cancel() {
				o.fail("%d was not cancelled", e.label)
			}
			label := e.label
			o.pending = slices.DeleteFunc(o.pending, func(e expected) bool { return e.label == label })
		case b == 5 && e.process == nil:
			t := o.s.Now() + o.delay()
			if !e.event.Reschedule(t) {
				o.fail("%d was not rescheduled", e.label)
			}
			o.seq++
			e.at, e.seq = t, o.seq
		case b == 6 && e.process != nil && e.process.state == waiting:
			e.process.Interrupt(nil)
			o.seq++
			e.at, e.seq = o.s.Now(), o.seq
		case b == 7 && e.process == nil:
			if at, ok := e.event.Time(); !ok || at != e.at {
				o.fail("%d is due at %g, %t, want %g", e.label, at, ok, e.at)
			}
		}
	}
	for _, e := range o.stale {
		if e.Pending() || e.Cancel() || e.Reschedule(o.s.Now()) {
			o.fail("a stale handle was not refused")
		}
	}
	o.stale = o.stale[:0]
	o.check()
}

func (o *orderTest) schedule() {
	label, t, priority := o.labels, o.s.Now()+o.delay(), o.priority()
	o.labels++
	e := o.s.At(t, func() { o.happens(label) }, Priority(priority))
	o.expect(expected{at: t, priority: priority, label: label, event: e})
}

// spawn starts a process that waits for some times.
func (o *orderTest) spawn() {
	label, priority, waits := o.labels, o.priority(), int(o.byte()%4)
	o.labels++
	p := o.s.Go("", func(p *Process) {
		o.happens(label)
		for range waits {
			d := o.delay()
			o.expect(expected{at: o.s.Now() + d, priority: priority, label: label, process: p})
			_ = p.Wait(d)
			o.happens(label)
		}
	}, Priority(priority))
	o.expect(expected{at: o.s.Now(), priority: priority, label: label, process: p})
}

// play runs the script to its end, and then what is left.
func (o *orderTest) play() error {
	defer o.s.Close()
	for len(o.script) > 0 && o.err == nil {
		o.act()
		if o.byte()%2 == 0 {
			if ok := o.s.Step(); !ok && len(o.pending) > 0 {
				o.fail("nothing is left, want %d", len(o.pending))
			}
			continue
		}
		until := o.s.Now() + o.delay()
		_ = o.s.Run(context.Background(), until)
		if o.s.Now() != until {
			o.fail("the clock is not at %g after Run", until)
		}
		if len(o.pending) > 0 && !(slices.MinFunc(o.pending, compareExpected).at > until) {
			o.fail("Run left something until %g", until)
		}
	}
	for o.err == nil && o.s.Step() {
		o.check()
	}
	if len(o.pending) > 0 {
		o.fail("%d never happen", len(o.pending))
	}
	return o.err
}

func TestOrderAgainstReference(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		script := make([]byte, 3000)
		for i := range script {
			script[i] = byte(r.Uint32())
			if seed%4 == 1 && script[i]%8 > 4 {
				script[i] -= 5 // hardly any priority
			}
		}
		o := orderTest{s: New(StartAt(float64(seed%3) - 1)), script: script}
		if err := o.play(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

func FuzzOrder(f *testing.F) {
	f.Add([]byte("almanac"))
	f.Add([]byte{3, 0, 0, 4, 5, 0, 1, 0, 6, 0, 2, 0, 0, 1, 1, 0, 4, 0, 0, 5, 9})
	f.Fuzz(func(t *testing.T, script []byte) {
		o := orderTest{s: New(), script: script[:min(len(script), 4000)]}
		if err := o.play(); err != nil {
			t.Fatal(err)
		}
	})
}

// Thousands of events at one instant that are cancelled and moved from within it must neither be
// lost nor fill the memory.
func TestDueNowIsSwept(t *testing.T) {
	for _, priority := range []int{0, 1} {
		s := New()
		called := 0
		s.At(1, func() {
			keep := s.After(0, func() { called++ }, Priority(priority))
			for range 100_000 {
				e := s.After(0, func() { t.Error("a cancelled event was called") }, Priority(priority))
				keep.Reschedule(1)
				e.Cancel()
			}
		})
		if err := s.Run(context.Background(), 1); err != nil || called != 1 {
			t.Errorf("priority %d: called %d times, %v", priority, called, err)
		}
		if len(s.due.ring) > 1000 || cap(s.due.heap) > 1000 {
			t.Errorf("priority %d: a ring of %d and a heap of %d for two events", priority, len(s.due.ring), cap(s.due.heap))
		}
	}
}
