package page

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// A shelf keeps the last few things that were made, for those who ask for the same again: the
// figures of a page come one by one. Who asks for something that is being made waits for it, and
// for nothing else.
type shelf struct {
	mu   sync.Mutex
	kept []*shelved // the last one that was asked for at the end
}

// A shelved is something on the shelf, or about to be.
type shelved struct {
	key   string
	ready chan struct{} // closed when it is made, or could not be
	saved saved
	err   error
	bytes int // 0 until it is made
}

// How much is kept.
const (
	mostShelved      = 6
	mostShelvedBytes = 64 << 20
)

// get is what goes by a key, or else what make makes.
func (s *shelf) get(ctx context.Context, key string, make func() (saved, error)) (saved, error) {
	for {
		e, mine := s.find(key)
		if mine {
			s.fill(e, make)
			return e.saved, e.err
		}
		select {
		case <-e.ready:
		case <-ctx.Done():
			return saved{}, ctx.Err()
		}
		if !errors.Is(e.err, context.Canceled) && !errors.Is(e.err, context.DeadlineExceeded) {
			return e.saved, e.err
		}
		// The visitor for whom it was to be made has left. We have not.
		if ctx.Err() != nil {
			return saved{}, ctx.Err()
		}
	}
}

// find is what is on the shelf, or a place on it that whoever asks is to fill.
func (s *shelf) find(key string) (e *shelved, mine bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.kept, func(e *shelved) bool { return e.key == key })
	if mine = i < 0; mine {
		e = &shelved{key: key, ready: make(chan struct{})}
	} else {
		e = s.kept[i]
		s.kept = slices.Delete(s.kept, i, i+1)
	}
	s.kept = append(s.kept, e)
	return e, mine
}

// fill makes something for its place, and puts away what there is no more room for.
func (s *shelf) fill(e *shelved, make func() (saved, error)) {
	e.err = errUnmade // should making it panic
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		close(e.ready)
		if e.bytes = e.saved.size(); e.err != nil || e.bytes > mostShelvedBytes {
			s.kept = slices.DeleteFunc(s.kept, func(o *shelved) bool { return o == e })
		}
		for len(s.kept) > mostShelved || s.bytes() > mostShelvedBytes {
			s.kept = slices.Delete(s.kept, 0, 1)
		}
	}()
	e.saved, e.err = make()
}

var errUnmade = errors.New("page: it could not be made")

// bytes is what takes room on the shelf. The lock is held.
func (s *shelf) bytes() (n int) {
	for _, e := range s.kept {
		n += e.bytes
	}
	return n
}

// size is about how many bytes there are to see.
func (v View) size() int {
	n := 0
	for _, f := range v.Figures {
		n += 1 << 10
		for _, s := range f.Chart.Series {
			n += 8 * (len(s.X) + len(s.Y) + len(s.Low) + len(s.High))
		}
		if f.Map != nil {
			for _, row := range f.Map.Z {
				n += 16 * len(row)
			}
		}
	}
	for _, t := range v.Tables {
		for _, row := range t.Rows {
			for _, cell := range row {
				n += 16 + len(cell)
			}
		}
		for _, link := range t.Links {
			n += 16 + len(link)
		}
	}
	if v.Sweep != nil {
		for _, p := range v.Sweep.Points() {
			n += 64 + 32*len(p.Values) + 64*len(p.Outputs)
		}
	}
	return n
}
