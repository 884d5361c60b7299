package statefile

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"runtime"
	"sync/atomic"

	"github.com/almanac-sim/almanac/internal/panics"
)

// A Section is a named part of a file.
type Section struct {
	Name   string
	Length uint64 // of its content
	at     int64  // where its content begins
}

// A Reader reads the sections of a file. It may be used from several goroutines at once.
type Reader struct {
	r        io.ReaderAt
	Size     int64     // of the file, in bytes
	Sections []Section // in the order of the file, without the last
}

// Errors of files that are no states, or not whole.
var (
	ErrForeign = errors.New("it is not a state that almanac saved")
	ErrDamaged = errors.New("it is damaged")
)

// damaged says what is wrong with a file.
func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

// mostSections bounds the list of sections.
const mostSections = 1 << 24

// NewReader reads the header and the heads of all sections of a file with so many bytes. Contents
// are checked when they are read.
func NewReader(r io.ReaderAt, size int64) (*Reader, error) {
	in := &Reader{r: r, Size: size}
	head := make([]byte, len(magic)+8)
	if size < int64(len(head)) {
		head = head[:max(0, size)]
	}
	if _, err := r.ReadAt(head, 0); err != nil && err != io.EOF {
		return nil, err
	}
	if n := min(len(head), len(magic)); n == 0 || string(head[:n]) != magic[:n] {
		return nil, ErrForeign
	}
	if len(head) < len(magic)+8 {
		return nil, damaged("it ends within its header")
	}
	version, sum := binary.LittleEndian.Uint32(head[len(magic):]), binary.LittleEndian.Uint32(head[len(magic)+4:])
	switch {
	case sum != crc32.Checksum(head[:len(magic)+4], table):
		return nil, damaged("the checksum of its header is wrong")
	case version > Version:
		return nil, fmt.Errorf("it is of version %d, of a later program than this one, which knows %d", version, Version)
	case version < Version:
		return nil, fmt.Errorf("it is of version %d, which this program cannot read any more: it knows %d", version, Version)
	}
	for at := int64(len(head)); ; {
		s, next, err := in.head(at, size)
		if err != nil {
			return nil, err
		}
		if s.Name != endName {
			if len(in.Sections) == mostSections {
				return nil, damaged("it has too many sections")
			}
			if s.Length == 0 { // nobody reads it
				if err := in.Read(s, nil); err != nil {
					return nil, err
				}
			}
			in.Sections, at = append(in.Sections, s), next
			continue
		}
		count := make([]byte, 8)
		if s.Length != 8 || next != size {
			return nil, damaged("something stands behind its end")
		}
		if err := in.Read(s, count); err != nil {
			return nil, err
		}
		if binary.LittleEndian.Uint64(count) != uint64(len(in.Sections)) {
			return nil, damaged("sections are missing")
		}
		return in, nil
	}
}

// head reads the head of the section at a place.
func (r *Reader) head(at, size int64) (s Section, next int64, err error) {
	truncated := damaged("it ends after %d bytes, in the middle", size)
	read := func(n int64) []byte {
		if err != nil || n > size-at {
			err = truncated
			return make([]byte, n)
		}
		b := make([]byte, n)
		if _, err = r.r.ReadAt(b, at); err == io.EOF {
			err = nil
		}
		at += n
		return b
	}
	head := read(2)
	if err != nil {
		return s, 0, err
	}
	head = append(head, read(int64(binary.LittleEndian.Uint16(head)))...)
	head = append(head, read(8)...)
	sum := binary.LittleEndian.Uint32(read(4))
	switch s.Length = binary.LittleEndian.Uint64(head[len(head)-8:]); {
	case err != nil:
		return s, 0, err
	case sum != crc32.Checksum(head, table):
		return s, 0, damaged("a checksum is wrong, at byte %d", at)
	case s.Length > uint64(size-at) || uint64(size-at)-s.Length < 4:
		return s, 0, truncated
	}
	s.Name, s.at = string(head[2:len(head)-8]), at
	return s, at + int64(s.Length) + 4, nil
}

// span is how many bytes a goroutine reads at a time.
const span = 1 << 22

