package proxy

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/iotest"
)

// A source gives pieces of random sizes, and notes that it was closed.
type source struct {
	io.Reader
	closed chan bool
	once   sync.Once
}

func newSource(r io.Reader) *source { return &source{Reader: r, closed: make(chan bool)} }

func (s *source) Close() error {
	s.once.Do(func() { close(s.closed) })
	return nil
}

type pieces struct {
	text   []byte
	random *rand.Rand
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.text) == 0 {
		return 0, io.EOF
	}
	n := copy(b[:1+p.random.IntN(len(b))], p.text)
	p.text = p.text[n:]
	return n, nil
}

// All that goes in comes out, in its order, whatever the sizes of reads, the bound of the buffer, and the memory that is left; what is taken is given back.
func TestPumpPassesAll(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		text := make([]byte, random.IntN(500_000))
		for i := range text {
			text[i] = byte(random.Uint32())
		}
		b := &budget{total: int64(random.IntN(8)) * chunkSize}
		ended := make(chan bool)
		most := random.IntN(10) * chunkSize
		p := newPump(newSource(&pieces{text, rand.New(rand.NewPCG(3, random.Uint64()))}), b, most, func() { close(ended) })
		var got bytes.Buffer
		for {
			buffer := make([]byte, 1+random.IntN(100_000))
			n, err := p.Read(buffer)
			got.Write(buffer[:n])
			if used := b.used.Load(); used > b.total+chunkSize || used > int64(max(0, most-chunkSize)+chunkSize) { // a piece is tried for before it is known that there is none
				t.Fatalf("%d of %d bytes are in use, and %d are allowed", used, b.total, most)
			}
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		<-ended
		p.Close()
		if !bytes.Equal(got.Bytes(), text) || b.used.Load() != 0 {
			t.Fatalf("%d of %d bytes; %d bytes are kept", got.Len(), len(text), b.used.Load())
		}
	}
}

// A pump that is full waits; one that is closed ends, wherever it is, and gives back what it has.
func TestPumpEnds(t *testing.T) {
	b := &budget{total: 10 * chunkSize}
	ended := make(chan bool)
	p := newPump(newSource(letters{}), b, 4*chunkSize, func() { close(ended) })
	eventually(t, "it is full", func() bool { return b.used.Load() == 3*chunkSize }) // and the first, which costs nothing
	p.Close()
	p.Close()
	<-ended
	if _, err := p.Read(make([]byte, 1)); err == nil || b.used.Load() != 0 {
		t.Error(err, b.used.Load())
	}

	// An error comes after what was there before it.
	failure := errors.New("broken")
	p = newPump(newSource(io.MultiReader(bytes.NewReader([]byte("text")), iotest.ErrReader(failure))), b, 4*chunkSize, func() {})
	text, err := io.ReadAll(p)
	if string(text) != "text" || err != failure {
		t.Errorf("%q %v", text, err)
	}
	p.Close()
	if b.used.Load() != 0 {
		t.Error(b.used.Load())
	}

	// In the middle of a read.
	read, write := io.Pipe()
	ended = make(chan bool)
	p = newPump(read, b, 4*chunkSize, func() { close(ended) })
	write.Write([]byte("x"))
	p.Close()
	<-ended
}
