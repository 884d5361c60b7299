// Package backlog lets goroutines that share a relaxed queue wait for elements, and tells them when
// all work is done.
//
// A relaxed queue reports that it is empty if it was so at some moment. That is not the end of the
// work: another goroutine may be about to insert. A [Backlog] counts the elements that were
// inserted and not yet dealt with. The work is done when there are none and no more come from
// outside.
package backlog

import (
	"context"
	"sync/atomic"
)

// A Backlog stands beside a queue. It must be initialised by Init.
//
//	inserting:  Begin, insert into the queue, Inserted
//	consuming:  Next, which removes from the queue; deal with the element; Done
//
// How no wake-up is lost. A goroutine that finds nothing counts itself as waiting, tries once more,
// and sleeps until there is a token in wake. A goroutine that has inserted puts a token there if
// any are waiting. Of the two steps of each, insert and read waiting, count as waiting and try, one
// must see the other: atomic operations have one order. There is room for one token. A goroutine
// that took it and an element puts it back if others are waiting, so that they come one after the
// other for the elements whose token found no room.
type Backlog struct {
	open    atomic.Int64 // elements not yet dealt with, and 1 until Close; below 0 when all is done
	waiting atomic.Int64
	_       [48]byte

	closed atomic.Bool
	wake   chan struct{}
	done   chan struct{}
}

// over is what open is when all is done, and stays near.
const over = -1 << 62

// Init makes the backlog ready.
func (b *Backlog) Init() {
	b.open.Store(1)
	b.wake = make(chan struct{}, 1)
	b.done = make(chan struct{})
}

// Begin counts an element that is about to be inserted. It reports false, and counts nothing, if
// all work is done.
func (b *Backlog) Begin() bool {
	if b.open.Add(1) <= 0 {
		b.open.Add(-1)
		return false
	}
	return true
}

// Inserted says that the element is in the queue.
func (b *Backlog) Inserted() {
	// This reads waiting by an addition and not by a load: the queue may have inserted by a plain
	// store, which a processor may make visible after a load that follows, but not after this.
	if b.waiting.Add(0) > 0 {
		b.signal()
	}
}

func (b *Backlog) signal() {
	select {
	case b.wake <- struct{}{}:
	default: // there is one
	}
}

// Done says that an element has been dealt with. It reports false if there was none.
func (b *Backlog) Done() bool {
	n := b.open.Add(-1)
	if n != 0 {
		return n > 0
	}
	if !b.closed.Load() { // the last one belongs to Close
		b.open.Add(1)
		return false
	}
	if b.open.CompareAndSwap(0, over) {
		close(b.done)
	}
	return true
}

// Close says that elements are from now on only inserted by goroutines that deal with one. It may
// be called several times.
func (b *Backlog) Close() {
	if b.closed.CompareAndSwap(false, true) {
		b.Done()
	}
}

// Next calls take until it reports true, and sleeps while there is nothing to take. It reports
// false when all work is done, and returns the context's error when the context has ended.
func (b *Backlog) Next(ctx context.Context, take func() bool) (ok bool, err error) {
	woken := false // by a token, which others may need
	for {
		if err := ctx.Err(); err != nil {
			b.passOn(woken)
			return false, err
		}
		if take() {
			b.passOn(woken)
			return true, nil
		}
		b.waiting.Add(1)
		if take() {
			b.waiting.Add(-1)
			b.passOn(woken)
			return true, nil
		}
		woken = false
		select {
		case <-b.wake:
			woken = true
		case <-ctx.Done():
		case <-b.done:
			b.waiting.Add(-1)
			return false, nil
		}
		b.waiting.Add(-1)
	}
}

// passOn puts a token back that was taken, if others are waiting.
func (b *Backlog) passOn(woken bool) {
	if woken && b.waiting.Load() > 0 {
		b.signal()
	}
}
