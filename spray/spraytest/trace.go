package spraytest

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"
)

// A Kind is what an operation did.
type Kind uint8

// The kinds of operations.
const (
	Insertion Kind = iota
	Removal
	Failure // a removal that found nothing
)

// An Operation is one of a goroutine's. Its effect took place at some moment from Begin to End.
type Operation struct {
	Begin, End int64 // nanoseconds since the trace began; read before the call and after it
	Key        float64
	ID         uint32 // of the element: they are numbered from 0
	Kind       Kind
}

// A Trace is what goroutines did to a queue. The operations of each follow one another: one begins after the one before has ended.
type Trace struct {
	Fill       [][]Operation // insertions before the goroutines began their work, by goroutine
	Logs       [][]Operation // their work, by goroutine
	Drain      []Operation   // removals after they were done, until one fails; none if the queue was left as it was
	Collisions uint64        // as the queue counted them, if it does
}

// The form of a saved trace: the magic, numbers as varints, keys as 8 bytes, and in the end a checksum of all before.
const magic = "spray trace 1\n"

// WriteTo saves a trace, in 10 to 20 bytes per operation.
func (t *Trace) WriteTo(w io.Writer) (n int64, err error) {
	sum := crc32.NewIEEE()
	out := bufio.NewWriter(io.MultiWriter(w, sum))
	var b []byte
	put := func() {
		n += int64(len(b))
		if err == nil {
			_, err = out.Write(b)
		}
		b = b[:0]
	}
	b = append(b, magic...)
	b = binary.AppendUvarint(b, t.Collisions)
	b = binary.AppendUvarint(b, uint64(len(t.Fill)))
	b = binary.AppendUvarint(b, uint64(len(t.Logs)))
	for _, log := range slices.Concat(t.Fill, t.Logs, [][]Operation{t.Drain}) {
		b = binary.AppendUvarint(b, uint64(len(log)))
		last := int64(0)
		for _, o := range log {
			b = append(b, byte(o.Kind))
			b = binary.AppendVarint(b, o.Begin-last)
			b = binary.AppendVarint(b, o.End-o.Begin)
			last = o.End
			if o.Kind != Failure {
				b = binary.AppendUvarint(b, uint64(o.ID))
				b = binary.LittleEndian.AppendUint64(b, math.Float64bits(o.Key))
			}
			put()
		}
	}
	put()
	if err == nil {
		err = out.Flush()
	}
	b = binary.LittleEndian.AppendUint32(b, sum.Sum32())
	n += int64(len(b))
	if err == nil {
		_, err = w.Write(b)
	}
	return n, err
}

// ReadTrace reads a trace that was saved.
func ReadTrace(r io.Reader) (*Trace, error) {
	in := &traceReader{in: bufio.NewReader(r)}
	head := make([]byte, len(magic))
	in.full(head)
	if in.err == nil && string(head) != magic {
		return nil, errors.New("spraytest: this is not a trace")
	}
	t := &Trace{Collisions: in.unsigned()}
	fills, logs := in.unsigned(), in.unsigned()
	t.Fill, t.Logs = in.logs(fills), in.logs(logs)
	t.Drain = in.operations()
	sum := in.sum
	var want [4]byte
	in.full(want[:])
	if in.err == nil && sum != binary.LittleEndian.Uint32(want[:]) {
		in.err = errors.New("its checksum is wrong")
	}
	if in.err != nil {
		return nil, fmt.Errorf("spraytest: the trace is damaged: %w", in.err)
	}
	return t, nil
}

// A traceReader reads numbers until there is an error, and is told to the end as if there was none.
type traceReader struct {
	in  *bufio.Reader
	sum uint32
	err error
}

func (r *traceReader) full(b []byte) {
	if r.err != nil {
		return
	}
	if _, err := io.ReadFull(r.in, b); err != nil {
		r.err = io.ErrUnexpectedEOF
		return
	}
	r.sum = crc32.Update(r.sum, crc32.IEEETable, b)
}

// ReadByte makes the reader one that varints can be read from.
func (r *traceReader) ReadByte() (byte, error) {
	var b [1]byte
	r.full(b[:])
	return b[0], r.err
}

func (r *traceReader) unsigned() uint64 {
	x, err := binary.ReadUvarint(r)
	r.err = cmp.Or(r.err, err)
	return x
}

func (r *traceReader) signed() int64 {
	x, err := binary.ReadVarint(r)
	r.err = cmp.Or(r.err, err)
	return x
}

func (r *traceReader) logs(n uint64) (logs [][]Operation) {
	for ; n > 0 && r.err == nil; n-- {
		logs = append(logs, r.operations())
	}
	return logs
}

func (r *traceReader) operations() (log []Operation) {
	last := int64(0)
	for n := r.unsigned(); n > 0 && r.err == nil; n-- {
		kind, _ := r.ReadByte()
		o := Operation{Kind: Kind(kind)}
		o.Begin = last + r.signed()
		o.End = o.Begin + r.signed()
		last = o.End
		if o.Kind != Failure {
			o.ID = uint32(r.unsigned())
			var b [8]byte
			r.full(b[:])
			o.Key = math.Float64frombits(binary.LittleEndian.Uint64(b[:]))
		}
		if r.err == nil {
			log = append(log, o)
		}
	}
	return log
}
