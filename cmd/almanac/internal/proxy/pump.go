package proxy

import (
	"io"
	"sync"
)

// chunkSize is that of the pieces of a buffer, and of what io.Copy moves.
const chunkSize = 32 << 10

var chunks = sync.Pool{New: func() any { return new([chunkSize]byte) }}

// A pump reads an answer as fast as it comes, into a buffer, so that its slot is free when all of it is here, whatever the client does. When the
// buffer is full it waits for the client.
//
//	pieces   [ .. taken .. | .. here .. ] [ .. here .. ] … [ .. here .. | being read into ]
//	                       ↑ from                                       ↑ to
//
// It always may have one piece, and further ones while both its own bound and the common budget allow.
type pump struct {
	source io.ReadCloser
	budget *budget
	most   int    // pieces
	ends   func() // is told when all is here

	mu     sync.Mutex
	moved  sync.Cond
	pieces []*[chunkSize]byte
	from   int // within the first piece
	to     int // within the last
	err    error
	ended  bool // run has, and err says why
	closed bool
}

func newPump(source io.ReadCloser, b *budget, most int, ends func()) *pump {
	p := &pump{source: source, budget: b, most: max(1, most/chunkSize), ends: ends}
	p.moved.L = &p.mu
	go p.run()
	return p
}

// room is a place for what comes next, or nil if it is closed.
func (p *pump) room() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.closed {
		n := len(p.pieces)
		if n > 0 && p.to < chunkSize {
			return p.pieces[n-1][p.to:]
		}
		if n == 0 || n < p.most && p.budget.take(chunkSize) {
			p.pieces = append(p.pieces, chunks.Get().(*[chunkSize]byte))
			p.to = 0
			return p.pieces[n][:]
		}
		p.moved.Wait()
	}
	return nil
}

// run is the goroutine that reads.
func (p *pump) run() {
	defer p.ends()
	for {
		room := p.room()
		if room == nil {
			break
		}
		n, err := p.source.Read(room)
		p.mu.Lock()
		p.to += n
		p.err = err
		p.moved.Broadcast()
		p.mu.Unlock()
		if err != nil {
			break
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	if p.closed {
		p.drop(len(p.pieces))
	}
	p.moved.Broadcast()
}

// drop gives back the first n pieces. All but the last that there is were paid for.
func (p *pump) drop(n int) {
	for _, c := range p.pieces[:n] {
		chunks.Put(c)
	}
	p.budget.give(chunkSize * min(n, max(0, len(p.pieces)-1)))
	p.pieces = append(p.pieces[:0], p.pieces[n:]...)
	p.from = 0
}

func (p *pump) Read(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		last := len(p.pieces) - 1
		end := chunkSize
		if last == 0 {
			end = p.to
		}
		switch {
		case p.closed:
			return 0, io.ErrClosedPipe
		case last >= 0 && p.from < end:
			n := copy(b, p.pieces[0][p.from:end])
			p.from += n
			if p.from == chunkSize && (last > 0 || p.to == chunkSize) {
				p.drop(1)
				p.moved.Broadcast()
			}
			return n, nil
		case p.err != nil && p.ended:
			return 0, p.err
		}
		p.moved.Wait()
	}
}

// Close stops it. The source is closed, and what was read and not taken is dropped.
func (p *pump) Close() error {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil
	}
	p.closed = true
	if p.ended {
		p.drop(len(p.pieces))
	}
	p.moved.Broadcast()
	p.mu.Unlock()
	return p.source.Close()
}

// whole is an answer that is small and here.
type whole struct {
	chunk *[chunkSize]byte
	rest  []byte
	err   error // after it
}

// readWhole reads a body of n bytes, at most a chunk.
func readWhole(source io.ReadCloser, n int) *whole {
	w := &whole{chunk: chunks.Get().(*[chunkSize]byte), err: io.EOF}
	n, err := io.ReadFull(source, w.chunk[:n])
	w.rest = w.chunk[:n]
	if err == nil {
		// Its end is what gives back the slot.
		var more [1]byte
		if _, err = source.Read(more[:]); err == io.EOF {
			err = nil
		}
	}
	if err != nil {
		w.err = err
	}
	source.Close()
	return w
}

func (w *whole) Read(b []byte) (int, error) {
	if len(w.rest) == 0 {
		return 0, w.err
	}
	n := copy(b, w.rest)
	w.rest = w.rest[n:]
	return n, nil
}

func (w *whole) Close() error {
	if w.chunk != nil {
		chunks.Put(w.chunk)
		w.chunk, w.rest = nil, nil
	}
	return nil
}
