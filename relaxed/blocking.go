package relaxed

import (
	"context"
	"errors"

	"github.com/almanac-sim/almanac/internal/backlog"
)

// Blocking is a [Queue] for goroutines that share work: [Blocking.Next] waits for an event, and
// says when all work is done.
//
// An event is open from Schedule until Done, which the goroutine that took it calls when it has
// dealt with it, and with all that it schedules for it. All work is done when Close has been called
// and no event is open: then there are no events, and none can come.
//
//	q := relaxed.NewBlocking[Job]()
//	// producers, if there are any apart from the workers, schedule; then:
//	q.Close()
//	// each worker:
//	for {
//		job, at, err := q.Next(ctx)
//		if err != nil {
//			break // ErrDone, or the context has ended
//		}
//		work(job) // which may schedule more
//		q.Done()
//	}
//
// Order, ties and memory are those of Queue. The count of open events is one word for all
// goroutines, which costs some ten nanoseconds an event where many change it at once. Nothing is
// allocated per operation once there is room.
//
// All methods may be called from any number of goroutines at once. The zero value is not ready for
// use; call [NewBlocking].
type Blocking[V any] struct {
	queue   *Queue[V]
	backlog backlog.Backlog
}

// ErrDone is returned when all work is done.
var ErrDone = errors.New("relaxed: all work is done")

// NewBlocking returns an empty queue. It takes the options of [New].
func NewBlocking[V any](opts ...Option) *Blocking[V] {
	b := &Blocking[V]{queue: New[V](opts...)}
	b.backlog.Init()
	return b
}

// Schedule adds an event and returns its handle. It refuses a time that is not finite
// ([calendar.ErrTime]), and everything once all work is done ([ErrDone]).
func (b *Blocking[V]) Schedule(at float64, v V) (Handle, error) {
	if !b.backlog.Begin() {
		return Handle{}, ErrDone
	}
	h, err := b.queue.Schedule(at, v)
	if err != nil {
		b.backlog.Done()
		return Handle{}, err
	}
	b.backlog.Inserted()
	return h, nil
}

// Next removes one of the earliest events, as [Queue.Next] does, and waits while there is none. It
// returns [ErrDone] when all work is done, and the context's error when the context has ended, even
// if there are events.
func (b *Blocking[V]) Next(ctx context.Context) (v V, at float64, err error) {
	ok, err := b.backlog.Next(ctx, func() (ok bool) {
		v, at, ok = b.queue.Next()
		return ok
	})
	if err == nil && !ok {
		err = ErrDone
	}
	return v, at, err
}

// Done says that an event that Next returned has been dealt with. It panics if no event is open.
func (b *Blocking[V]) Done() {
	if !b.backlog.Done() {
		panic("relaxed: Done without an event")
	}
}

// Cancel removes an event, as [Queue.Cancel] does. The event then needs no Done.
func (b *Blocking[V]) Cancel(h Handle) bool {
	ok := b.queue.Cancel(h)
	if ok {
		b.backlog.Done()
	}
	return ok
}

// Close says that from now on only goroutines that deal with an event schedule others. It does not
// wait, and may be called several times.
func (b *Blocking[V]) Close() {
	b.queue.demandMade()
	b.backlog.Close()
}

// Len returns the number of pending events, as [Queue.Len] does.
func (b *Blocking[V]) Len() int { return b.queue.Len() }