// Read reads the whole content of a section and checks it.
func (r *Reader) Read(s Section, into []byte) error {
	return r.ReadRows(s, into, 1, func(int, int) error { return nil })
}

// ReadRows reads the whole content of a section, rows with so many bytes each, and checks it.
// Several goroutines read the spans of a large one: a single one copies more slowly than a fast
// disk reads. Each calls do with the numbers of the rows that it has read, while others are being
// read; do may change them. The content is valid only if ReadRows returns nil: a wrong checksum is
// reported before an error of do, and of those the one of the first rows.
func (r *Reader) ReadRows(s Section, into []byte, row int, do func(from, to int) error) error {
	if uint64(len(into)) != s.Length {
		return damaged("section %s has %d bytes where %d are expected", s.Name, s.Length, len(into))
	}
	rows, each := len(into)/row, max(span/row, 1)
	spans := (rows + each - 1) / each
	read, done := make([]error, spans), make([]error, spans)
	sums := make([]chan uint32, spans+1) // of all spans before; it must be taken in order
	for i := range sums {
		sums[i] = make(chan uint32, 1)
	}
	sums[0] <- 0
	var next atomic.Int64
	var readers panics.Group
	for range min(spans, runtime.GOMAXPROCS(0), mostReaders) {
		readers.Go(func() {
			for i := int(next.Add(1)) - 1; i < spans; i = int(next.Add(1)) - 1 {
				from, to := i*each, min((i+1)*each, rows)
				part := into[from*row : to*row]
				if read[i] = r.readAt(s, part, int64(from)*int64(row)); read[i] != nil {
					next.Store(int64(spans)) // nothing more is read
				}
				sums[i+1] <- crc32.Update(<-sums[i], table, part)
				if read[i] == nil {
					done[i] = do(from, to)
				}
			}
		})
	}
	readers.Wait()
	if err := cmp.Or(read...); err != nil {
		return err
	}
	if err := r.check(s, <-sums[spans]); err != nil {
		return err
	}
	return cmp.Or(done...)
}

// mostReaders is how many goroutines read a section at most: more are of no use to a disk.
const mostReaders = 8

// readAt reads a part of the content of a section.
func (r *Reader) readAt(s Section, into []byte, at int64) error {
	if n, err := r.r.ReadAt(into, s.at+at); n < len(into) {
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return damaged("it ends within section %s", s.Name)
		}
		return err
	}
	return nil
}

// check compares the checksum of the content of a section with the one in the file.
func (r *Reader) check(s Section, sum uint32) error {
	tail := make([]byte, 4)
	if n, err := r.r.ReadAt(tail, s.at+int64(s.Length)); n < len(tail) && err != nil && err != io.EOF {
		return err
	}
	if binary.LittleEndian.Uint32(tail) != sum {
		return damaged("the checksum of section %s is wrong", s.Name)
	}
	return nil
}

// Blocks reads the content of a section in blocks of at most a quarter of a megabyte: into what
// room returns for so many bytes, after which it calls each. The content is valid only if Blocks
// returns nil.
func (r *Reader) Blocks(s Section, room func(bytes int) []byte, each func(block []byte) error) error {
	var sum uint32
	for at := uint64(0); at < s.Length; {
		b := room(int(min(s.Length-at, chunk)))
		if err := r.readAt(s, b, int64(at)); err != nil {
			return err
		}
		sum = crc32.Update(sum, table, b)
		if err := each(b); err != nil {
			return err
		}
		at += uint64(len(b))
	}
	return r.check(s, sum)
}

// Sum is a hash of the names, lengths and checksums of all sections: two files with the same sum
// have the same contents. The contents are not read for it.
func (r *Reader) Sum() ([]byte, error) {
	h := sha256.New()
	tail := make([]byte, 4)
	for _, s := range r.Sections {
		if n, err := r.r.ReadAt(tail, s.at+int64(s.Length)); n < len(tail) {
			return nil, err
		}
		fmt.Fprintf(h, "%q %d %x\n", s.Name, s.Length, tail)
	}
	return h.Sum(nil), nil
}
