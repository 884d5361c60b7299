package relaxedtest

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
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

// A Trace is what goroutines did to a queue. The operations of each follow one another: one begins
// after the one before has ended.
type Trace struct {
	Fill       [][]Operation // insertions before the goroutines began their work, by goroutine
	Logs       [][]Operation // their work, by goroutine
	Drain      []Operation   // removals after they were done, until one fails; none if the queue was left as it was
	Collisions uint64        // as the queue counted them, if it does
}

// The form of a saved trace: the magic, the trace as package encoding/gob writes it, and a checksum
// of all before.
const magic = "spray trace 2\n"

// WriteTo saves a trace, in about 30 bytes per operation. It needs as much memory meanwhile.
func (t *Trace) WriteTo(w io.Writer) (n int64, err error) {
	b := bytes.NewBufferString(magic)
	if err := gob.NewEncoder(b).Encode(t); err != nil {
		return 0, fmt.Errorf("relaxedtest: %w", err)
	}
	b.Write(binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE(b.Bytes())))
	return b.WriteTo(w)
}

// ReadTrace reads a trace that was saved.
func ReadTrace(r io.Reader) (*Trace, error) {
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("relaxedtest: %w", err)
	}
	body, ok := bytes.CutPrefix(b, []byte(magic))
	if !ok {
		return nil, errors.New("relaxedtest: this is not a trace")
	}
	end := len(b) - 4
	if len(body) < 4 || crc32.ChecksumIEEE(b[:end]) != binary.LittleEndian.Uint32(b[end:]) {
		return nil, errors.New("relaxedtest: the trace is damaged: its checksum is wrong")
	}
	t := new(Trace)
	if err := gob.NewDecoder(bytes.NewReader(body)).Decode(t); err != nil {
		return nil, fmt.Errorf("relaxedtest: the trace is damaged: %w", err)
	}
	return t, nil
}
