package capped

import "context"

// A waiter is somebody who waits until there is room in the pool. It is used again by others.
type waiter struct{ done chan error }

// submit hands over an item; it waits for room, or returns ErrFull.
func (d *desk[P]) submit(ctx context.Context, v P, wait bool) error {
	now := d.now()
	d.lock()
	if d.closed {
		d.unlock()
		return ErrClosed
	}
	if !d.full() {
		d.arrive(v, now)
		d.unlock()
		return nil
	}
	if !wait {
		d.total.full++
		d.unlock()
		return ErrFull
	}
	it := d.arrive(v, now)
	stamp := it.Stamp
	w := d.newWaiter()
	it.Value.waiter = w
	d.unlock()

	var err error
	select {
	case err = <-w.done:
	case <-ctx.Done():
		if d.takeOut(it, stamp, outside) {
			err = ctx.Err()
		} else {
			err = <-w.done // it was let in, or the desk closed, before
		}
	}
	d.lock()
	if len(d.waiters) < leastSpare {
		d.waiters = append(d.waiters, w)
	}
	d.unlock()
	return err
}

func (d *desk[P]) newWaiter() *waiter {
	n := len(d.waiters)
	if n == 0 {
		return &waiter{make(chan error, 1)}
	}
	w := d.waiters[n-1]
	d.waiters = d.waiters[:n-1]
	return w
}

// enter hands over an item for which somebody else waits; it may have to wait outside. With the stamp it can be taken out.
func (d *desk[P]) enter(v P, wait bool) (it *item[P], stamp uint64, err error) {
	now := d.now()
	d.lock()
	defer d.unlock()
	switch {
	case d.closed:
		return nil, 0, ErrClosed
	case !wait && d.full():
		d.total.full++
		return nil, 0, ErrFull
	}
	it = d.arrive(v, now)
	return it, it.Stamp, nil
}
