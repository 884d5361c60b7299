package cache

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// A Cache keeps the last few things that were made, for those who ask for the same again: the
// figures of a page come one by one. Who asks for something that is being made waits for it, and
// for nothing else.
type Cache[T any] struct {
	size func(T) int // in bytes, about

	mu      sync.Mutex
	entries []*entry[T] // the last one that was asked for at the end
}

func New[T any](size func(T) int) *Cache[T] { return &Cache[T]{size: size} }

// A entry is something on the shelf, or about to be.
type entry[T any] struct {
	key   string
	ready chan struct{} // closed when it is made, or could not be
	value T
	err   error
	bytes int // 0 until it is made
}

// How much is kept.
const (
	maxEntries = 6
	maxBytes   = 64 << 20
)

// Get is what goes by a key, or else what make makes.
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
		// The visitor for whom it was to be made has left. We have not.
		if ctx.Err() != nil {
			return value, ctx.Err()
		}
	}
}

// find is what is on the shelf, or a place on it that whoever asks is to fill.
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

// fill makes something for its place, and puts away what there is no more room for.
func (s *Cache[T]) fill(e *entry[T], make func() (T, error)) {
	e.err = errNoValue // should making it panic
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

// bytes is what takes room on the shelf. The lock is held.
func (s *Cache[T]) bytes() (n int) {
	for _, e := range s.entries {
		n += e.bytes
	}
	return n
}
