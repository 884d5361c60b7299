// Package cache keeps recently used values, bounded by their number and bytes.
package cache

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// A Cache keeps a few recently used values: the figures of a page are requested one by one.
// Concurrent requests for one key share the computation, and do not block requests for other keys.
// If the context of the request that computes a value ends, a waiting request takes over.
type Cache[T any] struct {
	size func(T) int // estimate in bytes

	mu      sync.Mutex
	entries []*entry[T] // least recently used first
}

func New[T any](size func(T) int) *Cache[T] { return &Cache[T]{size: size} }

// An entry is a value, or one that is being computed.
type entry[T any] struct {
	key   string
	ready chan struct{} // closed when value and err are set
	value T
	err   error
	bytes int // 0 until it is ready
}

const (
	maxEntries = 6
	maxBytes   = 64 << 20
)

// Get returns the value of a key, computed by make if necessary.
func (s *Cache[T]) Get(ctx context.Context, key string, make func() (T, error)) (value T, err error) {
	for {
		e, mine := s.find(key)
		if mine {
			s.fill(e, make)
			return e.value, e.err
		}
		select {
		case <-e.ready:
		case <-ctx.Done():
			return value, ctx.Err()
		}
		if !errors.Is(e.err, context.Canceled) && !errors.Is(e.err, context.DeadlineExceeded) {
			return e.value, e.err
		}
		// That request was cancelled, this one was not.
		if ctx.Err() != nil {
			return value, ctx.Err()
		}
	}
}

// find returns the entry of a key. If there was none, the caller must fill the new entry.
func (s *Cache[T]) find(key string) (e *entry[T], mine bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.entries, func(e *entry[T]) bool { return e.key == key })
	if mine = i < 0; mine {
		e = &entry[T]{key: key, ready: make(chan struct{})}
	} else {
		e = s.entries[i]
		s.entries = slices.Delete(s.entries, i, i+1)
	}
	s.entries = append(s.entries, e)
	return e, mine
}

// fill computes the value of an entry and evicts others.
func (s *Cache[T]) fill(e *entry[T], make func() (T, error)) {
	e.err = errNoValue // in case make panics
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		close(e.ready)
		if e.bytes = s.size(e.value); e.err != nil || e.bytes > maxBytes {
			s.entries = slices.DeleteFunc(s.entries, func(o *entry[T]) bool { return o == e })
		}
		for len(s.entries) > maxEntries || s.bytes() > maxBytes {
			s.entries = slices.Delete(s.entries, 0, 1)
		}
	}()
	e.value, e.err = make()
}

var errNoValue = errors.New("page: it could not be made")

// bytes is the size of all values. The mutex is held.
func (s *Cache[T]) bytes() (n int) {
	for _, e := range s.entries {
		n += e.bytes
	}
	return n
}
