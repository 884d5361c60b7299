package spray

import (
	"cmp"
	"context"
	"errors"

	"github.com/almanac-sim/almanac/internal/backlog"
)

// Blocking is a [List] for goroutines that share work: [Blocking.Spray] waits for an element, and
// says when all work is done.
//
// An element is open from Insert until Done, which the goroutine that took it calls when it has
// dealt with it, and with all that it inserts for it. All work is done when Close has been called
// and no element is open: then there are no elements, and none can come.
//
// Order, cost and memory are those of List. The count of open elements is one word for all
// goroutines.
//
// All methods may be called from any number of goroutines at once. The zero value is not ready for
// use; call [NewBlocking].
type Blocking[K cmp.Ordered, V any] struct {
	list    *List[K, V]
	backlog backlog.Backlog
}

// ErrDone is returned when all work is done.
var ErrDone = errors.New("spray: all work is done")

// NewBlocking returns an empty list. It takes the options of [New].
func NewBlocking[K cmp.Ordered, V any](opts ...Option) *Blocking[K, V] {
	b := &Blocking[K, V]{list: New[K, V](opts...)}
	b.backlog.Init()
	return b
}

// Insert adds an element and returns its handle. It refuses everything once all work is done
// ([ErrDone]). A key that is NaN is a bug of the caller, and panics.
func (b *Blocking[K, V]) Insert(key K, value V) (Handle, error) {
	if key != key {
		panic("spray: a key must not be NaN")
	}
	if !b.backlog.Begin() {
		return Handle{}, ErrDone
	}
	h := b.list.Insert(key, value)
	b.backlog.Inserted()
	return h, nil
}

// Spray removes one of the first elements, as [List.Spray] does, and waits while there is none. It
// returns [ErrDone] when all work is done, and the context's error when the context has ended, even
// if there are elements.
func (b *Blocking[K, V]) Spray(ctx context.Context) (key K, value V, err error) {
	ok, err := b.backlog.Next(ctx, func() (ok bool) {
		key, value, ok = b.list.Spray()
		return ok
	})
	if err == nil && !ok {
		err = ErrDone
	}
	return key, value, err
}

// Done says that an element that Spray returned has been dealt with. It panics if no element is
// open.
func (b *Blocking[K, V]) Done() {
	if !b.backlog.Done() {
		panic("spray: Done without an element")
	}
}

// Delete removes the element of a handle, as [List.Delete] does. The element then needs no Done.
func (b *Blocking[K, V]) Delete(h Handle) bool {
	ok := b.list.Delete(h)
	if ok {
		b.backlog.Done()
	}
	return ok
}

// Close says that from now on only goroutines that deal with an element insert others. It does not
// wait, and may be called several times.
func (b *Blocking[K, V]) Close() {
	b.list.demandMade()
	b.backlog.Close()
}

// Len returns the number of elements, as [List.Len] does.
func (b *Blocking[K, V]) Len() int { return b.list.Len() }
