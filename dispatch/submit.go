package dispatch

import "context"

// A waiter is somebody who waits until there is room in the pool. It is used again by others.
type waiter struct{ done chan error }

// submit hands over an item; it waits for room, or returns ErrFull.
func (d *scheduler[P]) submit(ctx context.Context, v P, wait bool) error {
	it, stamp, w, err := d.enter(v, wait, true)
	if w == nil {
		return err
	}
	select {
	case err = <-w.done:
	case <-ctx.Done():
		if d.withdraw(it, stamp, blocked) {
			err = ctx.Err()
		} else {
			err = <-w.done // it was let in, or the desk closed, before
		}
	}
	d.lock()
	if len(d.waiters) < minSpare {
		d.waiters = append(d.waiters, w)
	}
	d.unlock()
	return err
}

// enter hands over an item, which may have to wait outside, or returns ErrFull. With the stamp it can be taken out. Whoever is to be told when it was let in
// waits by w, which is nil if it was at once.
func (d *scheduler[P]) enter(v P, wait, told bool) (it *item[P], stamp uint64, w *waiter, err error) {
	now := d.now()
	d.lock()
	switch {
	case d.closed:
		err = ErrClosed
	case !wait && d.full():
		d.total.Full++
		err = ErrFull
	default:
		it = d.arrive(v, now)
		stamp = it.Seq
		if told && it.Value.in == blocked {
			w = d.newWaiter()
			it.Value.waiter = w
		}
	}
	d.unlock()
	return it, stamp, w, err
}

func (d *scheduler[P]) newWaiter() *waiter {
	n := len(d.waiters)
	if n == 0 {
		return &waiter{make(chan error, 1)}
	}
	w := d.waiters[n-1]
	d.waiters = d.waiters[:n-1]
	return w
}
