package page

import (
	"context"
	"errors"
	"sync"
)

// A shelf keeps the last few things that were made, for those who ask for the same again: the figures of a page come one by one. Who asks for
// something that is being made waits for it, and for nothing else.
type shelf struct {
	mu    sync.Mutex
	keys  []string // the last one that was asked for at the end
	kept  map[string]*shelved
	bytes int
}

// A shelved is something on the shelf, or about to be.
type shelved struct {
	ready chan struct{} // closed when it is made, or could not be
	saved saved
	err   error
	bytes int
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
			s.fill(key, e, make)
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
	if e = s.kept[key]; e == nil {
		e, mine = &shelved{ready: make(chan struct{})}, true
		if s.kept == nil {
			s.kept = map[string]*shelved{}
		}
		s.kept[key] = e
	} else {
		s.drop(key, false)
	}
	s.keys = append(s.keys, key)
	return e, mine
}

// fill makes something for its place, and puts away what there is no more room for.
func (s *shelf) fill(key string, e *shelved, make func() (saved, error)) {
	e.err = errUnmade // should making it panic
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		close(e.ready)
		if s.kept[key] != e { // others have taken its place meanwhile
			return
		}
		if e.bytes = e.saved.size(); e.err != nil || e.bytes > mostShelvedBytes {
			e.bytes = 0
			s.drop(key, true)
			return
		}
		s.bytes += e.bytes
		for len(s.keys) > mostShelved || s.bytes > mostShelvedBytes {
			s.drop(s.keys[0], true)
		}
	}()
	e.saved, e.err = make()
}

var errUnmade = errors.New("page: it could not be made")

// drop takes a key from the list, and from the shelf if it is to be gone. The lock is held.
func (s *shelf) drop(key string, gone bool) {
	for i, k := range s.keys {
		if k == key {
			s.keys = append(s.keys[:i:i], s.keys[i+1:]...)
			break
		}
	}
	if e := s.kept[key]; gone && e != nil {
		s.bytes -= e.bytes
		delete(s.kept, key)
	}
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
